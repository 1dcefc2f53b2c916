"""The build history of a branch: for each kind a matrix of series over builds, in one unit."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from slowpath.analysis.findings.build_measurements import TOTAL, BasisId, KindMeasurement
from slowpath.analysis.kinds.registry import measurement_kind, measurement_kinds

F64 = NDArray[np.float64]
I32 = NDArray[np.int32]

PREFERRED: Final[tuple[BasisId, ...]] = ("per_request", "per_second", "share", "count", "quantile", "mean")
"""The best normalization first."""
MOSTLY: Final = 0.8
"""A normalization that a smaller share of the builds has is not used."""
SMALLEST_PART: Final = 0.002
"""Share of the total: smaller values count as this much, because the ratio of two negligible values is meaningless."""
OF_FUNCTIONS: Final = frozenset(each.id for each in measurement_kinds().values() if each.has_functions)
"""Kinds whose subjects are functions, with all that they call."""
ADDS_UP: Final = frozenset(each.id for each in measurement_kinds().values() if each.adds_up)
"""Kinds whose values are parts of a total."""


@dataclass(frozen=True)
class SeriesMatrix:
    """Series of one kind: `values` and `errors` [series, builds] in `unit`, NaN where a build has none.

    `counts` [builds]: replicates of each build. `callers` and `categories` are those of the newest build with the subject.
    """

    kind: str
    basis: BasisId
    unit: str
    subjects: tuple[str, ...]
    values: F64
    errors: F64
    counts: I32
    callers: tuple[tuple[str, ...], ...]
    categories: tuple[str | None, ...]

    def index(self, subject: str) -> int | None:
        """Return the row of a subject, or None."""
        return self.subjects.index(subject) if subject in self.subjects else None

    def unit_of(self, subject: str) -> str:
        """Return the unit of a subject: for benchmarks it is the last word of the name."""
        return subject.rpartition(" ")[2] if measurement_kind(self.kind).has_units else self.unit

    def higher_is_worse(self, subject: str) -> bool:
        """Return whether a higher value is worse: false only for throughput."""
        return not (measurement_kind(self.kind).has_units and self.unit_of(subject).endswith("/s"))


def lay_out(
    measures: Sequence[KindMeasurement | None], *, least_share: float, only: Sequence[str] | None = None
) -> SeriesMatrix | None:
    """Make a matrix of measurements of one kind, one per build in order (None: the build has none).

    Subjects that never reach `least_share` of the total are omitted, unless `only` names them. None if no build has any.
    """
    known = [each for each in measures if each is not None]
    if not known:
        return None
    basis = _basis(known)
    unit = next(each.bases[basis].unit for each in reversed(known) if basis in each.bases)
    adds_up = known[0].kind in ADDS_UP
    subjects = _subjects(known, basis, least_share if adds_up and only is None else 0.0)
    if only is not None:
        subjects = [subject for subject in only if subject in set(subjects)]
    row = {subject: number for number, subject in enumerate(subjects)}
    values = np.full((len(subjects), len(measures)), np.nan)
    errors = np.full_like(values, np.nan)
    counts = np.zeros(len(measures), dtype=np.int32)
    callers: list[tuple[str, ...]] = [()] * len(subjects)
    categories: list[str | None] = [None] * len(subjects)
    for build, measure in enumerate(measures):
        if measure is None or basis not in measure.bases or measure.bases[basis].unit != unit:
            continue
        counts[build] = measure.replicates
        _fill(measure, basis, row, values[:, build], errors[:, build], adds_up=adds_up)
        for position, subject in enumerate(measure.subjects):
            if subject in row and measure.callers:
                callers[row[subject]] = measure.callers[position]
                categories[row[subject]] = measure.categories[position]
    return SeriesMatrix(
        known[0].kind, basis, unit, tuple(subjects), values, errors, counts, tuple(callers), tuple(categories)
    )


def lasting(line: SeriesMatrix, least: int) -> list[str]:
    """Return the subjects that at least `least` builds have.

    If there are none, those that most builds have. An environment created for one pull request has a value or two, and
    would only tighten the thresholds of all others.
    """
    known = np.isfinite(line.values).sum(axis=1)
    enough = min(least, int(known.max(initial=0)))
    return [subject for subject, count in zip(line.subjects, known.tolist(), strict=True) if count >= enough]


def _basis(known: Sequence[KindMeasurement]) -> BasisId:
    """Return the best normalization that the newest build and most others have.

    Else the best of the newest.
    """
    newest = [basis for basis in PREFERRED if basis in known[-1].bases]
    for basis in newest:
        if sum(basis in each.bases for each in known) >= MOSTLY * len(known):
            return basis
    return newest[0]


def _subjects(known: Sequence[KindMeasurement], basis: BasisId, least_share: float) -> list[str]:
    """Return every subject that is large enough in some build, in order of its first appearance."""
    subjects: dict[str, None] = {}
    for measure in known:
        if basis not in measure.bases:
            continue
        value = measure.bases[basis].value
        total = _total(measure, basis)
        large = np.flatnonzero(value >= least_share * total) if total > 0 else np.arange(len(value))
        subjects |= dict.fromkeys(measure.subjects[position] for position in large.tolist())
    if known[0].kind == "profile.function":
        subjects.pop(TOTAL, None)  # it is a series among the categories
    return list(subjects)


def _total(measure: KindMeasurement, basis: BasisId) -> float:
    if TOTAL in measure.subjects:
        return float(measure.bases[basis].value[measure.subjects.index(TOTAL)])
    return 0.0


def _fill(
    measure: KindMeasurement, basis: BasisId, row: Mapping[str, int], values: F64, errors: F64, *, adds_up: bool
) -> None:
    """Fill the column of a build.

    A missing part of a known total counts as the smallest part, not as unknown.
    """
    least = SMALLEST_PART * _total(measure, basis) if adds_up else 0.0
    if least > 0:
        values[:] = least
    subject_values = measure.bases[basis]
    places = [(position, row[subject]) for position, subject in enumerate(measure.subjects) if subject in row]
    if not places:
        return
    here, there = np.array(places).T
    values[there] = np.maximum(subject_values.value[here], least)
    errors[there] = subject_values.error[here]
