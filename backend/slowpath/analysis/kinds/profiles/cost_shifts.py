"""Find cost shifts: costs that changed their place and not their size (helpers extracted, inlining, renames).

If a function takes more and something else beneath one of its callers takes about that much less, the cost moved
inside that caller. The process is the last common caller, so a renamed or re-parented root frame (a pool worker
instead of a `go` statement) is a cost shift, too.

Amounts that cancel are not enough, since unrelated costs may rise and fall in the same caller. The structure must
agree: one of the two functions appeared or vanished, or both call the same functions. Beneath the process, and for
shares, which move whenever anything moves, the two must also resemble each other.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from slowpath.analysis.findings import wording
from slowpath.analysis.findings.findings import CostShift
from slowpath.analysis.formats.go_function_names import package_of
from slowpath.analysis.kinds.profiles.direction import ONE_SIDED, estimate_stacks, judged_weights
from slowpath.analysis.kinds.profiles.function_keys import FunctionKey
from slowpath.analysis.kinds.profiles.group_sums import sum_by
from slowpath.analysis.kinds.profiles.profile_kind_comparison import ProfileKindComparison
from slowpath.analysis.kinds.profiles.rate_estimates import RateEstimates

F64 = NDArray[np.float64]
Mask = NDArray[np.bool_]

PROCESS = 0
"""Row of the root, which no frame has: beneath it lies every stack."""
# A caller is a common caller if this much of the function's total lies beneath it.
DOMINATES = 0.95
# What the rest of the caller lost must be of the size of what was gained: a small function that went away beside a
# large one that came is no move.
LEAST_COMPENSATED, MOST_COMPENSATED = 0.15, 3.0
# Two functions resemble each other in size if one changed by at most this many times the other.
SIMILAR_SIZE = 2.0
# They call the same functions if this much of what changed beneath them is common to both.
SAME_CALLEES = 0.5
# Changes of equal size but for rounding.
EQUAL = 1 - 1e-9


def compensating_caller(comparison: ProfileKindComparison, row: int) -> int | None:
    """Return the nearest caller, at last the process, in which what this function gained was lost elsewhere."""
    sides = _Sides.of(comparison)
    mine = comparison.occurrences.holding(row)
    gained = float(sides.change[mine].sum())
    if not gained:
        return None
    opposed = _is_opposed(comparison, row, gained)
    for caller in _common_callers(comparison, row):
        beneath = comparison.occurrences.holding(caller)
        if not opposed and -float(sides.change[beneath & ~mine].sum()) / gained < LEAST_COMPENSATED:
            continue
        if _is_shift(comparison, sides, _Place(row, caller, mine, beneath)):
            return caller
    everything = np.ones_like(mine)
    if opposed and _is_shift(comparison, sides, _Place(row, PROCESS, mine, everything)):
        return PROCESS
    return None


def _is_opposed(comparison: ProfileKindComparison, row: int, gained: float) -> bool:
    """Whether any function changed the other way by enough: known without looking at stacks, and seldom so."""
    against = -comparison.functions.tested.difference / gained
    against[~comparison.tellable] = 0.0
    against[row] = 0.0
    return bool(np.any(against >= LEAST_COMPENSATED))


def find_cost_shift(comparison: ProfileKindComparison, row: int, caller: int) -> CostShift:
    """Describe the move between this function and its counterpart beneath the caller."""
    sides = _Sides.of(comparison)
    mine = comparison.occurrences.holding(row)
    beneath = np.ones_like(mine) if caller == PROCESS else comparison.occurrences.holding(caller)
    found = _counterpart(comparison, sides, _Place(row, caller, mine, beneath))
    other = caller if found is None else found.row
    full = float(comparison.functions.estimates.difference[row]) * comparison.basis.factor
    amount = abs(full)
    if found is not None:
        theirs = beneath & ~mine & comparison.occurrences.holding(found.row)
        amount = min(amount, abs(float(comparison.change[theirs].sum())))
    labels = comparison.labels
    source, target = (other, row) if full > 0 else (row, other)
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
            f"{text} {words} moved from {wording.function(labels[source].name)} to "
            f"{wording.function(labels[target].name)}{under}: moved, not changed."
        ),
    )


@dataclass(frozen=True)
class _Sides:
    """Value of each stack (or function) on either side, on the scale that changes are tested on."""

    base: F64
    candidate: F64

    @classmethod
    def of(cls, comparison: ProfileKindComparison) -> "_Sides":
        basis, is_base = judged_weights(comparison), comparison.sets.is_base
        before, after = 1 / (float(basis.weights[is_base].sum()) or 1), 1 / (float(basis.weights[~is_base].sum()) or 1)
        measured = comparison.measured
        return cls(measured.weighted(np.where(is_base, before, 0.0)), measured.weighted(np.where(is_base, 0.0, after)))

    @property
    def change(self) -> F64:
        """Candidate minus base."""
        return self.candidate - self.base


@dataclass(frozen=True)
class _Place:
    """A function that changed beneath a caller: `mine` are its stacks, `beneath` those of the caller."""

    row: int
    caller: int
    mine: Mask
    beneath: Mask


@dataclass(frozen=True)
class _Counterpart:
    """The function beneath the caller that changed most the other way; `one_sided`: it appeared or vanished there."""

    row: int
    lost: float
    one_sided: bool


def _is_shift(comparison: ProfileKindComparison, sides: _Sides, place: _Place) -> bool:
    """Whether amounts and structure agree that the cost moved, to one function or to the rest of the caller."""
    gained = float(sides.change[place.mine].sum())
    mine_is_one_sided = _is_one_sided(float(sides.base[place.mine].sum()), float(sides.candidate[place.mine].sum()))
    found = _counterpart(comparison, sides, place)
    alpha = comparison.thresholds.alpha_moves
    if found is not None:
        theirs = place.beneath & ~place.mine & comparison.occurrences.holding(found.row)
        pair = estimate_stacks(comparison, theirs)
        related = _have_same_callees(comparison, sides, place, found.row)
        if mine_is_one_sided and found.one_sided:
            related |= _are_named_alike(comparison.labels[place.row], comparison.labels[found.row])
            alike = 1 / SIMILAR_SIZE <= found.lost / abs(gained) <= SIMILAR_SIZE
            related |= alike and place.caller != PROCESS
        if related and _compensates(pair, gained, alpha):
            return True
    if place.caller == PROCESS or comparison.basis.id == "share":
        return False
    if not mine_is_one_sided and (found is None or not found.one_sided):
        return False
    return _compensates(estimate_stacks(comparison, place.beneath & ~place.mine), gained, alpha)


def _compensates(estimates: RateEstimates, gained: float, alpha: float) -> bool:
    part = -float(estimates.difference[0]) / gained
    return float(estimates.p_value[0]) < alpha and LEAST_COMPENSATED <= part <= MOST_COMPENSATED


def _is_one_sided(base: float, candidate: float) -> bool:
    return min(base, candidate) < ONE_SIDED * max(base, candidate)


def _counterpart(comparison: ProfileKindComparison, sides: _Sides, place: _Place) -> _Counterpart | None:
    """Find the function that changed most against `place.row`, on stacks without it and on those of the caller in all.

    The second leaves out what is still called beneath the caller, only through another frame.
    """
    sign = float(np.sign(sides.change[place.mine].sum()))
    outside = _beneath(comparison, place.beneath & ~place.mine, place.caller, sides)
    inside = _beneath(comparison, place.beneath & place.mine, place.caller, sides)
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
    """Sum both sides per function over what stands beneath the caller on these stacks."""
    occurrences, frames = comparison.occurrences, comparison.measured.stacks.frames
    chosen = np.flatnonzero(stacks & ((sides.base != 0) | (sides.candidate != 0)))
    where = frames.of(chosen)
    owner = np.repeat(chosen, frames.depth[chosen])
    counted = np.ones(len(where), dtype=np.bool_)
    if caller != PROCESS:
        reached = np.full(frames.count, len(frames.label))
        callers = np.flatnonzero(frames.label[where] == caller)[::-1]
        reached[owner[callers]] = where[callers]  # of several on a stack, the last that is written stays: the outermost
        counted = where > reached[owner]
    if occurrences.first is not None:
        counted &= occurrences.first[where]
    labels, owners, count = frames.label[where[counted]], owner[counted], len(comparison.labels)
    return _Sides(sum_by(labels, sides.base[owners], count), sum_by(labels, sides.candidate[owners], count))


def _have_same_callees(comparison: ProfileKindComparison, sides: _Sides, place: _Place, other: int) -> bool:
    """Whether what one function gained and the other lost beneath them is the same work."""
    theirs = place.beneath & ~place.mine & comparison.occurrences.holding(other)
    gained = _beneath(comparison, place.beneath & place.mine, place.row, sides)
    lost = _beneath(comparison, theirs, other, sides)
    sign = float(np.sign(sides.change[place.mine].sum()))
    more, less = sign * (gained.candidate - gained.base), -sign * (lost.candidate - lost.base)
    for work in (more, less):
        work[~comparison.tellable] = 0.0
        work[[place.row, other]] = 0.0
        np.maximum(work, 0.0, out=work)
    whole = abs(float(sides.change[place.mine].sum()))
    if max(float(more.max(initial=0.0)), float(less.max(initial=0.0))) < SAME_CALLEES * whole:
        return False  # hardly anything is called: what is common says nothing
    common = float(np.minimum(more, less).sum())
    return common >= SAME_CALLEES * max(float(more.sum()), float(less.sum()))


def _are_named_alike(one: FunctionKey, other: FunctionKey) -> bool:
    """Whether two names differ as after a rename: one receiver, one enclosing function, one method, or one file."""
    if package_of(one.key) == package_of(other.key):
        if one.file and one.file == other.file:
            return True
        return not set(_parts(one.key)).isdisjoint(_parts(other.key))
    return _parts(one.key) == _parts(other.key)


def _parts(key: str) -> list[str]:
    """`a/b.(*T).M.func` -> `T`, `M`: what stands behind the package, without marks of pointers and closures."""
    name = key.removeprefix(package_of(key)).strip(".")
    parts = [part.strip("(*)") for part in name.split(".")]
    return [part for part in parts if part and part not in {"func", "gowrap", "deferwrap"}] or [name]


def _common_callers(comparison: ProfileKindComparison, row: int) -> list[int]:
    """Tellable functions beneath which nearly all of this function lies, nearest first."""
    frames, weight = comparison.measured.stacks.frames, np.abs(comparison.weight)
    holding = comparison.occurrences.holding(row)
    whole = float(weight[holding].sum())
    heaviest = int(np.argmax(np.where(holding, weight, -1.0)))
    path = frames.label[int(frames.start[heaviest]) : int(frames.start[heaviest + 1])].tolist()
    above = dict.fromkeys(reversed(path[: path.index(row)]))
    return [
        caller
        for caller in above
        if comparison.tellable[caller]
        and float(weight[holding & comparison.occurrences.holding(caller)].sum()) >= DOMINATES * whole
    ]
