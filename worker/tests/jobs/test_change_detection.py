"""The detection job over PostgreSQL: samples arrive, a change point is recorded with its deployment, which is evaluated once."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import numpy as np
import pytest
from fastapi.testclient import TestClient
from numpy.random import default_rng

from slowpath.analysis.formats.column_file import read_columns
from slowpath.analysis.kinds.metrics.panels.service_cells import ServiceCells
from slowpath.core.db_sessions import TeamScope
from slowpath.core.ids import DeployId, EnvironmentId, ServiceId
from slowpath.core.jobs import JobState
from slowpath.evidence.metrics.jobs import DetectChangePoints
from slowpath.evidence.metrics.service import change_detection
from slowpath.evidence.metrics.service.detection_cache import DetectionCache
from slowpath.inventory.catalog import service as catalog
from slowpath.inventory.catalog.rules import CallEdge
from slowpath.platform.accounts.rules.roles import TokenScope
from support.prometheus_oracle import REMOTE_WRITE_HEADERS, WrittenBlock, remote_write_body
from tests.evidence.metrics.dashboard_samples import SomeService
from tests.factories.accounts import AccountsFactory, SomeTeam
from tests.jobs.conftest import Bench
from tests.support.app_under_test import AppUnderTest

pytestmark = pytest.mark.database

NOW_MS = 1_795_262_400_000
"""The frozen clock's time."""
MINUTE, HOUR = 60_000, 3_600_000
SLOWER = (0.05, 0.3, 0.7, 1.0)

Push = Callable[..., None]
Watch = Callable[[], None]


@pytest.fixture
def program(app: AppUnderTest, people: AccountsFactory, team: SomeTeam) -> TestClient:
    return app.asked(token=people.token(team, TokenScope.UPLOAD).secret)


@pytest.fixture
def client(app: AppUnderTest, people: AccountsFactory, team: SomeTeam) -> TestClient:
    return app.asked(token=people.token(team, TokenScope.WRITE).secret)


@pytest.fixture
def push(program: TestClient) -> Push:
    def pushed(*services: SomeService) -> None:
        series: list[WrittenBlock] = [one for service in services for one in service.written()]
        answer = program.post("/api/v1/metrics/write", content=remote_write_body(series), headers=REMOTE_WRITE_HEADERS)
        assert answer.status_code == 204, answer.text

    return pushed


@pytest.fixture
def watch(bench: Bench, team: SomeTeam) -> Watch:
    def watched() -> None:
        row = bench.carry_out(bench.write_down(DetectChangePoints(team.id)))
        assert row["state"] == JobState.DONE, row["problem"]

    return watched


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


def changes_of(client: TestClient) -> list[dict[str, Any]]:
    _, environment = ids_of(client)
    answer = client.get("/api/v1/metric-change-points", params={"environment_id": environment})
    assert answer.status_code == 200, answer.text
    items: list[dict[str, Any]] = answer.json()["items"]
    return items


def test_a_slower_deploy_is_marked_within_two_minutes(client: TestClient, push: Push, watch: Watch) -> None:
    """With a scrape every two seconds for four minutes, the change is on the board 90 seconds after the deploy."""
    push(part("distributor", -5.5, -1.5, step_ms=2_000))
    watch()
    assert changes_of(client) == []
    deploy = deployed(client, "distributor", -1.5, "5f3c1e8a77")
    push(part("distributor", -1.5, 0, step_ms=2_000, shares=SLOWER))
    watch()

    (change,) = changes_of(client)
    assert (change["cause"], change["deployment_id"]) == ("deployment", deploy["id"])
    assert change["ratio_low"] > 1.2
    assert abs(change["at_ms"] - (NOW_MS - 1.5 * MINUTE)) <= 10_000
    assert change["sentence"].endswith("caused by deployment 5f3c1e8a77")
    board = client.get("/api/v1/dashboard", params={"from": str(NOW_MS - HOUR), "to": str(NOW_MS)})
    header = read_columns(board.content, "slowpath.board").header
    assert [(each["id"], each["deployment_id"]) for each in header["changes"]] == [(change["id"], deploy["id"])]
    assert header["headline"]["change_id"] == change["id"]


def test_a_deployment_soon_after_a_step_has_its_own_step(client: TestClient, push: Push, watch: Watch) -> None:
    """Something on the machine makes it slower; two minutes later a deploy makes it slower again: neither hides the other."""
    push(part("distributor", -9, -4, step_ms=2_000))
    push(part("distributor", -4, -2, step_ms=2_000, shares=(0.2, 0.6, 0.95, 1.0)))
    deployed(client, "distributor", -4, "0ddba11aa0")
    watch()
    deploy = deployed(client, "distributor", -2, "5f3c1e8a77")
    push(part("distributor", -2, 0, step_ms=2_000, shares=(0.01, 0.05, 0.1, 1.0)))
    watch()

    found = changes_of(client)
    assert [round((change["at_ms"] - NOW_MS) / MINUTE) for change in found] == [-4, -2]
    assert found[1]["deployment_id"] == deploy["id"]


def test_a_look_reads_what_is_new_and_decides_what_reading_all_would(
    client: TestClient, push: Push, watch: Watch, app: AppUnderTest, team: SomeTeam
) -> None:
    """What is remembered and what is new give the same minutes as hours that are read at once; and little is read."""
    memory = DetectionCache()
    begins: list[int] = []

    def looked() -> list[ServiceCells]:
        _, environment = ids_of(client)
        with app.database.reading(TeamScope(team.id)) as session:
            gathered = change_detection.gather_scan_input(session, EnvironmentId(UUID(environment)), memory)
        assert gathered is not None
        (service,) = gathered.services
        begins.append(min(int(one.times_ms[0]) for one in service.samples.counters()))
        change_detection.detect_change_points(gathered, memory, team.id, default_rng(1))
        stored = memory.of((team.id, gathered.environment_id, service.service_id), gathered.epoch, gathered.from_ms)
        assert stored is not None
        return [stored.minutes]

    push(part("distributor", -150, -60))
    looked()
    for minute in range(-60, 0, 20):
        push(part("distributor", minute, minute + 20, shares=SLOWER if minute >= -20 else (0.4, 0.9, 0.98, 1.0)))
        (stepwise,) = looked()
    memory = DetectionCache()
    (at_once,) = looked()
    assert stepwise.times_ms[-140:].tolist() == at_once.times_ms[-140:].tolist()
    assert stepwise.latency is not None
    assert at_once.latency is not None
    assert np.allclose(stepwise.latency.counts[-140:], at_once.latency.counts[-140:], rtol=1e-9, equal_nan=True)
    assert np.allclose(stepwise.requests[-140:], at_once.requests[-140:], rtol=1e-9, equal_nan=True)
    assert begins[3] - begins[0] > 100 * MINUTE
    assert begins[4] == begins[0]


def test_a_repeated_read_changes_nothing(client: TestClient, push: Push, watch: Watch) -> None:
    push(part("distributor", -90, -40), part("distributor", -40, -1, shares=SLOWER))
    watch()
    found = changes_of(client)
    assert [change["cause"] for change in found] == ["unexplained"]
    watch()
    push(part("distributor", -1, 0, shares=SLOWER))
    watch()
    assert [change["id"] for change in changes_of(client)] == [change["id"] for change in found]


def test_a_deploy_reported_later_explains_an_unexplained_change(
    client: TestClient, push: Push, watch: Watch, app: AppUnderTest, team: SomeTeam
) -> None:
    push(part("distributor", -90, -40), part("distributor", -40, -1, shares=SLOWER))
    watch()
    (change,) = changes_of(client)
    assert change["cause"] == "unexplained"
    deploy = deployed(client, "distributor", -40, "5f3c1e8a77")
    push(part("distributor", -1, -0.5, shares=SLOWER))
    watch()
    (only_change,) = changes_of(client)
    assert only_change == {
        **change,
        "cause": "deployment",
        "deployment_id": deploy["id"],
        "sentence": only_change["sentence"],
    }
    with app.database.writing(TeamScope(team.id)) as session:
        catalog.delete_deploy(session, DeployId(UUID(deploy["id"])))
    push(part("distributor", -0.5, 0, shares=SLOWER))
    watch()
    assert [(each["id"], each["cause"]) for each in changes_of(client)] == [(change["id"], "unexplained")]


def test_a_steady_service_has_no_change(client: TestClient, push: Push, watch: Watch) -> None:
    push(part("distributor", -90, 0))
    deployed(client, "distributor", -30, "abcdef1")
    watch()
    assert changes_of(client) == []


def test_a_waiter_is_listed_after_its_waker(
    client: TestClient, push: Push, watch: Watch, app: AppUnderTest, team: SomeTeam
) -> None:
    push(*(part(job, -90, -40) for job in ("distributor", "ingester")))
    services, environment = ids_of(client)
    edge = CallEdge(ServiceId(UUID(services["distributor"])), ServiceId(UUID(services["ingester"])), 300, 100)
    seen_at = datetime.fromtimestamp(NOW_MS / 1000, UTC)
    with app.database.writing(TeamScope(team.id)) as session:
        catalog.record_edges(session, EnvironmentId(UUID(environment)), [edge], seen_at)
    deployed(client, "ingester", -40, "0ddba11")
    push(*(part(job, -40, 0, shares=SLOWER) for job in ("distributor", "ingester")))
    watch()
    causes = {
        change["service_id"]: (change["cause"], change["upstream_cause_service_id"]) for change in changes_of(client)
    }
    assert causes == {
        services["ingester"]: ("deployment", None),
        services["distributor"]: ("dependency", services["ingester"]),
    }


def test_a_deployment_is_evaluated_at_its_times(client: TestClient, push: Push, watch: Watch) -> None:
    """One of two instances has the new build: concurrent values are compared."""
    push(part("distributor", -90, 0, instances=("a:80",)))
    push(part("distributor", -90, -31, instances=("b:80",)))
    deploy = deployed(client, "distributor", -31, "5f3c1e8a77")
    push(part("distributor", -30.5, 0, instances=("b:80",), shares=SLOWER))
    assert client.get(f"/api/v1/deployments/{deploy['id']}/check").json()["verdict"] is None
    watch()

    body = client.get(f"/api/v1/deployments/{deploy['id']}/check").json()
    assert [look["minutes_after_deployment"] for look in body["evaluations"]] == [5, 10, 15, 30]
    assert (body["verdict"], body["check"]["basis"]) == ("slower", "concurrent")
    assert body["check"]["ratio"] > 1.5
    watch()
    assert client.get(f"/api/v1/deployments/{deploy['id']}/check").json() == body


def test_the_window_alone_never_yields_slower(client: TestClient, push: Push, watch: Watch) -> None:
    push(part("distributor", -90, -31))
    deploy = deployed(client, "distributor", -31, "5f3c1e8a77")
    push(part("distributor", -30.5, 0, shares=SLOWER))
    watch()
    body = client.get(f"/api/v1/deployments/{deploy['id']}/check").json()
    assert body["verdict"] == "inconclusive"
    assert {(look["basis"], look["verdict"]) for look in body["evaluations"]} == {("before-after", "inconclusive")}
    assert [caveat["id"] for caveat in body["check"]["caveats"]] == ["before-after"]
