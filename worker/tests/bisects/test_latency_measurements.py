"""A measurement whose latency comes from the dashboard: instances push concurrently, each with the name of its run."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import pytest
from fastapi.testclient import TestClient

from slowpath.core.ids import JobId
from slowpath.platform.accounts.rules.roles import TokenScope
from slowpath.verdicts.bisects.rules.build_names import name_of
from tests.bisects.conftest import Search, plan_of
from tests.bisects.pushed_histograms import Instance
from tests.factories.accounts import AccountsFactory

pytestmark = pytest.mark.database

PUSH_MS = 10_000
SLOW_S, FAST_S = 0.045, 0.015


@dataclass
class LatencyBisect:
    """An environment whose instances push metrics, and a bisect of its latency."""

    search: Search
    pusher: TestClient
    now_ms: int
    board: dict[str, str]

    def instance(self, name: str, **fields: Any) -> Instance:  # noqa: ANN401 - members of an instance
        return Instance(self.pusher, name, self.now_ms - 120_000, **fields)

    def begin(self, match: str = "instance", quantile: str = "p50", **settings: Any) -> None:  # noqa: ANN401 - members of settings
        self.search.begin(plan_of(6), dashboard_selector={**self.board, "match": match}, **settings)
        self.search.bench.admin.execute(
            "UPDATE bisect SET signature = signature || jsonb_build_object('kind', 'latency', 'subject', %s::text, 'unit', 'ns')",
            (f"lab {quantile}",),
        )

    def measure(self, run_id: str, from_ms: int, to_ms: int) -> None:
        """Report a measurement, as a runner does at its end."""
        index = self.search.runner.taken.get(run_id, 0)
        times = {"started_at": iso(from_ms), "ended_at": iso(to_ms)}
        response = self.search.runner.client.post(
            f"/api/v1/probes/{run_id}/measurements", json={"index": index, "is_on_dashboard": True, **times}
        )
        assert response.status_code == 204, response.text
        self.search.runner.taken[run_id] = index + 1

    def read(self) -> list[str]:
        """Carry out what reads windows, once each; return how the jobs stand then."""
        rows = self.search.bench.admin.execute(
            "SELECT id FROM job WHERE name = 'bisects.read-measurement' AND state = 'waiting' ORDER BY created_at"
        ).fetchall()
        for (job_id,) in rows:
            self.search.bench.change(JobId(job_id), "not_before = clock_timestamp()")
        return [self.search.bench.carry_out(JobId(job_id))["state"] for (job_id,) in rows]

    def windows(self) -> dict[str, dict[str, Any]]:
        """Return the newest window of each run."""
        return {
            one["run_id"]: one["measurements"][-1] for one in self.search.get_detail()["probes"] if one["measurements"]
        }

    def waited(self, seconds: float) -> None:
        """Move the reported windows back by this time."""
        self.search.bench.admin.execute(
            "UPDATE probe_measurement SET created_at = created_at - make_interval(secs => %s)", (seconds,)
        )

    def pushes(self, from_ms: int, to_ms: int) -> list[int]:
        return list(range(from_ms, to_ms + 1, PUSH_MS))


def iso(at_ms: int) -> str:
    return datetime.fromtimestamp(at_ms / 1000, UTC).isoformat()


@pytest.fixture
def latency_bisect(search: Search, people: AccountsFactory) -> LatencyBisect:
    token = people.token(search.bench.team, TokenScope.UPLOAD)
    environment = search.person.post("/api/v1/environments", json={"name": "lab"}).json()["id"]
    now_ms = int(search.now().timestamp() * 1000)
    return LatencyBisect(search, people.app.asked(token=token.secret), now_ms, {"environment_id": environment})


@pytest.fixture
def window(latency_bisect: LatencyBisect) -> tuple[int, int]:
    return latency_bisect.now_ms - 80_000, latency_bisect.now_ms - 20_000


def test_each_run_is_read_by_its_own_instance(latency_bisect: LatencyBisect, window: tuple[int, int]) -> None:
    latency_bisect.begin(slots=2)
    slow, fast = latency_bisect.search.runner.lease()
    times = latency_bisect.pushes(latency_bisect.now_ms - 110_000, latency_bisect.now_ms)
    latency_bisect.instance(slow["run_id"]).run(times, SLOW_S, 100)
    latency_bisect.instance(f"{fast['run_id']}.ingester-7d4f").run(times, FAST_S, 100)
    latency_bisect.instance("production-1").run(times, 0.4, 500)
    for lease in (slow, fast):
        latency_bisect.measure(lease["run_id"], *window)

    assert latency_bisect.read() == ["done", "done"]
    measurements = latency_bisect.windows()
    assert measurements[slow["run_id"]]["value"] == pytest.approx(SLOW_S * 1e9, rel=0.1)
    assert measurements[fast["run_id"]]["value"] == pytest.approx(FAST_S * 1e9, rel=0.1)
    assert {one["requests"] for one in measurements.values()} == {600}
    assert latency_bisect.search.get_detail()["evidence"]["unit"] == "ns"


def test_late_samples_are_waited_for(latency_bisect: LatencyBisect, window: tuple[int, int]) -> None:
    latency_bisect.begin()
    [lease] = latency_bisect.search.runner.lease()
    instance = latency_bisect.instance(lease["run_id"])
    instance.run(latency_bisect.pushes(latency_bisect.now_ms - 110_000, window[1] - 15_000), FAST_S, 100)
    latency_bisect.measure(lease["run_id"], *window)

    assert latency_bisect.read() == latency_bisect.read() == ["waiting"]
    assert latency_bisect.windows()[lease["run_id"]]["value"] is None
    instance.run(latency_bisect.pushes(window[1] - 10_000, latency_bisect.now_ms), SLOW_S, 1000)
    assert latency_bisect.read() == ["done"]
    measurement = latency_bisect.windows()[lease["run_id"]]
    assert measurement["value"] == pytest.approx(SLOW_S * 1e9, rel=0.15)
    assert measurement["requests"] > 1000


def test_too_few_requests_are_reported_and_the_next_windows_are_longer(
    latency_bisect: LatencyBisect, window: tuple[int, int]
) -> None:
    latency_bisect.begin(quantile="p99", measurement_seconds=60)
    [lease] = latency_bisect.search.runner.lease()
    latency_bisect.instance(lease["run_id"]).run(
        latency_bisect.pushes(latency_bisect.now_ms - 110_000, latency_bisect.now_ms), FAST_S, 50
    )
    latency_bisect.measure(lease["run_id"], *window)

    assert latency_bisect.read() == ["done"]
    measurement = latency_bisect.windows()[lease["run_id"]]
    assert (measurement["value"], measurement["requests"]) == (None, 300)
    assert (
        measurement["problem"]
        == "300 requests in this measurement window of 60 s; p99 requires 1,000. Measure for 260 s."
    )
    bisect = latency_bisect.search.get_detail()
    assert bisect["settings"]["measurement_seconds"] == 260
    assert any("from 60 to 260 s" in one["sentence"] for one in bisect["events"])
    assert latency_bisect.search.runner.beat(lease["run_id"])["measurement_seconds"] == 260


def test_a_run_without_pushed_metrics_is_reported_as_such(
    latency_bisect: LatencyBisect, window: tuple[int, int]
) -> None:
    latency_bisect.begin()
    [lease] = latency_bisect.search.runner.lease()
    latency_bisect.instance("production-1").run(
        latency_bisect.pushes(latency_bisect.now_ms - 110_000, latency_bisect.now_ms), FAST_S, 100
    )
    latency_bisect.measure(lease["run_id"], *window)

    assert latency_bisect.read() == ["waiting"]
    latency_bisect.waited(200)
    assert latency_bisect.read() == ["done"]
    problem = latency_bisect.windows()[lease["run_id"]]["problem"]
    assert problem.startswith(f"No samples of run {lease['run_id']} in lab; 1 other instance of ingester pushed")
    assert f"service.instance.id={lease['run_id']}" in problem


def test_a_deployment_without_requests_has_no_value(latency_bisect: LatencyBisect, window: tuple[int, int]) -> None:
    latency_bisect.begin()
    [lease] = latency_bisect.search.runner.lease()
    instance = latency_bisect.instance(lease["run_id"])
    instance.answer(FAST_S, 5)
    for at_ms in latency_bisect.pushes(latency_bisect.now_ms - 110_000, latency_bisect.now_ms):
        instance.push(at_ms)
    latency_bisect.measure(lease["run_id"], *window)

    assert latency_bisect.read() == ["done"]
    assert "answered no requests in this measurement window" in latency_bisect.windows()[lease["run_id"]]["problem"]


@pytest.mark.parametrize("named", [lambda lease: lease["run_id"], lambda lease: name_of(lease["build"]["commit"], {})])
def test_by_version_a_label_names_the_build(
    latency_bisect: LatencyBisect, window: tuple[int, int], named: Callable[[dict[str, Any]], str]
) -> None:
    latency_bisect.begin("version")
    [lease] = latency_bisect.search.runner.lease()
    times = latency_bisect.pushes(latency_bisect.now_ms - 110_000, latency_bisect.now_ms)
    latency_bisect.instance("a", labels={"version": named(lease)}).run(times, SLOW_S, 100)
    latency_bisect.instance("b", labels={"version": "f" * 40}).run(times, FAST_S, 100)
    latency_bisect.measure(lease["run_id"], *window)

    assert latency_bisect.read() == ["done"]
    assert latency_bisect.windows()[lease["run_id"]]["value"] == pytest.approx(SLOW_S * 1e9, rel=0.1)


def test_a_whole_environment_is_one_deploy_at_a_time(latency_bisect: LatencyBisect, window: tuple[int, int]) -> None:
    latency_bisect.begin("environment")
    [lease] = latency_bisect.search.runner.lease()
    latency_bisect.instance("whatever").run(
        latency_bisect.pushes(latency_bisect.now_ms - 110_000, latency_bisect.now_ms), SLOW_S, 100
    )
    latency_bisect.measure(lease["run_id"], *window)
    assert latency_bisect.read() == ["done"]
    assert latency_bisect.windows()[lease["run_id"]]["value"] == pytest.approx(SLOW_S * 1e9, rel=0.1)

    response = latency_bisect.search.person.patch(
        f"/api/v1/bisects/{latency_bisect.search.bisect_id}", json={"settings": {"slots": 2}}
    )
    assert response.status_code == 422
    assert "by instance or version" in response.json()["resolution"]


def test_the_dashboard_is_queried_only_for_latency(search: Search) -> None:
    search.begin(plan_of(6))
    [lease] = search.runner.lease()
    body = {"index": 0, "is_on_dashboard": True, "started_at": iso(0), "ended_at": iso(60_000)}
    response = search.runner.client.post(f"/api/v1/probes/{lease['run_id']}/measurements", json=body)
    assert response.status_code == 422
    assert "not measured from dashboard metrics" in response.json()["detail"]
