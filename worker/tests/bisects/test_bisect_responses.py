"""Responses about bisects: large ones stay small on the wire; what is started, and what is not."""

import random
import time
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import select, update

from slowpath.core.db_sessions import TeamScope
from slowpath.core.errors import NotFound
from slowpath.core.ids import BisectId
from slowpath.core.jobs import JobRow
from slowpath.verdicts.bisects.rules import search_plan
from slowpath.verdicts.bisects.rules.candidates import BuildInputs, CandidateNode, SearchLevel
from slowpath.verdicts.bisects.service import search_planner
from slowpath.verdicts.bisects.tables import Bisect
from tests.bisects.conftest import Search, plan_of, sha, slower_from
from tests.factories.accounts import SomeTeam
from tests.support.app_under_test import AppUnderTest

pytestmark = pytest.mark.database

GOOD, BAD = 40 * "a", 40 * "b"
NOW = datetime(2026, 1, 1, tzinfo=UTC)


@pytest.mark.processes
def test_of_thousands_of_candidates_the_most_likely_are_returned(search: Search) -> None:
    search.begin(plan_of(4096))
    for _ in range(16):
        search.runner.turn(slower_from(1000))
        search.work()
    costs = []
    for _ in range(3):
        began = time.process_time()
        detail = search.get_detail()
        costs.append(time.process_time() - began)
    [level] = detail["levels"]
    assert len(level["candidates"]) == 200
    assert (level["candidate_count"], len(level["bars"]["posterior"]), len(level["bars"]["prior"])) == (
        4096,
        4096,
        4096,
    )
    probed = {one["candidate"] for one in detail["probes"] if one["candidate"] != "good"}
    assert probed <= {one["id"] for one in level["candidates"]}
    assert sum(level["bars"]["posterior"]) + detail["elsewhere"] == pytest.approx(1, abs=0.01)
    assert detail["cost"]["git_bisect_best_of_5_probes"] == 5 * 13
    assert (
        detail["cost"]["expected_probes"]["low"]
        <= detail["cost"]["expected_probes"]["mean"]
        <= detail["cost"]["expected_probes"]["high"]
    )
    assert min(costs) < 0.3, "CPU seconds; what a machine does beside it is not counted"
    path = f"/api/v1/bisects/{detail['id']}/candidates"
    first = search.person.get(path, params={"limit": 200}).json()
    more = search.person.get(path, params={"limit": 200, "cursor": first["next_cursor"]}).json()
    assert (first["found"], first["places"][0], more["places"][0]) == (4096, 4095, 3895)
    old = search.person.get(path, params={"search": more["items"][0]["sha"]}).json()
    assert (old["items"], old["next_cursor"]) == ([more["items"][0]], None)
    assert search.person.get(path, params={"level": "no such"}).status_code == 404


@pytest.mark.processes
def test_the_list_shows_the_state_of_each(search: Search) -> None:
    search.begin(plan_of(8))
    search.run(slower_from(3))
    [row] = search.person.get("/api/v1/bisects", params={"state": ["found"]}).json()["items"]
    assert (row["number"], row["levels"], row["culprit"]["sha"], row["service"]["name"]) == (1, 1, sha(3), "ingester")
    assert row["sentence"].startswith(f"{sha(3)[:10]} in mono")
    assert search.person.get("/api/v1/bisects", params={"state": ["paused"]}).json()["items"] == []


def repository(client: TestClient) -> tuple[str, str]:
    service = client.post("/api/v1/services", json={"name": "api"}).json()["id"]
    made = client.post(
        "/api/v1/repositories",
        json={
            "name": "mono",
            "url": "https://example.com/mono.git",
            "kind": "other",
            "services": [{"service_id": service}],
        },
    )
    assert made.status_code == 201, made.text
    return service, made.json()["id"]


def test_a_request_with_missing_fields_is_rejected(client: TestClient) -> None:
    response = client.post("/api/v1/bisects", json={})
    assert response.status_code == 422
    assert "commit" in response.json()["detail"]
    assert (
        client.post("/api/v1/bisects", json={"regression_id": "00000000-0000-0000-0000-000000000001"}).status_code
        == 404
    )


def test_it_is_started_steered_and_deleted(client: TestClient) -> None:
    service, repository_id = repository(client)
    other = client.post("/api/v1/services", json={"name": "other"}).json()["id"]
    asked = {
        "service_id": service, "repository_id": repository_id, "good_sha": GOOD, "bad_sha": BAD,
        "settings": {"slots": 3, "max_deployments": 20, "deployment_hours": {"days": ["mon"], "from": "22:00", "to": "06:00", "zone": "UTC"}},
    }  # fmt: skip
    made = client.post("/api/v1/bisects", json=asked)
    assert made.status_code == 201, made.text
    body = made.json()
    assert (body["state"], body["number"], body["signature"]["kind"]) == ("planned", 1, "custom")
    assert body["settings"]["deployment_hours"]["from"] == "22:00"
    assert (body["good"]["sha"], body["levels"], body["probes"]) == (GOOD, [], [])
    assert client.post("/api/v1/bisects", json={**asked, "bad_sha": GOOD}).status_code == 422
    path = f"/api/v1/bisects/{body['id']}"
    assert (
        client.post(f"{path}/overrides", json={"candidate": "x", "verdict": "slower", "reason": "y"}).status_code == 409
    )
    changed = client.patch(path, json={"settings": {"deployment_hours": None, "slots": 1}}).json()
    assert (changed["settings"]["deployment_hours"], changed["settings"]["max_deployments"]) == (None, 20)
    assert client.patch(path, json={"settings": {"goos": "darwin"}}).status_code == 422
    assert client.post(f"{path}/actions", json={"action": "approve"}).status_code == 409
    assert client.post(f"{path}/actions", json={"action": "cancel"}).json()["state"] == "cancelled"
    assert client.post(f"{path}/actions", json={"action": "resume"}).status_code == 409
    assert client.delete(path).status_code == 204
    fed = [one["action"] for one in client.get("/api/v1/activity", params={"service_id": service}).json()["items"]]
    assert [one for one in fed if one.startswith("bisect.")] == ["bisect.deleted", "bisect.finished", "bisect.created"]
    fed = [one["action"] for one in client.get("/api/v1/activity", params={"service_id": other}).json()["items"]]
    assert fed == ["service.created"]


def test_a_repository_that_cannot_be_read_starts_no_search(client: TestClient) -> None:
    """As in the example: its commits are known by name, but nothing can be planned of them."""
    service = client.post("/api/v1/services", json={"name": "api"}).json()["id"]
    fields = {"name": "shop/quoter", "services": [{"service_id": service}]}
    repository_id = client.post("/api/v1/repositories", json=fields).json()["id"]
    known = [{"sha": sha, "parents": [], "title": "x", "committed_at": "2026-01-01T00:00:00Z"} for sha in (GOOD, BAD)]
    assert client.post(f"/api/v1/repositories/{repository_id}/commits", json={"commits": known}).status_code < 300

    offer = client.get("/api/v1/bisect-proposals", params={"service_id": service}).json()
    response = client.post("/api/v1/bisects", json={"service_id": service, "good_sha": GOOD, "bad_sha": BAD})

    assert "has no address" in offer["missing_inputs"][0]
    assert response.status_code == 422
    assert "shop/quoter has no address" in response.json()["detail"]
    assert "Settings, Integrations" in response.json()["resolution"]
    assert client.get("/api/v1/bisects").json()["items"] == []


def test_a_start_that_failed_is_tried_again(client: TestClient, app: AppUnderTest, team: SomeTeam) -> None:
    service, repository_id = repository(client)
    asked = {"service_id": service, "repository_id": repository_id, "good_sha": GOOD, "bad_sha": BAD}
    path = f"/api/v1/bisects/{client.post('/api/v1/bisects', json=asked).json()['id']}"
    assert client.post(f"{path}/actions", json={"action": "retry"}).status_code == 409
    with app.database.writing(TeamScope(team.id)) as session:
        session.execute(update(JobRow).values(state="failed"))
        bisect_id = BisectId(UUID(path.rsplit("/", 1)[-1]))
        search_planner.record_plan_failure(session, bisect_id, NotFound("mono has no commit.").facts(), NOW)
    assert client.get(path).json()["state"] == "failed"

    again = client.post(f"{path}/actions", json={"action": "retry"})

    assert again.status_code == 200, again.text
    assert (again.json()["state"], again.json()["problem"]) == ("planned", None)
    assert [one["sentence"] for one in again.json()["events"]].count("Retried") == 1
    with app.database.reading(TeamScope(team.id)) as session:
        names = session.scalars(select(JobRow.name).where(JobRow.state == "waiting")).all()
    assert names.count("bisects.plan") == 1
    assert client.post(f"{path}/actions", json={"action": "retry"}).status_code == 409


@pytest.mark.parametrize(
    "settings",
    [
        {"deployment_hours": {"days": ["mon"], "from": "9", "to": "17:00", "zone": "UTC"}},
        {"deployment_hours": {"days": [], "from": "09:00", "to": "17:00", "zone": "UTC"}},
        {"deployment_hours": {"days": ["mon"], "from": "09:00", "to": "17:00", "zone": "../etc"}},
        {"stop_probability": 1.0},
        {"slots": 65},
        {"tags": ["a b"]},
        {"directory": "$(x)"},
        {"unknown": 1},
    ],
)
def test_settings_that_make_no_sense_are_refused(client: TestClient, settings: dict[str, object]) -> None:
    assert client.post("/api/v1/bisects", json={"settings": settings}).status_code == 422


@pytest.mark.processes
def test_a_rest_of_the_increase_names_its_range_and_the_bisect_that_searches_it(search: Search) -> None:
    rng = random.Random(1)
    search.begin(plan_of(8), max_measurements_per_probe=6)
    unbuildable = {"candidate": f"{sha(7)}/itself", "verdict": "unbuildable", "reason": "needs a newer compiler"}
    search.ask("overrides", unbuildable)

    def measure(lease: dict[str, Any]) -> float:
        assert number_of(lease) != 7, "it cannot be built"
        return (1.0 + (number_of(lease) >= 3) + 0.5 * (number_of(lease) >= 6)) * rng.gauss(1.0, 0.02)

    search.run(measure)
    found = search.get_detail()
    assert (found["state"], found["culprit"]["sha"]) == ("found", sha(3)), found["sentence"]
    assert "Something later explains the rest." in found["sentence"]
    assert found["rest"] == {"good_sha": sha(3), "bad_sha": sha(8), "bisect_id": None}

    before = search.runner.started[:]
    following = search.ask("rest", {}, 201)
    assert search.ask("rest", {}, 201)["id"] == following["id"], "one bisect searches it"
    assert search.get_detail()["rest"]["bisect_id"] == following["id"]
    assert following["cost"]["deployments"] == 0
    assert following["probes"], "measurements are used again"
    assert {one["sha"] for one in following["probes"]} <= {sha(one) for one in range(3, 9)}
    [skipped] = [one for one in following["probes"] if one["purpose"] == "override"]
    assert (skipped["sha"], skipped["state"], skipped["reason"]) == (sha(7), "unbuildable", "needs a newer compiler")
    search.bisect_id = BisectId(UUID(following["id"]))
    search.work()
    rest = search.run(measure)
    assert (rest["state"], rest["culprit"]["sha"]) == ("found", sha(6)), rest["sentence"]
    assert rest["cost"]["deployments"] == len(search.runner.started) - len(before)
    ends = [one for one in rest["probes"] if one["purpose"] == "boundary"]
    assert {one["sha"] for one in ends} == {sha(3), sha(8)}
    assert not [one for one in ends if one["leased_at"]], "both were measured by the first search"


def test_a_cancelled_search_for_the_rest_can_be_started_again(search: Search) -> None:
    search.begin(plan_of(8))
    assert search.person.post(f"/api/v1/bisects/{search.bisect_id}/rest").status_code == 409, "there is no culprit"
    outcome = {"outcome": "found", "suspects": [f"{sha(3)}/itself"], "belief": 0.99, "rest_after": sha(3)}
    with search.bench.worker_context.database.writing(search.scope) as session:
        session.execute(update(Bisect).values(state="found", outcome=outcome))
    following = search.ask("rest", {}, 201)
    with search.bench.worker_context.database.writing(search.scope) as session:
        session.execute(update(Bisect).where(Bisect.number == 2).values(state="cancelled"))
    assert search.get_detail()["rest"]["bisect_id"] is None, "a cancelled one does not search"
    assert search.ask("rest", {}, 201)["id"] != following["id"]


@pytest.mark.processes
def test_the_rest_after_a_culprit_of_a_dependency_is_searched(search: Search) -> None:
    """Commit 4 updates a module by six commits, the second and the fifth of which are slow."""
    plan = plan_of(6)
    outer = f"{sha(4)}/itself"
    plan = replace(plan, line=replace(plan.line, hiding=frozenset({outer})))
    module = "example.com/lib"
    builds = [BuildInputs(sha(4), {module: sha(100 + one)}) for one in range(7)]
    inner = [
        CandidateNode(
            f"{outer}/{sha(100 + one)}/itself", module, sha(100 + one), f"lib {one}", "commit", builds[one],
            builds[one - 1], (sha(100 + one),), outer,
        )
        for one in range(1, 7)
    ]  # fmt: skip
    level = SearchLevel(tuple(inner), 6, module, "lib", sha(100), sha(106))
    plan = search_plan.expand_candidate(plan, outer, level)
    rng = random.Random(2)

    def measure(lease: dict[str, Any]) -> float:
        built = lease["build"]
        at = int(built["modules"].get(module, sha(106 if number_of(lease) >= 4 else 100)), 16) - 100
        return (1.0 + (at >= 2) + 0.5 * (at >= 5)) * rng.gauss(1.0, 0.02)

    search.begin(plan, max_measurements_per_probe=6)
    found = search.run(measure)
    assert (found["state"], found["culprit"]["sha"]) == ("found", sha(102)), found["sentence"]
    assert found["rest"] == {"good_sha": sha(4), "bad_sha": sha(6), "bisect_id": None}
    following = search.ask("rest", {}, 201)
    search.bisect_id = BisectId(UUID(following["id"]))
    search.work()
    started = len(search.runner.started)
    rest = search.run(measure)
    assert (rest["state"], rest["culprit"]["sha"]) == ("found", sha(105)), rest["sentence"]
    assert rest["cost"]["deployments"] == len(search.runner.started) - started
    ends = [one for one in rest["probes"] if one["purpose"] == "boundary"]
    assert ends
    assert not [one for one in ends if one["leased_at"]], "both were measured by the first search"


@pytest.mark.processes
def test_a_culprit_that_explains_all_leaves_no_rest(search: Search) -> None:
    search.begin(plan_of(8))
    search.run(lambda lease: 1.0 + 1.0 * (number_of(lease) >= 3))
    found = search.get_detail()
    assert (found["state"], found["rest"]) == ("found", None)


def number_of(lease: dict[str, Any]) -> int:
    return int(lease["build"]["commit"], 16)
