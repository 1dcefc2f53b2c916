"""Experiments over HTTP and jobs: started from a bisect, measured by a runner, cancelled."""

from typing import Any

import numpy as np
import pytest

from slowpath.core.ids import BisectId
from tests.bisects.conftest import Search, plan_of, sha, slower_from

pytestmark = pytest.mark.database
PATCH = "--- a/cost\n+++ b/cost\n@@ -1 +1 @@\n-2\n+1\n"
VARIANTS = ["revert", "GOGC=400", "GODEBUG=madvdontneed=1", "patch=p.patch"]
ALLOWED = ["GOGC", "GODEBUG", "revert", "patch"]


def factor(variant: dict[str, Any] | None) -> float:
    if variant is None:
        return 1.0
    return (1 / 1.3 if variant["reverts"] else 1.0) * (0.8 if variant["environment"].get("GOGC") == "400" else 1.0)


def turn(search: Search, rng: np.random.Generator) -> None:
    """Let the runner do all there is to do once; a patch fails to build."""
    runner = search.runner
    runner.lease()
    for run_id, lease in list(runner.running.items()):
        command = runner.beat(run_id)["command"]
        if command == "stop":
            runner.end(run_id)
        elif command == "measure" and lease["variant"] and lease["variant"]["patch"]:
            assert runner.client.get(f"/api/v1/probes/{run_id}/patch").json() == {"content": PATCH}
            runner.end(run_id, "unbuildable")
        elif command == "measure":
            level = 1.3 if int(lease["build"]["commit"], 16) >= 5 else 1.0
            noise = float(np.exp(0.01 * rng.standard_normal()))
            runner.measure(
                run_id, value=level * factor(lease["variant"]) * noise, measures={"rss-MB": 200 * noise**0.1}
            )
    search.work()


def found(search: Search) -> None:
    search.begin(plan_of(8))
    assert search.run(slower_from(5))["state"] == "found"


def listed(search: Search) -> dict[str, Any]:
    response = search.person.get(f"/api/v1/bisects/{search.bisect_id}/experiments")
    assert response.status_code == 200, response.text
    first: dict[str, Any] = response.json()[0]
    return first


@pytest.mark.processes
def test_variants_are_measured_and_the_best_is_named(search: Search) -> None:
    found(search)
    before = search.get_detail()
    created = search.ask("experiments", {"variants": VARIANTS, "patches": {"p.patch": PATCH}}, 201)
    assert (created["state"], created["has_runner"], created["needs"]) == ("running", False, sorted(ALLOWED))
    search.work()
    rng = np.random.default_rng(4)
    for _ in range(4):  # this runner allows no variant, so it does not measure the unchanged commits either
        turn(search, rng)
    assert listed(search)["runs"] == 0
    search.runner.variants = ALLOWED
    search.runner.come()
    assert listed(search)["has_runner"]
    for _ in range(80):
        turn(search, rng)
        if listed(search)["state"] == "measured" and not search.runner.running:
            break
    experiment = listed(search)
    assert (experiment["state"], experiment["best"]) == ("measured", "revert"), experiment
    effects = {one["variant"]: one for one in experiment["effects"] if one["measure"] == "Time"}
    assert {name: one["verdict"] for name, one in effects.items()} == {
        "parent": "better", "revert": "better", "GOGC=400": "better", "GODEBUG=madvdontneed=1": "no effect", "patch=p.patch": "not measured",
    }  # fmt: skip
    assert abs(effects["revert"]["removes"]["share"] - 1) < 0.1
    assert {one["verdict"] for one in experiment["effects"] if one["measure"] == "rss-MB"} <= {
        "no effect",
        "not measured",
    }
    assert [one["variant"] for one in experiment["failures"]] == ["patch=p.patch"]
    assert experiment["runs"] == experiment["expected_runs"] == 6 * 5
    assert search.get_detail()["probes"] == before["probes"]
    numbers = [one["number"] for one in search.person.get("/api/v1/bisects").json()["items"]]
    assert numbers == [1]  # an experiment is listed at its bisect only


@pytest.mark.processes
def test_an_experiment_is_cancelled_and_deleted_with_its_bisect(search: Search) -> None:
    found(search)
    search.runner.variants = ALLOWED
    search.runner.come()
    created = search.ask("experiments", {"variants": ["GOGC=400"], "blocks": 3}, 201)
    search.work()
    rng = np.random.default_rng(4)
    turn(search, rng)
    refused = search.person.delete(f"/api/v1/bisects/{search.bisect_id}")
    assert (refused.status_code, refused.json()["detail"]) == (409, "An experiment of the bisect has not ended.")
    cancelled = search.person.post(f"/api/v1/bisects/{created['id']}/actions", json={"action": "cancel"})
    assert cancelled.status_code == 200, cancelled.text
    for _ in range(4):
        turn(search, rng)
    assert listed(search)["state"] == "cancelled"
    assert not search.runner.running
    assert search.person.get(f"/api/v1/bisects/{created['id']}").status_code == 200
    assert search.person.delete(f"/api/v1/bisects/{search.bisect_id}").status_code == 204
    assert search.bench.admin.execute("SELECT count(*) FROM bisect").fetchone() == (0,)


@pytest.mark.processes
def test_a_base_that_does_not_build_ends_it(search: Search) -> None:
    found(search)
    search.runner.variants = ALLOWED
    search.runner.come()
    created = search.ask("experiments", {"variants": ["GOGC=400"], "blocks": 3}, 201)
    search.bisect_id, source = BisectId(created["id"]), search.bisect_id
    search.work()
    search.run(lambda _: None, 20)
    search.bisect_id = source
    experiment = listed(search)
    assert experiment["state"] == "failed"
    assert "does not build" in experiment["problem"]


def test_requests_that_do_not_apply_are_refused(search: Search) -> None:
    search.begin(plan_of(8))
    assert (
        search.ask("experiments", {"variants": ["GOGC=400"]}, 409)["detail"]
        == "The bisect has not ended with measurements."
    )
    search.run(slower_from(5))
    for body, message in (
        ({"variants": ["GOGC=0x1"]}, "is not a value of GOGC"),
        ({"variants": ["PATH=x"]}, "is not part of a variant"),
        ({"variants": ["pgo=file"]}, "pgo is off or auto"),
        ({"variants": ["patch=p"]}, "was not sent"),
        ({"variants": ["patch=p"], "patches": {"p": "+++ b/../x\n"}}, "outside the work tree"),
        ({"variants": ["GOGC=1", "GOGC=1"]}, "is there twice"),
    ):
        assert message in search.ask("experiments", body, 422)["detail"]
    malformed: list[dict[str, Any]] = [
        {"variants": []},
        {"variants": ["GOGC=1"], "blocks": 2},
        {"variants": ["a\nb"]},
        {"variants": ["x"], "more": 1},
    ]
    for fields in malformed:
        search.ask("experiments", fields, 422)
    search.bench.admin.execute("UPDATE bisect SET state = 'not-separable', outcome = NULL")
    assert "nothing can be reverted" in search.ask("experiments", {"variants": ["revert"]}, 422)["detail"]
    assert search.ask("experiments", {"variants": ["GOGC=400"]}, 201)["variants"] == ["GOGC=400"]
    assert sha(8) == search.get_detail()["bad"]["sha"]
