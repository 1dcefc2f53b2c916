"""Budgets over PostgreSQL: evaluated by a job after the detection, an excess is one production event with one message."""

from typing import Any

import pytest
from fastapi.testclient import TestClient

from slowpath.core.jobs import JobState
from slowpath.evidence.metrics.jobs import DetectChangePoints
from slowpath.verdicts.budgets.jobs import EvaluateBudgets
from slowpath.verdicts.production_events.jobs import ProductionEventChanged, UpdateProductionEvents
from tests.factories.accounts import SomeTeam
from tests.jobs.conftest import Bench
from tests.jobs.test_production_events import (
    BAD,
    FORMER,
    SLOWER,
    Push,
    Run,
    client,
    deployed,
    ids_of,
    inbox,
    listening,
    page,
    part,
    push,
    waiting,
)

__all__ = ["client", "push"]

pytestmark = pytest.mark.database

FASTER = (0.6, 0.95, 0.99, 1.0)


@pytest.fixture
def run(bench: Bench, team: SomeTeam) -> Run:
    """Run the detection and the jobs that it caused, budgets first; return what was notified."""

    def ran() -> list[str]:
        bench.carry_out(bench.write_down(DetectChangePoints(team.id)))
        for name in (UpdateProductionEvents, EvaluateBudgets, UpdateProductionEvents, ProductionEventChanged):
            for job_id in waiting(bench.admin, name.name):
                row = bench.carry_out(job_id)
                assert row["state"] == JobState.DONE, row["problem"]
        found = bench.admin.execute("SELECT event FROM notification ORDER BY created_at, id").fetchall()
        return [event for (event,) in found]

    return ran


def limited(client: TestClient, seconds: float, **fields: Any) -> dict[str, Any]:  # noqa: ANN401 - its fields
    services, _ = ids_of(client)
    limit = {"type": "absolute", "seconds": seconds}
    body = {"service_id": services["distributor"], "signal": "p50", "limit": limit, **fields}
    answer = client.post("/api/v1/budgets", json=body)
    assert answer.status_code == 201, answer.text
    made: dict[str, Any] = answer.json()
    return made


def evaluation(client: TestClient, budget: dict[str, Any]) -> dict[str, Any]:
    items = client.get("/api/v1/budgets", params={"service_id": budget["service_id"]}).json()["items"]
    (found,) = [each for each in items if each["id"] == budget["id"]]
    (newest,) = found["evaluations"]
    evaluated: dict[str, Any] = newest
    return evaluated


def test_an_exceeded_budget_is_announced_once_and_closed_when_it_is_within_its_limit(
    client: TestClient, push: Push, run: Run, bench: Bench, team: SomeTeam
) -> None:
    listening(bench, team)
    push(part("distributor", -240, -90))
    exceeded, above = limited(client, 0.1), limited(client, 0.3, signal="p90")
    assert run() == ["production-event.opened"]

    found = evaluation(client, exceeded)
    assert (found["state"], found["is_announced"], found["low"]) == ("exceeded", True, 0.1)
    assert found["sentence"].startswith("p50 in the last 60 minutes is ")
    assert ", over the budget of 100 ms: significant (95% CI " in found["sentence"]
    assert evaluation(client, above)["state"] == "inconclusive"
    (item,) = inbox(client)
    assert item["title"] == "p50 is over its budget of 100 ms"
    shown = page(client, item["id"])
    assert (shown["cause"], shown["signals"]) == ("budget", [])
    assert [each["state"] for each in shown["budgets"]] == ["exceeded"]

    push(part("distributor", -90, -70))
    assert run() == ["production-event.opened"]  # announced once

    push(part("distributor", -70, 5, shares=FASTER))
    assert run() == ["production-event.opened", "production-event.closed"]
    closed = page(client, item["id"])
    assert closed["item"]["state"] == "closed"
    assert "within the budget of 100 ms: significant (95% CI " in closed["item"]["closed"]["sentence"]


def test_an_event_of_a_removed_budget_closes_with_that_reason(
    client: TestClient, push: Push, run: Run, bench: Bench, team: SomeTeam
) -> None:
    listening(bench, team)
    push(part("distributor", -240, -90))
    one, other = limited(client, 0.1), limited(client, 0.1, signal="p90")
    assert run() == ["production-event.opened"]
    (item,) = inbox(client)

    assert client.delete(f"/api/v1/budgets/{one['id']}").status_code == 204
    assert run() == ["production-event.opened"], "the other budget is exceeded, too"
    assert [each["state"] for each in page(client, item["id"])["budgets"]] == ["exceeded"]

    assert client.delete(f"/api/v1/budgets/{other['id']}").status_code == 204
    assert run() == ["production-event.opened", "production-event.closed"]
    closed = page(client, item["id"])["item"]
    assert (closed["state"], closed["closed"]["reason"]) == ("closed", "budget-removed")
    assert closed["closed"]["sentence"] == "The budget that it exceeded was removed"


def test_a_removed_budget_leaves_the_event_of_a_change(
    client: TestClient, push: Push, run: Run, bench: Bench, team: SomeTeam
) -> None:
    listening(bench, team)
    push(part("distributor", -210, -120))
    push(part("distributor", -120, -100, shares=SLOWER))
    assert run() == ["production-event.opened"]
    budget = limited(client, 0.1)
    push(part("distributor", -100, -30, shares=SLOWER))
    run()
    (item,) = inbox(client)
    assert len(page(client, item["id"])["budgets"]) == 1

    assert client.delete(f"/api/v1/budgets/{budget['id']}").status_code == 204
    run()
    shown = page(client, item["id"])
    assert (shown["item"]["state"], shown["budgets"]) == ("new", [])


def test_a_budget_whose_bucket_includes_the_limit_is_inconclusive(client: TestClient, push: Push, run: Run) -> None:
    push(part("distributor", -150, 0))
    budget = limited(client, 0.3)

    run()

    found = evaluation(client, budget)
    assert (found["state"], found["low"], found["high"]) == ("inconclusive", 0.1, 0.5)
    assert found["sentence"].endswith("against the budget of 300 ms: inconclusive (95% CI 100 ms to 500 ms).")
    assert inbox(client) == []


def test_a_route_without_requests_is_inconclusive(client: TestClient, push: Push, run: Run) -> None:
    push(part("distributor", -150, 0, routes=("/api/push", "/ready")))
    known, unknown = limited(client, 0.1, route="/api/push"), limited(client, 0.1, route="/nowhere")

    run()

    assert evaluation(client, known)["state"] == "exceeded"
    found = evaluation(client, unknown)
    assert (found["state"], found["value"]) == ("inconclusive", None)
    assert found["sentence"] == "No histogram of latency has a label with the route /nowhere."


def test_a_budget_joins_the_open_event_of_its_service_without_a_second_message(
    client: TestClient, push: Push, run: Run, bench: Bench, team: SomeTeam
) -> None:
    listening(bench, team)
    push(part("distributor", -210, -120))
    deployed(client, "distributor", -210, FORMER)
    deployed(client, "distributor", -120, BAD)
    push(part("distributor", -120, -100, shares=SLOWER))
    assert run() == ["production-event.opened"]
    limited(client, 0.1)
    push(part("distributor", -100, 5, shares=SLOWER))

    assert run() == ["production-event.opened"]

    (item,) = inbox(client)
    shown = page(client, item["id"])
    assert shown["cause"] == "deployment"
    assert [each["state"] for each in shown["budgets"]] == ["exceeded"]
    assert next(each["type"] for each in shown["history"]) == "budget"


def test_a_release_over_its_budget_is_part_of_the_event_of_the_deployment(
    client: TestClient, push: Push, run: Run, bench: Bench, team: SomeTeam
) -> None:
    listening(bench, team)
    push(part("distributor", -210, -120))
    deployed(client, "distributor", -210, FORMER)
    budget = limited(client, 0.1, limit={"type": "per-release", "increase": 0.05})
    bad = deployed(client, "distributor", -120, BAD)
    push(part("distributor", -120, -100, shares=SLOWER))

    assert run() == ["production-event.opened"]

    found = evaluation(client, budget)
    assert (found["deployment_id"], found["state"]) in [(bad["id"], "exceeded"), (bad["id"], "inconclusive")]
    assert len(inbox(client)) == 1


def test_a_release_is_measured_by_route(client: TestClient, push: Push, run: Run) -> None:
    """Only one route gets slower. New instances start with the deployment, so both builds run at the same time."""
    slow, same = "/api/push", "/ready"
    push(part("distributor", -210, -100, routes=(slow, same), instances=("old:80",)))
    deployed(client, "distributor", -210, FORMER)
    budgets = [
        limited(client, 0.1, limit={"type": "per-release", "increase": 0.05}, route=route)
        for route in (slow, same, "/nowhere")
    ]
    bad = deployed(client, "distributor", -160, BAD)
    push(part("distributor", -159, -100, shares=SLOWER, routes=(slow,), instances=("new:80",)))
    push(part("distributor", -159, -100, routes=(same,), instances=("new:81",)))

    run()

    assert evaluation(client, budgets[0])["sentence"].startswith(f"p50 of {slow} of deployment {BAD[:10]} against the ")
    states = [(found["state"], found["deployment_id"]) for found in (evaluation(client, each) for each in budgets)]
    assert states == [("exceeded", bad["id"]), ("inconclusive", bad["id"]), ("inconclusive", bad["id"])]
    assert evaluation(client, budgets[2])["sentence"] == "No histogram of latency has a label with the route /nowhere."
