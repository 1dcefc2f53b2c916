"""Parse native histograms of Prometheus's HTTP API.

The resolution follows from the bounds of the buckets.
https://prometheus.io/docs/prometheus/latest/querying/api/#native-histograms: {"count": "4", "sum": "1.5", "buckets":
[[rule, "lower", "upper", "count"], ...]}, without empty buckets. A bucket of schema s is (b^(k-1), b^k], b = 2^(2^-s):
one filled bucket determines s. Custom bounds (schema -53) do not follow from the given ones, and are rejected.
"""

import math
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from slowpath.analysis.kinds.metrics.protocols.ingest_batch import MAX_BUCKETS, IncomingHistogram
from slowpath.analysis.kinds.metrics.samples.series_data import RESET_UNKNOWN

CLOSED: Final = 3
"""The rule of the zero bucket, which includes both bounds."""
SCHEMAS: Final = range(-4, 9)
FINEST: Final = 8
NEAR: Final = 1e-6
TOP_EXPONENT: Final = 1024.0

USUAL_THRESHOLD: Final = 2.0**-128
"""The zero bucket's width in Go's client, the default."""

Bucket = tuple[float, float, float]
"""Lower bound, upper bound, count; bounds above zero."""


class UnsupportedBuckets(ValueError):
    """The buckets are not exponential: the bounds of empty ones are unknown."""


@dataclass(frozen=True, slots=True)
class _ParsedHistogram:
    """A histogram, and the layout that follows from its filled buckets."""

    schema: int | None
    zero_threshold: float | None
    histogram: IncomingHistogram


def parse_histograms(values: Sequence[Mapping[str, Any]]) -> list[IncomingHistogram | None]:
    """Return the histograms of one series, in order; None for custom bounds.

    What does not follow from a histogram's buckets (resolution, width of the zero bucket) is taken from the previous one, else
    from the next that has it, else it is the default. Raises `ValueError`, `TypeError`, `KeyError` for invalid ones.
    """
    parsed = [_parse_histogram(one) for one in values]
    schema = next((one.schema for one in parsed if one and one.schema is not None), FINEST)
    threshold = next((one.zero_threshold for one in parsed if one and one.zero_threshold is not None), USUAL_THRESHOLD)
    histograms: list[IncomingHistogram | None] = []
    for one in parsed:
        if one is None:
            histograms.append(None)
            continue
        schema = schema if one.schema is None else one.schema
        threshold = threshold if one.zero_threshold is None else one.zero_threshold
        histograms.append(replace(one.histogram, schema=schema, zero_threshold=threshold))
    return histograms


def _parse_histogram(values: Mapping[str, Any]) -> _ParsedHistogram | None:
    """Parse a histogram with the layout of its buckets; None if they are not exponential."""
    positive: list[Bucket] = []
    negative: list[Bucket] = []
    threshold, zero = None, 0.0
    buckets = values.get("buckets") or ()
    if len(buckets) > MAX_BUCKETS:
        raise ValueError("a histogram has too many buckets")
    for rule, lower_text, upper_text, count_text in buckets:
        lower, upper, count = float(lower_text), float(upper_text), float(count_text)
        if rule == CLOSED and lower == -upper:
            threshold, zero = upper, count
        elif 0 < lower < upper:
            positive.append((lower, upper, count))
        elif lower < upper < 0:
            negative.append((-upper, -lower, count))
        else:
            return None
    try:
        schema = _schema([*positive, *negative])
        above, below = (_bucket_numbers(side, FINEST if schema is None else schema) for side in (positive, negative))
    except UnsupportedBuckets:
        return None
    count, summed = float(values["count"]), float(values["sum"])
    return _ParsedHistogram(
        schema, threshold, IncomingHistogram(FINEST, 0.0, zero, count, summed, above, below, RESET_UNKNOWN, ())
    )


def _schema(buckets: Sequence[Bucket]) -> int | None:
    """Return the schema of all buckets; None without any. The one up to infinity does not determine it."""
    schema = None
    for lower, upper, _ in buckets:
        width = _exponent(upper) - math.log2(lower)
        if math.isinf(upper):
            if lower < sys.float_info.max:
                raise UnsupportedBuckets
            continue
        if width <= 0:
            raise UnsupportedBuckets
        exact = -math.log2(width)
        if abs(exact - round(exact)) > NEAR or round(exact) not in SCHEMAS or schema not in {None, round(exact)}:
            raise UnsupportedBuckets
        schema = round(exact)
    if schema is None and buckets:
        raise UnsupportedBuckets
    return schema


def _bucket_numbers(buckets: Sequence[Bucket], schema: int) -> tuple[tuple[int, ...], tuple[float, ...]]:
    """Return the numbers of buckets in their schema, ascending, and their counts."""
    counts: dict[int, float] = {}
    for _, upper, count in buckets:
        exact = _exponent(upper) * 2.0**schema
        number = math.ceil(TOP_EXPONENT * 2.0**schema) + 1 if math.isinf(upper) else round(exact)
        if not math.isinf(upper) and abs(exact - number) > NEAR:
            raise UnsupportedBuckets
        counts[number] = counts.get(number, 0.0) + count
    numbers = sorted(counts)
    return tuple(numbers), tuple(counts[number] for number in numbers)


def _exponent(bound: float) -> float:
    """Return the exponent of two of a bound; the largest number represents the next power."""
    return TOP_EXPONENT if bound >= sys.float_info.max else math.log2(bound)
