"""The import job against a real Prometheus: what was brought is what it has; again brings nothing twice."""

import json
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import httpx
import numpy as np
import pytest

from slowpath.adapters.egress import create_outside
from slowpath.analysis.kinds.metrics.samples.column_codec import Floats
from slowpath.analysis.kinds.metrics.samples.sample_compaction import compact_chunk
from slowpath.core.db_sessions import TeamScope
from slowpath.core.encryption import create_sealer
from slowpath.core.ids import JobId, MetricSourceId
from slowpath.core.jobs import JobState
from slowpath.core.ports import EgressClient, EgressConnection, HttpResponse
from slowpath.evidence.metric_sources.jobs import ImportHistory
from slowpath.evidence.metric_sources.service import metric_sources
from slowpath.evidence.metric_sources.service.metric_sources import SourceCredentials
from slowpath.evidence.metrics.service import chunk_compaction
from slowpath.evidence.metrics.service.series_reader import SeriesSelector, select_all
from support.prometheus_oracle import Prometheus, WrittenBlock, WrittenHistogram, prometheus_binary, running_prometheus
from tests.evidence.metric_sources.prometheus_fake import FakeEgress, PrometheusFake, success
from tests.jobs.conftest import Bench

pytestmark = pytest.mark.database

STEP_MS = 15_000
HOURS = 5
NAMES = ("http_requests_total", "http_request_duration_seconds_bucket", "queue_depth")


@pytest.fixture(scope="module")
def prometheus() -> Iterator[Prometheus]:
    binary = prometheus_binary()
    if binary is None:
        pytest.skip("Prometheus 2.42 cannot be had: no apt-get that knows its package")
    with running_prometheus(binary) as server:
        yield server


@pytest.fixture
def empty_prometheus(prometheus: Prometheus) -> Iterator[Prometheus]:
    """Give another one: what has newer samples takes no older ones."""
    binary = prometheus_binary()
    assert binary is not None, prometheus
    with running_prometheus(binary) as server:
        yield server


def with_egress(bench: Bench, egress: EgressClient) -> Bench:
    """Return a bench whose jobs use this egress client."""
    return replace(bench, worker_context=replace(bench.worker_context, egress=egress))


@pytest.fixture
def near(bench: Bench) -> Bench:
    """Return a bench whose operator allows loopback addresses."""
    settings = bench.worker_context.settings.model_copy(update={"egress_allowlist": "127.0.0.0/8"})
    return bench.with_settings(settings)


def written(end_ms: int) -> list[WrittenBlock]:
    times = range(end_ms - HOURS * 3_600_000, end_ms + 1, STEP_MS)
    odd = [float("nan"), float("inf"), 0.1 + 0.2, 1e-320, 123456789.123456]
    series = [
        WrittenBlock(
            {"__name__": "http_requests_total", "job": "api", "code": "200", "instance": 'ä"\\'}, counted(times, 7)
        ),
        WrittenBlock({"__name__": "queue_depth", "job": "api"}, [(at, odd[i % 5]) for i, at in enumerate(times)]),
        WrittenBlock({"__name__": "go_goroutines", "job": "api"}, counted(times, 1)),
        WrittenBlock({"__name__": "http_client_requests_total", "job": "api"}, counted(times, 1)),
    ]
    series += [
        WrittenBlock(
            {"__name__": "http_request_duration_seconds_bucket", "job": "api", "le": le}, counted(times, number)
        )
        for number, le in enumerate(("0.1", "1", "+Inf"), 1)
    ]
    return series


def counted(times: range, by: float) -> list[tuple[int, Any]]:
    return [(at + i % 3, float(i * by)) for i, at in enumerate(times)]


def added(bench: Bench, url: str, sign_in: SourceCredentials | None = None) -> MetricSourceId:
    outside = create_outside(bench.worker_context.settings)
    sealer = create_sealer(bench.worker_context.settings)
    with bench.worker_context.database.writing(TeamScope(bench.team.id)) as session:
        row = metric_sources.create_metric_source(
            session, sealer, outside, label="ours", url=url, sign_in=sign_in or SourceCredentials("none")
        )
        return MetricSourceId(row.id)


def last_import(bench: Bench, source_id: MetricSourceId) -> dict[str, Any]:
    with bench.worker_context.database.reading(TeamScope(bench.team.id)) as session:
        return metric_sources.get_metric_source(session, source_id).last_import or {}


def stored(bench: Bench, name: str, from_ms: int, to_ms: int) -> dict[str, list[tuple[int, int]]]:
    with bench.worker_context.database.reading(TeamScope(bench.team.id)) as session:
        (found,) = select_all(session, [SeriesSelector(name)], from_ms, to_ms)
    return {
        json.dumps({"__name__": name, **one.labels}, sort_keys=True): list(
            zip(one.times_ms.tolist(), bits(one.values), strict=True)
        )
        for one in found
    }


def bits(values: Floats | None) -> list[int]:
    assert values is not None
    found: list[int] = np.ascontiguousarray(values).view(np.uint64).tolist()
    return found


def number(of_bits: int) -> float:
    return float(np.array([of_bits], np.uint64).view(np.float64)[0])


def theirs(server: Prometheus, name: str, from_ms: int, to_ms: int) -> dict[str, list[tuple[int, int]]]:
    query: dict[str, str | float] = {"query": f"{name}[{to_ms - from_ms}ms]", "time": to_ms / 1000}
    body = httpx.get(f"{server.url}/api/v1/query", params=query, timeout=60).raise_for_status().json()
    found = {}
    for one in body["data"]["result"]:
        values = np.array([float(value) for _, value in one["values"]])
        values.view(np.uint64)[np.isnan(values)] = 0x7FF8000000000001
        times = [round(at * 1000) for at, _ in one["values"]]
        found[json.dumps(one["metric"], sort_keys=True)] = list(zip(times, bits(values), strict=True))
    return found


def tail_rows(bench: Bench) -> int:
    found = bench.admin.execute("SELECT count(*) FROM metric_wal_record").fetchone()
    assert found is not None
    return int(found[0])


def test_imported_samples_equal_those_of_prometheus(near: Bench, prometheus: Prometheus) -> None:
    end_ms = int(time.time()) * 1000 - 60_000
    prometheus.write(written(end_ms))
    from_ms, to_ms = end_ms - HOURS * 3_600_000 + 7_000, end_ms - 30_000
    source_id = added(near, prometheus.url)

    row = near.carry_out(near.write_down(ImportHistory(source_id, from_ms, to_ms)))

    assert row["state"] == JobState.DONE, row["problem"]
    for name in NAMES:
        mine = stored(near, name, 0, end_ms + 10**9)
        assert mine == theirs(prometheus, name, from_ms, to_ms)
        assert all(len(samples) > 1000 for samples in mine.values())
    assert stored(near, "go_goroutines", 0, end_ms) == {}
    assert stored(near, "http_client_requests_total", 0, end_ms) == {}
    imported = last_import(near, source_id)
    samples = sum(len(each) for name in NAMES for each in stored(near, name, 0, end_ms).values())
    assert {key: imported[key] for key in ("state", "names", "series", "samples", "skipped")} == {
        "state": "done", "names": 3, "series": 5, "samples": samples, "skipped": [],
    }  # fmt: skip

    # again, after what came was folded into packed hours: nothing is there twice, and nothing is written
    with near.worker_context.database.reading(TeamScope(near.team.id)) as session:
        gathered = chunk_compaction.gather_wal_samples(session, 10_000_000)
    assert gathered is not None
    folded = list(compact_chunk(gathered.sorted_out))
    with near.worker_context.database.writing(TeamScope(near.team.id)) as session:
        assert chunk_compaction.replace_wal_with_chunks(session, gathered, folded)
    assert tail_rows(near) == 0
    again = near.carry_out(near.write_down(ImportHistory(source_id, from_ms, to_ms)))
    assert again["state"] == JobState.DONE, again["problem"]
    assert tail_rows(near) == 0
    assert last_import(near, source_id)["skipped"] == []


def test_without_the_operators_word_loopback_is_not_asked(bench: Bench, near: Bench) -> None:
    source_id = added(near, "http://127.0.0.1:9090")
    row = bench.carry_out(bench.write_down(ImportHistory(source_id, 0, 10**12)))
    assert (row["state"], row["problem"]["type"]) == (JobState.FAILED, "urn:slowpath:address-not-public")
    imported = last_import(bench, source_id)
    assert (imported["state"], imported["detail"]) == ("failed", row["problem"]["detail"])


OWN_BOUNDS = {"count": "1", "sum": "1", "buckets": [[0, "0.1", "0.25", "1"]]}


class PagedPeer(PrometheusFake):
    """A server with one metric whose pages are too large unless the ranges are short."""

    def get(
        self,
        path: str,
        query: Sequence[tuple[str, str]] = (),
        headers: Mapping[str, str] | None = None,
        *,
        max_bytes: int,
        seconds: float,
    ) -> HttpResponse:
        answer = super().get(path, query, headers, max_bytes=max_bytes, seconds=seconds)
        if path == "/api/v1/query":
            width = int(dict(query)["query"].rpartition("[")[2].removesuffix("ms]"))
            if width > self.least_ms:
                return replace(answer, status=422, content=b'{"status":"error","error":"too many samples"}')
        return answer

    least_ms = 1_000_000


@pytest.mark.parametrize("least_ms", [1_000_000, 0])
def test_pages_become_shorter_until_they_are_small_enough(
    near: Bench, monkeypatch: pytest.MonkeyPatch, least_ms: int
) -> None:
    now_ms = int(time.time() * 1000)
    at = (now_ms - 7_200_000) / 1000
    labels = {"__name__": "http_requests_total", "job": "api"}
    result = [{"metric": labels, "values": [[at, "1"]], "histograms": [[at, OWN_BOUNDS]]}]
    peer = PagedPeer(
        {
            "/api/v1/label/__name__/values": success(["http_requests_total"]),
            "/api/v1/query": success({"resultType": "matrix", "result": result}),
        }
    )
    peer.least_ms = least_ms
    near = with_egress(near, FakeEgress(peer))
    source_id = added(near, "https://prometheus.example")

    row = near.carry_out(near.write_down(ImportHistory(source_id, now_ms - 86_400_000, now_ms)))

    assert row["state"] == JobState.DONE, row["problem"]
    imported = last_import(near, source_id)
    if least_ms:
        assert (imported["samples"], imported["series"]) == (1, 1)
        assert {one["metric"] for one in imported["skipped"]} == {"native-histogram"}
    else:
        assert imported["samples"] == 0
        assert [one["metric"] for one in imported["skipped"]] == ["page-too-large"]
    assert len(peer.asked) < 400


def test_native_histograms_are_imported_as_they_are(near: Bench, prometheus: Prometheus) -> None:
    end_ms = int(time.time()) * 1000 - 60_000
    times = list(range(end_ms - 3_600_000, end_ms + 1, STEP_MS))
    points = [
        (at, WrittenHistogram(3, 3 + 6 * i, 0.5 * i, 0.001, 1 + i, {-4: 1 + i, 2: 1 + 3 * i}, {5: i} if i else {}))
        for i, at in enumerate(times)
    ]
    latency = "http_server_duration_seconds"
    prometheus.write([WrittenBlock({"__name__": latency, "job": "native"}, points)])
    source_id = added(near, prometheus.url)

    row = near.carry_out(near.write_down(ImportHistory(source_id, times[0], end_ms)))

    assert row["state"] == JobState.DONE, row["problem"]
    assert last_import(near, source_id)["skipped"] == []
    with near.worker_context.database.reading(TeamScope(near.team.id)) as session:
        ((found,),) = select_all(session, [SeriesSelector(latency, {"job": "native"})], 0, end_ms)
    histograms = found.histograms
    assert histograms is not None
    assert found.times_ms.tolist() == times
    assert set(histograms.schema.tolist()) == {3}
    assert set(histograms.zero_threshold.tolist()) == {0.001}
    assert histograms.zero_count.tolist() == [1 + i for i in range(len(times))]
    assert histograms.positive.index.tolist() == [-4, 2] * len(times)
    assert histograms.positive.count.tolist() == [each for i in range(len(times)) for each in (1 + i, 1 + 3 * i)]
    assert histograms.negative.index.tolist() == [5] * (len(times) - 1)
    assert histograms.sum.tolist() == [0.5 * i for i in range(len(times))]


class SteppedPeer:
    """A real Prometheus that rejects range selectors as some gateways do, or reports too many samples."""

    def __init__(self, peer: EgressConnection, status: int, expected: str) -> None:
        self.peer = peer
        self.refusal = HttpResponse(status, json.dumps({"status": "error", "error": expected}).encode())
        self.ranges = 0

    def get(
        self,
        path: str,
        query: Sequence[tuple[str, str]] = (),
        headers: Mapping[str, str] | None = None,
        *,
        max_bytes: int,
        seconds: float,
    ) -> HttpResponse:
        if path == "/api/v1/query" and dict(query)["query"].endswith("ms]"):
            self.ranges += 1
            return self.refusal
        return self.peer.get(path, query, headers, max_bytes=max_bytes, seconds=seconds)

    def send(
        self,
        method: Literal["POST", "PUT", "PATCH"],
        path: str,
        content: bytes,
        headers: Mapping[str, str] | None = None,
        *,
        max_bytes: int,
        seconds: float,
    ) -> HttpResponse:
        return self.peer.send(method, path, content, headers, max_bytes=max_bytes, seconds=seconds)


@dataclass
class SteppedOutside:
    """Connects as the real egress client does."""

    outside: EgressClient
    status: int
    message: str
    peers: list[SteppedPeer] = field(default_factory=list)

    def check(self, url: str) -> None:
        self.outside.check(url)

    @contextmanager
    def opened(self, url: str) -> Iterator[SteppedPeer]:
        with self.outside.opened(url) as peer:
            self.peers.append(SteppedPeer(peer, self.status, self.message))
            yield self.peers[-1]


@pytest.mark.parametrize(
    ("status", "expected", "why", "asked"),
    [
        (422, "range selectors are off", "range selectors are off", 1),
        (422, "too many samples", "exceed the size limit", 40),
    ],
)
def test_without_range_selectors_values_are_brought_at_steps(
    near: Bench,
    empty_prometheus: Prometheus,
    monkeypatch: pytest.MonkeyPatch,
    status: int,
    expected: str,
    why: str,
    asked: int,
) -> None:
    end_ms = int(time.time()) // 60 * 60_000 - 60_000
    prometheus = empty_prometheus
    prometheus.write(written(end_ms))
    from_ms = end_ms - 3_600_000
    outside = SteppedOutside(create_outside(near.worker_context.settings), status, expected)
    near = with_egress(near, outside)
    source_id = added(near, prometheus.url)

    row = near.carry_out(near.write_down(ImportHistory(source_id, from_ms, end_ms)))

    assert row["state"] == JobState.DONE, row["problem"]
    for name in ("http_requests_total", "http_request_duration_seconds_bucket"):
        mine = stored(near, name, 0, end_ms + 10**9)
        steps = prometheus.query_range(name, from_ms, end_ms, 60_000)
        assert {key: [(at, number(value)) for at, value in each] for key, each in mine.items()} == {
            json.dumps(one["metric"], sort_keys=True): [(round(at * 1000), float(value)) for at, value in one["values"]]
            for one in steps
        }
        assert {len(samples) for samples in mine.values()} == {61}
    imported = last_import(near, source_id)
    assert imported["skipped"] == []
    assert (imported["downsampled"]["count"], imported["downsampled"]["step_s"]) == (imported["names"], 60)
    assert why in imported["downsampled"]["reason"]
    assert 0 < outside.peers[0].ranges <= asked


@pytest.mark.parametrize(
    "result",
    [
        [{"metric": {"__name__": "http_requests_total"}, "values": [[1e300, "1"]]}],
        [{"metric": {"__name__": "http_requests_total"}, "values": [["x", "1"]]}],
        [{"metric": {"__name__": "http_requests_total"}, "values": [[1]]}],
        [{"metric": {"a": 1}, "values": []}],
        [{"metric": []}],
        [1],
        {},
    ],
)
def test_an_invalid_page_ends_the_import_and_is_named(
    near: Bench, monkeypatch: pytest.MonkeyPatch, result: object
) -> None:
    fields = {
        "/api/v1/label/__name__/values": success(["http_requests_total"]),
        "/api/v1/query": success({"resultType": "matrix", "result": result}),
    }
    near = with_egress(near, FakeEgress(PrometheusFake(fields)))
    source_id = added(near, "https://prometheus.example")
    row = near.carry_out(near.write_down(ImportHistory(source_id, 0, 10**12)))
    assert (row["state"], row["problem"]["type"]) == (JobState.FAILED, "urn:slowpath:source-strange")


def test_an_import_that_is_cancelled_ends_between_two_pages(near: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    by_name = {
        "/api/v1/label/__name__/values": success([f"x{number}_requests_total" for number in range(100)]),
        "/api/v1/query": success({"resultType": "matrix", "result": []}),
    }
    peer = PrometheusFake(by_name)
    source_id = added(near, "https://prometheus.example")
    job_id: JobId = near.write_down(ImportHistory(source_id, 0, 10**9))

    class SlowEgress(FakeEgress):
        @contextmanager
        def opened(self, url: str) -> Iterator[PrometheusFake]:
            near.change(job_id, "cancel_requested = true")
            time.sleep(1.0)  # the lease's thread sees it
            with super().opened(url) as opened:
                yield opened

    row = with_egress(near, SlowEgress(peer)).carry_out(job_id)

    assert row["state"] == JobState.CANCELLED
    assert last_import(near, source_id)["state"] == "cancelled"
    assert len(peer.asked) < 50
