"""Metrics: samples ingested per CPU second by remote write, bytes per sample after compaction, reading a day.

Requests are like those of Prometheus: 2,000 series with ten labels, one sample each, compressed by snappy, over HTTP, one after
the other, each acknowledged when it is durable. CPU is that of web, PostgreSQL and all other processes of the stack.
"""

import os
import struct
import time
from collections.abc import Iterator, Sequence
from uuid import UUID

import cramjam
import httpx
import numpy as np
from sqlalchemy import text

import slowpath.metadata
from bench.benchmark_results import BenchmarkResult
from bench.comparison_client import newcomer
from bench.process_cost import cpu_seconds, parents, tree
from bench.stack_benchmarks import beside_stack
from slowpath.adapters.postgres import create_postgres_engine
from slowpath.analysis.kinds.metrics.samples.sample_compaction import compact_chunk
from slowpath.core.db_sessions import Database, TeamScope
from slowpath.core.ids import TeamId
from slowpath.core.settings import read_settings
from slowpath.evidence.metrics.rules import COMPACTION_SAMPLES
from slowpath.evidence.metrics.service import chunk_compaction
from slowpath.evidence.metrics.service.series_reader import SeriesSelector, select_all
from support.demo_user import DemoUser

assert slowpath.metadata.FEATURES  # foreign keys need the tables of all features

NAME = "metrics"
SERIES = 20_000
AT_ONCE = 2_000
SCRAPES = 50
SCRAPE_MS = 15_000
HOUR_MS = 3_600_000
GOAL_PER_CPU_S = 50_000
GOAL_BYTES = 3.0
GOAL_MS = 150.0
SERVICES = 12
BOUNDS = ("0.005", "0.01", "0.025", "0.05", "0.1", "0.25", "0.5", "1", "2.5", "5", "10", "+Inf")
READS = 5
HEADERS = {"Content-Type": "application/x-protobuf", "Content-Encoding": "snappy"}
SIZE = text(
    "SELECT coalesce(sum(pg_total_relation_size(inhrelid)), 0)::bigint FROM pg_inherits WHERE inhparent = 'metric_chunk'::regclass"
)
SERIES_SIZE = text("SELECT pg_total_relation_size('metric_series')")


def run() -> Iterator[BenchmarkResult]:
    """Yield all results; takes one to two minutes."""
    yield from beside_stack("bench.metric_ingest")


def inside() -> Iterator[BenchmarkResult]:
    """Yield the results, with a running stack."""
    yield from _taking_in()
    yield from _at_rest()


def _taking_in() -> Iterator[BenchmarkResult]:
    person = newcomer()
    now_ms = int(time.time() * 1000)
    blocks = [_labels({"__name__": f"metric_{n % 200}_total", **_labels_of(n)}) for n in range(SERIES)]
    rng = np.random.default_rng(1)
    bodies = []
    for scrape in range(SCRAPES):
        values = rng.integers(0, 1 << 40, SERIES).astype(np.float64)
        at_ms = now_ms - (SCRAPES - scrape) * 1000
        bodies.append(
            [_body(blocks[at : at + AT_ONCE], values[at : at + AT_ONCE], at_ms) for at in range(0, SERIES, AT_ONCE)]
        )
    with _sender(person) as http:
        began = time.monotonic()
        _send(http, bodies[0])
        yield BenchmarkResult(NAME, f"s to meet {SERIES:,} new series", time.monotonic() - began)
        before, began = _stack_cpu_s(), time.monotonic()
        for body in bodies[1:]:
            _send(http, body)
        seconds, cpu_s = time.monotonic() - began, _stack_cpu_s() - before
    sent = SERIES * (SCRAPES - 1)
    rate = sent / cpu_s
    yield BenchmarkResult(
        NAME,
        "samples stored over remote write, a second of CPU",
        rate,
        goal=f">= {GOAL_PER_CPU_S:,}",
        met=rate >= GOAL_PER_CPU_S,
    )
    yield BenchmarkResult(NAME, "samples stored over remote write, a second, one sender", sent / seconds)


def _at_rest() -> Iterator[BenchmarkResult]:
    """Return a day of 12 services: a histogram by two codes with sum and count, requests, a gauge."""
    person = newcomer()
    team_id = TeamId(UUID(person.call("GET", "/session")["teams"][0]["id"]))
    end_ms = int(time.time() * 1000) // HOUR_MS * HOUR_MS
    database = Database(create_postgres_engine(read_settings(), pool_size=1))
    with database.engine.connect() as connection:
        before = connection.execute(SIZE).scalar_one()
        before_series = connection.execute(SERIES_SIZE).scalar_one()
    samples = 0
    with _sender(person) as http:
        for service in range(SERVICES):
            samples += _push_day(http, service, 0, end_ms)
    _fold(database, team_id)
    with database.engine.connect() as connection:
        chunks = connection.execute(SIZE).scalar_one() - before
        series = connection.execute(SERIES_SIZE).scalar_one() - before_series
    each = (chunks + series) / samples
    what = f"{samples / 1e6:.1f} million samples of {SERVICES} services, a day"
    yield BenchmarkResult(
        NAME,
        f"{what}: bytes a sample at rest, indexes and series included",
        each,
        goal=f"<= {GOAL_BYTES}",
        met=each <= GOAL_BYTES,
    )
    yield BenchmarkResult(NAME, f"{what}: bytes a sample, packed hours alone", chunks / samples)
    reads = [_read(database, team_id, end_ms) for _ in range(READS)]
    took_ms = min(wall for wall, _ in reads) * 1000
    goal = f"< {GOAL_MS:.0f}"
    yield BenchmarkResult(NAME, f"{what}: ms to read all of them", took_ms, goal=goal, met=took_ms < GOAL_MS)
    yield BenchmarkResult(NAME, f"{what}: ms of CPU to read all of them", min(cpu for _, cpu in reads) * 1000)
    database.engine.dispose()


def _push_day(http: httpx.Client, service: int, instance: int, end_ms: int) -> int:
    """Send a day of one instance, series by series; return the number of samples."""
    rng = np.random.default_rng(service * 10 + instance)
    n = 24 * HOUR_MS // SCRAPE_MS
    times = end_ms - 24 * HOUR_MS + np.arange(n) * SCRAPE_MS + int(rng.integers(0, SCRAPE_MS))
    shared = {"job": f"service-{service:02}", "instance": f"10.0.{service}.{instance}:9090"}
    listed: list[tuple[dict[str, str], np.ndarray[tuple[int], np.dtype[np.float64]]]] = []
    for code, rate in (("200", 300.0), ("500", 2.0)):
        load = rng.poisson(rate * (1.2 + np.sin(np.arange(n) / 900)))
        parts = rng.multinomial(load, rng.dirichlet(np.ones(len(BOUNDS))))
        counts = np.cumsum(np.cumsum(parts, axis=1), axis=0).astype(np.float64)
        labels = {**shared, "code": code}
        name = "http_request_duration_seconds"
        listed += [({**labels, "__name__": f"{name}_bucket", "le": le}, counts[:, k]) for k, le in enumerate(BOUNDS)]
        listed.append(({**labels, "__name__": f"{name}_count"}, counts[:, -1]))
        listed.append(({**labels, "__name__": f"{name}_sum"}, np.cumsum(rng.gamma(load + 0.01, 0.05))))
        listed.append(({**labels, "__name__": "http_requests_total"}, counts[:, -1]))
    listed.append(({**shared, "__name__": "queue_depth"}, rng.poisson(3, n).astype(np.float64)))
    for labels, values in listed:
        points = b"".join(_sample(value, at) for value, at in zip(values.tolist(), times.tolist(), strict=True))
        series = _labels(labels) + points
        answer = http.post("/api/v1/metrics/write", content=bytes(cramjam.snappy.compress_raw(_field(1, series))))
        answer.raise_for_status()
    return n * len(listed)


def _fold(database: Database, team_id: TeamId) -> None:
    """Compact everything like the worker."""
    while True:
        with database.reading(TeamScope(team_id)) as session:
            gathered = chunk_compaction.gather_wal_samples(session, COMPACTION_SAMPLES)
        if gathered is None:
            return
        folded = list(compact_chunk(gathered.sorted_out))
        with database.writing(TeamScope(team_id)) as session:
            chunk_compaction.replace_wal_with_chunks(session, gathered, folded)


def _read(database: Database, team_id: TeamId, end_ms: int) -> tuple[float, float]:
    """Return the seconds, and this process's CPU seconds, to read the day of all services like the dashboard."""
    selectors = [
        SeriesSelector(name, {"job": f"service-{service:02}"})
        for service in range(SERVICES)
        for name in (
            "http_request_duration_seconds_bucket",
            "http_request_duration_seconds_sum",
            "http_request_duration_seconds_count",
            "http_requests_total",
            "queue_depth",
        )
    ]
    with database.reading(TeamScope(team_id)) as session:
        began, cpu = time.perf_counter(), time.process_time()
        found = select_all(session, selectors, end_ms - 24 * HOUR_MS, end_ms)
        took, cpu = time.perf_counter() - began, time.process_time() - cpu
    if not all(found):
        raise RuntimeError("not all series were found again")
    return took, cpu


def _sender(person: DemoUser) -> httpx.Client:
    return httpx.Client(base_url=person.url, headers={**HEADERS, "Authorization": f"Bearer {person.token}"}, timeout=60)


def _send(http: httpx.Client, bodies: Sequence[bytes]) -> None:
    for body in bodies:
        answer = http.post("/api/v1/metrics/write", content=body)
        if answer.status_code != 204:
            raise RuntimeError(f"{answer.status_code}: {answer.text[:300]}")


def _stack_cpu_s() -> float:
    return cpu_seconds(tree(os.getppid(), parents(), without=os.getpid()))


def _labels_of(number: int) -> dict[str, str]:
    return {
        "job": f"service-{number % 37}",
        "instance": f"10.1.{number % 250}.{number // 250 % 250}:9090",
        "namespace": "production",
        "pod": f"service-{number % 37}-7d9f8b6c5d-{number:05}",
        "container": "main",
        "method": "GET",
        "route": f"/api/v1/things/{number % 11}",
        "code": "200",
        "cluster": "eu-central-1a",
    }


def _varint(value: int) -> bytes:
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*out, value])


def _field(tag: int, content: bytes) -> bytes:
    return _varint(tag << 3 | 2) + _varint(len(content)) + content


def _labels(labels: dict[str, str]) -> bytes:
    return b"".join(
        _field(1, _field(1, name.encode()) + _field(2, value.encode())) for name, value in sorted(labels.items())
    )


def _sample(value: float, at_ms: int) -> bytes:
    encoded = b"\x09" + struct.pack("<d", value) if value else b""
    return _field(2, encoded + b"\x10" + _varint(at_ms))


def _body(blocks: Sequence[bytes], values: np.ndarray[tuple[int], np.dtype[np.float64]], at_ms: int) -> bytes:
    series = (_field(1, block + _sample(value, at_ms)) for block, value in zip(blocks, values.tolist(), strict=True))
    return bytes(cramjam.snappy.compress_raw(b"".join(series)))
