"""Production events over PostgreSQL: samples arrive, the detection and its follow-up job open, announce and close events."""

import json
import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import psycopg
import pytest
from fastapi.testclient import TestClient

from slowpath.core.db_sessions import TeamScope
from slowpath.core.ids import EnvironmentId, JobId, ServiceId
from slowpath.core.jobs import JobState
from slowpath.evidence.metrics.jobs import DetectChangePoints
from slowpath.inventory.catalog import service as catalog
from slowpath.inventory.catalog.rules import CallEdge
from slowpath.platform.accounts.rules.roles import TokenScope
from slowpath.verdicts.production_events.jobs import ProductionEventChanged, UpdateProductionEvents
from support.prometheus_oracle import REMOTE_WRITE_HEADERS, WrittenBlock, remote_write_body
from tests.evidence.metrics.dashboard_samples import SomeService
from tests.factories.accounts import AccountsFactory, SomeTeam
from tests.jobs.conftest import Bench
from tests.support.app_under_test import AppUnderTest

pytestmark = pytest.mark.database

NOW_MS = 1_795_262_400_000
"""The frozen clock's time."""
MINUTE = 60_000
SLOWER = (0.05, 0.3, 0.7, 1.0)
FORMER, BAD = "a" * 40, "b" * 40

Push = Callable[..., None]
Run = Callable[[], list[str]]


@pytest.fixture
def client(app: AppUnderTest, people: AccountsFactory, team: SomeTeam) -> TestClient:
    return app.asked(token=people.token(team, TokenScope.WRITE).secret)


@pytest.fixture
def push(client: TestClient) -> Push:
    def pushed(*services: SomeService) -> None:
        series: list[WrittenBlock] = [one for service in services for one in service.written()]
        answer = client.post("/api/v1/metrics/write", content=remote_write_body(series), headers=REMOTE_WRITE_HEADERS)
        assert answer.status_code == 204, answer.text

    return pushed


@pytest.fixture
def run(bench: Bench, team: SomeTeam) -> Run:
    """Run the detection and the jobs that it caused; return what was notified."""

    def ran() -> list[str]:
        row = bench.carry_out(bench.write_down(DetectChangePoints(team.id)))
        assert row["state"] == JobState.DONE, row["problem"]
        for name in (UpdateProductionEvents.name, ProductionEventChanged.name):
            for job_id in waiting(bench.admin, name):
                row = bench.carry_out(job_id)
                assert row["state"] == JobState.DONE, row["problem"]
        found = bench.admin.execute("SELECT event, content FROM notification ORDER BY created_at, id").fetchall()
        return [event for event, _ in found]

    return ran


def waiting(admin: psycopg.Connection, name: str) -> list[JobId]:
    rows = admin.execute("SELECT id FROM job WHERE name = %s AND state = 'waiting' ORDER BY created_at", (name,))
    return [JobId(row[0]) for row in rows]


def part(job: str, from_min: float, until_min: float, **fields: Any) -> SomeService:  # noqa: ANN401 - its fields
    return SomeService(job, NOW_MS + round(from_min * MINUTE), NOW_MS + round(until_min * MINUTE) - 1, **fields)


def ids_of(client: TestClient) -> tuple[dict[str, str], str]:
    services = {row["slug"]: row["id"] for row in client.get("/api/v1/services").json()["items"]}
    return services, client.get("/api/v1/environments").json()["items"][0]["id"]


def deployed(client: TestClient, service: str, at_min: float, commit: str) -> dict[str, Any]:
    services, environment = ids_of(client)
    at = datetime.fromtimestamp(NOW_MS / 1000, UTC) + timedelta(minutes=at_min)
    fields = {"service_id": services[service], "environment_id": environment, "commit": commit}
    answer = client.post("/api/v1/deployments", json={**fields, "started_at": at.isoformat()})
    assert answer.status_code == 201, answer.text
    body: dict[str, Any] = answer.json()
    return body


def inbox(client: TestClient, **query: str) -> list[dict[str, Any]]:
    answer = client.get("/api/v1/inbox", params=query)
    assert answer.status_code == 200, answer.text
    items: list[dict[str, Any]] = answer.json()["items"]
    return items


def page(client: TestClient, event_id: str) -> dict[str, Any]:
    answer = client.get(f"/api/v1/production-events/{event_id}")
    assert answer.status_code == 200, answer.text
    body: dict[str, Any] = answer.json()
    return body


def listening(bench: Bench, team: SomeTeam, *also: str) -> None:
    bench.admin.execute(
        "INSERT INTO notification_channel (team_id, id, kind, label, target, events, state) VALUES "
        "(%s, gen_random_uuid(), 'webhook', 'all', '{}', "
        "%s, 'on')",
        (
            team.id,
            json.dumps(["production-event.opened", "production-event.updated", "production-event.closed", *also]),
        ),
    )


def test_a_slower_deployment_is_announced_once_and_closed_by_its_rollback(
    client: TestClient, push: Push, run: Run, bench: Bench, team: SomeTeam
) -> None:
    listening(bench, team)
    push(part("distributor", -150, -60))
    deployed(client, "distributor", -150, FORMER)
    bad = deployed(client, "distributor", -60, BAD)
    push(part("distributor", -60, -40, shares=SLOWER))
    assert run() == ["production-event.opened"]

    (item,) = inbox(client)
    assert (item["kind"], item["number"], item["state"], item["since_commit"]) == ("production-event", 1, "new", BAD)
    assert item["title"].endswith("times as high since deployment bbbbbbbbbb")
    assert item["change"]["low"] > 1.1
    assert item["added_seconds_per_second"] is not None
    assert len(item["sparkline"]["values"]) > 20
    found = page(client, item["id"])
    assert [(each["role"], each["commit"]) for each in found["deployments"]] == [("former", FORMER), ("cause", BAD)]
    assert found["deployments"][1]["id"] == bad["id"]
    assert [each["role"] for each in found["signals"]] == ["culprit"]
    assert [each["type"] for each in found["history"]] == ["opened"]

    push(part("distributor", -40, -30, shares=SLOWER))
    assert run() == ["production-event.opened"]  # announced once

    deployed(client, "distributor", -30, FORMER)
    push(part("distributor", -30, 0))
    assert run() == ["production-event.opened", "production-event.closed"]
    assert inbox(client) == []
    (closed,) = inbox(client, view="closed")
    assert closed["closed"]["reason"] == "rolled-back"
    assert closed["closed"]["sentence"] == "confirmed by rollback of bbbbbbbbbb"
    proof = {each["id"]: each["state"] for each in page(client, item["id"])["proof"]}
    assert proof == {"end": "holds", "latency": "holds", "load": "holds", "rollback": "holds"}


def test_a_caller_that_waits_is_part_of_the_event_of_its_callee(
    client: TestClient, push: Push, run: Run, app: AppUnderTest, team: SomeTeam
) -> None:
    push(*(part(job, -90, -40) for job in ("distributor", "ingester")))
    services, environment = ids_of(client)
    edge = CallEdge(ServiceId(UUID(services["distributor"])), ServiceId(UUID(services["ingester"])), 300, 100)
    with app.database.writing(TeamScope(team.id)) as session:
        seen_at = datetime.fromtimestamp(NOW_MS / 1000, UTC)
        catalog.record_edges(session, EnvironmentId(UUID(environment)), [edge], seen_at)
    deployed(client, "ingester", -40, BAD)
    push(*(part(job, -40, 0, shares=SLOWER) for job in ("distributor", "ingester")))
    run()

    (item,) = inbox(client)
    assert item["service"]["slug"] == "ingester"
    assert "1 calling service got slower with it" in item["detail"]
    roles = {each["service"]["slug"]: each["role"] for each in page(client, item["id"])["signals"]}
    assert roles == {"ingester": "culprit", "distributor": "follower"}


def test_an_unconfirmed_change_is_not_listed_and_withdrawn_when_it_does_not_last(
    client: TestClient, push: Push, run: Run, bench: Bench, team: SomeTeam
) -> None:
    """The change ends right after its detection: no message and no row."""
    listening(bench, team)
    push(part("distributor", -90, -30))
    deployed(client, "distributor", -30, BAD)
    push(part("distributor", -30, -28.4, shares=SLOWER))
    assert run() == []
    rows = bench.admin.execute("SELECT state, number FROM production_event").fetchall()
    assert rows == [("new", None)]
    assert inbox(client) == []
    push(part("distributor", -28.4, 0))
    assert run() == []
    assert bench.admin.execute("SELECT state, number FROM production_event").fetchall()[0] == ("withdrawn", None)
    assert inbox(client) == []


def test_the_stated_fix_is_proven_by_its_deployment_and_a_new_step_reopens(
    client: TestClient, push: Push, run: Run, bench: Bench, team: SomeTeam
) -> None:
    listening(bench, team)
    push(part("distributor", -240, -180))
    deployed(client, "distributor", -180, BAD)
    push(part("distributor", -180, -160, shares=SLOWER))
    run()
    (item,) = inbox(client)
    action = {"items": [{"kind": item["kind"], "id": item["id"]}], "action": {"type": "fixed-by", "commit": "c" * 40}}
    assert client.post("/api/v1/inbox/actions", json=action).status_code == 200
    deployed(client, "distributor", -160, "c" * 40)
    push(part("distributor", -160, -100))
    run()
    (closed,) = inbox(client, view="closed")
    assert (closed["closed"]["reason"], closed["closed"]["sentence"]) == (
        "fixed",
        "confirmed by deployment of cccccccccc",
    )

    push(part("distributor", -100, 0, shares=SLOWER))
    assert run()[-1] == "production-event.updated"
    (again,) = inbox(client)
    assert (again["id"], again["state"]) == (item["id"], "new")
    assert page(client, item["id"])["history"][0]["type"] == "reopened"


def test_load_and_improvements_open_no_event(client: TestClient, push: Push, run: Run, bench: Bench) -> None:
    push(part("distributor", -120, -60, shares=SLOWER))
    deployed(client, "distributor", -60, FORMER)
    push(part("distributor", -60, 0))
    run()
    assert bench.admin.execute("SELECT count(*) FROM metric_change_point").fetchone() == (1,)
    assert inbox(client) == []


def test_a_change_of_load_is_listed_announced_where_chosen_and_closed_when_it_is_over(
    client: TestClient, push: Push, run: Run, bench: Bench, team: SomeTeam
) -> None:
    listening(bench, team, "production-event.load")
    push(part("distributor", -240, -120))
    push(part("distributor", -120, -90, per_second=400.0))
    assert run() == ["production-event.load"]
    (item,) = inbox(client)
    assert item["title"] == "load is 4.00 times as high"
    assert item["detail"].endswith("not explained by a deployment or by another service.")
    assert (item["severity"], item["added_seconds_per_second"]) == ("medium", None)
    found = page(client, item["id"])
    assert (found["kind"], found["signal"], found["cause"]) == ("load", "qps", "load")
    assert found["history"][0]["sentence"] == "Opened; announced to channels that choose changes of load."

    push(part("distributor", -90, 0))
    assert run() == ["production-event.load"] * 2
    assert inbox(client) == []  # the way back opens no other event
    (closed,) = inbox(client, view="closed")
    assert closed["closed"]["reason"] == "recovered"
    assert "certainly nearer to it" in closed["closed"]["sentence"]


def test_a_queue_that_grows_is_an_event_without_a_message_by_default(
    client: TestClient, push: Push, run: Run, bench: Bench, team: SomeTeam
) -> None:
    listening(bench, team)
    push(part("distributor", -240, -120, gauge=True, queue_depth=0.0))
    push(part("distributor", -120, -90, gauge=True, queue_depth=30.0))
    assert run() == []
    (item,) = inbox(client)
    assert re.fullmatch(r"queue_depth rose from 0 to [56]\d(\.\d)?", item["title"])
    found = page(client, item["id"])
    assert (found["kind"], found["gauge"]) == ("gauge", "queue_depth")
    assert [(each["signal"], each["gauge"]) for each in found["signals"]] == [("gauge", "queue_depth")]
    push(part("distributor", -90, 0, gauge=True, queue_depth=0.0))
    run()
    proof = {each["id"]: each["state"] for each in page(client, item["id"])["proof"]}
    assert proof == {"end": "holds", "level": "holds", "load": "holds"}


def test_an_event_of_load_becomes_part_of_that_of_the_latency(
    client: TestClient, push: Push, run: Run, bench: Bench
) -> None:
    """A deployment calls more, and makes each call slower: one incident."""
    push(part("distributor", -240, -120))
    deployed(client, "distributor", -120, BAD)
    push(part("distributor", -120, -90, per_second=400.0, shares=SLOWER))
    run()
    (item,) = inbox(client)
    assert "since deployment bbbbbbbbbb" in item["title"]
    assert page(client, item["id"])["kind"] == "latency"
    signals = {each["signal"] for each in page(client, item["id"])["signals"]}
    assert "qps" in signals
    assert len(signals) == 2
