"""Find cost shifts: costs that changed their function, not their size (helpers extracted, inlining, renames).

If a function takes more and something else below one of its callers takes about that much less, the cost shifted inside
that caller. The process is the last common caller, so a renamed or re-parented root frame (a pool worker instead of a `go`
statement) is a cost shift, too.

Amounts that cancel are not enough, since unrelated costs may rise and fall in the same caller. The structure must agree:
one of the two functions appeared or vanished, or both call the same functions. Below the process, and for shares, which
change whenever anything changes, the two must also resemble each other.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from slowpath.analysis.findings import wording
from slowpath.analysis.findings.findings import CostShift
from slowpath.analysis.formats.go_function_names import package_of
from slowpath.analysis.kinds.profiles.direction import ONE_SIDED, estimate_stacks, tested_weights
from slowpath.analysis.kinds.profiles.function_keys import FunctionKey
from slowpath.analysis.kinds.profiles.group_sums import sum_by
from slowpath.analysis.kinds.profiles.profile_kind_comparison import ProfileKindComparison
from slowpath.analysis.kinds.profiles.rate_estimates import RateEstimates

F64 = NDArray[np.float64]
Mask = NDArray[np.bool_]

PROCESS = 0
"""Row of the root, which no frame has: every stack is below it."""
# A caller is a common caller if at least this share of the function's total is below it.
DOMINATES = 0.95
# The loss of the rest of the caller relative to the gain must be in this range: a small function that vanished next to
# a large new one is no shift.
LEAST_COMPENSATED, MOST_COMPENSATED = 0.15, 3.0
# Without a related counterpart, most of the gain must be lost in the rest of the caller: else the function grew, and what
# fell beside it is a small part of the change.
MOSTLY_COMPENSATED = 0.5
# Two functions are similar in size if one changed by at most this many times the other.
SIMILAR_SIZE = 2.0
# They call the same functions if at least this share of the change below them is common.
SAME_CALLEES = 0.5
# Changes that are equal except for rounding.
EQUAL = 1 - 1e-9


def compensating_caller(comparison: ProfileKindComparison, row: int) -> int | None:
    """Return the nearest caller, at last the process, in which this function's gain was lost elsewhere."""
    sides = _Sides.of(comparison)
    stacks = comparison.occurrences.holding(row)
    gained = float(sides.change[stacks].sum())
    if not gained:
        return None
    opposed = _is_opposed(comparison, row, gained)
    for caller in _common_callers(comparison, row):
        beneath = comparison.occurrences.holding(caller)
        if not opposed and -float(sides.change[beneath & ~stacks].sum()) / gained < LEAST_COMPENSATED:
            continue
        if _is_shift(comparison, sides, _Place(row, caller, stacks, beneath)):
            return caller
    all_stacks = np.ones_like(stacks)
    if opposed and _is_shift(comparison, sides, _Place(row, PROCESS, stacks, all_stacks)):
        return PROCESS
    return None


def _is_opposed(comparison: ProfileKindComparison, row: int, gained: float) -> bool:
    """Return whether any function changed in the other direction by enough; a cheap and rarely true test."""
    against = -comparison.functions.tested.difference / gained
    against[~comparison.tellable] = 0.0
    against[row] = 0.0
    return bool(np.any(against >= LEAST_COMPENSATED))


def find_cost_shift(comparison: ProfileKindComparison, row: int, caller: int) -> CostShift:
    """Describe the shift between this function and its counterpart below the caller."""
    sides = _Sides.of(comparison)
    stacks = comparison.occurrences.holding(row)
    beneath = np.ones_like(stacks) if caller == PROCESS else comparison.occurrences.holding(caller)
    counterpart = _counterpart(comparison, sides, _Place(row, caller, stacks, beneath))
    other = caller if counterpart is None else counterpart.row
    difference = float(comparison.functions.estimates.difference[row]) * comparison.basis.factor
    amount = abs(difference)
    if counterpart is not None:
        other_stacks = beneath & ~stacks & comparison.occurrences.holding(counterpart.row)
        amount = min(amount, abs(float(comparison.change[other_stacks].sum())))
    labels = comparison.labels
    source, target = (other, row) if difference > 0 else (row, other)
    text, words = wording.format_quantity(amount, comparison.basis.unit)
    under = f" under {wording.function(labels[caller].name)}" if caller != PROCESS else ""
    return CostShift(
        profile_kind=comparison.kind,
        from_function=labels[source].name,
        to_function=labels[target].name,
        common_caller=labels[caller].name,
        amount=amount,
        unit=comparison.basis.unit,
        sentence=(
            f"{text} {words} shifted from {wording.function(labels[source].name)} to "
            f"{wording.function(labels[target].name)}{under}, with the same total."
        ),
    )


@dataclass(frozen=True)
class _Sides:
    """Values of each stack (or function) on either side, on the scale that changes are tested on."""

    base: F64
    candidate: F64

    @classmethod
    def of(cls, comparison: ProfileKindComparison) -> "_Sides":
        basis, is_base = tested_weights(comparison), comparison.sets.is_base
        before, after = 1 / (float(basis.weights[is_base].sum()) or 1), 1 / (float(basis.weights[~is_base].sum()) or 1)
        measured = comparison.measured
        return cls(measured.weighted(np.where(is_base, before, 0.0)), measured.weighted(np.where(is_base, 0.0, after)))

    @property
    def change(self) -> F64:
        """Return candidate minus base."""
        return self.candidate - self.base


@dataclass(frozen=True)
class _Place:
    """A function that changed below a caller: `mine` are its stacks, `beneath` those of the caller."""

    row: int
    caller: int
    own_stacks: Mask
    beneath: Mask


@dataclass(frozen=True)
class _Counterpart:
    """The function below the caller with the largest opposite change.

    `one_sided`: it appeared or vanished there.
    """

    row: int
    lost: float
    one_sided: bool


def _is_shift(comparison: ProfileKindComparison, sides: _Sides, place: _Place) -> bool:
    """Return whether amounts and structure show a shift, to one function or to the rest of the caller."""
    gained = float(sides.change[place.own_stacks].sum())
    mine_is_one_sided = _is_one_sided(
        float(sides.base[place.own_stacks].sum()), float(sides.candidate[place.own_stacks].sum())
    )
    counterpart = _counterpart(comparison, sides, place)
    alpha = comparison.thresholds.alpha_moves
    if counterpart is not None:
        other_stacks = place.beneath & ~place.own_stacks & comparison.occurrences.holding(counterpart.row)
        pair = estimate_stacks(comparison, other_stacks)
        related = _have_same_callees(comparison, sides, place, counterpart.row)
        if mine_is_one_sided and counterpart.one_sided:
            related |= _are_named_alike(comparison.labels[place.row], comparison.labels[counterpart.row])
            is_similar = 1 / SIMILAR_SIZE <= counterpart.lost / abs(gained) <= SIMILAR_SIZE
            related |= is_similar and place.caller != PROCESS
        if related and _compensates(pair, gained, alpha):
            return True
    if place.caller == PROCESS or comparison.basis.id == "share":
        return False
    if not mine_is_one_sided and (counterpart is None or not counterpart.one_sided):
        return False
    rest = estimate_stacks(comparison, place.beneath & ~place.own_stacks)
    return _compensates(rest, gained, alpha) and -float(rest.difference[0]) / gained >= MOSTLY_COMPENSATED


def _compensates(estimates: RateEstimates, gained: float, alpha: float) -> bool:
    part = -float(estimates.difference[0]) / gained
    return float(estimates.p_value[0]) < alpha and LEAST_COMPENSATED <= part <= MOST_COMPENSATED


def _is_one_sided(base: float, candidate: float) -> bool:
    return min(base, candidate) < ONE_SIDED * max(base, candidate)


def _counterpart(comparison: ProfileKindComparison, sides: _Sides, place: _Place) -> _Counterpart | None:
    """Find the function with the largest change against `place.row`, on stacks without it and on all of the caller's.

    The second excludes what is still called below the caller, only through another frame.
    """
    sign = float(np.sign(sides.change[place.own_stacks].sum()))
    outside = _beneath(comparison, place.beneath & ~place.own_stacks, place.caller, sides)
    inside = _beneath(comparison, place.beneath & place.own_stacks, place.caller, sides)
    lost = -sign * (outside.candidate - outside.base)
    still = -sign * (inside.candidate - inside.base)
    against = np.minimum(lost, lost + still)
    against[~comparison.tellable] = 0.0
    against[place.row] = 0.0
    if place.caller != PROCESS:
        against[place.caller] = 0.0
    largest = float(against.max(initial=0.0))
    if largest <= 0:
        return None
    equal = np.flatnonzero(against >= EQUAL * largest).tolist()
    row = min(equal, key=lambda each: comparison.labels[each].key)
    base = float(outside.base[row] + inside.base[row])
    candidate = float(outside.candidate[row] + inside.candidate[row])
    return _Counterpart(row, largest, _is_one_sided(base, candidate))


def _beneath(comparison: ProfileKindComparison, stacks: Mask, caller: int, sides: _Sides) -> _Sides:
    """Sum both sides per function over the frames below the caller on these stacks."""
    occurrences, frames = comparison.occurrences, comparison.measured.stacks.frames
    chosen = np.flatnonzero(stacks & ((sides.base != 0) | (sides.candidate != 0)))
    where = frames.of(chosen)
    owner = np.repeat(chosen, frames.depth[chosen])
    counted = np.ones(len(where), dtype=np.bool_)
    if caller != PROCESS:
        reached = np.full(frames.count, len(frames.label))
        callers = np.flatnonzero(frames.label[where] == caller)[::-1]
        reached[owner[callers]] = where[callers]  # the last write is the outermost of several
        counted = where > reached[owner]
    if occurrences.first is not None:
        counted &= occurrences.first[where]
    labels, owners, count = frames.label[where[counted]], owner[counted], len(comparison.labels)
    return _Sides(sum_by(labels, sides.base[owners], count), sum_by(labels, sides.candidate[owners], count))


def _have_same_callees(comparison: ProfileKindComparison, sides: _Sides, place: _Place, other: int) -> bool:
    """Return whether the gain below one function and the loss below the other are the same work."""
    other_stacks = place.beneath & ~place.own_stacks & comparison.occurrences.holding(other)
    gained = _beneath(comparison, place.beneath & place.own_stacks, place.row, sides)
    lost = _beneath(comparison, other_stacks, other, sides)
    sign = float(np.sign(sides.change[place.own_stacks].sum()))
    more, less = sign * (gained.candidate - gained.base), -sign * (lost.candidate - lost.base)
    for work in (more, less):
        work[~comparison.tellable] = 0.0
        work[[place.row, other]] = 0.0
        np.maximum(work, 0.0, out=work)
    total_change = abs(float(sides.change[place.own_stacks].sum()))
    if max(float(more.max(initial=0.0)), float(less.max(initial=0.0))) < SAME_CALLEES * total_change:
        return False  # too few calls to compare
    common = float(np.minimum(more, less).sum())
    return common >= SAME_CALLEES * max(float(more.sum()), float(less.sum()))


def _are_named_alike(one: FunctionKey, other: FunctionKey) -> bool:
    """Return whether two names differ as by a rename: one receiver, enclosing function, method, or file."""
    if package_of(one.key) == package_of(other.key):
        if one.file and one.file == other.file:
            return True
        return not set(_parts(one.key)).isdisjoint(_parts(other.key))
    return _parts(one.key) == _parts(other.key)


def _parts(key: str) -> list[str]:
    """Split the name after the package, without marks of pointers and closures.

    `a/b.(*T).M.func` -> `T`, `M`.
    """
    name = key.removeprefix(package_of(key)).strip(".")
    parts = [part.strip("(*)") for part in name.split(".")]
    return [part for part in parts if part and part not in {"func", "gowrap", "deferwrap"}] or [name]


def _common_callers(comparison: ProfileKindComparison, row: int) -> list[int]:
    """Return reportable functions below which nearly all of this function is, nearest first."""
    frames, weight = comparison.measured.stacks.frames, np.abs(comparison.weight)
    holding = comparison.occurrences.holding(row)
    total = float(weight[holding].sum())
    heaviest = int(np.argmax(np.where(holding, weight, -1.0)))
    path = frames.label[int(frames.start[heaviest]) : int(frames.start[heaviest + 1])].tolist()
    above = dict.fromkeys(reversed(path[: path.index(row)]))
    return [
        caller
        for caller in above
        if comparison.tellable[caller]
        and float(weight[holding & comparison.occurrences.holding(caller)].sum()) >= DOMINATES * total
    ]
