"""OpenTelemetry's own SDK for Python sends metrics and spans as protobuf and as JSON: the stored values are the measured ones."""

import logging
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Literal

import numpy as np
import pytest
import uvicorn
from fastapi.testclient import TestClient
from opentelemetry.exporter.otlp.json.http.metric_exporter import OTLPMetricExporter as JsonMetrics
from opentelemetry.exporter.otlp.json.http.trace_exporter import OTLPSpanExporter as JsonSpans
from opentelemetry.exporter.otlp.proto.http import Compression
from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter as ProtobufMetrics
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter as ProtobufSpans
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import MetricExporter, PeriodicExportingMetricReader
from opentelemetry.sdk.metrics.view import (
    ExplicitBucketHistogramAggregation,
    ExponentialBucketHistogramAggregation,
    View,
)
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExporter
from opentelemetry.trace import SpanKind, Status, StatusCode

from slowpath.core.db_sessions import TeamScope
from slowpath.evidence.metrics.service.series_reader import SeriesSelector, select_all
from slowpath.platform.accounts.rules.roles import TokenScope
from tests.conftest import (  # noqa: F401 - pytest finds fixtures by name
    app,
    asker,
    client,
    emptied,
    engine,
    migrated,
    people,
    role,
    team,
)
from tests.factories.accounts import AccountsFactory, SomeTeam
from tests.jobs.conftest import Bench
from tests.jobs.conftest import bench as plain_bench  # noqa: F401 - as above
from tests.support.app_under_test import AppUnderTest
from tests.support.databases import TestDatabase
from tests.tasks.conftest import bench, settings  # noqa: F401 - as above
from tests.tasks.test_decode_handlers import run_all
from tests.tasks.test_spans import fold_now, pushed

pytestmark = [pytest.mark.database, pytest.mark.processes]

Encoding = Literal["protobuf", "protobuf.gz", "json"]
BOUNDS = (0.005, 0.01, 0.1, 1.0)
LATENCIES = (0.002, 0.004, 0.02, 0.03, 0.04, 0.5, 2.0)
RESOURCE = Resource.create(
    {"service.name": "checkout", "service.instance.id": "pod-1", "deployment.environment.name": "staging"}
)

PATIENCE_SECONDS = 30
"""An SDK gives up after ten seconds without a reason; a busy machine must not fail the test."""


@dataclass(frozen=True)
class Receiver:
    """The address and the credentials of exporters."""

    address: str
    headers: dict[str, str]

    def metrics(self, encoding: Encoding) -> MetricExporter:
        """Make OpenTelemetry's exporter of metrics."""
        endpoint = f"{self.address}/v1/metrics"
        if encoding == "json":
            return JsonMetrics(endpoint, headers=self.headers, timeout=PATIENCE_SECONDS)
        packed = Compression.Gzip if encoding.endswith("gz") else Compression.NoCompression
        return ProtobufMetrics(endpoint, headers=self.headers, compression=packed, timeout=PATIENCE_SECONDS)

    def spans(self, encoding: Encoding) -> SpanExporter:
        """Make OpenTelemetry's exporter of spans."""
        endpoint = f"{self.address}/v1/traces"
        if encoding == "json":
            return JsonSpans(endpoint, headers=self.headers, timeout=PATIENCE_SECONDS)
        packed = Compression.Gzip if encoding.endswith("gz") else Compression.NoCompression
        return ProtobufSpans(endpoint, headers=self.headers, compression=packed, timeout=PATIENCE_SECONDS)


@pytest.fixture
def receiver(app: AppUnderTest, people: AccountsFactory, team: SomeTeam) -> Iterator[Receiver]:  # noqa: F811 - fixtures' names
    app.clock.at = datetime.now(UTC)  # noqa: TID251 - a real SDK sends real times
    server = uvicorn.Server(uvicorn.Config(app.app, port=0, log_level="critical", lifespan="off"))
    thread = threading.Thread(target=server.run)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    token = people.token(team, TokenScope.UPLOAD).secret
    address = f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    yield Receiver(address, {"Authorization": f"Bearer {token}"})
    server.should_exit = True
    thread.join()


@pytest.fixture
def stored(app: AppUnderTest, team: SomeTeam) -> Callable[[str], dict[str, Any]]:  # noqa: F811 - fixtures' names
    def of(name: str) -> dict[str, Any]:
        with app.database.reading(TeamScope(team.id)) as session:
            (found,) = select_all(session, [SeriesSelector(name)], 0, 1 << 60)
        return {each.labels.get("le", ""): each for each in found}

    return of


@pytest.fixture(params=["protobuf", "protobuf.gz", "json"])
def encoding(request: pytest.FixtureRequest) -> Encoding:
    chosen: Encoding = request.param
    return chosen


def meters(exporter: MetricExporter, *views: View) -> MeterProvider:
    reader = PeriodicExportingMetricReader(exporter, export_interval_millis=3_600_000)
    return MeterProvider([reader], RESOURCE, views=views)


def test_a_histogram_is_stored_as_it_was_measured(
    receiver: Receiver,
    stored: Callable[[str], dict[str, Any]],
    client: TestClient,  # noqa: F811 - as above
    encoding: Encoding,
) -> None:
    view = View(instrument_name="http.server.*", aggregation=ExplicitBucketHistogramAggregation(BOUNDS))
    provider = meters(receiver.metrics(encoding), view)
    latency = provider.get_meter("shop").create_histogram("http.server.request.duration", "s")
    queue = provider.get_meter("shop").create_up_down_counter("shop.queue.depth", "{order}")
    about: dict[str, str | int] = {
        "http.request.method": "POST",
        "http.route": "/pay",
        "http.response.status_code": 200,
    }
    for rounds in (1, 2):
        for seconds in LATENCIES:
            latency.record(seconds, about)
        queue.add(3)
        assert provider.force_flush(), rounds
        time.sleep(0.01)
    provider.shutdown()

    buckets = stored("http_server_request_duration_seconds_bucket")
    assert {le: float(each.values[1]) for le, each in buckets.items()} == {
        **{f"{bound:g}": 2.0 * sum(one <= bound for one in LATENCIES) for bound in BOUNDS},
        "+Inf": 2.0 * len(LATENCIES),
    }
    (total,) = stored("http_server_request_duration_seconds_sum").values()
    assert total.values[1] == pytest.approx(2 * sum(LATENCIES))
    assert total.labels["service_name"] == "checkout"
    assert total.labels["http_route"] == "/pay"
    (depth,) = stored("shop_queue_depth").values()
    assert depth.values.tolist()[:2] == [3, 6]
    services = {row["name"] for row in client.get("/api/v1/services").json()["items"]}
    assert services == {"checkout"}
    assert [row["slug"] for row in client.get("/api/v1/environments").json()["items"]] == ["staging"]


def test_an_exponential_histogram_keeps_its_buckets(
    receiver: Receiver, stored: Callable[[str], dict[str, Any]], encoding: Encoding
) -> None:
    view = View(instrument_name="http.server.*", aggregation=ExponentialBucketHistogramAggregation(max_scale=3))
    provider = meters(receiver.metrics(encoding), view)
    latency = provider.get_meter("shop").create_histogram("http.server.request.duration", "s")
    for seconds in LATENCIES:
        latency.record(seconds, {"http.response.status_code": 200})
    assert provider.force_flush()
    provider.shutdown()

    (retained,) = stored("http_server_request_duration_seconds").values()
    histograms = retained.histograms
    assert histograms is not None
    assert histograms.count[0] == len(LATENCIES)
    assert histograms.sum[0] == pytest.approx(sum(LATENCIES))
    assert np.unique(histograms.schema).tolist() == [3]


def test_spans_become_a_set_with_its_gap_and_its_error(
    receiver: Receiver,
    client: TestClient,  # noqa: F811 - fixtures' names
    bench: Bench,  # noqa: F811
    migrated: TestDatabase,  # noqa: F811
    encoding: Encoding,
) -> None:
    provider = TracerProvider(resource=RESOURCE)
    provider.add_span_processor(BatchSpanProcessor(receiver.spans(encoding)))
    tracer = provider.get_tracer("shop")
    with tracer.start_as_current_span("POST /pay", kind=SpanKind.SERVER, attributes={"http.route": "/pay"}) as root:
        with tracer.start_as_current_span("read body"):
            pass
        time.sleep(0.05)
        with tracer.start_as_current_span("Bank/Charge", kind=SpanKind.CLIENT) as call:
            call.add_event("retry", {"attempt": 2})
            call.set_status(Status(StatusCode.ERROR, "the bank is closed"))
    assert provider.force_flush()
    provider.shutdown()
    fold_now(migrated)
    run_all(bench)

    (artifact,) = pushed(client)
    assert (artifact["state"], artifact["kind"]) == ("decoded", "spans"), artifact["error"]
    page = client.get(f"/api/v1/span-sets/{artifact['id']}").json()
    assert page["traces"][0]["trace_id"] == f"{root.get_span_context().trace_id:032x}"
    trace = client.get(f"/api/v1/span-sets/{artifact['id']}/traces/{page['traces'][0]['trace_id']}").json()
    root_span, _, called = trace["spans"]
    assert [each["op"] for each in trace["spans"]] == ["POST /pay", "read body", "Bank/Charge"]
    assert [each["parent"] for each in trace["spans"]] == [None, 0, 0]
    assert (root_span["service"], root_span["instance"], root_span["kind"]) == ("checkout", "pod-1", "server")
    assert ["http.route", "/pay"] in root_span["attributes"]
    assert (called["status"], called["events"][0]["name"]) == ("error", "retry")
    assert ["status.message", "the bank is closed"] in called["attributes"]
    gap = max(root_span["gaps"], key=lambda each: int(each["end_ns"] - each["start_ns"]))
    assert (gap["previous"], gap["next"]) == ("read body", "Bank/Charge")
    assert gap["end_ns"] - gap["start_ns"] >= 50_000_000


def test_a_wrong_token_is_reported_to_the_sdk(
    receiver: Receiver, encoding: Encoding, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG, "urllib3")  # the SDK says that it gave up, not what it met
    outsider = Receiver(receiver.address, {"Authorization": "Bearer unknown"})
    provider = TracerProvider(resource=RESOURCE)
    exporter = outsider.spans(encoding)
    provider.add_span_processor(BatchSpanProcessor(exporter))
    with caplog.at_level(logging.WARNING), provider.get_tracer("shop").start_as_current_span("POST /pay"):
        pass
    provider.force_flush()
    provider.shutdown()
    assert "401" in caplog.text
