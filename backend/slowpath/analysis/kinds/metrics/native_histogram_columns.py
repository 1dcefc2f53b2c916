"""Native histograms picked from and laid end to end, all columns at once."""

import hashlib
import struct
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from slowpath.analysis.kinds.metrics.series_data import NativeSeries, SparseBuckets

Ints = NDArray[np.int64]


def offsets_of(lengths: Ints) -> Ints:
    """Return where each of these many entries begins, laid end to end: [n + 1]."""
    return np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths)])


def take_natives(told: NativeSeries, chosen: Ints) -> NativeSeries:
    """Return the histograms at these positions, in this order."""
    custom_offset, custom_at = _picked(told.custom_offset, chosen)
    return NativeSeries(
        told.schema[chosen],
        told.zero_threshold[chosen],
        told.zero_count[chosen],
        told.count[chosen],
        told.sum[chosen],
        _take_buckets(told.positive, chosen),
        _take_buckets(told.negative, chosen),
        told.reset_hint[chosen],
        custom_offset,
        told.custom_bounds[custom_at],
    )


def _take_buckets(buckets: SparseBuckets, chosen: Ints) -> SparseBuckets:
    offset, at = _picked(buckets.offset, chosen)
    return SparseBuckets(offset, buckets.index[at], buckets.count[at])


def _picked(offset: Ints, chosen: Ints) -> tuple[Ints, Ints]:
    """Return the offsets of the chosen rows laid end to end, and where their entries are now."""
    lengths = np.diff(offset)[chosen]
    made = offsets_of(lengths)
    return made, np.repeat(offset[chosen] - made[:-1], lengths) + np.arange(int(made[-1]))


def join_natives(parts: Sequence[NativeSeries]) -> NativeSeries:
    """Return histograms end to end."""
    if len(parts) == 1:
        return parts[0]
    return NativeSeries(
        np.concatenate([part.schema for part in parts]),
        np.concatenate([part.zero_threshold for part in parts]),
        np.concatenate([part.zero_count for part in parts]),
        np.concatenate([part.count for part in parts]),
        np.concatenate([part.sum for part in parts]),
        _join_buckets([part.positive for part in parts]),
        _join_buckets([part.negative for part in parts]),
        np.concatenate([part.reset_hint for part in parts]),
        offsets_of(np.concatenate([np.diff(part.custom_offset) for part in parts])),
        np.concatenate([part.custom_bounds for part in parts]),
    )


def _join_buckets(parts: Sequence[SparseBuckets]) -> SparseBuckets:
    return SparseBuckets(
        offsets_of(np.concatenate([np.diff(part.offset) for part in parts])),
        np.concatenate([part.index for part in parts]),
        np.concatenate([part.count for part in parts]),
    )


def native_bits(told: NativeSeries) -> NDArray[np.uint64]:
    """Return a number for each histogram that is the same for the same histogram: [n]."""
    plain = np.column_stack([told.schema, told.zero_threshold, told.zero_count, told.count, told.sum])
    columns = (
        (told.positive.offset, told.positive.index),
        (told.positive.offset, told.positive.count),
        (told.negative.offset, told.negative.index),
        (told.negative.offset, told.negative.count),
        (told.custom_offset, told.custom_bounds),
    )
    marks = []
    for row in range(len(told)):
        digest = hashlib.blake2b(plain[row].tobytes(), digest_size=8)
        for offset, column in columns:
            part = column[offset[row] : offset[row + 1]]
            digest.update(struct.pack("<q", len(part)) + part.tobytes())
        marks.append(digest.digest())
    return np.frombuffer(b"".join(marks), np.uint64)
