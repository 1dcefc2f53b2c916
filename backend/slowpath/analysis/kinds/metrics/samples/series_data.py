"""Time series in memory: the format that storage fills and all computations on metrics read.

Arrays only, never rows: a day of one service is half a million samples. Nothing here is resampled, corrected or merged; a
stale marker is still the stale NaN that Prometheus sent.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

Times = NDArray[np.int64]
Values = NDArray[np.float64]

SeriesKind = Literal["counter", "gauge", "histogram", "gauge-histogram", "unknown"]

# The signaling NaN by which Prometheus marks the end of a series (model/value in its sources). Its bits matter: an
# ordinary NaN is a sample. Arithmetic would make it quiet, so it is compared by bits and copied, never computed.
STALE_NAN_BITS: Final = 0x7FF0000000000002

CUSTOM_BUCKETS_SCHEMA: Final = -53  # the schema number of native histograms with custom bounds
RESET_UNKNOWN, RESET_YES, RESET_NO, RESET_GAUGE = range(4)  # the counter-reset hints of remote write


def is_stale(values: Values) -> NDArray[np.bool_]:
    """Return for each value whether it is the stale marker (and not merely a NaN)."""
    bits: NDArray[np.uint64] = np.ascontiguousarray(values, dtype=np.float64).view(np.uint64)
    return np.equal(bits, np.uint64(STALE_NAN_BITS))


def has_nan(values: Values) -> bool:
    """Return whether any value is NaN or a stale marker, by their sum.

    A third of the time of testing each.
    """
    with np.errstate(invalid="ignore", over="ignore"):
        return bool(np.isnan(values.sum())) and bool(np.isnan(values).any())


@dataclass(frozen=True, slots=True)
class SparseBuckets:
    """The filled buckets of n histograms, concatenated.

    Histogram i has the entries offset[i]:offset[i+1]. `index` is the bucket's number in its schema (bucket k of an exponential
    schema s covers (b^(k-1), b^k], b = 2^(2^-s); of custom bounds, (bounds[k-1], bounds[k]]), ascending within a histogram;
    `count` is absolute, never a difference.
    """

    offset: NDArray[np.int64]  # [n + 1]
    index: NDArray[np.int32]  # [m]
    count: Values  # [m]

    @classmethod
    def none(cls, n: int) -> "SparseBuckets":
        """Return n histograms without buckets."""
        return cls(np.zeros(n + 1, np.int64), np.zeros(0, np.int32), np.zeros(0, np.float64))


@dataclass(frozen=True, slots=True)
class NativeSeries:
    """Native histograms of one series, one for each of its n times.

    A stale marker is a row whose `sum` is the stale NaN, without buckets. `custom_offset`/`custom_bounds` are the finite upper
    bounds of the rows whose schema is CUSTOM_BUCKETS_SCHEMA (other rows: none); the last bucket, up to +Inf, has the index
    len(bounds) of its row.
    """

    schema: NDArray[np.int32]  # [n] -4..8, or CUSTOM_BUCKETS_SCHEMA
    zero_threshold: Values  # [n]
    zero_count: Values  # [n]
    count: Values  # [n]
    sum: Values  # [n]
    positive: SparseBuckets
    negative: SparseBuckets
    reset_hint: NDArray[np.uint8]  # [n] RESET_UNKNOWN..RESET_GAUGE
    custom_offset: NDArray[np.int64]  # [n + 1]
    custom_bounds: Values

    def __len__(self) -> int:
        return len(self.sum)


@dataclass(frozen=True)
class LateSamples:
    """A stretch of samples that were received long after their time."""

    from_ms: int
    to_ms: int
    received_ms: int


@dataclass(frozen=True, slots=True)
class RollUp:
    """How the samples of a series were chosen by a roll-up: the last of each `resolution_ms`, and both sides of breaks.

    `interval_ms` is the scrape interval before that.
    """

    resolution_ms: int
    interval_ms: int


@dataclass(frozen=True, slots=True)
class SeriesData:
    """The samples of one series within an interval, ascending in time, one per time.

    Exactly one of `values` and `histograms` is present. `created_ms` is when the counter began at zero, if the sender stated it
    (remote write 2, OTLP); `late` are samples that were received late.
    """

    series_id: int
    name: str
    labels: Mapping[str, str]  # without __name__
    kind: SeriesKind
    times_ms: Times  # [n]
    values: Values | None  # [n]
    histograms: NativeSeries | None = None
    created_ms: int | None = None
    late: tuple[LateSamples, ...] = field(default=())
    roll_up: RollUp | None = None
    """None if no samples were left out."""

    def stale(self) -> NDArray[np.bool_]:
        """[n] Return where the series is marked as ended."""
        if self.histograms is not None:
            return is_stale(self.histograms.sum)
        if self.values is None or not has_nan(self.values):
            return np.zeros(len(self.times_ms), np.bool_)
        return is_stale(self.values)
