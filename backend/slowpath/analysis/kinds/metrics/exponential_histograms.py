"""OpenTelemetry's exponential histograms as native ones: the same buckets, numbered one higher.

Bucket i of scale s covers (b^i, b^(i+1)], b = 2^(2^-s); a native bucket k of schema s covers (b^(k-1), b^k]. A finer scale
than native histograms have is halved: two buckets become one, exactly.
"""

import struct
from collections.abc import Mapping, Sequence
from typing import Any, Final

from slowpath.analysis.kinds.metrics.ingest_batch import MAX_BUCKETS, IncomingHistogram
from slowpath.analysis.kinds.metrics.series_data import RESET_UNKNOWN, STALE_NAN_BITS

LEAST_SCHEMA: Final = -4
MOST_SCHEMA: Final = 8
Side = tuple[tuple[int, ...], tuple[float, ...]]
NONE: Final[Side] = ((), ())
STALE: Final[float] = struct.unpack("<d", struct.pack("<Q", STALE_NAN_BITS))[0]
MOST_OFFSET: Final = 1 << 30


class InvalidExponentialHistogram(ValueError):
    """A histogram that contradicts itself."""


def native_of(point: Mapping[str, Any], *, is_stale: bool) -> IncomingHistogram:
    """Return a point as a native histogram. Raises `InvalidExponentialHistogram`."""
    if is_stale:
        return IncomingHistogram(0, 0.0, 0.0, 0.0, STALE, NONE, NONE, RESET_UNKNOWN, ())
    try:
        scale, count, zeros = (int(point.get(name, 0)) for name in ("scale", "count", "zeroCount"))
        total, threshold = float(point.get("sum", 0.0)), float(point.get("zeroThreshold", 0.0))
        positive, negative = (_side(point.get(name) or {}, scale) for name in ("positive", "negative"))
    except InvalidExponentialHistogram:
        raise
    except (TypeError, ValueError, AttributeError, OverflowError) as error:
        raise InvalidExponentialHistogram("a number is none") from error
    if scale < LEAST_SCHEMA:
        raise InvalidExponentialHistogram(f"its scale is {scale}; the coarsest that is kept is {LEAST_SCHEMA}")
    if min(count, zeros) < 0 or not threshold >= 0:
        raise InvalidExponentialHistogram("a count is negative")
    if sum(positive[1]) + sum(negative[1]) + zeros != count:
        raise InvalidExponentialHistogram(f"its buckets do not hold its count of {count}")
    schema = min(scale, MOST_SCHEMA)
    return IncomingHistogram(
        schema, threshold, float(zeros), float(count), total, positive, negative, RESET_UNKNOWN, ()
    )


def _side(told: Mapping[str, Any], scale: int) -> Side:
    counts: Sequence[Any] = told.get("bucketCounts") or ()
    offset = int(told.get("offset", 0))
    if len(counts) > MAX_BUCKETS or abs(offset) > MOST_OFFSET or scale > 1000:
        raise InvalidExponentialHistogram(f"more than {MAX_BUCKETS} buckets, or numbers beyond all bounds")
    coarser = max(scale - MOST_SCHEMA, 0)
    buckets: dict[int, int] = {}
    for position, count in enumerate(counts):
        filled = int(count)
        if filled < 0:
            raise InvalidExponentialHistogram("a bucket holds less than nothing")
        if filled:
            index = ((offset + position) >> coarser) + 1
            buckets[index] = buckets.get(index, 0) + filled
    return tuple(buckets), tuple(float(count) for count in buckets.values())
