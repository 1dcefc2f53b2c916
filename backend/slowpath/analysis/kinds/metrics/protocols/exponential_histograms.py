"""Convert OpenTelemetry's exponential histograms to native ones.

The same buckets, numbered one higher. Bucket i of scale s covers (b^i, b^(i+1)], b = 2^(2^-s); a native bucket k of
schema s covers (b^(k-1), b^k]. A scale finer than native histograms support is reduced: two buckets become one,
exactly.
"""

import struct
from collections.abc import Mapping, Sequence
from typing import Any, Final

from slowpath.analysis.kinds.metrics.protocols.ingest_batch import MAX_BUCKETS, IncomingHistogram
from slowpath.analysis.kinds.metrics.samples.series_data import RESET_UNKNOWN, STALE_NAN_BITS

LEAST_SCHEMA: Final = -4
MOST_SCHEMA: Final = 8
Side = tuple[tuple[int, ...], tuple[float, ...]]
NONE: Final[Side] = ((), ())
STALE: Final[float] = struct.unpack("<d", struct.pack("<Q", STALE_NAN_BITS))[0]
MOST_OFFSET: Final = 1 << 30


class InvalidExponentialHistogram(ValueError):
    """A histogram is inconsistent."""


def native_of(point: Mapping[str, Any], *, is_stale: bool) -> IncomingHistogram:
    """Convert a point to a native histogram. Raises `InvalidExponentialHistogram`."""
    if is_stale:
        return IncomingHistogram(0, 0.0, 0.0, 0.0, STALE, NONE, NONE, RESET_UNKNOWN, ())
    try:
        scale, count, zeros = (int(point.get(name, 0)) for name in ("scale", "count", "zeroCount"))
        total, threshold = float(point.get("sum", 0.0)), float(point.get("zeroThreshold", 0.0))
        positive, negative = (_side(point.get(name) or {}, scale) for name in ("positive", "negative"))
    except InvalidExponentialHistogram:
        raise
    except (TypeError, ValueError, AttributeError, OverflowError) as error:
        raise InvalidExponentialHistogram("a field is not a number") from error
    if scale < LEAST_SCHEMA:
        raise InvalidExponentialHistogram(f"the scale is {scale}; the coarsest supported scale is {LEAST_SCHEMA}")
    if min(count, zeros) < 0 or not threshold >= 0:
        raise InvalidExponentialHistogram("a count is negative")
    if sum(positive[1]) + sum(negative[1]) + zeros != count:
        raise InvalidExponentialHistogram(f"the bucket counts do not add up to the count of {count}")
    schema = min(scale, MOST_SCHEMA)
    return IncomingHistogram(
        schema, threshold, float(zeros), float(count), total, positive, negative, RESET_UNKNOWN, ()
    )


def _side(point_buckets: Mapping[str, Any], scale: int) -> Side:
    counts: Sequence[Any] = point_buckets.get("bucketCounts") or ()
    offset = int(point_buckets.get("offset", 0))
    if len(counts) > MAX_BUCKETS or abs(offset) > MOST_OFFSET or scale > 1000:
        raise InvalidExponentialHistogram(f"more than {MAX_BUCKETS} buckets, or an offset out of range")
    coarser = max(scale - MOST_SCHEMA, 0)
    buckets: dict[int, int] = {}
    for position, count in enumerate(counts):
        filled = int(count)
        if filled < 0:
            raise InvalidExponentialHistogram("a bucket count is negative")
        if filled:
            index = ((offset + position) >> coarser) + 1
            buckets[index] = buckets.get(index, 0) + filled
    return tuple(buckets), tuple(float(count) for count in buckets.values())
