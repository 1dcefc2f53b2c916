"""Separate samples that are new from those that are stored already and those that contradict stored ones."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from slowpath.analysis.kinds.metrics.samples.column_codec import Ints
from slowpath.analysis.kinds.metrics.samples.sample_columns import by_series

Mask = NDArray[np.bool_]
Bits = NDArray[np.uint64]

NOTHING: Final[tuple[Ints, Bits]] = (np.zeros(0, np.int64), np.zeros(0, np.uint64))


@dataclass(frozen=True)
class DeduplicationMasks:
    """The outcome for n samples: exactly one of three masks each."""

    new: Mask
    same: Mask
    """Stored before with the same value: nothing to do."""
    contrary: Mask
    """Another value at the same time of the same series, stored or earlier in the request."""


def deduplicate_within_request(slots: Ints, times_ms: Ints, bits: Bits) -> DeduplicationMasks:
    """Compare samples with earlier ones in the same request."""
    n = len(slots)
    order = np.lexsort((times_ms, slots))
    again = np.zeros(n, np.bool_)
    again[1:] = (np.diff(slots[order]) == 0) & (np.diff(times_ms[order]) == 0)
    if not again.any():
        nothing = np.zeros(n, np.bool_)
        return DeduplicationMasks(~nothing, nothing, nothing)
    first = order[np.maximum.accumulate(np.where(again, 0, np.arange(n)))]
    same, contrary = np.zeros(n, np.bool_), np.zeros(n, np.bool_)
    equal = bits[order] == bits[first]
    same[order] = again & equal
    contrary[order] = again & ~equal
    return DeduplicationMasks(~(same | contrary), same, contrary)


def deduplicate_against_stored(
    slots: Ints, times_ms: Ints, bits: Bits, stored: Mapping[int, tuple[Ints, Bits]]
) -> DeduplicationMasks:
    """Compare samples with stored ones: by slot, ascending times and the values' bits."""
    n = len(slots)
    same, contrary = np.zeros(n, np.bool_), np.zeros(n, np.bool_)
    order = np.argsort(slots, kind="stable")
    for slot, run in by_series(slots[order]):
        times, values = stored.get(slot, NOTHING)
        if not len(times):
            continue
        positions = order[run]
        at = np.minimum(np.searchsorted(times, times_ms[positions]), len(times) - 1)
        found = times[at] == times_ms[positions]
        equal = values[at] == bits[positions]
        same[positions] = found & equal
        contrary[positions] = found & ~equal
    return DeduplicationMasks(~(same | contrary), same, contrary)
