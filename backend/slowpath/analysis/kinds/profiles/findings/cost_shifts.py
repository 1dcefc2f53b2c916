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
from slowpath.analysis.kinds.profiles.comparison.direction import ONE_SIDED, estimate_stacks, tested_weights
from slowpath.analysis.kinds.profiles.comparison.profile_kind_comparison import ProfileKindComparison
from slowpath.analysis.kinds.profiles.decoded.function_keys import FunctionKey
from slowpath.analysis.kinds.profiles.decoded.group_sums import sum_by

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
# Functions examined as the other end: callers of what was lost lost nearly the same.
MOST_COUNTERPARTS = 6
# Changes that are equal except for rounding.
EQUAL = 1 - 1e-9


@dataclass(frozen=True)
class FoundShift:
    """A shift of the function `row`, its last common `caller` and the function on the other end.

    `amount` has the sign of the row's change, in the displayed unit; `other_stacks` are those on which it was lost, and
    `compensating_stacks` those that were tested for it: the same, or all others of the caller. `resembles`: the two call the same
    functions or are named alike; otherwise only their size and place agree.
    """

    row: int
    caller: int
    counterpart: int | None
    own_stacks: Mask
    other_stacks: Mask
    amount: float
    compensating_stacks: Mask
    resembles: bool


def find_cost_shift(comparison: ProfileKindComparison, row: int) -> FoundShift | None:
    """Find the nearest caller, at last the process, in which this function's gain was lost elsewhere."""
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
        shift = _shift_below(comparison, sides, _Place(row, caller, stacks, beneath))
        if shift is not None:
            return shift
    return _shift_below(comparison, sides, _Place(row, PROCESS, stacks, np.ones_like(stacks))) if opposed else None


def _is_opposed(comparison: ProfileKindComparison, row: int, gained: float) -> bool:
    """Return whether any function changed in the other direction by enough; a cheap and rarely true test."""
    against = -comparison.functions.tested.difference / gained
    against[~comparison.tellable] = 0.0
    against[row] = 0.0
    return bool(np.any(against >= LEAST_COMPENSATED))


def describe_cost_shift(comparison: ProfileKindComparison, shift: FoundShift, part: float | None = None) -> CostShift:
    """Describe the shift, or this part of it, between a function and its counterpart below the caller."""
    labels, amount = comparison.labels, abs(shift.amount) if part is None else part
    other = shift.caller if shift.counterpart is None else shift.counterpart
    source, target = (other, shift.row) if shift.amount > 0 else (shift.row, other)
    text, words = wording.format_quantity(amount, comparison.basis.unit)
    under = f" under {wording.function(labels[shift.caller].name)}" if shift.caller != PROCESS else ""
    return CostShift(
        profile_kind=comparison.kind,
        from_function=labels[source].name,
        to_function=labels[target].name,
        common_caller=labels[shift.caller].name,
        amount=amount,
        unit=comparison.basis.unit,
        sentence=(
            f"{text} {words} {'' if shift.resembles else 'possibly '}shifted from {wording.function(labels[source].name)} to "
            f"{wording.function(labels[target].name)}{under}, with the same total."
        ),
    )


def shifted_of_rows(comparison: ProfileKindComparison, shift: FoundShift) -> F64:
    """Return the part of each function's change that the shift explains: of the functions at its ends and their callers.

    A caller of both ends has none. Functions below the ends are left out: what they gained there is compared with what
    they lost.
    """
    occurrences, weight = comparison.occurrences, np.abs(comparison.weight)
    parts = np.zeros(len(comparison.labels))
    for stacks, amount in ((shift.own_stacks, shift.amount), (shift.other_stacks, -shift.amount)):
        of_end = np.where(stacks, weight, 0.0)
        parts += np.where(occurrences.sums(of_end) >= DOMINATES * float(of_end.sum()), amount, 0.0)
    return parts


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
    """A function below the caller with a large opposite change.

    `one_sided`: it appeared or vanished there.
    """

    row: int
    lost: float
    one_sided: bool


def _shift_below(comparison: ProfileKindComparison, sides: _Sides, place: _Place) -> FoundShift | None:
    """Return the shift to one function or to the rest of the caller, if amounts and structure show one."""
    gained = float(sides.change[place.own_stacks].sum())
    mine_is_one_sided = _is_one_sided(
        float(sides.base[place.own_stacks].sum()), float(sides.candidate[place.own_stacks].sum())
    )
    counterparts = _counterparts(comparison, sides, place)
    for counterpart in counterparts:
        resembles = _have_same_callees(comparison, sides, place, counterpart.row)
        is_similar = False
        if mine_is_one_sided and counterpart.one_sided:
            resembles |= _are_named_alike(comparison.labels[place.row], comparison.labels[counterpart.row])
            is_similar = 1 / SIMILAR_SIZE <= counterpart.lost / abs(gained) <= SIMILAR_SIZE and place.caller != PROCESS
        other = _stacks_of_other(comparison, place, counterpart.row)
        if (resembles or is_similar) and _compensates(comparison, other, gained):
            return _found(comparison, place, counterpart.row, other, resembles=resembles)
    if place.caller == PROCESS or comparison.basis.id == "share":
        return None
    largest = counterparts[0] if counterparts else None
    if not mine_is_one_sided and (largest is None or not largest.one_sided):
        return None
    rest = place.beneath & ~place.own_stacks
    if not _compensates(comparison, rest, gained, MOSTLY_COMPENSATED):
        return None
    return _found(comparison, place, None if largest is None else largest.row, rest, resembles=False)


def _found(
    comparison: ProfileKindComparison, place: _Place, counterpart: int | None, compensating: Mask, *, resembles: bool
) -> FoundShift:
    difference = float(comparison.functions.estimates.difference[place.row]) * comparison.basis.factor
    other = place.beneath & ~place.own_stacks
    amount = abs(difference)
    if counterpart is not None:
        other = _stacks_of_other(comparison, place, counterpart)
        amount = min(amount, abs(float(comparison.change[other].sum())))
    return FoundShift(
        row=place.row,
        caller=place.caller,
        counterpart=counterpart,
        own_stacks=place.own_stacks,
        other_stacks=other,
        amount=float(np.sign(difference)) * amount,
        compensating_stacks=compensating,
        resembles=resembles,
    )


def _stacks_of_other(comparison: ProfileKindComparison, place: _Place, row: int) -> Mask:
    return place.beneath & ~place.own_stacks & comparison.occurrences.holding(row)


def _compensates(
    comparison: ProfileKindComparison, stacks: Mask, gained: float, least: float = LEAST_COMPENSATED
) -> bool:
    estimates = estimate_stacks(comparison, stacks)
    part = -float(estimates.difference[0]) / gained
    return float(estimates.p_value[0]) < comparison.thresholds.alpha_moves and least <= part <= MOST_COMPENSATED


def _is_one_sided(base: float, candidate: float) -> bool:
    return min(base, candidate) < ONE_SIDED * max(base, candidate)


def _counterparts(comparison: ProfileKindComparison, sides: _Sides, place: _Place) -> list[_Counterpart]:
    """Find the functions with the largest changes against `place.row`, on stacks without it and on all of the caller's.

    The second excludes what is still called below the caller, only through another frame. Several, because the callers
    of what was lost lost as much, and a little more by chance; of equal ones, one.
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
    found: list[_Counterpart] = []
    least = MOSTLY_COMPENSATED * float(against.max(initial=0.0))
    while len(found) < MOST_COUNTERPARTS:
        largest = float(against.max(initial=0.0))
        if largest <= 0 or largest < least:
            break
        equal = np.flatnonzero(against >= EQUAL * largest)
        row = min(equal.tolist(), key=lambda each: comparison.labels[each].key)
        base, candidate = (
            float(outside.base[row] + inside.base[row]),
            float(outside.candidate[row] + inside.candidate[row]),
        )
        found.append(_Counterpart(row, largest, _is_one_sided(base, candidate)))
        against[equal] = 0.0
    return found


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
