"""All measurements of one kind of profile.

Its stacks, and estimates for categories, groups, functions and the total. `category_findings` and `function_findings`
decide what is reported.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, reduce

import numpy as np
from numpy.typing import NDArray

from slowpath.analysis.kinds.profiles.categories.stack_attribution import GROUPS, StackAttribution
from slowpath.analysis.kinds.profiles.comparison.block_variance import block_variance
from slowpath.analysis.kinds.profiles.comparison.common_factor import NOTHING, CommonFactor, common_factor
from slowpath.analysis.kinds.profiles.comparison.process_total import process_total
from slowpath.analysis.kinds.profiles.comparison.share_scaling import scale_shares
from slowpath.analysis.kinds.profiles.comparison.state_scatter import Contrast, Parts
from slowpath.analysis.kinds.profiles.comparison.variance_models import (
    between_processes,
    captured_in_turns,
    in_step,
    inflation_of,
    prior_of,
    spread_of_total,
)
from slowpath.analysis.kinds.profiles.estimates.profile_thresholds import ProfileThresholds
from slowpath.analysis.kinds.profiles.estimates.rate_estimates import (
    AS_EXPECTED,
    RateEstimates,
    ReplicateSums,
    estimate,
    scatter_of,
)
from slowpath.analysis.kinds.profiles.sets.coverage import coverage_of
from slowpath.analysis.kinds.profiles.sets.precomputed_totals import function_totals
from slowpath.analysis.kinds.profiles.sets.process_age import ProcessAges, find_process_ages
from slowpath.analysis.kinds.profiles.sets.profile_kind_values import ProfileKindValues, choose_basis, measure_kind
from slowpath.analysis.kinds.profiles.sets.profile_sets import Normalization, ProfileSets
from slowpath.analysis.kinds.profiles.sets.quantum import quantum_of
from slowpath.analysis.kinds.profiles.sets.request_mix import RequestMix, find_request_mix
from slowpath.analysis.kinds.profiles.sets.same_build import same_binary
from slowpath.analysis.kinds.profiles.sets.stack_values import StackValues, own_rows

F64 = NDArray[np.float64]
SideSums = tuple[ReplicateSums, ReplicateSums]
TOTAL = "total"
# Kinds that show waiting, not cost: shown, at best tentative, never decided.
WAITING_KINDS = frozenset({"block", "goroutine", "threadcreate"})


@dataclass(frozen=True)
class SubjectEstimates:
    """Named rows with their estimates: categories, groups and the total, or functions.

    `tested` is what changes are tested by: the same relative to the common factor. `mix` bounds the factor by which the mix of
    requests alone may change a row that is divided by requests of its own (low, high); NaN for rows divided by all requests.
    """

    names: tuple[str, ...]
    rows: F64
    estimates: RateEstimates
    tested: RateEstimates
    mix: tuple[F64, F64] | None = None

    def index(self, name: str) -> int:
        """Return the row of a name."""
        return self.names.index(name)


@dataclass(frozen=True)
class SubjectEstimator:
    """Estimates rows on the displayed basis, and on the one that changes are tested on.

    `shared` is the relative variance of the common factor, which is in every test.
    """

    sets: ProfileSets
    basis: Normalization
    test_basis: Normalization
    shared: float
    quantum: float
    thresholds: ProfileThresholds

    def subjects(self, names: tuple[str, ...], rows: F64) -> SubjectEstimates:
        """Estimate named rows (subjects x profiles, raw)."""
        sets, quantum, thresholds = self.sets, self.quantum, self.thresholds
        estimates = estimate_rows(rows, sets, self.basis, quantum, thresholds)
        if self.test_basis is self.basis:
            return SubjectEstimates(names, rows, estimates, estimates)
        tested = estimate_rows(rows, sets, self.test_basis, quantum, thresholds, between=self.shared)
        return SubjectEstimates(names, rows, estimates, tested)

    def of_part(self, part: F64) -> "SubjectEstimator":
        """Return the estimator of rows whose requests are this part of all in each profile, relative to the mean."""
        basis = self.basis.of_part(part)
        test_basis = basis if self.test_basis is self.basis else self.test_basis.of_part(part)
        return replace(self, basis=basis, test_basis=test_basis)

    def across_blocks(self, subjects: SubjectEstimates) -> SubjectEstimates:
        """Return the tests of the rows with the variation between two blocks of time, estimated from the halves of the sides.

        For sides captured one after the other whose program has too few parts for `Parts.contrast`, which covers it otherwise.
        """
        if self.test_basis is self.basis:
            return subjects
        rows, sets, thresholds = subjects.rows, self.sets, self.thresholds
        between = self.shared + block_variance(rows, sets, self.test_basis, self.quantum, thresholds.block_cv)
        tested = estimate_rows(rows, sets, self.test_basis, self.quantum, thresholds, between=between)
        return replace(subjects, tested=tested)


@dataclass(frozen=True)
class ProfileKindComparison(ProfileKindValues):
    """One kind of profile, base against candidate, on its default basis (other bases are estimated on demand)."""

    quantum: float
    thresholds: ProfileThresholds
    categories: SubjectEstimates
    functions: SubjectEstimates
    common: CommonFactor
    total_is_measured: bool
    estimator: SubjectEstimator

    @property
    def fewest_replicates(self) -> int:
        """Return the number of replicates per side below which nothing is certain."""
        return self.thresholds.fewest_replicates if self.kind == "cpu" else self.thresholds.fewest_for_other_kinds

    @property
    def certain(self) -> bool:
        """Return whether both sides have enough replicates to separate a change from the variation between them.

        Never for waiting: idle selects dominate block profiles, and the momentary state the others.
        """
        return self.kind not in WAITING_KINDS and min(self.sets.replicates()) >= self.fewest_replicates

    @property
    def significant(self) -> bool:
        """Return whether findings of this kind can be significant: never for one binary against itself."""
        return self.certain and not self.same_binary

    @cached_property
    def same_binary(self) -> bool:
        """Return whether both sides ran the same binary, so that no change is due to the code."""
        return same_binary(self.sets.base, self.sets.candidate)

    @cached_property
    def consecutive(self) -> bool:
        """Return whether the sides' CPU profiles were captured one after the other, so that time alone changes them."""
        return self.kind == "cpu" and not captured_in_turns(self.sets)

    @cached_property
    def request_mix(self) -> RequestMix | None:
        """Return the mix of requests if costs are per request and the mix differs between the sides."""
        if self.kind != "cpu" or self.basis.id != "per_request":
            return None
        return find_request_mix(self.sets.base, self.sets.candidate)

    @cached_property
    def process_ages(self) -> ProcessAges | None:
        """Return the ages of the processes if that of one side was new."""
        return find_process_ages(self.sets) if self.kind == "cpu" else None

    @cached_property
    def parts(self) -> Parts:
        """Return the counts of each stack on both sides, by the function it ends in."""
        return Parts.of(self.measured, self.attribution, self.sets, self.basis, self.quantum)

    def contrast(self, subjects: SubjectEstimates, row: int) -> Contrast | None:
        """Compare a row with the rest of the program: for labels, which are on any stack, with the whole program."""
        dispersion = float(subjects.tested.dispersion[row])
        if subjects is self.functions:
            return self.parts.contrast(self.occurrences.holding(row), dispersion)
        if subjects is self.categories:
            return self.parts.contrast(self.attribution.of(subjects.names[row]), dispersion)
        counts = np.abs(subjects.rows[row]) / self.quantum
        base = self.sets.is_base
        return self.parts.contrast_of((float(counts[base].sum()), float(counts[~base].sum())), dispersion)

    @property
    def floors(self) -> tuple[float, float]:
        """Return the smallest effect to report: (relative, as a share of the total)."""
        if self.kind == "cpu":
            return self.thresholds.least_relative, self.thresholds.least_of_total
        return self.thresholds.least_relative_other_kinds, self.thresholds.least_of_total_other_kinds

    def estimates(self, rows: F64, basis: Normalization) -> RateEstimates:
        """Estimate any rows (subjects x profiles) on any basis."""
        return estimate_rows(rows, self.sets, basis, self.quantum, self.thresholds)

    @cached_property
    def tellable(self) -> NDArray[np.bool_]:
        """Return which functions a finding can be on: user and library functions.

        The runtime's are categorized.
        """
        tellable: NDArray[np.bool_] = ~self.attribution.is_placeholder & ~self.attribution.is_runtime
        return tellable

    @cached_property
    def change(self) -> F64:
        """Return the change of each stack, candidate minus base, in the default basis's unit. Read-only."""
        base, candidate = self.scale(self.basis)
        return self.measured.weighted(np.where(self.sets.is_base, -base, candidate))

    @cached_property
    def weight(self) -> F64:
        """Return base plus candidate of each stack, each side to its own scale, in the default basis's unit."""
        base, candidate = self.scale(self.basis)
        return self.measured.weighted(np.where(self.sets.is_base, base, candidate))

    def largest_functions(self, count: int) -> list[int]:
        """Return the rows of the user functions with the largest totals."""
        total = np.abs(self.functions.rows).sum(axis=1)
        user = self.tellable & ~self.attribution.is_library & (total > 0)
        ranking = [row for row in np.argsort(-total, kind="stable").tolist() if user[row]]
        return ranking[:count]


def estimate_rows(
    rows: F64,
    sets: ProfileSets,
    basis: Normalization,
    quantum: float,
    thresholds: ProfileThresholds,
    *,
    between: F64 | float = 0.0,
) -> RateEstimates:
    """Estimate every row from the replicates; `between` is an additional relative variance."""
    sums = [sum_replicates(rows, each, basis) for each in sets.estimated]
    return estimate_sums(sums, sets, basis, quantum, thresholds, between=between)


def sum_replicates(rows: F64, sets: ProfileSets, basis: Normalization) -> SideSums:
    """Return the sums of both sides over the replicates, of values in each profile (subjects x profiles)."""
    values, weights = sets.folded(rows), sets.folded(basis.weights[np.newaxis, :])
    base, candidate = (ReplicateSums.of(v, w[0]) for v, w in zip(values, weights, strict=True))
    return base, candidate


def estimate_sums(
    sums: Sequence[SideSums],
    sets: ProfileSets,
    basis: Normalization,
    quantum: float,
    thresholds: ProfileThresholds,
    *,
    between: F64 | float = 0.0,
) -> RateEstimates:
    """Estimate every row from its sums over the replicates of each of `sets.estimated`; the widest interval is used."""
    estimates = [
        _estimate_sides(of_sets, each, basis, quantum=quantum, thresholds=thresholds, between=between)
        for of_sets, each in zip(sums, sets.estimated, strict=True)
    ]
    return reduce(RateEstimates.wider, estimates)


def _estimate_sides(
    sums: SideSums,
    sets: ProfileSets,
    basis: Normalization,
    *,
    quantum: float,
    thresholds: ProfileThresholds,
    between: F64 | float,
) -> RateEstimates:
    base, candidate = sums
    kind = sets.artifacts[0].table.kind
    fewest = min(base.replicates, candidate.replicates)
    prior = prior_of(thresholds, kind, fewest, spread_of_total(sets, basis), basis.scatter)
    return estimate(
        base,
        candidate,
        quantum=quantum,
        share=basis.id == "share",
        prior=prior,
        confidence=thresholds.confidence,
        inflation=inflation_of(sets, thresholds),
        in_step=in_step(sets),
        between=between + between_processes(sets, thresholds),
    )


# Functions with fewer counts per profile are too imprecise to estimate the scatter of functions.
FEWEST_COUNTS_TO_SCATTER = 3.0


def compare_kind(kind: str, sets: ProfileSets, thresholds: ProfileThresholds) -> ProfileKindComparison:
    """Merge the stacks, attribute and estimate them."""
    values = measure_kind(kind, sets)
    measured, attribution, stacks = values.measured, values.attribution, values.measured.stacks
    quantum = quantum_of(sets)
    categories = _category_rows(measured, attribution)
    counted = function_totals(stacks, sets)
    functions = values.occurrences.rows(measured) if counted is None else counted
    self_values = own_rows(measured, stacks.frames, len(stacks.labels))
    bases = tuple(with_scatter(each, self_values, sets, quantum, thresholds) for each in values.bases)
    basis = choose_basis(bases)
    common = NOTHING
    if kind == "cpu" and basis.id != "share":
        common = common_factor(estimate_rows(self_values, sets, basis, quantum, thresholds))
    test_basis = _test_basis(basis, sets, self_values, common)
    if test_basis is not basis:
        test_basis = with_scatter(test_basis, self_values, sets, quantum, thresholds)
    shared = common.error**2 if np.isfinite(common.error) else 0.0
    total = process_total(sets, basis, between_processes(sets, thresholds), thresholds)

    estimator = SubjectEstimator(sets, basis, test_basis, shared, quantum, thresholds)
    by_category = estimator.subjects((*attribution.categories, *GROUPS, TOTAL), categories)
    if total is not None:
        estimates, tested = (each.with_row(-1, total) for each in (by_category.estimates, by_category.tested))
        by_category = SubjectEstimates(by_category.names, categories, estimates, tested)
    return ProfileKindComparison(
        kind=kind,
        sets=sets,
        bases=bases,
        basis=basis,
        measured=measured,
        attribution=attribution,
        quantum=quantum,
        thresholds=thresholds,
        categories=by_category,
        functions=estimator.subjects(stacks.labels.names, functions),
        common=common,
        total_is_measured=total is not None,
        estimator=estimator,
    )


def _test_basis(basis: Normalization, sets: ProfileSets, self_values: F64, common: CommonFactor) -> Normalization:
    """Return the basis with the common factor removed from the weights.

    Shares are compositional: when one grows, all others shrink. They are tested against what did not change. On the other
    bases of CPU time the machine is removed: between the sides by the common factor, between the captures of a side by the
    process's CPU time if it is known and varies more than sampling does.
    """
    if basis.id == "share":
        return scale_shares(basis, sets, self_values)
    if common is NOTHING:
        return basis
    weights = basis.weights * _machine_factors(basis, sets)
    return replace(basis, weights=np.where(sets.is_base, weights, weights * common.tested))


def _machine_factors(basis: Normalization, sets: ProfileSets) -> F64:
    """Return per profile how slow the machine was relative to the other captures of its side."""
    factor = np.ones(len(sets.artifacts))
    if coverage_of(sets.artifacts) is None:
        return factor
    logs = np.log(sets.totals() / basis.weights)
    sides = [np.flatnonzero(mask) for mask in (sets.is_base, ~sets.is_base)]
    for side in sides:
        logs[side] -= logs[side].mean()
    spread = float(np.square(logs).sum()) / max(1, len(logs) - 2)
    sampling = float((quantum_of(sets) / sets.totals()).mean())
    factor = np.exp(logs * spread / (spread + sampling)) if spread > 0 else factor
    for side in sides:
        factor[side] *= basis.weights[side].sum() / (basis.weights[side] * factor[side]).sum()
    return factor


def _category_rows(measured: StackValues, attribution: StackAttribution) -> F64:
    rows = measured.by_group(attribution.category.astype(np.int64), len(attribution.categories))
    groups = [rows[[attribution.categories.index(part) for part in parts]].sum(axis=0) for parts in GROUPS.values()]
    return np.vstack([rows, *groups, rows.sum(axis=0)])


def with_scatter(
    basis: Normalization, self_values: F64, sets: ProfileSets, quantum: float, thresholds: ProfileThresholds
) -> Normalization:
    """Return the basis with the scatter of the functions' self values, which share no sample."""
    each = sets.by_profile()
    fewest = min(each.replicates())
    if sets.artifacts[0].table.kind != "cpu" or sets.differenced or fewest < thresholds.fewest_replicates:
        return basis
    base = sets.is_base
    counts = self_values.sum(axis=1) / quantum / len(sets.artifacts)
    rows = self_values[
        (counts >= FEWEST_COUNTS_TO_SCATTER) & self_values[:, base].any(axis=1) & self_values[:, ~base].any(axis=1)
    ]
    estimates = estimate_rows(rows, each, basis, quantum, thresholds)
    prior = prior_of(thresholds, "cpu", fewest, spread_of_total(each, basis), AS_EXPECTED)
    expected = prior.expected(rows.sum(axis=1) / quantum / len(sets.artifacts))
    df = np.full(len(rows), float(len(sets.artifacts) - 2))
    return replace(basis, scatter=scatter_of(estimates.raw_dispersion, df, expected))
