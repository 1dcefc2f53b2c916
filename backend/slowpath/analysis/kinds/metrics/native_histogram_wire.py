"""Prometheus's native histograms on the wire (both versions of remote write spell them alike), checked as Prometheus does.

Buckets come as spans (how many are skipped, how many follow) with counts as differences from the one before (whole
numbers) or as they are (floats).
"""

import math
import struct
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import accumulate, pairwise
from typing import Final

from slowpath.analysis.kinds.metrics.ingest_batch import MAX_BUCKETS, IncomingHistogram
from slowpath.analysis.kinds.metrics.protobuf_wire import (
    BYTES,
    FIXED64,
    VARINT,
    MalformedProtobuf,
    fields,
    signed,
    unzigzag,
    varint,
)
from slowpath.analysis.kinds.metrics.series_data import CUSTOM_BUCKETS_SCHEMA, STALE_NAN_BITS

DOUBLE: Final = struct.Struct("<d")
BITS: Final = struct.Struct("<Q")
LEAST_SCHEMA: Final = -4
MOST_SCHEMA: Final = 8
INT32: Final = 1 << 31
Side = tuple[tuple[int, ...], tuple[float, ...]]


class InvalidHistogram(ValueError):
    """A histogram that contradicts itself."""


@dataclass
class _BucketSide:
    spans: list[tuple[int, int]] = field(default_factory=list)
    deltas: list[int] = field(default_factory=list)
    counts: list[float] = field(default_factory=list)


@dataclass
class _WireFields:
    """The fields as they came."""

    whole: bool = True
    count: float = 0.0
    zero_count: float = 0.0
    zero_whole: bool | None = None
    sum: float = 0.0
    schema: int = 0
    zero_threshold: float = 0.0
    reset_hint: int = 0
    at_ms: int = 0
    bounds: list[float] = field(default_factory=list)
    negative: _BucketSide = field(default_factory=_BucketSide)
    positive: _BucketSide = field(default_factory=_BucketSide)


def read_histogram(body: bytes, start: int, end: int) -> tuple[int, IncomingHistogram]:
    """Return time and histogram. Raises `InvalidHistogram`, `MalformedProtobuf`."""
    wire = _WireFields()
    for number, kind, begin, stop in fields(body, start, end):
        if kind == VARINT:
            _number(wire, number, begin)
        elif kind == FIXED64:
            _double(wire, number, DOUBLE.unpack_from(body, begin)[0])
        elif kind == BYTES:
            _block(wire, number, body, begin, stop)
    return wire.at_ms, _checked(wire)


def _number(wire: _WireFields, number: int, value: int) -> None:
    if number == 1:
        wire.whole, wire.count = True, float(value)
    elif number == 4:
        wire.schema = unzigzag(value)
    elif number == 6:
        wire.zero_whole, wire.zero_count = True, float(value)
    elif number == 9:
        _grow(wire.negative.deltas, [unzigzag(value)])
    elif number == 12:
        _grow(wire.positive.deltas, [unzigzag(value)])
    elif number == 14:
        wire.reset_hint = value
    elif number == 15:
        wire.at_ms = signed(value)


def _double(wire: _WireFields, number: int, value: float) -> None:
    if number == 2:
        wire.whole, wire.count = False, value
    elif number == 3:
        wire.sum = value
    elif number == 5:
        wire.zero_threshold = value
    elif number == 7:
        wire.zero_whole, wire.zero_count = False, value
    elif number == 10:
        _grow(wire.negative.counts, [value])
    elif number == 13:
        _grow(wire.positive.counts, [value])
    elif number == 16:
        _grow(wire.bounds, [value])


def _block(wire: _WireFields, number: int, body: bytes, start: int, end: int) -> None:
    if number in (8, 11):
        side = wire.negative if number == 8 else wire.positive
        if len(side.spans) >= MAX_BUCKETS:
            raise InvalidHistogram(f"It has more than {MAX_BUCKETS} spans.")
        side.spans.append(_span(body, start, end))
    elif number in (9, 12):
        _grow((wire.negative if number == 9 else wire.positive).deltas, _zigzags(body, start, end))
    elif number in (10, 13):
        _grow((wire.negative if number == 10 else wire.positive).counts, _doubles(body, start, end))
    elif number == 16:
        _grow(wire.bounds, _doubles(body, start, end))


def _grow(values: list[int] | list[float], more: Sequence[int] | Sequence[float]) -> None:
    if len(values) + len(more) > MAX_BUCKETS:
        raise InvalidHistogram(f"It has more than {MAX_BUCKETS} buckets on one side.")
    values.extend(more)  # type: ignore[arg-type]  # both lists hold what they are given


def _span(body: bytes, start: int, end: int) -> tuple[int, int]:
    offset = length = 0
    for number, kind, value, _ in fields(body, start, end):
        if kind == VARINT and number == 1:
            offset = unzigzag(value)
        elif kind == VARINT and number == 2:
            length = value
    return offset, length


def _zigzags(body: bytes, at: int, end: int) -> list[int]:
    values: list[int] = []
    while at < end:
        value, at = varint(body, at, end)
        values.append(unzigzag(value))
        if len(values) > MAX_BUCKETS:
            raise InvalidHistogram(f"It has more than {MAX_BUCKETS} buckets on one side.")
    return values


def _doubles(body: bytes, start: int, end: int) -> list[float]:
    size = end - start
    if size % 8:
        raise MalformedProtobuf("packed doubles of a broken length")
    if size // 8 > MAX_BUCKETS:
        raise InvalidHistogram(f"It has more than {MAX_BUCKETS} buckets on one side.")
    return list(struct.unpack_from(f"<{size // 8}d", body, start))


def _checked(wire: _WireFields) -> IncomingHistogram:
    """Return the histogram if it holds what it says. A stale marker holds nothing."""
    stale = BITS.unpack(DOUBLE.pack(wire.sum))[0] == STALE_NAN_BITS
    custom = wire.schema == CUSTOM_BUCKETS_SCHEMA
    if not custom and not LEAST_SCHEMA <= wire.schema <= MOST_SCHEMA:
        raise InvalidHistogram(f"Its schema is {wire.schema}; there are {LEAST_SCHEMA} to {MOST_SCHEMA} and -53.")
    if custom:
        _check_custom(wire)
    elif wire.bounds:
        raise InvalidHistogram("It has bounds of its own, and a schema that has none.")
    if wire.zero_whole is not None and wire.zero_whole != wire.whole:
        raise InvalidHistogram("Its count is whole and its count of zeros is not, or the other way round.")
    positive, negative = _side(wire.positive, wire.whole), _side(wire.negative, wire.whole)
    if custom and positive[0] and (positive[0][-1] > len(wire.bounds) or positive[0][0] < 0):
        raise InvalidHistogram("It has a bucket outside its bounds.")
    if not (wire.zero_threshold >= 0 and wire.zero_count >= 0 and (wire.count >= 0 or stale)):
        raise InvalidHistogram("A count or the threshold of zero is negative.")
    if not stale:
        _check_count(wire, sum(positive[1]) + sum(negative[1]) + wire.zero_count)
    hint = wire.reset_hint if 0 <= wire.reset_hint <= 3 else 0
    return IncomingHistogram(
        wire.schema,
        wire.zero_threshold,
        wire.zero_count,
        wire.count,
        wire.sum,
        positive,
        negative,
        hint,
        tuple(wire.bounds),
    )


def _check_custom(wire: _WireFields) -> None:
    bounds = wire.bounds
    if any(not math.isfinite(bound) for bound in bounds):
        raise InvalidHistogram("A bound is not a finite number.")
    if any(later <= earlier for earlier, later in pairwise(bounds)):
        raise InvalidHistogram("Its bounds do not ascend.")
    if wire.negative.spans or wire.zero_count or wire.zero_threshold:
        raise InvalidHistogram("It has bounds of its own, and negative or zero buckets too.")


def _check_count(wire: _WireFields, told: float) -> None:
    """NaNs are counted and fall into no bucket, so with a NaN sum the count may be more than the buckets hold."""
    if wire.whole and math.isnan(wire.sum):
        if told > wire.count:
            raise InvalidHistogram(f"Its buckets hold {told:g}, more than its count of {wire.count:g}.")
    elif wire.whole:
        if told != wire.count:
            raise InvalidHistogram(f"Its buckets hold {told:g}, and its count is {wire.count:g}.")
    elif not math.isfinite(wire.count) or not math.isfinite(told):
        raise InvalidHistogram("A count is not a finite number.")


def _side(side: _BucketSide, whole: bool) -> Side:
    counts, index = _counts(side, whole), _indices(side.spans)
    if any(not count >= 0 for count in counts):
        raise InvalidHistogram("A bucket holds less than nothing.")
    if index and (index[0] < -INT32 or index[-1] >= INT32):
        raise InvalidHistogram("A bucket's number is beyond 32 bits.")
    if len(index) != len(counts):
        raise InvalidHistogram(f"Its spans name {len(index)} buckets, and {len(counts)} are there.")
    return tuple(index), tuple(counts)


def _counts(side: _BucketSide, whole: bool) -> list[float]:
    if whole and side.counts:
        raise InvalidHistogram("Its count is whole, and its buckets are not.")
    if not whole and side.deltas:
        raise InvalidHistogram("Its count is not whole, and its buckets are.")
    return [float(count) for count in accumulate(side.deltas)] if whole else side.counts


def _indices(spans: Sequence[tuple[int, int]]) -> list[int]:
    index: list[int] = []
    at = 0
    for position, (offset, length) in enumerate(spans):
        if position and offset < 0:
            raise InvalidHistogram("A span goes back.")
        if len(index) + length > MAX_BUCKETS:
            raise InvalidHistogram(f"It has more than {MAX_BUCKETS} buckets on one side.")
        at += offset
        index.extend(range(at, at + length))
        at += length
    return index
