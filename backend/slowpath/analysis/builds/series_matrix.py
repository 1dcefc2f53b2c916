"""The builds of a line side by side: for each kind a matrix of series over builds, in one unit."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from slowpath.analysis.builds.build_measurements import TOTAL, BasisId, Kind, KindMeasurement

F64 = NDArray[np.float64]
I32 = NDArray[np.int32]

PREFERRED: Final[tuple[BasisId, ...]] = ("per_request", "per_second", "share", "count", "quantile", "mean")
"""The surest way of counting first."""
MOSTLY: Final = 0.8
"""A way of counting that fewer of the builds know than this is not used for the line."""
SMALLEST_PART: Final = 0.002
"""Of the whole: what is smaller counts as so much, for the ratio of two trifles says nothing."""
OF_FUNCTIONS: Final = frozenset(
    {"profile.function", "profile.heap", "profile.allocs", "profile.mutex", "profile.block"}
)
"""Kinds whose subjects are functions, with all that they call."""
ADDS_UP: Final = frozenset({"profile.category", *OF_FUNCTIONS})
"""Kinds whose values are parts of a whole."""


@dataclass(frozen=True)
class SeriesMatrix:
    """Series of one kind: `values` and `errors` [series, builds] in `unit`, NaN where a build has none.

    `counts` [builds]: replicates of each build. `callers` and `categories` are the newest build's that has the subject.
    """

    kind: Kind
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
        """Return the unit of a subject: of benchmarks it stands behind the name."""
        return subject.rpartition(" ")[2] if self.kind == "bench" else self.unit

    def higher_is_worse(self, subject: str) -> bool:
        """Tell whether more of it is worse: not so for throughput."""
        return not (self.kind == "bench" and self.unit_of(subject).endswith("/s"))


def lay_out(
    measures: Sequence[KindMeasurement | None], *, least_share: float, only: Sequence[str] | None = None
) -> SeriesMatrix | None:
    """Lay measures of one kind, one a build in order (None: the build has none), beside each other.

    Subjects that nowhere are `least_share` of the whole are left out, unless `only` names what is wanted. None if no build
    has any.
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
    """Return the subjects that so many builds know; of those that no builds know so often, the ones known best.

    An environment that was made for one pull request has a value or two, and only makes more be asked of all others.
    """
    known = np.isfinite(line.values).sum(axis=1)
    enough = min(least, int(known.max(initial=0)))
    return [subject for subject, count in zip(line.subjects, known.tolist(), strict=True) if count >= enough]


def _basis(known: Sequence[KindMeasurement]) -> BasisId:
    """The best that the newest build and nearly all others know; else the best that the newest knows."""
    newest = [basis for basis in PREFERRED if basis in known[-1].bases]
    for basis in newest:
        if sum(basis in each.bases for each in known) >= MOSTLY * len(known):
            return basis
    return newest[0]


def _subjects(known: Sequence[KindMeasurement], basis: BasisId, least_share: float) -> list[str]:
    """Every subject that is large enough in some build, in order of its first appearance."""
    found: dict[str, None] = {}
    for measure in known:
        if basis not in measure.bases:
            continue
        value = measure.bases[basis].value
        whole = _whole(measure, basis)
        large = np.flatnonzero(value >= least_share * whole) if whole > 0 else np.arange(len(value))
        found |= dict.fromkeys(measure.subjects[position] for position in large.tolist())
    if known[0].kind == "profile.function":
        found.pop(TOTAL, None)  # it is a series among the categories
    return list(found)


def _whole(measure: KindMeasurement, basis: BasisId) -> float:
    if TOTAL in measure.subjects:
        return float(measure.bases[basis].value[measure.subjects.index(TOTAL)])
    return 0.0


def _fill(
    measure: KindMeasurement, basis: BasisId, row: Mapping[str, int], values: F64, errors: F64, *, adds_up: bool
) -> None:
    """Fill the column of a build. A part of a whole that the build has nothing of is as good as nothing, not unknown."""
    least = SMALLEST_PART * _whole(measure, basis) if adds_up else 0.0
    if least > 0:
        values[:] = least
    held = measure.bases[basis]
    places = [(position, row[subject]) for position, subject in enumerate(measure.subjects) if subject in row]
    if not places:
        return
    here, there = np.array(places).T
    values[there] = np.maximum(held.value[here], least)
    errors[there] = held.error[here]
