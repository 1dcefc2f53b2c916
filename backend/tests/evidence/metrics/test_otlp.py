"""OpenTelemetry's metrics: the same export as JSON and as protocol buffers gives the same series."""

import gzip
import json
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pytest
from fastapi.testclient import TestClient
from httpx2 import Response

from slowpath.analysis.kinds.metrics.protocols.otlp_metrics import family_name, le_text
from slowpath.evidence.metrics.service.series_cache import SeriesCache
from tests.evidence.metrics.conftest import NOW_MS, Stored
from tests.factories.otlp import attributes, encoded, export
from tests.support.app_under_test import AppUnderTest

pytestmark = pytest.mark.database

Export = Callable[[Mapping[str, Any]], Response]
RESOURCE = {"service__name": "api", "service__instance__id": "pod-1", "deployment__environment__name": "staging"}
LABELS = {"job": "api", "service_name": "api", "instance": "pod-1", "environment": "staging"}
JSON, PROTOBUF = "application/json", "application/x-protobuf"


@pytest.fixture(params=["json", "json.gz", "protobuf", "protobuf.gz"])
def send(request: pytest.FixtureRequest, program: TestClient) -> Export:
    kind, _, packed = request.param.partition(".")

    def post(document: Mapping[str, Any]) -> Response:
        body = json.dumps(document).encode() if kind == "json" else encoded(document)
        headers = {"Content-Type": JSON if kind == "json" else PROTOBUF}
        if packed:
            body, headers["Content-Encoding"] = gzip.compress(body), "gzip"
        answer: Response = program.post("/v1/metrics", content=body, headers=headers)
        return answer

    return post


@pytest.fixture
def send_json(program: TestClient) -> Export:
    return lambda document: program.post("/v1/metrics", json=document)


def at(offset_ms: int = 0, /, **more: object) -> dict[str, Any]:
    return {
        "timeUnixNano": str((NOW_MS + offset_ms) * 1_000_000),
        "startTimeUnixNano": str((NOW_MS - 60_000) * 1_000_000),
        **more,
    }


def refused(answer: Response) -> bool:
    """Return whether something is reported as rejected."""
    return b"artial" in answer.content if answer.headers["content-type"] == JSON else bool(answer.content)


def values(stored: Stored, name: str) -> dict[tuple[tuple[str, str], ...], list[float]]:
    """The values of a name's series, by those labels that not all have."""
    counts = {}
    for data in stored(name):
        assert data.values is not None
        own = tuple(sorted((label, value) for label, value in data.labels.items() if label not in LABELS))
        counts[own] = data.values.tolist()
    return counts


def test_gauges_and_sums(send: Export, stored: Stored) -> None:
    gauge = {"name": "queue.depth", "gauge": {"dataPoints": [at(asInt="7", attributes=attributes({"queue": "in"}))]}}
    counter = {
        "name": "http.requests",
        "unit": "{request}",
        "sum": {"dataPoints": [at(asDouble=2.5)], "aggregationTemporality": 2, "isMonotonic": True},
    }
    up_down = {"name": "in.flight", "sum": {"dataPoints": [at(asInt="-3")], "aggregationTemporality": 2}}

    answer = send(export([gauge, counter, up_down], **RESOURCE))

    assert (answer.status_code, refused(answer)) == (200, False)
    assert values(stored, "queue_depth") == {(("queue", "in"),): [7.0]}
    assert values(stored, "http_requests_total") == {(): [2.5]}
    assert values(stored, "in_flight") == {(): [-3.0]}
    (data,) = stored("http_requests_total")
    assert (data.kind, data.created_ms, dict(data.labels)) == ("counter", NOW_MS - 60_000, LABELS)
    assert {stored(name)[0].kind for name in ("queue_depth", "in_flight")} == {"gauge"}


HISTOGRAM: Mapping[str, object] = {
    "count": "10",
    "sum": 4.5,
    "bucketCounts": ["1", "4", "5"],
    "explicitBounds": [0.25, 1.0],
}


def test_a_histogram_with_bounds_is_a_classic_one(send: Export, stored: Stored) -> None:
    histogram = {"dataPoints": [at(0, **HISTOGRAM)], "aggregationTemporality": 2}
    fields = {"name": "http.server.request.duration", "unit": "s", "histogram": histogram}

    assert not refused(send(export([fields], **RESOURCE)))

    family = "http_server_request_duration_seconds"
    assert values(stored, f"{family}_bucket") == {
        (("le", "0.25"),): [1.0],
        (("le", "1"),): [5.0],
        (("le", "+Inf"),): [10.0],
    }
    assert values(stored, f"{family}_sum") == {(): [4.5]}
    assert values(stored, f"{family}_count") == {(): [10.0]}


def exponential(scale: int = 3, offset: int = -2, **more: object) -> dict[str, Any]:
    return at(
        count="7",
        sum=2.5,
        scale=scale,
        zeroCount="1",
        positive={"offset": offset, "bucketCounts": ["1", "0", "2", "3"]},
        **more,
    )


def test_an_exponential_histogram_is_a_native_one(send: Export, stored: Stored) -> None:
    fields = {
        "name": "d",
        "unit": "s",
        "exponentialHistogram": {"dataPoints": [exponential()], "aggregationTemporality": 2},
    }

    assert not refused(send(export([fields], **RESOURCE)))

    native = stored("d_seconds")[0].histograms
    assert native is not None
    assert (native.schema.tolist(), native.count.tolist(), native.zero_count.tolist()) == ([3], [7.0], [1.0])
    assert native.positive.index.tolist() == [-1, 1, 2]
    assert native.positive.count.tolist() == [1.0, 2.0, 3.0]


def test_too_fine_a_scale_is_halved_exactly(send_json: Export, stored: Stored) -> None:
    """Scale 9, buckets -2..1: each covers (b^i, b^(i+1)]; at scale 8 two of them are one."""
    fields = {"name": "d", "exponentialHistogram": {"dataPoints": [exponential(9)], "aggregationTemporality": 2}}

    assert not refused(send_json(export([fields], **RESOURCE)))

    native = stored("d")[0].histograms
    assert native is not None
    assert (native.schema[0], native.positive.index.tolist(), native.positive.count.tolist()) == (8, [0, 1], [1.0, 5.0])


def test_a_summary_is_its_quantiles(send: Export, stored: Stored) -> None:
    point = at(count="3", sum=6.0, quantileValues=[{"quantile": 0.5, "value": 2.0}, {"quantile": 0.99, "value": 3.0}])

    assert not refused(send(export([{"name": "s", "summary": {"dataPoints": [point]}}], **RESOURCE)))

    assert values(stored, "s") == {(("quantile", "0.5"),): [2.0], (("quantile", "0.99"),): [3.0]}
    assert values(stored, "s_count") == {(): [3.0]}


def delta(value: str, offset_ms: int) -> dict[str, Any]:
    point = at(offset_ms, asInt=value)
    return export(
        [{"name": "n", "sum": {"dataPoints": [point], "aggregationTemporality": 1, "isMonotonic": True}}], **RESOURCE
    )


@pytest.mark.parametrize("remembered", [True, False])
def test_changes_are_added_up(send: Export, stored: Stored, app: AppUnderTest, remembered: bool) -> None:
    for value, offset_ms in (("5", -3000), ("7", -2000), ("7", -2000), ("1", -1000)):
        assert not refused(send(delta(value, offset_ms)))
        if not remembered:
            app.app.state.series_memory = SeriesCache()

    assert values(stored, "n_total") == {(): [5.0, 12.0, 13.0]}


def test_changes_of_an_exponential_histogram_are_refused_by_name(send_json: Export) -> None:
    fields = {"name": "d", "exponentialHistogram": {"dataPoints": [exponential()], "aggregationTemporality": 1}}
    gauge = {"name": "g", "gauge": {"dataPoints": [at(asInt="1")]}}

    answer = send_json(export([fields, gauge], **RESOURCE))

    assert answer.status_code == 200
    partial = answer.json()["partialSuccess"]
    assert partial["rejectedDataPoints"] == "1"
    assert "delta-exponential-histogram" in partial["errorMessage"]


def test_a_point_without_a_value_is_a_stale_marker(send: Export, stored: Stored) -> None:
    gauge = {"name": "g", "gauge": {"dataPoints": [at(-1, asInt="1"), at(0, asInt="0", flags=1)]}}

    assert not refused(send(export([gauge], **RESOURCE)))

    assert stored("g")[0].stale().tolist() == [False, True]


def test_an_export_sent_again_changes_nothing(send: Export, stored: Stored) -> None:
    document = export([{"name": "g", "gauge": {"dataPoints": [at(asInt="1")]}}], **RESOURCE)

    for _ in range(2):
        assert not refused(send(document))

    assert values(stored, "g") == {(): [1.0]}


def test_rejected_samples_are_reported_and_the_rest_is_stored(send: Export, stored: Stored) -> None:
    points = [at(asInt="1"), at(3_600_000, asInt="2")]

    answer = send(export([{"name": "g", "gauge": {"dataPoints": points}}], **RESOURCE))

    assert (answer.status_code, refused(answer)) == (200, True)
    assert b"too-far-ahead" in answer.content
    assert values(stored, "g") == {(): [1.0]}


def test_buckets_that_do_not_go_with_their_bounds_are_refused(send: Export) -> None:
    wrong = {**HISTOGRAM, "bucketCounts": ["1", "2"]}
    fields = {"name": "h", "histogram": {"dataPoints": [at(0, **wrong)], "aggregationTemporality": 2}}

    assert b"bad-histogram" in send(export([fields], **RESOURCE)).content


@pytest.mark.parametrize(
    "body",
    [
        b"", b"[]", b"{", b'{"resourceMetrics": 1}', b'{"resourceMetrics": [1]}', b'{"resourceMetrics": [{"resource": 5}]}',
        b'{"resourceMetrics": [{"scopeMetrics": [{"metrics": [{"name": 5}]}]}]}', b"[" * 100_000,
        b'{"resourceMetrics": [{"scopeMetrics": [{"metrics": [{"name": "a", "gauge": {"dataPoints": [{"asInt": "x"}]}}]}]}]}',
        b'{"resourceMetrics": [{"scopeMetrics": [{"metrics": [{"name": "\\ud800", "gauge": {"dataPoints": [{}]}}]}]}]}',
    ],
)  # fmt: skip
def test_json_that_is_no_export_is_refused(program: TestClient, body: bytes) -> None:
    assert program.post("/v1/metrics", content=body, headers={"Content-Type": JSON}).status_code == 400


@pytest.mark.parametrize("body", [b"\xff", b"\x0a\x05", b"\x0a\x02\x12\x80", b"\x0a\x04\x12\x02\x12\x80"])
def test_bytes_that_are_no_export_are_refused(program: TestClient, body: bytes) -> None:
    assert program.post("/v1/metrics", content=body, headers={"Content-Type": PROTOBUF}).status_code == 400


def test_bombs_are_counted_not_built(program: TestClient) -> None:
    for bomb in (b"\x0a\x00" * 2_000_000, b"\x0a\x00" * 20_000_000, bytes(100 << 20)):
        headers = {"Content-Type": PROTOBUF, "Content-Encoding": "gzip"}
        answer = program.post("/v1/metrics", content=gzip.compress(bomb), headers=headers)
        assert answer.status_code in {400, 413}


def test_other_contents_are_not_understood(program: TestClient) -> None:
    assert program.post("/v1/metrics", content=b"", headers={"Content-Type": "text/plain"}).status_code == 415
    headers = {"Content-Type": PROTOBUF, "Content-Encoding": "br"}
    assert program.post("/v1/metrics", content=b"", headers=headers).status_code == 415


@pytest.mark.parametrize(
    ("name", "unit", "is_counter", "is_gauge", "otlp_name"),
    [
        ("http.server.request.duration", "s", False, False, "http_server_request_duration_seconds"),
        ("http.server.duration", "ms", False, False, "http_server_duration_milliseconds"),
        ("requests", "{request}", True, False, "requests_total"),
        ("requests_total", "1", True, False, "requests_total"),
        ("used", "1", False, True, "used_ratio"),
        ("heap_bytes", "By", False, True, "heap_bytes"),
        ("2xx responses", "", True, False, "_2xx_responses_total"),
    ],
)
def test_names_are_as_prometheus_writes_them(
    name: str, unit: str, is_counter: bool, is_gauge: bool, otlp_name: str
) -> None:
    assert family_name(name, unit, is_counter=is_counter, is_gauge=is_gauge) == otlp_name


def test_bounds_are_written_so_that_they_read_back() -> None:
    assert [le_text(bound) for bound in (0.005, 1.0, 2.5, np.inf, 1e9, 1 / 3)] == [
        "0.005",
        "1",
        "2.5",
        "+Inf",
        "1e+09",
        "0.33333333333333331",
    ]
