"""Everything measured of one kind of profile: the forest, and estimates for categories, groups, functions and all.

This is arithmetic on the whole; what of it is worth saying is decided in `category_findings` and
`function_findings`.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from slowpath.analysis.attribution import GROUPS, Attribution, attribute
from slowpath.analysis.estimate import Estimates, Moments, Prior, estimate
from slowpath.analysis.forest import Forest, unite
from slowpath.analysis.measure import Measured, measure
from slowpath.analysis.sets import Basis, BasisId, Sets, bases_of
from slowpath.analysis.thresholds import Thresholds

F64 = NDArray[np.float64]
TOTAL = "total"


@dataclass(frozen=True)
class Subjects:
    """Named rows with their estimates: categories, groups and the total, or functions."""

    names: tuple[str, ...]
    rows: F64
    estimates: Estimates

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
    categories: Subjects
    functions: Subjects

    def scale(self, basis: Basis) -> tuple[float, float]:
        """(base, candidate): displayed value = summed raw value x scale."""
        base = self.sets.is_base
        return basis.factor / float(basis.weights[base].sum()), basis.factor / float(basis.weights[~base].sum())

    def estimates(self, rows: F64, basis: Basis) -> Estimates:
        """Estimates of any rows (subjects x profiles) on any basis."""
        return estimate_rows(rows, self.sets, basis, self.quantum, self.thresholds)

    def node_change(self) -> F64:
        """Change of each node's own value, candidate minus base, in the default basis's unit, in preorder."""
        scale_base, scale_candidate = self.scale(self.basis)
        change = np.zeros(self.measured.nodes)
        for number, (where, values) in enumerate(self.measured.own):
            is_base = number < self.sets.base_count
            change[where] += values * (-scale_base if is_base else scale_candidate)
        return change


def estimate_rows(rows: F64, sets: Sets, basis: Basis, quantum: float, thresholds: Thresholds) -> Estimates:
    """Fold profiles to replicates and estimate every row."""
    values = sets.folded(rows)
    weights = sets.folded(basis.weights[np.newaxis, :])
    sides = [Moments.of(v, w[0]) for v, w in zip(values, weights, strict=True)]
    single = min(side.replicates for side in sides) < thresholds.fewest_replicates
    prior = Prior(
        dispersion=thresholds.single_dispersion if single else thresholds.prior_dispersion,
        cv=thresholds.prior_cv,
        df=thresholds.prior_df,
    )
    return estimate(
        sides[0], sides[1], quantum=quantum, share=basis.id == "share", prior=prior, confidence=thresholds.confidence
    )


def compare_kind(kind: str, sets: Sets, thresholds: Thresholds) -> KindComparison:
    """Unite, lay out, attribute and estimate."""
    forest = unite([artifact.table for artifact in sets.artifacts])
    bases = bases_of(sets)
    basis = choose_basis(bases)
    quantum = quantum_of(sets)
    measured = measure(forest, sets, _side_scale(sets, basis))
    attribution = attribute(forest)
    categories = _category_rows(measured, attribution)
    functions = measured.inclusive(measured.label, len(forest.labels))
    return KindComparison(
        kind=kind,
        sets=sets,
        bases=bases,
        basis=basis,
        quantum=quantum,
        thresholds=thresholds,
        measured=measured,
        attribution=attribution,
        categories=Subjects(
            names=(*attribution.categories, *GROUPS, TOTAL),
            rows=categories,
            estimates=estimate_rows(categories, sets, basis, quantum, thresholds),
        ),
        functions=Subjects(
            names=tuple(label.name for label in forest.labels),
            rows=functions,
            estimates=estimate_rows(functions, sets, basis, quantum, thresholds),
        ),
    )


def _side_scale(sets: Sets, basis: Basis) -> F64:
    base = sets.is_base
    sums = np.where(base, basis.weights[base].sum(), basis.weights[~base].sum())
    return np.where(sums > 0, 1 / np.where(sums > 0, sums, 1), 0.0)


def _category_rows(measured: Measured, attribution: Attribution) -> F64:
    order = measured.tree.order
    rows = measured.by_group(attribution.category[order].astype(np.int64), len(attribution.categories))
    groups = [
        rows[[attribution.categories.index(part) for part in parts]].sum(axis=0) for parts in GROUPS.values()
    ]
    return np.vstack([rows, *groups, rows.sum(axis=0)])


def choose_basis(bases: Sequence[Basis]) -> Basis:
    """Per request if the load is known, else per second, else share."""
    by_id: dict[BasisId, Basis] = {basis.id: basis for basis in bases}
    return by_id.get("per_request") or by_id.get("per_second") or by_id["share"]


def quantum_of(sets: Sets) -> float:
    """Raw value of one count: the value per sample where samples are counted, else the sampling period, else 1."""
    counted = total = 0.0
    for artifact, index in zip(sets.artifacts, sets.sample_type_of, strict=True):
        table = artifact.table
        for other, sample_type in enumerate(table.sample_types):
            if sample_type.unit == "count" and other != index:
                counted += table.total(other)
                total += table.total(index)
                break
    if counted > 0 and total > 0:
        return total / counted
    return float(sets.artifacts[0].table.period or 1)


__all__ = ["TOTAL", "Forest", "KindComparison", "Subjects", "choose_basis", "compare_kind", "estimate_rows"]
