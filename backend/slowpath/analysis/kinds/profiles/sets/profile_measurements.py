"""Measure the profiles of one build: categories and functions, on every known normalization."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from slowpath.analysis.findings.build_measurements import (
    MOST_CALLERS,
    TOTAL,
    BasisId,
    KindMeasurement,
    SubjectValues,
    summarize_replicates,
)
from slowpath.analysis.kinds.profiles.categories.stack_attribution import GROUPS, StackAttribution, attribute_stacks
from slowpath.analysis.kinds.profiles.decoded.profile_artifact import ProfileArtifact
from slowpath.analysis.kinds.profiles.decoded.profile_header import SampleType
from slowpath.analysis.kinds.profiles.sets.precomputed_totals import function_totals
from slowpath.analysis.kinds.profiles.sets.profile_sets import Normalization, ProfileSets, bases_of, make_sets
from slowpath.analysis.kinds.profiles.sets.route_costs import measure_route_costs
from slowpath.analysis.kinds.profiles.sets.stack_values import FunctionOccurrences, StackValues, own_rows
from slowpath.analysis.kinds.profiles.sets.stack_values import lay_out_stack_values as lay_on
from slowpath.analysis.kinds.profiles.stacks.distinct_stacks import DistinctStacks, unite_stacks

F64 = NDArray[np.float64]

LEAST_SHARE: Final = 0.001
"""Share of the total: smaller functions are not stored."""
NEARLY_ALL: Final = 0.9
"""Share of a function's value below a caller that makes it the function's caller."""
CPU: Final = SampleType("cpu", "nanoseconds")
WEAK: Final[Mapping[str, SampleType]] = {
    "profile.heap": SampleType("inuse_space", "bytes"),
    "profile.allocs": SampleType("alloc_space", "bytes"),
    "profile.mutex": SampleType("delay", "nanoseconds"),
    "profile.block": SampleType("delay", "nanoseconds"),
}
"""Sample types by which other profile kinds are measured."""
RESOURCE_MEASURES: Final = (
    ("CPU", "profile.category", TOTAL, "profile.cpu"),
    ("heap in use", "profile.heap", TOTAL, "profile.heap"),
    ("allocated", "profile.allocs", TOTAL, "profile.allocs"),
)
"""What experiments measure besides the signature: name, kind and subject of the signature, kind of the artifact."""
IN_USE: Final = "inuse_space"
"""A state, not a flow: it has no value per request or second."""


def measure_build(
    stored_id: str, artifacts: Sequence[ProfileArtifact], most_functions: int
) -> tuple[KindMeasurement, ...]:
    """Measure the profiles of one build that are stored with an id, for example `profile.cpu`."""
    if stored_id in WEAK:
        return measure_profile_totals(artifacts, stored_id, most_functions)
    return measure_profiles(artifacts, most_functions)


def measure_profiles(artifacts: Sequence[ProfileArtifact], most_functions: int) -> tuple[KindMeasurement, ...]:
    """Measure the CPU profiles of one build: `profile.category` and `profile.function`.

    Empty if there are none. Functions are those outside the runtime (its work is in the categories), with all that they
    call, the largest first. Profiles of one run are one replicate if several runs are known.
    """
    table = artifacts[-1].table if artifacts else None
    if table is None or not table.sample_types:
        return ()
    sample_type = CPU if CPU in table.sample_types else table.sample_types[table.default_sample_type]
    sets = make_sets(artifacts, (), sample_type)
    if sets is None or float(sets.totals()[: sets.base_count].sum()) <= 0:
        return ()
    stacks = unite_stacks([artifact.table for artifact in sets.artifacts])
    measured = lay_on(stacks, sets)
    attribution = attribute_stacks(stacks.frames, stacks.labels)
    return (
        _categories(sets, measured, attribution),
        _functions(sets, stacks, measured, attribution, most_functions),
    )


def measure_profile_totals(
    artifacts: Sequence[ProfileArtifact], kind: str, most_functions: int
) -> tuple[KindMeasurement, ...]:
    """Measure heap, allocs, mutex or block profiles of one build.

    The total, and functions with all that they call. Heap in use is the mean of the snapshots. Allocations and waiting
    are per request or second if the profiles state their duration (two snapshots of one run do, by their difference),
    else a share only.
    """
    sample_type = WEAK[kind]
    with_type = [artifact for artifact in artifacts if sample_type in artifact.table.sample_types]
    sets = make_sets(with_type, (), sample_type) if with_type else None
    if sets is None or float(sets.totals()[: sets.base_count].sum()) <= 0:
        return ()
    stacks = unite_stacks([artifact.table for artifact in sets.artifacts])
    measured = lay_on(stacks, sets)
    attribution = attribute_stacks(stacks.frames, stacks.labels)
    return (replace(_functions(sets, stacks, measured, attribution, most_functions), kind=kind),)


def _categories(sets: ProfileSets, measured: StackValues, attribution: StackAttribution) -> KindMeasurement:
    rows = measured.by_group(attribution.category.astype(np.int64), len(attribution.categories))
    groups = [rows[[attribution.categories.index(part) for part in parts]].sum(axis=0) for parts in GROUPS.values()]
    rows = np.vstack([rows, *groups, rows.sum(axis=0)])
    names = (*attribution.categories, *GROUPS, TOTAL)
    nonzero = np.flatnonzero(rows[:, : sets.base_count].sum(axis=1) > 0)
    per_request = next((basis for basis in bases_of(sets) if basis.id == "per_request"), None)
    return KindMeasurement(
        "profile.category",
        _replicates(sets),
        tuple(names[place] for place in nonzero),
        _bases(sets, rows[nonzero]),
        routes={} if per_request is None else measure_route_costs(sets, per_request, _runs(sets)),
    )


def _functions(
    sets: ProfileSets, stacks: DistinctStacks, measured: StackValues, attribution: StackAttribution, most_functions: int
) -> KindMeasurement:
    occurrences = FunctionOccurrences.of(stacks.frames, len(stacks.labels))
    counted = function_totals(stacks, sets)
    rows = occurrences.rows(measured) if counted is None else counted
    total = measured.by_group(np.zeros(stacks.frames.count, dtype=np.int64), 1)
    weight = rows[:, : sets.base_count].sum(axis=1)
    weight[0] = 0.0
    weight[attribution.is_runtime] = 0.0
    order = np.argsort(-weight, kind="stable")[:most_functions]
    selected = order[weight[order] >= LEAST_SHARE * float(total[:, : sets.base_count].sum())]
    base_values = measured.weighted(np.where(sets.is_base, 1.0, 0.0))
    self_values = own_rows(measured, stacks.frames, len(stacks.labels))[:, : sets.base_count].sum(axis=1)
    names = tuple(stacks.labels[position].name for position in selected.tolist())
    return KindMeasurement(
        "profile.function",
        _replicates(sets),
        (*names, TOTAL),
        _bases(sets, np.vstack([rows[selected], total])),
        (*(_callers(stacks, attribution, base_values, label, weight[label]) for label in selected.tolist()), ()),
        (
            *(_category(stacks, attribution, base_values, label, self_values[label]) for label in selected.tolist()),
            None,
        ),
    )


def _callers(
    stacks: DistinctStacks, attribution: StackAttribution, base_values: F64, label: int, weight: float
) -> tuple[str, ...]:
    """Return user functions below which nearly all of a function's value is, nearest first."""
    frames = stacks.frames
    at = np.flatnonzero(frames.label == label)
    owner, first = np.unique(frames.owner_of(at), return_index=True)
    at = at[first]
    lengths = at - frames.start[owner]
    ends = np.cumsum(lengths)
    if not len(ends) or ends[-1] == 0:
        return ()
    above = np.repeat(frames.start[owner] - (ends - lengths), lengths) + np.arange(int(ends[-1]))
    names = frames.label[above]
    pair = np.repeat(owner, lengths) * len(stacks.labels) + names
    _, once = np.unique(pair, return_index=True)
    value = np.repeat(base_values[owner], lengths)
    beneath = np.bincount(names[once], weights=value[once], minlength=len(stacks.labels))
    distance = np.bincount(names, weights=value * (np.repeat(at, lengths) - above), minlength=len(stacks.labels))
    callers = [
        caller
        for caller in np.flatnonzero(beneath >= NEARLY_ALL * weight).tolist()
        if caller not in (0, label) and not attribution.is_runtime[caller]
    ]
    callers.sort(key=lambda caller: distance[caller] / beneath[caller])
    return tuple(stacks.labels[caller].name for caller in callers[:MOST_CALLERS])


def _category(
    stacks: DistinctStacks, attribution: StackAttribution, base_values: F64, label: int, self_value: float
) -> str | None:
    """Return the category that most of a function's self value is in; None if it has no self value."""
    if self_value <= 0:
        return None
    frames = stacks.frames
    filled = np.flatnonzero(frames.depth > 0)
    ends = filled[frames.label[frames.start[1:][filled] - 1] == label]
    sums = np.bincount(attribution.category[ends], weights=base_values[ends], minlength=len(attribution.categories))
    return attribution.categories[int(sums.argmax())]


def _runs(sets: ProfileSets) -> NDArray[np.int64]:
    """Return the replicate of each profile: its run, if several runs are known, else its difference of snapshots."""
    runs = [artifact.facts.run for artifact in sets.base]
    if None in runs or len(set(runs)) < 2:
        return sets.replicate[: sets.base_count] if sets.differenced else np.arange(sets.base_count)
    return np.unique(np.array(runs), return_inverse=True)[1].astype(np.int64)


def _replicates(sets: ProfileSets) -> int:
    return int(_runs(sets).max()) + 1


def _bases(sets: ProfileSets, rows: F64) -> dict[BasisId, SubjectValues]:
    """Return the values on every normalization, the best first."""
    run = _runs(sets)
    by_replicate = _by_run(rows[:, : sets.base_count], run)

    def values(basis: Normalization) -> SubjectValues:
        weights = _by_run(basis.weights[np.newaxis, : sets.base_count], run)[0]
        return summarize_replicates(basis.unit, by_replicate, weights, basis.factor)

    if sets.sample_type.type == IN_USE:
        snapshots = _by_run(np.ones((1, sets.base_count)), run)[0]
        return {"mean": summarize_replicates(sets.sample_type.unit, by_replicate, snapshots, 1.0)}
    return {basis.id: values(basis) for basis in reversed(bases_of(sets))}


def _by_run(rows: F64, run: NDArray[np.int64]) -> F64:
    by_replicate = np.zeros((len(rows), int(run.max()) + 1))
    for column, number in enumerate(run.tolist()):
        by_replicate[:, number] += rows[:, column]
    return by_replicate
