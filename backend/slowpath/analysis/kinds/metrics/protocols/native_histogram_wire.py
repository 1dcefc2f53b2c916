"""Parse Prometheus's native histograms of remote write (both versions encode them alike), validated as Prometheus does.

Buckets are encoded as spans (how many are skipped, how many follow) with counts as differences from the previous one
(integers) or as they are (floats).
"""

import math
import struct
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import accumulate, pairwise
from typing import Final

from slowpath.analysis.kinds.metrics.protocols.ingest_batch import MAX_BUCKETS, IncomingHistogram
from slowpath.analysis.kinds.metrics.protocols.protobuf_wire import (
    BYTES,
    FIXED64,
    VARINT,
    MalformedProtobuf,
    fields,
    signed,
    unzigzag,
    varint,
)
from slowpath.analysis.kinds.metrics.samples.series_data import CUSTOM_BUCKETS_SCHEMA, STALE_NAN_BITS

DOUBLE: Final = struct.Struct("<d")
BITS: Final = struct.Struct("<Q")
LEAST_SCHEMA: Final = -4
MOST_SCHEMA: Final = 8
INT32: Final = 1 << 31
Side = tuple[tuple[int, ...], tuple[float, ...]]


class InvalidHistogram(ValueError):
    """A histogram is inconsistent."""


@dataclass
class _BucketSide:
    spans: list[tuple[int, int]] = field(default_factory=list)
    deltas: list[int] = field(default_factory=list)
    counts: list[float] = field(default_factory=list)


@dataclass
class _WireFields:
    """The fields as received."""

    is_integer: bool = True
    count: float = 0.0
    zero_count: float = 0.0
    is_zero_integer: bool | None = None
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
    return wire.at_ms, _validate(wire)


def _number(wire: _WireFields, number: int, value: int) -> None:
    if number == 1:
        wire.is_integer, wire.count = True, float(value)
    elif number == 4:
        wire.schema = unzigzag(value)
    elif number == 6:
        wire.is_zero_integer, wire.zero_count = True, float(value)
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
        wire.is_integer, wire.count = False, value
    elif number == 3:
        wire.sum = value
    elif number == 5:
        wire.zero_threshold = value
    elif number == 7:
        wire.is_zero_integer, wire.zero_count = False, value
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
            raise InvalidHistogram(f"The histogram has more than {MAX_BUCKETS} spans.")
        side.spans.append(_span(body, start, end))
    elif number in (9, 12):
        _grow((wire.negative if number == 9 else wire.positive).deltas, _zigzags(body, start, end))
    elif number in (10, 13):
        _grow((wire.negative if number == 10 else wire.positive).counts, _doubles(body, start, end))
    elif number == 16:
        _grow(wire.bounds, _doubles(body, start, end))


def _grow(values: list[int] | list[float], more: Sequence[int] | Sequence[float]) -> None:
    if len(values) + len(more) > MAX_BUCKETS:
        raise InvalidHistogram(f"The histogram has more than {MAX_BUCKETS} buckets on one side.")
    values.extend(more)  # type: ignore[arg-type]  # both lists have the type of the values


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
            raise InvalidHistogram(f"The histogram has more than {MAX_BUCKETS} buckets on one side.")
    return values


def _doubles(body: bytes, start: int, end: int) -> list[float]:
    size = end - start
    if size % 8:
        raise MalformedProtobuf("the length of packed doubles is not a multiple of 8")
    if size // 8 > MAX_BUCKETS:
        raise InvalidHistogram(f"The histogram has more than {MAX_BUCKETS} buckets on one side.")
    return list(struct.unpack_from(f"<{size // 8}d", body, start))


def _validate(wire: _WireFields) -> IncomingHistogram:
    """Validate the histogram. A stale marker has no buckets."""
    stale = BITS.unpack(DOUBLE.pack(wire.sum))[0] == STALE_NAN_BITS
    custom = wire.schema == CUSTOM_BUCKETS_SCHEMA
    if not custom and not LEAST_SCHEMA <= wire.schema <= MOST_SCHEMA:
        raise InvalidHistogram(f"The schema is {wire.schema}; it must be {LEAST_SCHEMA} to {MOST_SCHEMA}, or -53.")
    if custom:
        _check_custom(wire)
    elif wire.bounds:
        raise InvalidHistogram("The histogram has custom bounds, but its schema has none.")
    if wire.is_zero_integer is not None and wire.is_zero_integer != wire.is_integer:
        raise InvalidHistogram("The count and the zero count are not of the same type (integer or float).")
    positive, negative = _side(wire.positive, wire.is_integer), _side(wire.negative, wire.is_integer)
    if custom and positive[0] and (positive[0][-1] > len(wire.bounds) or positive[0][0] < 0):
        raise InvalidHistogram("A bucket is outside the bounds.")
    if not (wire.zero_threshold >= 0 and wire.zero_count >= 0 and (wire.count >= 0 or stale)):
        raise InvalidHistogram("A count or the zero threshold is negative.")
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
        raise InvalidHistogram("The bounds are not ascending.")
    if wire.negative.spans or wire.zero_count or wire.zero_threshold:
        raise InvalidHistogram("The histogram has custom bounds together with negative or zero buckets.")


def _check_count(wire: _WireFields, in_buckets: float) -> None:
    """Compare count and buckets; with a NaN sum the count may be larger, since NaNs fall into no bucket."""
    if wire.is_integer and math.isnan(wire.sum):
        if in_buckets > wire.count:
            raise InvalidHistogram(f"The buckets add up to {in_buckets:g}, more than the count of {wire.count:g}.")
    elif wire.is_integer:
        if in_buckets != wire.count:
            raise InvalidHistogram(f"The buckets add up to {in_buckets:g}, but the count is {wire.count:g}.")
    elif not math.isfinite(wire.count) or not math.isfinite(in_buckets):
        raise InvalidHistogram("A count is not a finite number.")


def _side(side: _BucketSide, is_integer: bool) -> Side:
    counts, index = _counts(side, is_integer), _indices(side.spans)
    if any(not count >= 0 for count in counts):
        raise InvalidHistogram("A bucket count is negative.")
    if index and (index[0] < -INT32 or index[-1] >= INT32):
        raise InvalidHistogram("A bucket number exceeds 32 bits.")
    if len(index) != len(counts):
        raise InvalidHistogram(f"The spans cover {len(index)} buckets, but there are {len(counts)} counts.")
    return tuple(index), tuple(counts)


def _counts(side: _BucketSide, is_integer: bool) -> list[float]:
    if is_integer and side.counts:
        raise InvalidHistogram("The count is an integer, but the bucket counts are floats.")
    if not is_integer and side.deltas:
        raise InvalidHistogram("The count is a float, but the bucket counts are integers.")
    return [float(count) for count in accumulate(side.deltas)] if is_integer else side.counts


def _indices(spans: Sequence[tuple[int, int]]) -> list[int]:
    index: list[int] = []
    at = 0
    for position, (offset, length) in enumerate(spans):
        if position and offset < 0:
            raise InvalidHistogram("A span has a negative offset.")
        if len(index) + length > MAX_BUCKETS:
            raise InvalidHistogram(f"The histogram has more than {MAX_BUCKETS} buckets on one side.")
        at += offset
        index.extend(range(at, at + length))
        at += length
    return index
