"""A service that is read through: its row is the row it would have, had its samples been pushed; nothing is stored."""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any
from uuid import UUID

import numpy as np
import pytest
from fastapi.testclient import TestClient

from slowpath.adapters.egress import AllowlistedEgressClient
from slowpath.adapters.egress_policy import parse_allowlist
from slowpath.analysis.formats.column_file import ColumnFile, read_columns
from slowpath.analysis.kinds.metrics.changes.probe_latency import SeriesOwner
from slowpath.core.db_sessions import TeamScope
from slowpath.core.ids import EnvironmentId, ServiceId
from slowpath.core.ports import EgressClient, EgressConnection, HttpResponse
from slowpath.evidence.metric_sources.service import federated_samples
from slowpath.evidence.metric_sources.service.federated_query import FederatedQueries
from slowpath.platform.accounts.rules.roles import Role, TokenScope
from slowpath.verdicts.bisects.rules.latency_measurements import MeasurementQuery
from slowpath.verdicts.bisects.service import latency_measurements
from support.prometheus_oracle import (
    REMOTE_WRITE_HEADERS,
    Prometheus,
    WrittenBlock,
    WrittenHistogram,
    prometheus_binary,
    remote_write_body,
    running_prometheus,
)
from tests.evidence.metric_sources.prometheus_fake import FakeEgress, PrometheusFake, success
from tests.evidence.metrics.dashboard_samples import SomeService
from tests.factories.accounts import AccountsFactory, SomeTeam
from tests.support.app_under_test import AppUnderTest
from tests.support.databases import TestDatabase

pytestmark = pytest.mark.database

SOURCES = "/api/v1/metric-sources"
NOW_MS = 1_795_262_400_000
"""The frozen clock's time."""
HOUR = 3_600_000
LAST_HOUR = {"from": str(NOW_MS - HOUR), "to": str(NOW_MS)}


def api(job: str) -> list[WrittenBlock]:
    service = SomeService(job, NOW_MS - 3 * HOUR, NOW_MS, gauge=True)
    return [*service.written(), *natives(f"{job}-native")]


def natives(job: str) -> Iterator[WrittenBlock]:
    times = range(NOW_MS - 2 * HOUR, NOW_MS + 1, 15_000)
    points = [
        (at, WrittenHistogram(3, 100 * i, 7.5 * i, 2.0**-128, 0, {-20: 60 * i, 2: 40 * i} if i else {}, {}))
        for i, at in enumerate(times)
    ]
    yield WrittenBlock({"__name__": "http_server_duration_seconds", "job": job, "instance": "a:80"}, points)


@pytest.fixture(scope="module")
def prometheus() -> Iterator[Prometheus]:
    binary = prometheus_binary()
    if binary is None:
        pytest.skip("Prometheus 2.42 cannot be had: no apt-get that knows its package")
    with running_prometheus(binary) as server:
        server.write(api("api"))
        yield server


@dataclass
class Watched:
    """The real way out, to loopback too; counts what is asked, and may refuse range selectors, or fail."""

    outside: EgressClient
    asked: list[str] = field(default_factory=list)
    ranges: bool = True
    fails: bool = False
    instead: dict[str, object] = field(default_factory=dict)
    """Bodies that are returned for paths."""

    def check(self, url: str) -> None:
        self.outside.check(url)

    @contextmanager
    def opened(self, url: str) -> Iterator["WatchedPeer"]:
        with self.outside.opened(url) as peer:
            yield WatchedPeer(peer, self)


@dataclass
class WatchedPeer(PrometheusFake):
    """One peer of these."""

    def __init__(self, peer: EgressConnection, watched: Watched) -> None:
        super().__init__({})
        self.peer, self.watched = peer, watched

    def get(
        self,
        path: str,
        query: Sequence[tuple[str, str]] = (),
        headers: Mapping[str, str] | None = None,
        *,
        max_bytes: int,
        seconds: float,
    ) -> HttpResponse:
        self.watched.asked.append(path)
        if self.watched.fails:
            return HttpResponse(503, b"")
        if path in self.watched.instead:
            return HttpResponse(200, json.dumps(self.watched.instead[path]).encode())
        if path == "/api/v1/query" and not self.watched.ranges:
            return HttpResponse(422, json.dumps({"status": "error", "error": "no range selectors"}).encode())
        return self.peer.get(path, query, headers, max_bytes=max_bytes, seconds=seconds)


@pytest.fixture
def outside(app: AppUnderTest) -> Watched:
    watched = Watched(AllowlistedEgressClient(parse_allowlist("127.0.0.0/8"), only_listed=False))
    app.app.state.outside = watched
    app.app.state.beyond = FederatedQueries(watched, app.app.state.sealer)
    return watched


def source_at(client: TestClient, url: str) -> str:
    answer = client.post(SOURCES, json={"name": "theirs", "url": url})
    assert answer.status_code == 201, answer.text
    return str(answer.json()["id"])


def bound(client: TestClient, source_id: str, service: str, **equal: str) -> dict[str, Any]:
    answer = client.post(
        f"{SOURCES}/{source_id}/federated-services", json={"service": service, "label_matchers": equal}
    )
    assert answer.status_code == 201, answer.text
    body: dict[str, Any] = answer.json()
    return body


def board_of(client: TestClient, **asked: str) -> ColumnFile:
    answer = client.get("/api/v1/dashboard", params={**LAST_HOUR, **asked})
    assert answer.status_code == 200, answer.text
    return read_columns(answer.content, "slowpath.board")


def row_of(board: ColumnFile, name: str) -> tuple[int, dict[str, Any]]:
    rows: list[dict[str, Any]] = board.header["rows"]
    return next((number, row) for number, row in enumerate(rows) if row["service"]["name"] == name)


def columns_of(board: ColumnFile, name: str) -> dict[str, Any]:
    start = f"r{row_of(board, name)[0]}_"
    return {key.removeprefix(start): column for key, column in board.arrays.items() if key.startswith(start)}


@pytest.mark.parametrize("hours", [1, 2.5])
def test_a_row_read_through_is_the_row_of_what_was_pushed(
    app: AppUnderTest, people: AccountsFactory, team: SomeTeam, client: TestClient, outside: Watched,
    prometheus: Prometheus, emptied: TestDatabase, hours: float,
) -> None:  # fmt: skip
    program = app.asked(token=people.token(team, TokenScope.UPLOAD).secret)
    body = remote_write_body(api("pushed"))
    assert program.post("/api/v1/metrics/write", content=body, headers=REMOTE_WRITE_HEADERS).status_code == 204
    # Protocol 1 has no kinds: the kind of a native histogram of this name must be given.
    rule = {"metric": "http_server_duration_seconds", "role": "latency"}
    assert client.post("/api/v1/metric-rules", json=rule).status_code == 201
    source_id = source_at(client, prometheus.url)
    bound(client, source_id, "through", job="api")
    bound(client, source_id, "through-native", job="api-native")

    board = board_of(client, **{"from": str(NOW_MS - round(hours * HOUR))})

    for through, pushed in (("through", "pushed"), ("through-native", "pushed-native")):
        mine, theirs = columns_of(board, through), columns_of(board, pushed)
        assert row_of(board, through)[1]["source"]["problem"] is None
        assert mine.keys() == theirs.keys()
        assert {"qps_2xx", "p50", "p99", "p99_low"} <= mine.keys() | {"qps_2xx"}
        for key in mine:
            np.testing.assert_array_equal(mine[key], theirs[key], err_msg=f"{through} {key}")
            assert not np.isnan(mine[key]).all(), key
        (_, federated_part), (_, other) = row_of(board, through), row_of(board, pushed)
        assert federated_part["source"] == {"id": source_id, "name": "theirs", "step_ms": None, "problem": None}
        assert other["source"] is None
        assert {key: federated_part[key] for key in ("instances", "gaps", "resets", "latency", "requests")} == {
            key: other[key] for key in ("instances", "gaps", "resets", "latency", "requests")
        }
    with emptied.as_admin() as admin:
        found = admin.execute("SELECT count(*) FROM metric_series WHERE labels->>'job' LIKE 'api%'").fetchone()
    assert found == (0,)


def test_a_window_of_a_run_that_is_read_through_is_the_one_of_what_was_pushed(
    app: AppUnderTest,
    people: AccountsFactory,
    team: SomeTeam,
    client: TestClient,
    outside: Watched,
    prometheus: Prometheus,
) -> None:
    program = app.asked(token=people.token(team, TokenScope.UPLOAD).secret)
    body = remote_write_body(api("pushed"))
    assert program.post("/api/v1/metrics/write", content=body, headers=REMOTE_WRITE_HEADERS).status_code == 204
    bound(client, source_at(client, prometheus.url), "through", job="api")
    ids = {one["name"]: ServiceId(UUID(one["id"])) for one in client.get("/api/v1/services").json()["items"]}
    [lab] = client.get("/api/v1/environments").json()["items"]
    whose = SeriesOwner("instance", "b:80", "", None)
    window = MeasurementQuery(
        "api", "production", "b:80", "instance", "", 0.5, NOW_MS - 600_000, NOW_MS - 300_000, 60.0
    )
    beyond = app.app.state.beyond
    with app.database.reading(TeamScope(team.id, team.owner.user_id)) as session:
        [there] = beyond.bound(session)
        pushed = latency_measurements.PendingLatencyQuery(
            window, whose, ids["pushed"], EnvironmentId(UUID(lab["id"])), None
        )
        measurement = latency_measurements.read_stored(session, pushed)
    through = latency_measurements.read_federated(beyond, replace(pushed, service_id=ids["through"], bound=there))

    assert through == measurement
    assert measurement.requests == 15_000  # half of 100 a second
    assert measurement.value_ns is not None


def test_query_results_are_cached_for_a_step(client: TestClient, outside: Watched, prometheus: Prometheus) -> None:
    bound(client, source_at(client, prometheus.url), "through", job="api")
    first = board_of(client)
    asked = len(outside.asked)
    assert asked > 5
    second = board_of(client, to=str(NOW_MS + 900))
    assert len(outside.asked) == asked
    assert columns_of(second, "through").keys() == columns_of(first, "through").keys()
    board_of(client, to=str(NOW_MS - 60_000))
    assert len(outside.asked) > asked
    assert outside.asked.count("/api/v1/metadata") == 1


def test_a_large_import_uses_steps_and_reports_it(
    client: TestClient, outside: Watched, prometheus: Prometheus, monkeypatch: pytest.MonkeyPatch
) -> None:
    bound(client, source_at(client, prometheus.url), "through", job="api")
    exact = columns_of(board_of(client), "through")
    monkeypatch.setattr(federated_samples, "MOST_RAW_SAMPLES", 100)
    monkeypatch.setattr(federated_samples, "MOST_AT_STEPS", 2_000)

    board = board_of(client, to=str(NOW_MS - 1000))  # is asked anew

    step_ms = row_of(board, "through")[1]["source"]["step_ms"]
    assert step_ms >= 30_000
    assert "/api/v1/query_range" in outside.asked
    coarse = columns_of(board, "through")
    for key in ("qps_2xx", "p50", "p99"):
        assert np.nanmedian(coarse[key]) == pytest.approx(np.nanmedian(exact[key]), rel=0.05)


def test_without_range_selectors_values_at_steps_are_drawn(
    client: TestClient, outside: Watched, prometheus: Prometheus
) -> None:
    outside.ranges = False
    bound(client, source_at(client, prometheus.url), "through", job="api")
    board = board_of(client)
    assert row_of(board, "through")[1]["source"]["step_ms"] == 60_000
    assert np.nanmedian(columns_of(board, "through")["qps_2xx"]) == pytest.approx(98, rel=0.05)


def test_a_failing_row_reports_its_problem_and_the_others_stay(
    client: TestClient, outside: Watched, prometheus: Prometheus
) -> None:
    bound(client, source_at(client, prometheus.url), "through", job="api")
    bound(client, source_at(client, prometheus.url), "absent", job="absent")
    bound(client, source_at(client, "http://127.0.0.1:9"), "gone", job="api")

    board = board_of(client)

    assert not np.isnan(columns_of(board, "through")["p99"]).all()
    assert row_of(board, "absent")[1]["source"]["problem"] == "The source has no recognized metrics with job=absent."
    gone = row_of(board, "gone")[1]
    assert "did not respond" in gone["source"]["problem"]
    assert gone["latency"]["reason"] == gone["requests"]["reason"] == f"theirs: {gone['source']['problem']}"
    assert board.header["empty"] is None


def test_an_address_that_may_not_be_asked_is_not_asked(app: AppUnderTest, client: TestClient, outside: Watched) -> None:
    source_id = source_at(client, "http://127.0.0.1:9090")
    bound(client, source_id, "api", job="api")
    app.app.state.beyond = FederatedQueries(
        AllowlistedEgressClient(parse_allowlist(""), only_listed=False), app.app.state.sealer
    )
    problem = row_of(board_of(client), "api")[1]["source"]["problem"]
    assert problem == "Private addresses are not allowed."
    assert outside.asked == []


@pytest.mark.parametrize(
    "responses",
    [
        {},
        {"/api/v1/label/__name__/values": success(["http_requests_total"]), "/api/v1/series": (200, b"[")},
        {"/api/v1/label/__name__/values": success(["http_requests_total"]), "/api/v1/series": success([1])},
        {
            "/api/v1/label/__name__/values": success(["http_requests_total"]),
            "/api/v1/series": success([{"__name__": "http_requests_total", "job": "api", "n": str(n)} for n in range(3001)]),
        },
        {
            "/api/v1/label/__name__/values": success(["http_requests_total"]),
            "/api/v1/series": success([{"__name__": "http_requests_total", "job": "api"}]),
            "/api/v1/query": success({"resultType": "matrix", "result": [{"metric": []}]}),
        },
    ],
)  # fmt: skip
def test_any_response_of_a_source_leaves_the_dashboard_usable(
    app: AppUnderTest, client: TestClient, responses: Mapping[str, tuple[int, object]]
) -> None:
    app.app.state.beyond = FederatedQueries(FakeEgress(PrometheusFake(responses)), app.app.state.sealer)
    bound(client, source_at(client, "https://prometheus.example"), "api", job="api")
    row = row_of(board_of(client), "api")[1]
    assert row["source"]["problem"]
    assert not row["requests"]["found"]


def test_services_are_bound_listed_and_released(client: TestClient) -> None:
    source_id = source_at(client, "https://prometheus.example")
    one = bound(client, source_id, "Checkout", job="checkout")
    assert (one["service"]["name"], one["environment"]["name"], one["label_matchers"]) == (
        "Checkout", "production", {"job": "checkout"},
    )  # fmt: skip
    again = client.post(
        f"{SOURCES}/{source_id}/federated-services", json={"service": "Checkout", "label_matchers": {"job": "x"}}
    )
    assert again.status_code == 409
    for equal in ({}, {"job": ""}, {"a b": "x"}):
        refused = client.post(
            f"{SOURCES}/{source_id}/federated-services", json={"service": "other", "label_matchers": equal}
        )
        assert refused.status_code == 422
    other = source_at(client, "https://other.example")
    assert client.get(f"{SOURCES}/{other}/federated-services").json()["items"] == []
    assert client.delete(f"{SOURCES}/{other}/federated-services/{one['id']}").status_code == 404

    assert [each["id"] for each in client.get(f"{SOURCES}/{source_id}/federated-services").json()["items"]] == [
        one["id"]
    ]
    assert client.delete(f"{SOURCES}/{source_id}/federated-services/{one['id']}").status_code == 204
    assert client.get(f"{SOURCES}/{source_id}/federated-services").json()["items"] == []


@pytest.mark.asked_by(Role.VIEWER, Role.MEMBER)
def test_only_admins_bind(client: TestClient) -> None:
    place = f"{SOURCES}/00000000-0000-7000-8000-000000000000/federated-services"
    assert client.post(place, json={"service": "x", "label_matchers": {"job": "x"}}).status_code == 403
    assert client.delete(f"{place}/00000000-0000-7000-8000-000000000000").status_code == 403
