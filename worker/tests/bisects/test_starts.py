"""A bisect starts from a production event, and from the last good build of a service."""

from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

import pytest

from slowpath.core.ids import BisectId, new_id
from slowpath.inventory.catalog.queries.catalog_entries import BuildIdentity
from slowpath.inventory.catalog.service import catalog_entries
from slowpath.verdicts.bisects.rules.candidates import SearchLevel
from slowpath.verdicts.bisects.service import search_planner
from slowpath.verdicts.production_events.tables import ProductionEvent
from slowpath.verdicts.regressions.tables import BuildVerdict
from tests.bisects.conftest import nodes, sha, slower_from
from tests.bisects.test_automatic_bisects import MONDAY, Service, detail, service

__all__ = ["service"]
pytestmark = pytest.mark.database


def record_event(service: Service, former: str | None, commit: str) -> UUID:
    """Record an event of the service in production, between two commits."""
    with service.search.bench.worker_context.database.writing(service.search.scope) as session:
        environment = catalog_entries.ensure_environment(session, "production")
        row = ProductionEvent(
            team_id=session.team_id, id=new_id(), service_id=service.id, environment_id=environment.id, number=31,
            state="new", signal="p99", title="p99 is 1.8 times as high", sentence="It rose.", cause="deployment",
            before=0.1, after=0.18, ratio=1.8, ratio_low=1.7, ratio_high=1.9, severity="high",
            added_seconds_per_second=4.2, started_at=MONDAY, earliest_at=MONDAY, detected_at=MONDAY, occurred_at=MONDAY,
            announced_at=MONDAY, former_commit=former, commit=commit,
        )  # fmt: skip
        session.add(row)
        session.flush()
        return UUID(str(row.id))


def record_build(service: Service, number: int, state: str, at: datetime) -> None:
    """Record a build of a commit with its verdict."""
    with service.search.bench.worker_context.database.writing(service.search.scope) as session:
        identity = BuildIdentity(service.id, sha(number), "go1.26", "linux", "amd64", "")
        build, _ = catalog_entries.register_build(session, identity, {})
        verdict = BuildVerdict(
            team_id=session.team_id, id=new_id(), build_id=build.id, service_id=service.id, branch="main",
            ordered_at=at, state=state, sentence="", regression_ids=[],
        )  # fmt: skip
        session.add(verdict)


def start(service: Service, **body: Any) -> dict[str, Any]:  # noqa: ANN401 - members of a body; the fixture
    """Start a bisect as a user."""
    made = service.search.person.post("/api/v1/bisects", json=body)
    assert made.status_code == 201, made.text
    found: dict[str, Any] = made.json()
    return found


@pytest.mark.processes
def test_a_production_event_leads_to_its_culprit(service: Service) -> None:
    event_id = record_event(service, sha(0), sha(8))
    person = service.search.person
    proposal = person.get("/api/v1/bisect-proposals", params={"event_id": str(event_id)}).json()
    assert proposal["missing_inputs"] == []
    assert (proposal["good"]["sha"], proposal["bad"]["sha"]) == (sha(0), sha(8))
    assert proposal["origin"] == "event 31, p99 is 1.8 times as high"
    checked = person.post("/api/v1/bisect-preflights", json={"event_id": str(event_id)})
    assert (checked.json()["good_sha"], checked.json()["bad_sha"]) == (sha(0), sha(8))
    made = start(service, event_id=str(event_id))
    assert made["title"] == "p99 is 1.8 times as high"
    service.plan(BisectId(UUID(made["id"])))
    found = service.search.run(slower_from(4))
    assert (found["state"], found["culprit"]["sha"]) == ("found", sha(4)), found["sentence"]


def test_an_event_without_a_former_commit_names_what_is_missing(service: Service) -> None:
    event_id = record_event(service, None, sha(8))
    made = service.search.person.post("/api/v1/bisects", json={"event_id": str(event_id)})
    assert made.status_code == 422
    assert made.json()["type"].endswith("bisect-incomplete")
    assert start(service, event_id=str(event_id), good_sha=sha(2))["good"]["sha"] == sha(2)


def test_a_bisect_starts_from_the_last_good_build(service: Service) -> None:
    """Builds that passed after an open regression began are not good."""
    for number, state in ((1, "passed"), (2, "passed"), (3, "changed"), (5, "passed")):
        record_build(service, number, state, MONDAY + timedelta(hours=number))
    regression_id = service.regress()
    service.search.bench.admin.execute("UPDATE regression SET since_at = %s", [MONDAY + timedelta(hours=3)])
    repository_id = service.search.person.get(
        "/api/v1/bisect-proposals", params={"regression_id": str(regression_id)}
    ).json()["repository"]["id"]
    query = {"repository_id": repository_id, "service_id": str(service.id), "search": "last good build"}
    [end] = service.search.person.get("/api/v1/bisect-ends", params=query).json()
    assert (end["type"], end["sha"], end["is_exact"]) == ("last-good", sha(2), True)
    made = start(
        service, service_id=str(service.id), repository_id=repository_id, good_sha=end["sha"], bad_sha=sha(8),
    )  # fmt: skip
    level = SearchLevel(tuple(nodes(8)[2:]), 6, label="mono", good=sha(2), bad=sha(8))
    service.search.bisect_id = BisectId(UUID(made["id"]))
    with service.search.bench.worker_context.database.writing(service.search.scope) as session:
        search_planner.record_plan(
            session, service.search.bisect_id, search_planner.make_plan(level, {}), service.search.now()
        )
    service.search.work()
    assert detail(service, service.search.bisect_id)["state"] == "searching"
    boundaries = {one["build"]["commit"] for one in service.search.runner.lease()}
    assert boundaries <= {sha(2), sha(8)}
    assert boundaries
