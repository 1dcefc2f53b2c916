"""Everything measured of one kind of profile: its stacks, and estimates for categories, groups, functions and all.

This is arithmetic on the whole; what of it is worth saying is decided in `category_findings` and
`function_findings`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from slowpath.analysis.profiles.attribution import GROUPS, Attribution, attribute
from slowpath.analysis.profiles.decoded_totals import function_totals
from slowpath.analysis.profiles.estimate import Estimates, Moments, Prior, estimate
from slowpath.analysis.profiles.labels import Label
from slowpath.analysis.profiles.measure import Measured, Occurrences, measure, own_rows
from slowpath.analysis.profiles.sets import Basis, BasisId, Sets, bases_of
from slowpath.analysis.profiles.stacks import stack_up
from slowpath.analysis.profiles.thresholds import Thresholds

F64 = NDArray[np.float64]
TOTAL = "total"
# Kinds that show what waits or stands, not what is paid: shown, at best called likely, never judged.
WAITING_KINDS = frozenset({"block", "goroutine", "threadcreate"})


@dataclass(frozen=True)
class Subjects:
    """Named rows with their estimates: categories, groups and the total, or functions.

    `tested` is what changes are judged by: the same, but for shares, which are judged against what did not change.
    """

    names: tuple[str, ...]
    rows: F64
    estimates: Estimates
    tested: Estimates

    def index(self, name: str) -> int:
        """The row of that name."""
        return self.names.index(name)


@dataclass(frozen=True)
class KindComparison:
    """One kind of profile, base against candidate, on its default basis (estimates on any other are made on demand)."""

    kind: str
    sets: Sets
    bases: tuple[Basis, ...]
    basis: Basis
    quantum: float
    thresholds: Thresholds
    measured: Measured
    attribution: Attribution
    occurrences: Occurrences
    categories: Subjects
    functions: Subjects

    @property
    def fewest_replicates(self) -> int:
        """Below this many replicates on a side, nothing is certain."""
        return self.thresholds.fewest_replicates if self.kind == "cpu" else self.thresholds.fewest_for_other_kinds

    @property
    def certain(self) -> bool:
        """Both sides have enough replicates to tell a change from the spread between them.

        Never so of waiting: idle selects rule block profiles, and what runs or waits at one moment rules the others.
        """
        return self.kind not in WAITING_KINDS and min(self.sets.replicates()) >= self.fewest_replicates

    @property
    def floors(self) -> tuple[float, float]:
        """Smallest effect worth telling: (relative, as a part of the total)."""
        if self.kind == "cpu":
            return self.thresholds.least_relative, self.thresholds.least_of_total
        return self.thresholds.least_relative_other_kinds, self.thresholds.least_of_total_other_kinds

    def scale(self, basis: Basis) -> tuple[float, float]:
        """(base, candidate): displayed value = summed raw value x scale."""
        base = self.sets.is_base
        return basis.factor / float(basis.weights[base].sum()), basis.factor / float(basis.weights[~base].sum())

    def estimates(self, rows: F64, basis: Basis) -> Estimates:
        """Estimates of any rows (subjects x profiles) on any basis."""
        return estimate_rows(rows, self.sets, basis, self.quantum, self.thresholds)

    @property
    def labels(self) -> tuple[Label, ...]:
        """What the functions are called; row i of `functions` is label i."""
        return self.measured.stacks.labels

    @cached_property
    def tellable(self) -> NDArray[np.bool_]:
        """Which functions can be told in a finding: those of users and libraries; the runtime's go by category."""
        named = np.array([bool(each.key) and not each.key.startswith("[") for each in self.labels], dtype=np.bool_)
        tellable: NDArray[np.bool_] = named & ~self.attribution.is_runtime
        return tellable

    @cached_property
    def change(self) -> F64:
        """Change of each stack, candidate minus base, in the default basis's unit. Not to be written to."""
        base, candidate = self.scale(self.basis)
        return self.measured.weighted(np.where(self.sets.is_base, -base, candidate))

    @cached_property
    def weight(self) -> F64:
        """Base plus candidate of each stack, each side to its own scale, in the default basis's unit."""
        base, candidate = self.scale(self.basis)
        return self.measured.weighted(np.where(self.sets.is_base, base, candidate))

    def largest_functions(self, count: int) -> list[int]:
        """Rows of the functions of users with the largest totals."""
        total = np.abs(self.functions.rows).sum(axis=1)
        user = self.tellable & ~self.attribution.is_library & (total > 0)
        ranking = [row for row in np.argsort(-total, kind="stable").tolist() if user[row]]
        return ranking[:count]


def estimate_rows(rows: F64, sets: Sets, basis: Basis, quantum: float, thresholds: Thresholds) -> Estimates:
    """Fold profiles to replicates and estimate every row."""
    values = sets.folded(rows)
    weights = sets.folded(basis.weights[np.newaxis, :])
    sides = [Moments.of(v, w[0]) for v, w in zip(values, weights, strict=True)]
    kind = sets.artifacts[0].table.kind
    prior = prior_of(thresholds, kind, min(side.replicates for side in sides))
    return estimate(
        sides[0], sides[1], quantum=quantum, share=basis.id == "share", prior=prior, confidence=thresholds.confidence
    )


def prior_of(thresholds: Thresholds, kind: str, fewest: int) -> Prior:
    """What is believed of the spread, given the replicates of the smaller side.

    The strong belief was measured on CPU profiles and is kept for them.
    """
    if kind != "cpu":
        weak = thresholds.other_kinds_df
        return Prior(thresholds.single_dispersion, thresholds.prior_cv_other_kinds, weak, weak)
    if fewest < thresholds.fewest_replicates:
        single = thresholds.single_df
        return Prior(thresholds.single_dispersion, thresholds.prior_cv, single, single)
    return Prior(thresholds.prior_dispersion, thresholds.prior_cv, thresholds.prior_df_few, thresholds.prior_df_many)


def compare_kind(kind: str, sets: Sets, thresholds: Thresholds) -> KindComparison:
    """Unite, lay out, attribute and estimate."""
    stacks = stack_up([artifact.table for artifact in sets.artifacts])
    bases = bases_of(sets)
    basis = choose_basis(bases)
    quantum = quantum_of(sets)
    measured = measure(stacks, sets)
    attribution = attribute(stacks.frames, stacks.labels)
    occurrences = Occurrences.of(stacks.frames, len(stacks.labels))
    categories = _category_rows(measured, attribution)
    counted = function_totals(stacks, sets)
    functions = occurrences.rows(measured) if counted is None else counted
    judging = _judging_basis(basis, sets, measured)

    def subjects(names: tuple[str, ...], rows: F64) -> Subjects:
        estimates = estimate_rows(rows, sets, basis, quantum, thresholds)
        tested = estimates if judging is basis else estimate_rows(rows, sets, judging, quantum, thresholds)
        return Subjects(names, rows, estimates, tested)

    return KindComparison(
        kind=kind,
        sets=sets,
        bases=bases,
        basis=basis,
        quantum=quantum,
        thresholds=thresholds,
        measured=measured,
        attribution=attribution,
        occurrences=occurrences,
        categories=subjects((*attribution.categories, *GROUPS, TOTAL), categories),
        functions=subjects(tuple(label.name for label in stacks.labels), functions),
    )


def _judging_basis(basis: Basis, sets: Sets, measured: Measured) -> Basis:
    """Shares are compositional: when one grows, all others shrink. They are judged against what did not change.

    The weights of the candidate are scaled by the weighted median of the functions' own share ratios, as if the load
    were known to be such that most of the work stayed the same (the idea of median-of-ratios, Anders and Huber 2010).
    """
    if basis.id != "share":
        return basis
    own = own_rows(measured, measured.stacks.frames, len(measured.stacks.labels))
    base = sets.is_base
    before = own[:, base].sum(axis=1) / max(float(basis.weights[base].sum()), 1e-300)
    after = own[:, ~base].sum(axis=1) / max(float(basis.weights[~base].sum()), 1e-300)
    both = (before > 0) & (after > 0)
    if not both.any():
        return Basis("per_request", basis.unit, basis.factor, basis.weights)
    # The root keeps one large function that grew from passing for what did not change.
    ratio, weight = after[both] / before[both], np.sqrt(np.minimum(before[both], after[both]))
    order = np.argsort(ratio)
    middle = np.searchsorted(np.cumsum(weight[order]), weight.sum() / 2)
    common = float(ratio[order][min(int(middle), len(order) - 1)])
    return Basis("per_request", basis.unit, basis.factor, np.where(base, basis.weights, basis.weights * common))


def _category_rows(measured: Measured, attribution: Attribution) -> F64:
    rows = measured.by_group(attribution.category.astype(np.int64), len(attribution.categories))
    groups = [rows[[attribution.categories.index(part) for part in parts]].sum(axis=0) for parts in GROUPS.values()]
    return np.vstack([rows, *groups, rows.sum(axis=0)])


def choose_basis(bases: Sequence[Basis]) -> Basis:
    """Per request if the load is known, else per second, else share."""
    by_id: dict[BasisId, Basis] = {basis.id: basis for basis in bases}
    return by_id.get("per_request") or by_id.get("per_second") or by_id["share"]


def quantum_of(sets: Sets) -> float:
    """Raw value of one independent count, which sets the least noise that a value can have.

    CPU: the value per sample. Memory: the sampling rate in bytes, for objects as many as make up those bytes. Others:
    the mean value of an event.
    """
    sample_type = sets.sample_type
    if sets.artifacts[0].table.kind == "cpu" and sample_type.unit == "count":
        return 1.0
    period = float(sets.artifacts[0].table.period or 1)
    total = float(np.abs(sets.totals()).sum())
    if sample_type.unit == "bytes":
        return period
    partner = _partner_total(sets)
    if sample_type.unit == "count" and partner.unit == "bytes":
        return max(1.0, total * period / partner.total) if partner.total else 1.0
    if partner.unit == "count" and partner.total:
        return total / partner.total
    return 1.0 if sample_type.unit == "count" else period


@dataclass(frozen=True)
class _Partner:
    unit: str
    total: float


def _partner_total(sets: Sets) -> _Partner:
    """The neighbouring sample type that counts what this one weighs, or weighs what it counts."""
    first = sets.artifacts[0].table
    index = sets.sample_type_of[0]
    family = first.sample_types[index].type.partition("_")[0]
    others = [i for i in range(len(first.sample_types)) if i != index]
    same = [i for i in others if first.sample_types[i].type.partition("_")[0] == family] or others
    if not same:
        return _Partner("", 0.0)
    wanted = first.sample_types[same[0]]
    tables = [a.table for a in sets.artifacts if wanted in a.table.sample_types]
    return _Partner(wanted.unit, sum(abs(t.total(t.sample_types.index(wanted))) for t in tables))
