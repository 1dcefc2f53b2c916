"""The two sets of one kind, of which the base may be empty: which profiles are replicates, what a value is divided by.

The unit of replication is the run if several runs are known on both sides, else the profile. Of cumulative profiles it is
the difference between two snapshots of a run. A *basis* divides raw values by a weight: the profile's total (share), its
seconds, or the requests it served.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from slowpath.analysis.kinds.profiles.decoded.benchmark_profiles import is_benchmark_profile
from slowpath.analysis.kinds.profiles.decoded.profile_artifact import ProfileArtifact
from slowpath.analysis.kinds.profiles.decoded.profile_header import SampleType
from slowpath.analysis.kinds.profiles.estimates.rate_estimates import AS_EXPECTED, Scatter
from slowpath.analysis.kinds.profiles.sets.coverage import coverage_of
from slowpath.analysis.kinds.profiles.sets.load import FEWEST_REQUESTS, load_is_plausible, requests_in
from slowpath.analysis.kinds.profiles.stacks.stack_frames import Index
from slowpath.analysis.stats.distinct_values import distinct_values
from slowpath.units import NANOSECONDS_PER_SECOND

F64 = NDArray[np.float64]
BasisId = Literal["share", "mean", "per_second", "per_request"]


@dataclass(frozen=True)
class Normalization:
    """A normalization: displayed value = raw / weight x factor, in `unit`.

    Weights are per profile, base first. `scatter` is how the dispersions of the functions scatter with this
    normalization. `whole_weights` are those of the whole program, if `weights` are those of a part of it.
    """

    id: BasisId
    unit: str
    factor: float
    weights: F64
    scatter: Scatter = AS_EXPECTED
    whole_weights: F64 | None = None

    def of_part(self, part: F64) -> "Normalization":
        """Return the normalization of a part of the program, whose weight is this part of the whole in each profile."""
        return replace(self, weights=self.weights * part, whole_weights=self.weights)

    def scale(self, side: NDArray[np.bool_]) -> float:
        """Return the displayed value per summed raw value of the profiles `side`; 0 without weight."""
        weight = float(self.weights[side].sum())
        return self.factor / weight if weight else 0.0


@dataclass(frozen=True)
class ProfileSets:
    """The artifacts of one kind, base first, and how they replicate each other.

    `sample_type_of[p]` is the index of the compared sample type in profile p; `replicate[p]` numbers the replicate of profile p
    within its side. `sign[p]` is -1 for the earlier of two snapshots of one run, whose difference is the replicate, else 1;
    a snapshot between two others of its run occurs twice.
    """

    artifacts: tuple[ProfileArtifact, ...]
    base_count: int
    sample_type: SampleType
    sample_type_of: tuple[int, ...]
    replicate: Index
    sign: F64
    by_run: bool
    differenced: bool

    @property
    def is_base(self) -> NDArray[np.bool_]:
        """Return for each profile whether it belongs to the base."""
        return np.arange(len(self.artifacts)) < self.base_count

    @property
    def base(self) -> tuple[ProfileArtifact, ...]:
        """Return the artifacts of the base."""
        return self.artifacts[: self.base_count]

    @property
    def candidate(self) -> tuple[ProfileArtifact, ...]:
        """Return the artifacts of the candidate."""
        return self.artifacts[self.base_count :]

    def distinct(self, side: NDArray[np.bool_]) -> tuple[ProfileArtifact, ...]:
        """Return the artifacts of the profiles `side`, each once."""
        chosen = [artifact for artifact, is_in in zip(self.artifacts, side, strict=True) if is_in]
        return tuple({id(each): each for each in chosen}.values() if self.differenced else chosen)

    def replicates(self) -> tuple[int, int]:
        """Return the number of replicates of base and candidate."""
        return len(distinct_values(self.replicate[self.is_base])), len(distinct_values(self.replicate[~self.is_base]))

    @property
    def is_series(self) -> bool:
        """Return whether the replicates are parts of the time of a process, so that neighbors are alike."""
        return self.artifacts[0].table.kind == "cpu" or (self.differenced and not self.by_run)

    @property
    def replicate_name(self) -> Literal["run", "difference of snapshots", "profile"]:
        """Return what a replicate is, for texts that state a number of them: a run if one has several profiles."""
        if self.differenced and not self.by_run:
            return "difference of snapshots"
        return "run" if self.by_run and sum(self.replicates()) < len(self.artifacts) else "profile"

    @property
    def estimated(self) -> "tuple[ProfileSets, ...]":
        """Return the sets that values are estimated from: these and, if runs are the replicates, the same by profile.

        The sum over a run hides the variation of its profiles, so that bursts look like constant work.
        """
        return (self, self.by_profile()) if self.by_run and not self.differenced else (self,)

    def by_profile(self) -> "ProfileSets":
        """Return the same with every profile as a separate replicate."""
        sides = self.base_count, len(self.artifacts) - self.base_count
        return replace(self, replicate=np.concatenate([np.arange(count) for count in sides]), by_run=False)

    def totals(self) -> F64:
        """Return the raw total of the compared sample type in each profile, negative for subtracted snapshots."""
        totals = [a.table.total(i) for a, i in zip(self.artifacts, self.sample_type_of, strict=True)]
        return np.array(totals) * self.sign

    def times(self) -> tuple[F64, F64]:
        """Return when each replicate was captured, in seconds: (base, candidate).

        If any time is unknown, or two profiles have the same one, the sides count as captured one after the other in the given
        order: that is the usual order, and the most cautious assumption.
        """
        durations = np.array([float(a.table.duration_ns or a.facts.wall_ns or 0) for a in self.artifacts])
        durations /= NANOSECONDS_PER_SECOND
        first = min(a.table.time_ns for a in self.artifacts)
        middles: F64 = np.array([float(a.table.time_ns - first) for a in self.artifacts])
        middles /= NANOSECONDS_PER_SECOND
        middles += durations / 2
        if not self.timed:
            middles[:] = np.arange(len(middles)) * (float(durations.mean()) or UNKNOWN_SPACING)
        base, candidate = self.is_base, ~self.is_base
        return _means(middles[base], self.replicate[base]), _means(middles[candidate], self.replicate[candidate])

    @property
    def timed(self) -> bool:
        """Return whether the time of every profile is known."""
        starts = [a.table.time_ns for a, sign in zip(self.artifacts, self.sign, strict=True) if sign > 0]
        return min(starts) > 0 and len(set(starts)) == len(starts)

    def request_rates(self) -> tuple[float, float]:
        """Return the requests per second of base and candidate; 0 if unknown."""
        requests, seconds = _requests(self), _seconds(self)
        base, candidate = (
            float(requests[side].sum() / seconds[side].sum()) if seconds[side].sum() else 0.0
            for side in (self.is_base, ~self.is_base)
        )
        return base, candidate

    def folded(self, rows: F64) -> tuple[F64, F64]:
        """Sum (subjects x profiles) to (subjects x replicates) of base and candidate."""
        base, candidate = self.is_base, ~self.is_base
        return _fold(rows[:, base], self.replicate[base]), _fold(rows[:, candidate], self.replicate[candidate])


def _fold(rows: F64, replicate: Index) -> F64:
    count = int(replicate.max(initial=-1)) + 1
    if count == rows.shape[1]:
        return rows
    folded = np.zeros((rows.shape[0], count))
    for column, number in enumerate(replicate):
        folded[:, number] += rows[:, column]
    return folded


# Assumed seconds between captures without time and duration.
UNKNOWN_SPACING = 30.0


def _means(values: F64, replicate: Index) -> F64:
    means: F64 = np.bincount(replicate, weights=values) / np.bincount(replicate)
    return means


# Sample types that only grow while the process lives: one snapshot covers its complete lifetime.
CUMULATIVE = frozenset({"alloc_objects", "alloc_space", "contentions", "delay"})


def make_sets(
    base: Sequence[ProfileArtifact], candidate: Sequence[ProfileArtifact], sample_type: SampleType
) -> ProfileSets | None:
    """Make sets of one sample type, without profiles that lack it; None if no profile of a side has it.

    A side without profiles stays empty: values of one side can be viewed, not compared. Cumulative snapshots are subtracted
    from the next of their run if every run has two; else each is used alone.
    """
    sides = [[a for a in side if sample_type in a.table.sample_types] for side in (base, candidate)]
    if any(side and not having for side, having in zip((base, candidate), sides, strict=True)):
        return None
    runs = [_snapshots_by_run(side) for side in sides] if sample_type.type in CUMULATIVE else [None, None]
    by_run, replicate, differenced = *_replicates(sides[0], sides[1]), False
    if runs[0] is not None and runs[1] is not None:
        by_run, differenced = all(len(each) >= RUNS_SUFFICE for each in runs if each is not None), True
        pairs = [_differences(each or [], by_run=by_run) for each in runs]
        sides = [[snapshot for pair in each for snapshot in pair] for each in pairs]
        replicate = np.concatenate([np.repeat(np.arange(len(each)), 2) for each in pairs])
    artifacts = (*sides[0], *sides[1])
    return ProfileSets(
        artifacts=artifacts,
        base_count=len(sides[0]),
        sample_type=sample_type,
        sample_type_of=tuple(a.table.sample_types.index(sample_type) for a in artifacts),
        replicate=replicate,
        sign=np.tile([-1.0, 1.0], len(artifacts) // 2) if differenced else np.ones(len(artifacts)),
        by_run=by_run,
        differenced=differenced,
    )


# With this many runs per side, the run is the replicate of cumulative snapshots: a difference between snapshots does not show
# the variation between processes.
RUNS_SUFFICE = 4
# Maximum of differences between snapshots of one run; more snapshots are thinned evenly.
MOST_DIFFERENCES = 20


def _snapshots_by_run(side: Sequence[ProfileArtifact]) -> list[list[ProfileArtifact]] | None:
    """Return the snapshots of each run in the order of time.

    None unless every run has two at different times, without duration.
    """
    runs: dict[str, list[ProfileArtifact]] = {}
    for artifact in side:
        if artifact.facts.run is None or artifact.table.duration_ns or not artifact.table.time_ns:
            return None
        runs.setdefault(artifact.facts.run, []).append(artifact)
    ordered = []
    for snapshots in runs.values():
        by_time = {a.table.time_ns: a for a in snapshots}
        if len(by_time) < 2:
            return None
        ordered.append([by_time[time_ns] for time_ns in sorted(by_time)])
    return ordered


def _differences(
    runs: Sequence[Sequence[ProfileArtifact]], *, by_run: bool
) -> list[tuple[ProfileArtifact, ProfileArtifact]]:
    """Return pairs of snapshots to subtract: first and last of each run, or successive ones."""
    pairs = []
    for snapshots in runs:
        count = 1 if by_run else min(MOST_DIFFERENCES, len(snapshots) - 1)
        chosen = [snapshots[at] for at in np.linspace(0, len(snapshots) - 1, count + 1).round().astype(int)]
        pairs += list(pairwise(chosen))
    return pairs


def _replicates(base: Sequence[ProfileArtifact], candidate: Sequence[ProfileArtifact]) -> tuple[bool, Index]:
    """Replicate by run if both sides have several known runs: profiles of one run are not independent."""
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


# Sample types of a momentary state: they have no rate, but a mean over snapshots.
GAUGES = frozenset({"inuse_space", "inuse_objects", "goroutine", "goroutines", "thread", "threadcreate"})


def bases_of(sets: ProfileSets) -> tuple[Normalization, ...]:
    """Return all bases that are known for every profile, the weakest (share) first.

    If the process's CPU time is known, weights include the coverage: a sample then represents the CPU time that it was drawn
    from, and all samples together the CPU time of the process. An implausible load is not used.
    """
    bases = [Normalization("share", "share", 1.0, sets.totals())]
    if sets.sample_type.type in GAUGES:
        return (*bases, Normalization("mean", sets.sample_type.unit, 1.0, np.ones(len(sets.artifacts))))
    if any(is_benchmark_profile(artifact.table) for artifact in sets.artifacts):
        return (*bases, *_per_operation(sets))
    coverage = coverage_of(sets.artifacts)
    scale = np.ones(len(sets.artifacts)) if coverage is None else coverage
    seconds = _seconds(sets)
    unit = sets.sample_type.unit
    is_time = unit == "nanoseconds"
    if _has_weights(sets, seconds):
        bases.append(
            Normalization("per_second", _seconds_per_second(sets), 1 / NANOSECONDS_PER_SECOND, seconds * scale)
            if is_time
            else Normalization("per_second", f"{unit}/s", 1.0, seconds * scale)
        )
    requests = _requests(sets)
    if _has_weights(sets, requests) and load_is_plausible(sets.base, sets.candidate):
        bases.append(
            Normalization("per_request", "us/request", 1e-3, requests * scale)
            if is_time
            else Normalization("per_request", f"{unit}/request", 1.0, requests * scale)
        )
    return tuple(bases)


def _seconds_per_second(sets: ProfileSets) -> str:
    """Return the unit of time per second: `s/s` is that of CPU time, which waiting does not use."""
    return "s/s" if sets.artifacts[0].table.kind == "cpu" else "seconds/s"


def _per_operation(sets: ProfileSets) -> tuple[Normalization, ...]:
    """Return the basis per operation if all profiles are of benchmarks with known operations.

    Per second is meaningless for a benchmark: it runs as many operations as fit into its time.
    """
    operations = np.array([artifact.operations or 0.0 for artifact in sets.artifacts])
    if sets.differenced or not _has_weights(sets, operations):
        return ()
    if sets.sample_type.unit == "nanoseconds":
        return (Normalization("per_request", "us/op", 1e-3, operations),)
    return (Normalization("per_request", f"{sets.sample_type.unit}/op", 1.0, operations),)


def _has_weights(sets: ProfileSets, weights: F64) -> bool:
    """Return whether every replicate of both sides has a weight."""
    return all(bool(np.all(side > 0)) for side in sets.folded(weights[np.newaxis, :]))


def _seconds(sets: ProfileSets) -> F64:
    """Return the seconds that each profile covers.

    For a pair of snapshots the later one has the time between.
    """
    seconds = np.zeros(len(sets.artifacts))
    for number, artifact in enumerate(sets.artifacts):
        if not sets.differenced:
            duration: float = artifact.table.duration_ns or artifact.facts.wall_ns or 0
        elif sets.sign[number] > 0:
            duration = artifact.table.time_ns - sets.artifacts[number - 1].table.time_ns
        else:
            duration = 0
        seconds[number] = duration / NANOSECONDS_PER_SECOND
    return seconds


def _requests(sets: ProfileSets) -> F64:
    """Return the requests of each profile; of a pair of snapshots, the later one has those between. 0 if unknown or too few."""
    if not sets.differenced:
        return np.array([requests_in(artifact) for artifact in sets.artifacts])
    counted = np.array([float(artifact.facts.requests or np.nan) for artifact in sets.artifacts])
    between = np.repeat(counted[1::2] - counted[::2], 2) * (sets.sign > 0)
    return np.where(between >= FEWEST_REQUESTS, between, 0.0)
