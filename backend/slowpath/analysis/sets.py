"""The two sets of one kind: which profiles replicate which, and by what a value is divided.

The unit of replication is the run where several runs are known on both sides, else the profile. A *basis* divides
raw values by a weight: the profile's own total (share), its seconds, or the requests it served.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from slowpath.analysis.artifact import ProfileArtifact
from slowpath.analysis.profile_table import SampleType
from slowpath.analysis.tree import Index
from slowpath.units import NANOSECONDS_PER_SECOND

F64 = NDArray[np.float64]
BasisId = Literal["share", "per_second", "per_request"]


@dataclass(frozen=True)
class Basis:
    """A way of dividing: displayed value = raw / weight x factor, in `unit`. Weights are per profile, base first."""

    id: BasisId
    unit: str
    factor: float
    weights: F64


@dataclass(frozen=True)
class Sets:
    """The artifacts of one kind, base first, and how they replicate each other.

    `sample_type_of[p]` is the index of the compared sample type in profile p; `replicate[p]` numbers the replicate
    that profile p belongs to, within its side.
    """

    artifacts: tuple[ProfileArtifact, ...]
    base_count: int
    sample_type: SampleType
    sample_type_of: tuple[int, ...]
    replicate: Index
    by_run: bool

    @property
    def is_base(self) -> NDArray[np.bool_]:
        """Per profile: whether it is of the base."""
        return np.arange(len(self.artifacts)) < self.base_count

    @property
    def base(self) -> tuple[ProfileArtifact, ...]:
        """Artifacts of the base."""
        return self.artifacts[: self.base_count]

    @property
    def candidate(self) -> tuple[ProfileArtifact, ...]:
        """Artifacts of the candidate."""
        return self.artifacts[self.base_count :]

    def replicates(self) -> tuple[int, int]:
        """How many replicates the base and the candidate have."""
        return tuple(len(np.unique(self.replicate[side])) for side in (self.is_base, ~self.is_base))  # type: ignore[return-value]

    def totals(self) -> F64:
        """Raw total of the compared sample type in each profile."""
        return np.array([a.table.total(i) for a, i in zip(self.artifacts, self.sample_type_of, strict=True)])

    def folded(self, rows: F64) -> tuple[F64, F64]:
        """(subjects x profiles) summed to (subjects x replicates) of the base and of the candidate."""
        base, candidate = self.is_base, ~self.is_base
        return _fold(rows[:, base], self.replicate[base]), _fold(rows[:, candidate], self.replicate[candidate])


def _fold(rows: F64, replicate: Index) -> F64:
    count = int(replicate.max()) + 1
    if count == rows.shape[1]:
        return rows
    folded = np.zeros((rows.shape[0], count))
    for column, number in enumerate(replicate):
        folded[:, number] += rows[:, column]
    return folded


def make_sets(
    base: Sequence[ProfileArtifact], candidate: Sequence[ProfileArtifact], sample_type: SampleType
) -> Sets | None:
    """Sets comparing one sample type; profiles that lack it are left out; None when a side has none left."""
    kept_base = [a for a in base if sample_type in a.table.sample_types]
    kept_candidate = [a for a in candidate if sample_type in a.table.sample_types]
    if not kept_base or not kept_candidate:
        return None
    artifacts = (*kept_base, *kept_candidate)
    by_run, replicate = _replicates(kept_base, kept_candidate)
    return Sets(
        artifacts=artifacts,
        base_count=len(kept_base),
        sample_type=sample_type,
        sample_type_of=tuple(a.table.sample_types.index(sample_type) for a in artifacts),
        replicate=replicate,
        by_run=by_run,
    )


def _replicates(base: Sequence[ProfileArtifact], candidate: Sequence[ProfileArtifact]) -> tuple[bool, Index]:
    """By run when both sides have several known runs: profiles of one run share its placement and its luck."""
    sides = [[a.facts.run for a in side] for side in (base, candidate)]
    by_run = all(None not in runs and len(set(runs)) > 1 for runs in sides)
    numbers: list[int] = []
    for runs in sides:
        if by_run:
            known: dict[str | None, int] = {}
            numbers += [known.setdefault(run, len(known)) for run in runs]
        else:
            numbers += range(len(runs))
    return by_run, np.array(numbers, dtype=np.int64)


def bases_of(sets: Sets) -> tuple[Basis, ...]:
    """All bases that can be computed on both sides, the weakest (share) first."""
    found = [Basis("share", "share", 1.0, sets.totals())]
    seconds = np.array([_seconds(a) for a in sets.artifacts])
    unit = sets.sample_type.unit
    is_time = unit == "nanoseconds"
    if np.all(seconds > 0):
        found.append(
            Basis("per_second", "s/s", 1 / NANOSECONDS_PER_SECOND, seconds)
            if is_time
            else Basis("per_second", f"{unit}/s", 1.0, seconds)
        )
    requests = np.array([_requests(a) for a in sets.artifacts])
    if np.all(requests > 0):
        found.append(
            Basis("per_request", "us/request", 1e-3, requests)
            if is_time
            else Basis("per_request", f"{unit}/request", 1.0, requests)
        )
    return tuple(found)


def _seconds(artifact: ProfileArtifact) -> float:
    duration = artifact.table.duration_ns or artifact.facts.wall_ns or 0
    return duration / NANOSECONDS_PER_SECOND


def _requests(artifact: ProfileArtifact) -> float:
    """Requests served during the profile: those of the run's window, scaled to the profile's own duration."""
    requests, wall, duration = artifact.facts.requests, artifact.facts.wall_ns, artifact.table.duration_ns
    if not requests:
        return 0.0
    return requests * duration / wall if wall and duration else float(requests)
