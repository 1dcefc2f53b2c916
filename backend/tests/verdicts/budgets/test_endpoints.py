"""Budgets over HTTP: set, changed and removed with an entry in the audit log; CPU per request of builds."""

from typing import Any
from uuid import UUID

import pytest
from fastapi.testclient import TestClient

from slowpath.core.ids import BuildId
from slowpath.inventory.catalog.tables import Build
from slowpath.platform.accounts.tables import AuditEvent
from slowpath.verdicts.budgets.service import build_budgets
from slowpath.verdicts.regressions.service import build_evaluation, build_measurements
from tests.factories.accounts import SomeTeam
from tests.support.app_under_test import AppUnderTest
from tests.verdicts.regressions.synthetic_builds import SyntheticBuilds

pytestmark = pytest.mark.database

USUAL_US = 100.0
"""CPU per request of a default build of `SyntheticBuilds`, in microseconds: the sum of its parts."""


@pytest.fixture
def synthetic(app: AppUnderTest, team: SomeTeam) -> SyntheticBuilds:
    return SyntheticBuilds.opened(app, team, seed=5)


def words(synthetic: SyntheticBuilds, seconds: float = 0.3, **fields: Any) -> dict[str, Any]:  # noqa: ANN401 - fields
    limit = {"type": "absolute", "seconds": seconds}
    return {"service_id": str(synthetic.service_id), "signal": "p99", "limit": limit, **fields}


def evaluate(synthetic: SyntheticBuilds, build_id: UUID, former_id: UUID | None) -> tuple[str, str, list[str]]:
    """Evaluate the budgets and the build as the worker does; return state, sentence and exceeded budgets."""
    with synthetic.writing() as session:
        build = session.get_one(Build, (synthetic.team.id, build_id))
        row = build_measurements.get_build_verdict_row(session, BuildId(build_id))
        assert row is not None
        row.compared_build_id = former_id
        build_budgets.evaluate_build(session, build, row, synthetic.clock)
        build_evaluation.evaluate_build(session, build, synthetic.clock)
        return row.state, row.sentence, list(row.exceeded_budgets)


def test_a_budget_is_set_changed_and_removed(client: TestClient, synthetic: SyntheticBuilds) -> None:
    made = client.post("/api/v1/budgets", json=words(synthetic, route="/api/push"))
    assert made.status_code == 201, made.text
    budget = made.json()
    assert (budget["route"], budget["evaluations"]) == ("/api/push", [])
    assert client.post("/api/v1/budgets", json=words(synthetic, route="/api/push")).status_code == 409

    limit = {"type": "absolute", "seconds": 0.25}
    changed = client.patch(f"/api/v1/budgets/{budget['id']}", json={"limit": limit})
    assert changed.json()["limit"] == limit
    other = {"type": "per-release", "increase": 0.05}
    refused = client.patch(f"/api/v1/budgets/{budget['id']}", json={"limit": other})
    assert (refused.status_code, refused.json()["type"]) == (422, "urn:slowpath:invalid-budget")

    listed = client.get("/api/v1/budgets", params={"service_id": str(synthetic.service_id)}).json()["items"]
    assert [each["limit"] for each in listed] == [limit]
    assert client.delete(f"/api/v1/budgets/{budget['id']}").status_code == 204
    assert client.get("/api/v1/budgets").json()["items"] == []
    entries = [row for row in synthetic.rows(AuditEvent) if row.subject_kind == "budget"]
    assert [each.action for each in entries] == ["budget.created", "budget.updated", "budget.deleted"]
    assert entries[1].details["former_limit"] == "300 ms"
    assert entries[1].details["budget"] == "p99 at most 250 ms"


def test_what_nothing_measures_is_rejected(client: TestClient, synthetic: SyntheticBuilds) -> None:
    environment = client.post("/api/v1/environments", json={"name": "production"}).json()["id"]
    answer = client.post("/api/v1/budgets", json=words(synthetic, signal="cpu", environment_id=environment))
    assert (answer.status_code, answer.json()["type"]) == (422, "urn:slowpath:invalid-budget")
    assert answer.json()["resolution"]


@pytest.mark.parametrize(
    "fields",
    [{"limit": {"type": "absolute", "seconds": 0}}, {"limit": {"type": "absolute", "seconds": True}}, {"more": 1}],
)
def test_invalid_bodies_are_rejected(client: TestClient, synthetic: SyntheticBuilds, fields: dict[str, Any]) -> None:
    assert client.post("/api/v1/budgets", json=words(synthetic, **fields)).status_code == 422


def test_a_service_has_a_limited_number_of_budgets(client: TestClient, synthetic: SyntheticBuilds) -> None:
    for number in range(20):
        assert client.post("/api/v1/budgets", json=words(synthetic, route=f"/{number}")).status_code == 201
    answer = client.post("/api/v1/budgets", json=words(synthetic))
    assert answer.status_code == 429
    assert (answer.json()["limit"], answer.json()["value"]) == (20, 21)


def test_the_first_build_over_a_budget_of_cpu_is_called_changed(client: TestClient, synthetic: SyntheticBuilds) -> None:
    usual, more, later = (synthetic.prepare(costs) for costs in (None, {"decode": 90.0}, {"decode": 90.0}))
    client.post("/api/v1/budgets", json=words(synthetic, USUAL_US * 1.3e-6, signal="cpu")).raise_for_status()

    assert evaluate(synthetic, usual, None)[2] == []
    state, sentence, exceeded = evaluate(synthetic, more, usual)
    assert (state, len(exceeded)) == ("changed", 1)
    assert sentence.startswith("CPU per request of build 0000002000 is ")
    assert evaluate(synthetic, later, more)[2] == []  # announced with the build before

    verdict = client.get(f"/api/v1/builds/{more}/verdict").json()
    assert (verdict["state"], verdict["is_announced"]) == ("changed", True)
    (listed,) = client.get("/api/v1/budgets").json()["items"]
    assert [(each["state"], each["build_id"]) for each in listed["evaluations"]] == [("exceeded", str(later))]


def test_an_increase_per_release_is_compared_with_the_build_before(
    client: TestClient, synthetic: SyntheticBuilds
) -> None:
    usual, same, more = (synthetic.prepare(costs) for costs in (None, None, {"decode": 90.0}))
    limit = {"type": "per-release", "increase": 0.2}
    client.post("/api/v1/budgets", json=words(synthetic, signal="cpu", limit=limit)).raise_for_status()

    assert evaluate(synthetic, same, usual)[2] == []
    state, sentence, exceeded = evaluate(synthetic, more, same)
    assert (state, len(exceeded)) == ("changed", 1)
    assert " of build 0000003000 against build 0000002000: +" in sentence
    assert "over the budget of +20% per release: significant (95% CI " in sentence


def test_a_build_without_replicates_is_inconclusive(client: TestClient, synthetic: SyntheticBuilds) -> None:
    build_id = synthetic.prepare()
    with synthetic.writing() as session:
        synthetic.measure(session, build_id, profiles=1)
    made = client.post("/api/v1/budgets", json=words(synthetic, 0.001, signal="cpu")).json()
    (found,) = made["evaluations"]
    assert found["state"] == "inconclusive"
    assert found["sentence"] == "Build 0000001000 has 1 CPU profile; an interval needs at least 2."


@pytest.mark.parametrize("limit", [{"type": "absolute", "seconds": 36e-6}, {"type": "per-release", "increase": 0.2}])
def test_cpu_per_request_is_limited_by_route(
    client: TestClient, synthetic: SyntheticBuilds, limit: dict[str, Any]
) -> None:
    """The synthetic route `/gc` costs what the collector costs, 20 us; `/total` costs as much as all parts."""
    usual, more = (synthetic.prepare(costs) for costs in (None, {"gc-mark": 60.0}))
    budgets = [
        client.post("/api/v1/budgets", json=words(synthetic, signal="cpu", limit=limit, route=route)).json()
        for route in ("/gc-mark", "/nowhere")
    ]

    assert evaluate(synthetic, usual, None)[2] == []
    _, sentence, exceeded = evaluate(synthetic, more, usual)

    assert len(exceeded) == 1
    assert sentence.startswith("CPU per request of /gc-mark of build 0000002000 ")
    listed = {each["id"]: each for each in client.get("/api/v1/budgets").json()["items"]}
    (unknown,) = listed[budgets[1]["id"]]["evaluations"]
    assert unknown["state"] == "inconclusive"
    assert "a label with the route /nowhere" in unknown["sentence"]
