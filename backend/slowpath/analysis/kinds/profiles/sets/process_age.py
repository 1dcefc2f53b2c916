"""Compare the ages of the processes of the sides: caches of a new process are cold."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from slowpath.analysis.kinds.profiles.sets.profile_sets import ProfileSets
from slowpath.units import MILLISECONDS_PER_SECOND

F64 = NDArray[np.float64]

# A process that started within this time is new.
NEW_SECONDS = 60.0


@dataclass(frozen=True)
class ProcessAges:
    """Ages in seconds of each side's replicates, when their capture began. The process of one side was new."""

    base: F64
    candidate: F64
    base_is_new: bool

    @property
    def overlap(self) -> bool:
        """Return whether the ranges of the ages of both sides overlap."""
        return bool(self.base.min() <= self.candidate.max() and self.candidate.min() <= self.base.max())


def find_process_ages(sets: ProfileSets) -> ProcessAges | None:
    """Return the ages if the process of exactly one side was new; None if not, or unless all ages are known."""
    ages = [artifact.facts.process_age_ms for artifact in sets.artifacts]
    known = [age / MILLISECONDS_PER_SECOND for age in ages if age is not None]
    if len(known) < len(ages):
        return None
    sums = sets.folded(np.array([known]))
    counts = sets.folded(np.ones((1, len(ages))))
    base, candidate = (total[0] / count[0] for total, count in zip(sums, counts, strict=True))
    new = [bool(np.array(known)[side].min() < NEW_SECONDS) for side in (sets.is_base, ~sets.is_base)]
    return ProcessAges(base, candidate, new[0]) if new[0] != new[1] else None
