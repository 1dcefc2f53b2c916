"""Pushes made to grow the web process: one of 3 MB adds a bounded amount of memory and does not block the event loop."""

import gzip
import json
import random
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

import httpx
import pytest

from slowpath.adapters.postgres import create_postgres_engine
from slowpath.core.db_sessions import Database
from slowpath.platform.accounts.rules.roles import TokenScope
from tests.factories.accounts import AccountsFactory
from tests.factories.otlp import attributes, encoded, export
from tests.factories.remote_write import V1_HEADERS, V2_HEADERS, Point, Sent, block, snappy, v1, varint
from tests.hostile.attacks import MIB, looking_on
from tests.support.app_under_test import built, settings_for
from tests.support.databases import TestDatabase
from tests.support.running_stacks import RunningStack, forget_peak, resident_bytes, running_stack

pytestmark = [pytest.mark.database, pytest.mark.processes]

MOST_GROWTH = 16 * MIB
PUSH_BYTES = 3_000_000
"""About what each of these weighs on the wire or once it is unpacked."""
JSON, PROTOBUF = {"Content-Type": "application/json"}, {"Content-Type": "application/x-protobuf"}
GZIP = {"Content-Encoding": "gzip"}
WRITE, METRICS, SPANS = "/api/v1/metrics/write", "/v1/metrics", "/v1/traces"
NAME = block(1, block(1, b"__name__") + block(2, b"up"))

Made = Callable[[random.Random], tuple[str, bytes, Mapping[str, str]]]


def now_ms() -> int:
    return int(time.time() * 1000)


def letters(source: random.Random, count: int) -> str:
    return source.randbytes(count // 2).hex()


def many_series(source: random.Random) -> tuple[str, bytes, Mapping[str, str]]:
    at_ms = now_ms()
    series = [
        Sent({"__name__": "up", "pod": letters(source, 240), "zone": letters(source, 16)}, [Point(at_ms, 1.0)])
        for _ in range(12_000)
    ]
    return WRITE, v1(series), V1_HEADERS


def tiny_series(source: random.Random) -> tuple[str, bytes, Mapping[str, str]]:
    at_ms = now_ms()
    pods = range(first := source.randrange(1 << 30), first + 25_000)
    return WRITE, v1([Sent({"__name__": "up", "pod": f"{pod:x}"}, [Point(at_ms, 1.0)]) for pod in pods]), V1_HEADERS


def many_labels(source: random.Random) -> tuple[str, bytes, Mapping[str, str]]:
    at_ms = now_ms()
    names = sorted(letters(source, 8) for _ in range(99))
    series = [
        Sent({"__name__": "up", **{f"l{name}": letters(source, 8) for name in names}}, [Point(at_ms, 1.0)])
        for _ in range(1_500)
    ]
    return WRITE, v1(series), V1_HEADERS


def samples_of_one_series(source: random.Random) -> tuple[str, bytes, Mapping[str, str]]:
    at_ms = now_ms() - 3_600_000
    points = b"".join(block(2, Point(at_ms + step, source.random()).encoded()) for step in range(150_000))
    return WRITE, snappy(block(1, NAME + points)), V1_HEADERS


def empty_samples(_source: random.Random) -> tuple[str, bytes, Mapping[str, str]]:
    return WRITE, snappy(block(1, NAME + b"\x12\x00" * 900_000)), V1_HEADERS


def wrong_labels(source: random.Random) -> tuple[str, bytes, Mapping[str, str]]:
    series = (block(1, block(1, block(1, letters(source, 20).encode()))) for _ in range(80_000))
    return WRITE, snappy(b"".join(series)), V1_HEADERS


def shared_symbols(source: random.Random) -> tuple[str, bytes, Mapping[str, str]]:
    names = sorted(letters(source, 8) for _ in range(99))
    symbols = ["", "__name__", "up", *(text for name in names for text in (f"l{name}", letters(source, 4_000)))]
    shared = b"".join(map(varint, range(1, len(symbols) - 1)))
    content = b"".join(block(4, text.encode()) for text in symbols)
    content += b"".join(block(4, f"{pod:08}".encode()) for pod in range(5_000))
    for pod in range(5_000):
        refs = shared + varint(len(symbols) + pod)
        content += block(5, block(1, refs) + block(2, Point(now_ms(), 1.0).encoded()))
    return WRITE, snappy(content), V2_HEADERS


def many_symbols(_source: random.Random) -> tuple[str, bytes, Mapping[str, str]]:
    return WRITE, snappy(block(4, b"") + block(4, b"a") * 900_000), V2_HEADERS


def points(source: random.Random, count: int) -> list[dict[str, object]]:
    return [
        {
            "timeUnixNano": str(now_ms() * 1_000_000),
            "asInt": "1",
            "attributes": attributes({"pod": letters(source, 60)}),
        }
        for _ in range(count)
    ]


def gauges(source: random.Random, count: int) -> dict[str, object]:
    return export([{"name": "up", "gauge": {"dataPoints": points(source, count)}}], service__name="api")


def export_as_json(source: random.Random) -> tuple[str, bytes, Mapping[str, str]]:
    return METRICS, json.dumps(gauges(source, 16_000)).encode(), JSON


def export_as_protobuf(source: random.Random) -> tuple[str, bytes, Mapping[str, str]]:
    return METRICS, gzip.compress(encoded(gauges(source, 20_000)), 1), PROTOBUF | GZIP


def empty_objects(_source: random.Random) -> tuple[str, bytes, Mapping[str, str]]:
    document = json.dumps(export([{"name": "up", "gauge": {"dataPoints": ["HERE"]}}]))
    return METRICS, gzip.compress(document.replace('"HERE"', "{}," * 400_000 + "{}").encode()), JSON | GZIP


def empty_lists(_source: random.Random) -> tuple[str, bytes, Mapping[str, str]]:
    return METRICS, b'{"resourceMetrics":[' + b"[]," * (PUSH_BYTES // 3) + b"[]]}", JSON


def empty_attributes(_source: random.Random) -> tuple[str, bytes, Mapping[str, str]]:
    point = block(1, b"\x3a\x00" * 400_000)  # one data point with empty attributes
    metric = block(1, b"up") + block(5, point)
    return METRICS, gzip.compress(block(1, block(2, block(2, metric)))), PROTOBUF | GZIP


def long_service_name(_source: random.Random) -> tuple[str, bytes, Mapping[str, str]]:
    document = export(
        [{"name": "up", "gauge": {"dataPoints": [{"asInt": "1"}] * 20_000}}], service__name="x" * 1_000_000
    )
    return METRICS, gzip.compress(encoded(document)), PROTOBUF | GZIP


def spans_as_protobuf(source: random.Random) -> tuple[str, bytes, Mapping[str, str]]:
    return SPANS, block(1, source.randbytes(2_000_000)), PROTOBUF


def spans_as_json(source: random.Random) -> tuple[str, bytes, Mapping[str, str]]:
    spans = [{"name": letters(source, 40), "attributes": attributes({"a": 1, "b": "c"})} for _ in range(14_000)]
    fields = {"resourceSpans": [{"scopeSpans": [{"spans": spans}]}]}
    return SPANS, gzip.compress(json.dumps(fields, indent=0).encode(), 1), JSON | GZIP


def empty_spans(_source: random.Random) -> tuple[str, bytes, Mapping[str, str]]:
    return SPANS, gzip.compress(b'{"resourceSpans":[' + b"[]," * 1_000_000 + b"[]]}"), JSON | GZIP


def many_files(source: random.Random) -> tuple[str, bytes, Mapping[str, str]]:
    files = [("file", (f"{each}.txt", source.randbytes(PUSH_BYTES // 200))) for each in range(200)]
    request = httpx.Request("POST", "http://localhost/", files=files)
    return "/api/v1/artifacts", request.read(), {"Content-Type": request.headers["Content-Type"]}


def few_files(source: random.Random) -> tuple[str, bytes, Mapping[str, str]]:
    request = httpx.Request("POST", "http://localhost/", files=[("file", ("a.txt", source.randbytes(100)))])
    return "/api/v1/artifacts", request.read(), {"Content-Type": request.headers["Content-Type"]}


def few_points(source: random.Random) -> tuple[str, bytes, Mapping[str, str]]:
    return METRICS, gzip.compress(encoded(gauges(source, 10))), PROTOBUF | GZIP


def few_points_in_json(source: random.Random) -> tuple[str, bytes, Mapping[str, str]]:
    return METRICS, json.dumps(gauges(source, 10)).encode(), JSON


def few_series(_source: random.Random) -> tuple[str, bytes, Mapping[str, str]]:
    return WRITE, v1([Sent({"__name__": "up", "pod": "a"}, [Point(now_ms(), 1.0)])]), V1_HEADERS


def few_spans(_source: random.Random) -> tuple[str, bytes, Mapping[str, str]]:
    return SPANS, b'{"resourceSpans":[]}', JSON


WARMING: Sequence[Made] = (few_files, few_points, few_points_in_json, few_series, few_spans)
PUSHES: Sequence[Made] = (
    many_series,
    tiny_series,
    many_labels,
    samples_of_one_series,
    empty_samples,
    wrong_labels,
    shared_symbols,
    many_symbols,
    export_as_json,
    export_as_protobuf,
    empty_objects,
    empty_lists,
    empty_attributes,
    long_service_name,
    spans_as_protobuf,
    spans_as_json,
    empty_spans,
    many_files,
)

EACH_ROUTE: Final = frozenset({many_series, shared_symbols, export_as_json, spans_as_protobuf, many_files})
"""These are pushed in every run of the tests; the others in the long ones."""


@pytest.fixture
def stack(migrated: TestDatabase, tmp_path: Path) -> Iterator[RunningStack]:
    """Give a process of its own to each push: one that has grown would hide what the next one takes."""
    migrated.empty()
    with running_stack(migrated, tmp_path, web_only=True) as running:
        yield running


@pytest.fixture
def bystander(stack: RunningStack) -> Iterator[httpx.Client]:
    with stack.signed_up() as client:
        yield client


@pytest.fixture
def program(stack: RunningStack) -> Iterator[httpx.Client]:
    """Give the client of a program that pushes for a team."""
    settings = settings_for(stack.database.app_url)
    engine = create_postgres_engine(settings)
    people = AccountsFactory(built(Database(engine), settings))
    secret = people.token(people.team(), TokenScope.UPLOAD).secret
    engine.dispose()
    headers = {"Authorization": f"Bearer {secret}"}
    with httpx.Client(base_url=stack.address, headers=headers, timeout=120) as client:
        yield client


def at_first(made: Made) -> tuple[str, bytes, Mapping[str, str]]:
    return made(random.Random(1))


@pytest.mark.parametrize(
    "made",
    [pytest.param(made, id=made.__name__, marks=() if made in EACH_ROUTE else pytest.mark.long) for made in PUSHES],
)
def test_a_push_adds_a_bounded_amount_of_memory(
    stack: RunningStack, bystander: httpx.Client, program: httpx.Client, made: Made
) -> None:
    pid = stack.pid("web")
    for path, body, headers in map(at_first, WARMING):
        program.post(path, content=body, headers=headers)
    path, body, headers = made(random.Random(2))
    assert bystander.get("/services").status_code == 200
    before = resident_bytes(pid)
    forget_peak(pid)

    with looking_on(bystander) as noticed:
        began = time.monotonic()
        answer = program.post(path, content=body, headers=headers)
        seconds = time.monotonic() - began

    growth = resident_bytes(pid, peak=True) - before
    text = f"{made.__name__}: {len(body):,} bytes, {answer.status_code}, {seconds:.1f} s, +{growth / MIB:.1f} MiB, "
    print(text + f"bystander {max(noticed.seconds):.2f} s")  # noqa: T201 - shown with -s, for the record
    assert answer.status_code < 500, answer.text
    assert growth <= MOST_GROWTH, text
    assert noticed.statuses == {200}
    assert noticed.failures == []
    assert max(noticed.seconds) < 2.0
