"""Select and concatenate native histograms, all columns at once."""

import hashlib
import struct
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from slowpath.analysis.kinds.metrics.samples.series_data import NativeSeries, SparseBuckets

Ints = NDArray[np.int64]


def offsets_of(lengths: Ints) -> Ints:
    """Return the start of each of these many entries, concatenated: [n + 1]."""
    return np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths)])


def take_natives(histograms: NativeSeries, chosen: Ints) -> NativeSeries:
    """Return the histograms at these positions, in this order."""
    custom_offset, custom_at = _picked(histograms.custom_offset, chosen)
    return NativeSeries(
        histograms.schema[chosen],
        histograms.zero_threshold[chosen],
        histograms.zero_count[chosen],
        histograms.count[chosen],
        histograms.sum[chosen],
        _take_buckets(histograms.positive, chosen),
        _take_buckets(histograms.negative, chosen),
        histograms.reset_hint[chosen],
        custom_offset,
        histograms.custom_bounds[custom_at],
    )


def _take_buckets(buckets: SparseBuckets, chosen: Ints) -> SparseBuckets:
    offset, at = _picked(buckets.offset, chosen)
    return SparseBuckets(offset, buckets.index[at], buckets.count[at])


def _picked(offset: Ints, chosen: Ints) -> tuple[Ints, Ints]:
    """Return the offsets of the chosen rows concatenated, and the current positions of their entries."""
    lengths = np.diff(offset)[chosen]
    new_offsets = offsets_of(lengths)
    return new_offsets, np.repeat(offset[chosen] - new_offsets[:-1], lengths) + np.arange(int(new_offsets[-1]))


def join_natives(parts: Sequence[NativeSeries]) -> NativeSeries:
    """Concatenate histograms."""
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


def native_bits(histograms: NativeSeries) -> NDArray[np.uint64]:
    """Return a number for each histogram that is equal for equal histograms: [n]."""
    plain = np.column_stack(
        [histograms.schema, histograms.zero_threshold, histograms.zero_count, histograms.count, histograms.sum]
    )
    columns = (
        (histograms.positive.offset, histograms.positive.index),
        (histograms.positive.offset, histograms.positive.count),
        (histograms.negative.offset, histograms.negative.index),
        (histograms.negative.offset, histograms.negative.count),
        (histograms.custom_offset, histograms.custom_bounds),
    )
    marks = []
    for row in range(len(histograms)):
        digest = hashlib.blake2b(plain[row].tobytes(), digest_size=8)
        for offset, column in columns:
            part = column[offset[row] : offset[row + 1]]
            digest.update(struct.pack("<q", len(part)) + part.tobytes())
        marks.append(digest.digest())
    return np.frombuffer(b"".join(marks), np.uint64)
