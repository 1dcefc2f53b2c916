"""A search that begins with what CI sent of both ends: real profiles, the real helper, rows as of all other probes."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from slowpath.core.ids import RegressionId, RepositoryId, ServiceId, new_id
from slowpath.core.settings import Settings
from slowpath.inventory.catalog.service import catalog_entries
from slowpath.inventory.repositories.rules import CommitMetadata
from slowpath.inventory.repositories.service import commit_graph
from slowpath.inventory.repositories.tables import Repository, ServiceRepository
from slowpath.verdicts.regressions.tables import Regression
from tests.bisects.conftest import Search, plan_of, sha
from tests.tasks.conftest import settings  # noqa: F401 - pytest finds fixtures by name
from tests.tasks.test_decode_handlers import run_all

pytestmark = pytest.mark.database

CAPTURES = Path(__file__).parents[2] / "example" / "artifacts"
FILES, COMMITS, GUILTY = 2, 6, 4
SIGNATURE: dict[str, Any] = {
    "kind": "profile.category",
    "subject": "stack-growth",
    "label": "Stack growth",
    "unit": "",
    "larger_is_worse": True,
}


def sent(search: Search, settings: Settings, commit: str, variant: str) -> None:  # noqa: F811
    """Send profiles of a build as CI does, and have them measured."""
    for number in range(FILES):
        path = CAPTURES / variant / f"cpu.{number:02}.pb.gz"
        facts = json.loads(path.with_name(f"{path.name}.facts.json").read_text())
        stored = {name: facts[name] for name in ("requests", "wall_ns", "go_version", "gomaxprocs")}
        response = search.person.put(
            f"/api/v1/builds/ingester/{commit}/artifacts/{path.name}",
            content=path.read_bytes(),
            params={"branch": "main", "run_metadata": json.dumps(stored)},
        )
        assert response.status_code in (200, 201), response.text
    own = search.bench.worker_context.settings.model_copy(update={"decode_bin": settings.decode_bin})
    run_all(search.bench.with_settings(own))


@pytest.fixture
def measured(search: Search, settings: Settings) -> Search:  # noqa: F811
    sent(search, settings, sha(0), "inlined")
    sent(search, settings, sha(COMMITS), "helper")
    search.signature = SIGNATURE
    return search


def as_known(proposal: dict[str, Any], *, times: float = 1.0) -> Callable[[dict[str, Any]], float]:
    """Return what measures as production did, or so many times as much."""
    strip, rng = proposal["evidence"], np.random.default_rng(1)
    levels = {name: float(np.mean(strip[name])) * times for name in ("baseline_good", "baseline_bad")}

    def measure(lease: dict[str, Any]) -> float:
        slow = int(lease["build"]["commit"], 16) >= GUILTY
        return float(levels["baseline_bad" if slow else "baseline_good"] * np.exp(0.03 * rng.standard_normal()))

    return measure


def test_both_ends_are_known_without_a_deploy(measured: Search) -> None:
    measured.begin(plan_of(COMMITS), use_production_baselines=True)
    detail = measured.get_detail()
    first, second, third = detail["probes"]
    assert [one["purpose"] for one in (first, second, third)] == ["baseline", "baseline", "probe"]
    assert ([one["sha"] for one in (first, second)], [one["verdict"] for one in (first, second)]) == (
        [sha(0), sha(COMMITS)],
        ["not-slower", "slower"],
    )
    assert all(one["value"] > 0 and one["artifact_ids"] for one in (*first["measurements"], *second["measurements"]))
    strip = detail["evidence"]
    assert len(strip["baseline_good"]) == len(strip["baseline_bad"]) == FILES
    assert max(strip["baseline_good"]) < min(strip["baseline_bad"])
    assert (detail["cost"]["deployments"], strip["good"]) == (0, [])
    assert "baselines-used" in {one["kind"] for one in detail["events"]}

    ended = measured.run(as_known(detail))
    assert (ended["state"], ended["culprit"]["sha"]) == ("found", sha(GUILTY))
    assert {one["purpose"] for one in ended["probes"]} == {"baseline", "probe"}
    assert ended["cost"]["deployments"] == len(ended["probes"]) - 2


def test_with_other_measurement_settings_both_boundaries_are_deployed(measured: Search) -> None:
    measured.begin(plan_of(COMMITS), use_production_baselines=True)
    detail = measured.get_detail()
    measure = as_known(detail, times=8.0)
    for _ in range(20):
        measured.runner.turn(measure)
        measured.work()
        detail = measured.get_detail()
        if "boundary" in {one["purpose"] for one in detail["probes"]}:
            break
    assert [one["state"] for one in detail["probes"][:2]] == ["invalidated", "invalidated"]
    assert "boundary" in {one["purpose"] for one in detail["probes"]}
    [event] = [one for one in detail["events"] if one["kind"] == "baselines-invalidated"]
    assert "baselines invalidated" in event["sentence"]
    assert detail["evidence"]["baseline_good"] == []


def regressed(search: Search) -> RegressionId:
    """Create a regression between both ends, in a repository that has them."""
    with search.bench.worker_context.database.writing(search.scope) as session:
        service_id = ServiceId(catalog_entries.ensure_service(session, "ingester").id)
        repository = Repository(
            team_id=session.team_id, label="mono", kind="other", url="https://git.example.org/mono.git",
            credentials="none", branch_heads={},
        )  # fmt: skip
        session.add(repository)
        session.flush()
        session.add(
            ServiceRepository(team_id=session.team_id, id=new_id(), service_id=service_id, repository_id=repository.id)
        )
        listed = [CommitMetadata(sha(0), ()), CommitMetadata(sha(COMMITS), (sha(0),))]
        commit_graph.record_commits(session, RepositoryId(repository.id), listed)
        row = Regression(
            team_id=session.team_id, id=new_id(), number=1, branch="main", state="new", confirmed=True, title="It grew",
            sentence="", service_id=service_id, kind=SIGNATURE["kind"], subject=SIGNATURE["subject"], unit="",
            direction="worse", before=1.0, after=2.0, ratio=2.0, good_commit=sha(0), last_commit=sha(COMMITS), related_series=[],
        )  # fmt: skip
        session.add(row)
        session.flush()
        return RegressionId(row.id)


def test_an_offer_shows_what_is_known_and_starts_nothing(measured: Search) -> None:
    regression_id = str(regressed(measured))
    offer = measured.person.get("/api/v1/bisect-proposals", params={"regression_id": regression_id}).json()
    known = {one["kind"]: one["production_baselines"] for one in offer["signatures"]}
    assert known["custom"] is None
    baseline = known[SIGNATURE["kind"]]
    assert (baseline["good"]["files"], baseline["bad"]["files"]) == (FILES, FILES)
    assert (
        0 < baseline["good"]["value"] + baseline["good"]["error"] < baseline["bad"]["value"] - baseline["bad"]["error"]
    )

    body = {"regression_id": regression_id, "settings": {"use_production_baselines": True}}
    response = measured.person.post("/api/v1/bisects", json={**body, "signature": {"kind": "custom", "subject": ""}})
    assert response.status_code == 422
    assert "both boundaries" in response.json()["detail"]
    assert measured.person.post("/api/v1/bisects", json=body).json()["settings"]["use_production_baselines"] is True
