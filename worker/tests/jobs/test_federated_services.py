"""Services whose samples stay at a real Prometheus or VictoriaMetrics are evaluated like those that push the same samples."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import numpy as np
import pytest
from fastapi.testclient import TestClient
from numpy.random import default_rng

from slowpath.adapters.egress import create_outside
from slowpath.analysis.findings.latency_window import LatencyWindow
from slowpath.analysis.formats.column_file import read_columns
from slowpath.analysis.kinds.metrics.changes.deployment_check import DeploymentCheck
from slowpath.core.db_sessions import ReadSession, TeamScope
from slowpath.core.encryption import create_sealer
from slowpath.core.ids import EnvironmentId, JobId, ServiceId
from slowpath.core.jobs import JobState
from slowpath.core.ports import EgressClient
from slowpath.evidence.metric_sources.jobs import WatchFederatedServices
from slowpath.evidence.metric_sources.service.federated_query import FederatedQueries
from slowpath.evidence.metric_sources.service.sample_buffers import SampleBuffers
from slowpath.evidence.metric_sources.service.watched_samples import WatchedSamples, create_interactive_reader
from slowpath.evidence.metrics.service import change_causes, change_detection, deployment_checks
from slowpath.evidence.metrics.service.detection_cache import DetectionCache
from slowpath.evidence.metrics.service.latency_ranges import latency_between
from slowpath.evidence.metrics.service.live_samples import LiveReads, gather_with_sources
from slowpath.evidence.metrics.service.scan_input import DetectedChangePoint
from slowpath.platform.accounts.rules.roles import TokenScope
from slowpath_worker import live_samples as worker_live_samples
from support.prometheus_oracle import (
    REMOTE_WRITE_HEADERS,
    Prometheus,
    WrittenBlock,
    prometheus_binary,
    remote_write_body,
    running_prometheus,
    running_victoria_metrics,
    victoria_metrics_binary,
)
from tests.evidence.metric_sources.test_federated_query import Watched
from tests.evidence.metrics.dashboard_samples import SomeService
from tests.factories.accounts import AccountsFactory, SomeTeam
from tests.jobs.conftest import Bench
from tests.support.app_under_test import AppUnderTest
from tests.support.fakes import FrozenClock

pytestmark = [pytest.mark.database, pytest.mark.processes]

NOW_MS = 1_795_262_400_000
"""The frozen clock's time."""
NOW = datetime.fromtimestamp(NOW_MS / 1000, UTC)
MINUTE, HOUR = 60_000, 3_600_000
USUAL, SLOWER = (0.5, 0.995, 0.999, 1.0), (0.2, 0.5, 0.995, 1.0)
STORED, LIVE = "stored", "live"
ENGINES = ["prometheus", "victoria-metrics"]


def part(from_min: float, until_min: float, **fields: Any) -> SomeService:  # noqa: ANN401 - its fields
    begin, end = NOW_MS + round(from_min * MINUTE), NOW_MS + round(until_min * MINUTE)
    return SomeService("checkout", begin, end - 1, routes=("/pay", "/cart"), **fields)


BEFORE = [part(-120, -40, shares=USUAL)]
AFTER = [part(-70, 0, shares=SLOWER, instances=("c:80", "d:80"))]
"""The old instances answer for half an hour beside the new ones."""


@pytest.fixture
def server(request: pytest.FixtureRequest) -> Iterator[Prometheus]:
    is_prometheus = getattr(request, "param", "prometheus") == "prometheus"
    binary = prometheus_binary() if is_prometheus else victoria_metrics_binary()
    if binary is None:
        pytest.skip("the engine cannot be had: no apt-get that knows its package")
    with running_prometheus(binary) if is_prometheus else running_victoria_metrics(binary) as running:
        yield running


@dataclass
class World:
    """A service in two environments: one with pushed samples, one whose samples are queried live."""

    bench: Bench
    team: SomeTeam
    client: TestClient
    program: TestClient
    server: Prometheus
    outside: Watched
    source_id: str = ""
    environment: str = LIVE
    """Environment of the federated service."""
    buffers: SampleBuffers = field(default_factory=SampleBuffers)
    memory: DetectionCache = field(default_factory=DetectionCache)

    def write(self, services: Sequence[SomeService]) -> None:
        """Give the source and the database the same samples."""
        self.server.write([one for each in services for one in each.written()])
        pushed: list[WrittenBlock] = [one for each in services for one in replace(each, environment=STORED).written()]
        answer = self.program.post(
            "/api/v1/metrics/write", content=remote_write_body(pushed), headers=REMOTE_WRITE_HEADERS
        )
        assert answer.status_code == 204, answer.text

    def bind(self, url: str | None = None) -> None:
        """Leave the samples of the other environment at the source."""
        created = self.client.post("/api/v1/metric-sources", json={"name": "theirs", "url": url or self.server.url})
        assert created.status_code == 201, created.text
        self.source_id = created.json()["id"]
        bound = {"service": "checkout", "environment": self.environment, "label_matchers": {"job": "checkout"}}
        answer = self.client.post(f"/api/v1/metric-sources/{self.source_id}/federated-services", json=bound)
        assert answer.status_code == 201, answer.text

    @property
    def service_id(self) -> ServiceId:
        [service] = self.client.get("/api/v1/services").json()["items"]
        return ServiceId(UUID(service["id"]))

    def environment_id(self, slug: str) -> EnvironmentId:
        rows = self.client.get("/api/v1/environments").json()["items"]
        return EnvironmentId(UUID(next(row["id"] for row in rows if row["slug"] == slug)))

    def deploy(self, at_min: float, commit: str) -> None:
        """Deploy a build in both environments."""
        made = self.client.post(
            "/api/v1/builds", json={"service_id": str(self.service_id), "commit": commit * 10, "branch": "main"}
        )
        assert made.status_code == 201, made.text
        for slug in (STORED, LIVE):
            fields = {"service_id": str(self.service_id), "environment_id": str(self.environment_id(slug))}
            started_at = at_minute(at_min)
            body = {**fields, "commit": commit * 10, "started_at": started_at}
            answer = self.client.post("/api/v1/deployments", json=body)
            assert answer.status_code == 201, answer.text

    def reads(self, now_ms: int = NOW_MS, *, is_strict: bool = False) -> LiveReads:
        federated = FederatedQueries(self.outside, create_sealer(self.bench.worker_context.settings))
        return LiveReads(WatchedSamples(federated, self.buffers), now_ms, is_strict=is_strict)

    def gather(
        self, gather: Callable[[ReadSession, LiveReads], Any], now_ms: int = NOW_MS, *, is_strict: bool = False
    ) -> Any:  # noqa: ANN401 - the gathered value
        live = self.reads(now_ms, is_strict=is_strict)
        database = self.bench.worker_context.database
        return gather_with_sources(
            lambda: database.reading(TeamScope(self.team.id)), live, lambda session: gather(session, live)
        )

    def scan(self, slug: str, now_ms: int = NOW_MS) -> tuple[list[DetectedChangePoint], list[DeploymentCheck]]:
        """Return the change points and deployment checks of an environment."""
        memory = self.memory

        def gather(session: ReadSession, live: LiveReads) -> Any:  # noqa: ANN401 - a pair
            found = change_detection.gather_scan_input(session, self.environment_id(slug), memory, live)
            return found, deployment_checks.list_due_evaluations(session, found) if found is not None else []

        gathered, due = self.gather(gather, now_ms)
        if gathered is None:
            return [], []
        found = change_detection.detect_change_points(gathered, memory, self.team.id, default_rng(1))
        checks = [one.check for one in deployment_checks.evaluate_deployments(due, default_rng(2))]
        return change_causes.attribute_causes(gathered, found), checks

    def latency(self, slug: str) -> LatencyWindow:
        """Return the latency of the last hour of an environment."""
        place = self.service_id, self.environment_id(slug)
        found = self.gather(
            lambda session, live: latency_between(session, *place, NOW_MS - HOUR, NOW_MS - 10 * MINUTE, live),
            is_strict=True,
        )
        assert isinstance(found, LatencyWindow)
        return found

    def changes(self, slug: str) -> list[dict[str, Any]]:
        """Return the recorded change points of an environment."""
        range_ = {"from": str(NOW_MS - 6 * HOUR), "to": str(NOW_MS + HOUR)}
        answer = self.client.get(
            "/api/v1/metric-change-points", params={"environment_id": str(self.environment_id(slug)), **range_}
        )
        assert answer.status_code == 200, answer.text
        items: list[dict[str, Any]] = answer.json()["items"]
        return items

    def dashboard_row(self) -> dict[str, Any]:
        """Return the row of the service on the dashboard of its environment."""
        range_ = {"from": str(NOW_MS - HOUR), "to": str(NOW_MS)}
        environment = {"environment_id": str(self.environment_id(self.environment))}
        answer = self.client.get("/api/v1/dashboard", params={**range_, **environment})
        [row] = read_columns(answer.content, "slowpath.board").header["rows"]
        found: dict[str, Any] = row
        return found

    def source_items(self) -> list[dict[str, Any]]:
        """Return the inbox items of metric sources."""
        items = self.client.get("/api/v1/inbox").json()["items"]
        return [each for each in items if each["kind"] == "metric-source"]

    def run(self, *names: str) -> None:
        """Run the waiting jobs of these names."""
        context = replace(self.bench.worker_context, egress=self.outside, clock=FrozenClock(NOW))
        bench = replace(self.bench, worker_context=context)
        for name in names:
            rows = self.bench.admin.execute("SELECT id FROM job WHERE state = 'waiting' AND name = %s", (name,))
            for (job_id,) in rows.fetchall():
                bench.change(JobId(job_id), "not_before = clock_timestamp()")
                row = bench.carry_out(JobId(job_id))
                assert row["state"] == JobState.DONE, row["problem"]

    def watch(self, now: datetime = NOW) -> dict[str, Any]:
        """Run the job that watches federated services."""
        context = replace(self.bench.worker_context, egress=self.outside, clock=FrozenClock(now))
        bench = replace(self.bench, worker_context=context)
        return bench.carry_out(bench.write_down(WatchFederatedServices(self.team.id)))


@pytest.fixture
def world(
    app: AppUnderTest, people: AccountsFactory, team: SomeTeam, bench: Bench, server: Prometheus,
    monkeypatch: pytest.MonkeyPatch,
) -> World:  # fmt: skip
    settings = bench.worker_context.settings.model_copy(update={"egress_allowlist": "127.0.0.0/8"})
    near = bench.with_settings(settings)
    outside: EgressClient = create_outside(settings)
    watched = Watched(outside)
    app.app.state.outside = watched
    app.app.state.beyond = FederatedQueries(watched, app.app.state.sealer)
    app.app.state.watched = create_interactive_reader(app.app.state.beyond)
    monkeypatch.setattr(worker_live_samples, "BUFFERS", SampleBuffers())
    program = app.asked(token=people.token(team, TokenScope.UPLOAD).secret)
    return World(near, team, app.asked(cookie=team.owner.cookie), program, server, watched)


def at_minute(minute: float) -> str:
    """Return a time relative to now."""
    return (NOW + timedelta(minutes=minute)).isoformat()


def close(one: object, other: object) -> bool:
    """Return whether two values are equal up to rounding, member by member."""
    if isinstance(one, float) or isinstance(other, float):
        return bool(np.isclose(float(one), float(other), rtol=1e-9, equal_nan=True))  # type: ignore[arg-type]  # numbers
    return one == other


@pytest.mark.parametrize("server", ENGINES, indirect=True)
def test_the_same_samples_give_the_same_change_points_checks_budgets_and_latencies(world: World) -> None:
    world.write(BEFORE)
    world.write(AFTER)
    world.bind()
    world.deploy(-105, "aa11")
    world.deploy(-70, "bb22")

    (stored, stored_checks), (live, live_checks) = world.scan(STORED), world.scan(LIVE)

    assert [each.explained.cause for each in live] == [each.explained.cause for each in stored]
    assert any(each.explained.cause == "deployment" and each.change.ratio_low > 1.2 for each in live)
    for one, other in zip(live, stored, strict=True):
        for name in ("signal", "at_ms", "low_ms", "high_ms", "before", "after", "ratio", "ratio_low", "ratio_high"):
            assert close(getattr(one.change, name), getattr(other.change, name)), name
    assert [(each.verdict, each.basis) for each in live_checks] == [
        (each.verdict, each.basis) for each in stored_checks
    ]
    assert "slower" in {each.verdict for each in live_checks}
    for check, stored_check in zip(live_checks, stored_checks, strict=True):
        for change, stored_change in zip(check.changes, stored_check.changes, strict=True):
            assert close(change.ratio, stored_change.ratio)

    live_window, stored_window = world.latency(LIVE), world.latency(STORED)
    assert live_window.requests == stored_window.requests > 0
    assert live_window.latency is not None
    assert stored_window.latency is not None
    np.testing.assert_allclose(live_window.latency.counts, stored_window.latency.counts, rtol=1e-9)


def test_a_minute_later_each_selector_is_queried_once_and_nothing_is_stored(world: World) -> None:
    world.write([part(-30, 0)])
    world.bind()
    world.scan(LIVE)
    held = {key: each for one in world.buffers._services.values() for key, each in one.parts.items()}
    world.outside.asked.clear()
    world.write([part(0, 1)])

    for part_of in held.values():
        part_of.read_at -= 60
    world.scan(LIVE, NOW_MS + MINUTE)

    assert world.outside.asked == ["/api/v1/query"] * len(held)
    stored = world.bench.admin.execute("SELECT count(*) FROM metric_series WHERE labels->>'environment' IS NULL")
    assert stored.fetchone() == (0,)


def test_the_jobs_record_for_a_federated_service_what_they_record_for_a_stored_one(world: World) -> None:
    world.write(BEFORE)
    world.write(AFTER)
    world.bind()
    world.deploy(-105, "aa11")
    world.deploy(-70, "bb22")
    limit = {"signal": "p50", "limit": {"type": "absolute", "seconds": 0.05}}
    budget = world.client.post("/api/v1/budgets", json={"service_id": str(world.service_id), **limit})
    assert budget.status_code == 201, budget.text

    world.watch()
    world.run("budgets.evaluate", "production-events.update", "regressions.evaluate-build")

    assert {(each["signal"], each["cause"]) for each in world.changes(LIVE)} == {
        (each["signal"], each["cause"]) for each in world.changes(STORED)
    }
    assert "deployment" in {each["cause"] for each in world.changes(LIVE)}
    [found] = world.client.get("/api/v1/budgets", params={"service_id": str(world.service_id)}).json()["items"]
    states = {each["environment_id"]: each["state"] for each in found["evaluations"]}
    assert states == {str(world.environment_id(each)): "exceeded" for each in (STORED, LIVE)}
    events = world.bench.admin.execute("SELECT environment_id, count(*) FROM production_event GROUP BY 1").fetchall()
    assert {key: number > 0 for key, number in events} == {world.environment_id(each): True for each in (STORED, LIVE)}
    page = world.client.get(f"/api/v1/services/{world.service_id}/series", params={"kind": "latency"}).json()
    latency = {each["subject"]: each["values"] for each in page["series"]}
    assert {"live p50", "live p99", "stored p50", "stored p99"} <= latency.keys()
    np.testing.assert_allclose(latency["live p99"], latency["stored p99"], rtol=1e-9)


def test_time_ranges_of_a_federated_service_can_be_compared(world: World) -> None:
    world.write(BEFORE)
    world.write(AFTER)
    world.bind()
    place = {"service_id": str(world.service_id), "environment_id": str(world.environment_id(LIVE))}
    ranges = [(-60, -45), (-35, -5)]
    base, candidate = ({**place, "begin": at_minute(begin), "end": at_minute(end)} for begin, end in ranges)
    sides = {side: {"type": "time_range", **each} for side, each in (("base", base), ("candidate", candidate))}
    preview = world.client.post("/api/v1/comparison-previews", json=sides)
    assert preview.status_code == 200, preview.text
    assert preview.json()["can_compare"], preview.text

    named = {"base": {"time_range": base}, "candidate": {"time_range": candidate}}
    created = world.client.post("/api/v1/comparisons", json={"name": "ranges", **named})
    assert created.status_code == 201, created.text
    world.run("comparisons.compute")
    found = world.client.get(f"/api/v1/comparisons/{created.json()['id']}").json()
    assert found["state"] == "done", found["problem"]


def test_a_cut_over_leaves_the_history_and_can_be_undone(world: World) -> None:
    """Samples are written to both while the service changes from the database to the source."""
    world.write(BEFORE)
    world.write(AFTER)
    world.environment = STORED
    assert world.watch()["state"] == JobState.DONE
    found = world.changes(STORED)
    assert found != []
    world.bind()

    both = replace(part(0, 10), shares=SLOWER, instances=("c:80", "d:80"))
    world.server.write([*both.written()])
    assert world.watch(NOW + timedelta(minutes=10))["state"] == JobState.DONE

    assert world.changes(STORED) == found
    [bound] = world.client.get(f"/api/v1/metric-sources/{world.source_id}/federated-services").json()["items"]
    row = world.dashboard_row()
    assert row["source"]["problem"] is None
    url = f"/api/v1/metric-sources/{world.source_id}/federated-services/{bound['id']}"
    assert world.client.delete(url).status_code == 204
    assert world.dashboard_row()["source"] is None
    assert world.dashboard_row()["latency"]["histogram"] == "classic"


def test_a_failing_source_makes_an_item_and_no_change_until_it_is_read_again(world: World) -> None:
    world.write([part(-90, 0, shares=USUAL)])
    world.bind()
    assert world.watch()["state"] == JobState.DONE
    waiting = "SELECT count(*) FROM job WHERE name = 'metric-sources.watch' AND state = 'waiting'"
    assert world.bench.admin.execute(waiting).fetchone() == (1,)

    world.outside.fails = True
    assert world.watch(NOW + timedelta(minutes=2))["state"] == JobState.DONE
    assert world.source_items() == []
    assert world.watch(NOW + timedelta(minutes=20))["state"] == JobState.DONE
    assert world.changes(LIVE) == []
    assert [each["title"] for each in world.source_items()] == ["Metric source theirs fails"]

    world.outside.fails = False
    world.server.write([*part(0, 5, shares=USUAL).written()])
    world.server.write([*part(5, 40, shares=SLOWER).written()])
    assert world.watch(NOW + timedelta(minutes=40))["state"] == JobState.DONE
    assert world.source_items() == []
    assert {round((each["at_ms"] - NOW_MS) / MINUTE) for each in world.changes(LIVE)} == {5}


@pytest.mark.parametrize(
    "page",
    [
        {"status": "success", "warnings": ["a store did not respond"], "data": {"resultType": "matrix", "result": []}},
        {"status": "success", "isPartial": True, "data": {"resultType": "matrix", "result": []}},
    ],
)
def test_an_incomplete_response_is_a_failure_and_not_a_drop_of_requests(world: World, page: dict[str, object]) -> None:
    world.write([part(-90, 0)])
    world.bind()
    world.outside.instead = {"/api/v1/query": page}
    assert world.watch()["state"] == JobState.DONE
    [item] = world.source_items()
    assert "incomplete" in item["detail"]
    assert world.changes(LIVE) == []
