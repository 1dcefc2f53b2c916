"""Any input gives samples or a named error; and the fast parser equals the complete one."""

import json
from contextlib import suppress

import cramjam
import pytest
from hypothesis import given
from hypothesis import strategies as st

from slowpath.analysis.kinds.metrics.protocols.ingest_batch import MAX_SERIES, BatchTooLarge, IngestBatch
from slowpath.analysis.kinds.metrics.protocols.otlp_json import parts_of_json
from slowpath.analysis.kinds.metrics.protocols.otlp_metrics import read_metrics
from slowpath.analysis.kinds.metrics.protocols.otlp_protobuf import MAX_MESSAGES, parts_of_wire
from slowpath.analysis.kinds.metrics.protocols.protobuf_wire import MalformedProtobuf, fields, signed, unzigzag, varint
from slowpath.analysis.kinds.metrics.protocols.remote_write_2 import read_v2
from slowpath.analysis.kinds.metrics.protocols.remote_write_parser import read_v1
from tests.factories.remote_write import Example, Native, Point, Sent, block, v1, v2, zigzag
from tests.factories.remote_write import varint as written

NAMES = st.text(st.characters(codec="utf-8"), min_size=1, max_size=8)
LABELS = st.dictionaries(NAMES, NAMES, max_size=4).map(lambda labels: {"__name__": "up", **labels})
TIMES = st.one_of(st.integers(1_600_000_000_000, 1_900_000_000_000), st.integers(-(2**63), 2**63 - 1))
POINTS = st.builds(Point, TIMES, st.one_of(st.just(0.0), st.floats()))
NATIVES = st.builds(
    Native,
    TIMES,
    st.integers(0, 2**40),
    st.floats(),
    st.integers(-60, 10),
    positive_spans=st.lists(st.tuples(st.integers(-5, 5), st.integers(0, 4)), max_size=3),
    positive=st.lists(st.integers(0, 9), max_size=4),
)
SERIES = st.lists(
    st.builds(
        Sent,
        LABELS,
        st.lists(POINTS, max_size=3),
        st.lists(NATIVES, max_size=2),
        st.lists(st.builds(Example, TIMES, st.floats()), max_size=2),
    ),
    max_size=5,
)


def plain(body: bytes) -> bytes:
    return bytes(cramjam.snappy.decompress_raw(body))


def sorted_samples(incoming: IngestBatch, name_of: dict[int, bytes]) -> list[tuple[bytes, int, bytes]]:
    slots, times, values = incoming.columns()
    keys = {**name_of, **{slot: key for key, slot in incoming.new_slots.items()}}
    rows = zip(slots.tolist(), times.tolist(), values, strict=True)
    return sorted((keys[slot], at, value.tobytes()) for slot, at, value in rows)


@given(SERIES)
def test_a_known_series_parses_like_a_new_one(series: list[Sent]) -> None:
    body = plain(v1(series))
    fresh = read_v1(body, {})
    known = {key: number for number, key in enumerate(fresh.new_slots)}

    again = read_v1(body, known)

    assert sorted_samples(again, {number: key for key, number in known.items()}) == sorted_samples(fresh, {})
    assert len(again.natives) == len(fresh.natives)
    assert again.faults.counts == fresh.faults.counts


@given(SERIES)
def test_both_protocol_versions_give_equal_samples(series: list[Sent]) -> None:
    first, second = read_v1(plain(v1(series)), {}), read_v2(plain(v2(series)), {})

    assert [one.labels for one in first.new] == [one.labels for one in second.new]
    assert [at for _, at, _ in sorted_samples(first, {})].sort() == [
        at for _, at, _ in sorted_samples(second, {})
    ].sort()
    assert len(first.exemplars) == len(second.exemplars)


@given(st.binary(max_size=200))
def test_any_bytes_end_in_samples_or_a_name(body: bytes) -> None:
    for read in (read_v1, read_v2):
        with suppress(MalformedProtobuf, BatchTooLarge):
            read(body, {})
    with suppress(MalformedProtobuf, BatchTooLarge):
        read_metrics(parts_of_wire(body), {})


@given(SERIES, st.integers(0, 10_000), st.integers(1, 255))
def test_any_flipped_byte_ends_in_samples_or_a_name(series: list[Sent], at: int, mask: int) -> None:
    for made, read in ((v1, read_v1), (v2, read_v2)):
        body = bytearray(plain(made(series)))
        if not body:
            return
        body[at % len(body)] ^= mask
        with suppress(MalformedProtobuf, BatchTooLarge):
            read(bytes(body), {})


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                [
                    "resourceMetrics",
                    "resource",
                    "attributes",
                    "scopeMetrics",
                    "scope",
                    "metrics",
                    "name",
                    "unit",
                    "gauge",
                    "sum",
                    "histogram",
                    "dataPoints",
                    "key",
                    "value",
                    "exponentialHistogram",
                    "summary",
                    "asInt",
                    "asDouble",
                    "timeUnixNano",
                    "flags",
                    "count",
                    "bucketCounts",
                    "explicitBounds",
                    "scale",
                    "positive",
                    "offset",
                    "zeroCount",
                    "quantileValues",
                    "quantile",
                    "stringValue",
                    "aggregationTemporality",
                ]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=25,
)


@given(JSON)
def test_any_json_ends_in_samples_or_a_name(value: object) -> None:
    point = {"dataPoints": [value, {"attributes": [value], "timeUnixNano": value}]}
    for metric in (
        value,
        {"name": "a", "gauge": value},
        *({"name": "a", sort: point} for sort in ("sum", "histogram", "exponentialHistogram", "summary")),
    ):
        with suppress(MalformedProtobuf, BatchTooLarge):
            document = {"resourceMetrics": [{"resource": value, "scopeMetrics": [{"metrics": [metric]}]}]}
            read_metrics(parts_of_json(json.dumps(document).encode()), {})


@given(st.integers(0, 2**64 - 1), st.integers(-(2**63), 2**63 - 1))
def test_numbers_read_back(unsigned: int, number: int) -> None:
    assert varint(written(unsigned), 0, 10) == (unsigned, len(written(unsigned)))
    assert signed(varint(written(number), 0, 10)[0]) == number
    assert unzigzag(varint(zigzag(number), 0, 10)[0]) == number


@pytest.mark.parametrize(
    "body", [b"\x80", b"\x80" * 11, b"\x00\x00", b"\x0b", b"\x0a\x7f", b"\x09\x00", b"\x0d\x00\x00"]
)
def test_an_invalid_message_is_reported(body: bytes) -> None:
    with pytest.raises(MalformedProtobuf):
        list(fields(body, 0, len(body)))


def test_counts_are_limited_before_anything_is_built() -> None:
    with pytest.raises(BatchTooLarge):
        read_v1(b"\x0a\x00" * (MAX_SERIES + 1), {})
    with pytest.raises(BatchTooLarge):
        read_metrics(parts_of_wire(b"\x0a\x00" * (MAX_MESSAGES + 1)), {})
    deep = b""
    for _ in range(40):
        deep = block(5, block(1, deep))  # a list in a list
    metric = block(2, block(2, block(1, b"up") + block(5, b"")))
    with pytest.raises(MalformedProtobuf, match="deeper"):
        read_metrics(parts_of_wire(block(1, block(1, block(1, block(1, b"key") + block(2, deep))) + metric)), {})
