"""Group changes of several series at one build by cause: the lead, its consequences, and cost shifts.

Series are related by what they measure: functions are below their callers and in a category; a category is in the total. The
gain of one function and the loss of another below the same caller is a cost shift: in the caller they cancel.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import hypot, isfinite

from slowpath.analysis.series.change_points import ChangePoint

# Kinds that measure parts of the work; all other kinds measure the total, or its effects.
PARTS = frozenset({"function", "category", "growth", "delay", "allocation"})
# Categories that grow because something else allocates more: they lead only if nothing else does.
FOLLOWING = frozenset({"gc-assist", "gc-mark", "gc-write-barrier", "gc-sweep", "gc-scavenge", "allocation"})
# A sum is zero if it is within this many of its standard errors, and at most this part of the gain or loss.
ZERO_ERRORS, ZERO_PART = 2.0, 0.25
# Of a function and its callees the innermost with at least this share of the change leads.
EXPLAINS = 0.8


@dataclass(frozen=True)
class SeriesChange:
    """A change of one series.

    `kind` is what is measured ("category", "function", "benchmark", "latency", "growth", "delay", "allocation", "total"),
    `subject` its name. `difference` is after minus before in `unit`, the same unit in all series of a kind that can be added (CPU
    seconds per second, per request); NaN if levels cannot be added. `callers`: functions below which nearly all of it is, nearest
    first. `category`: its category. `higher_is_worse`: False for throughput.
    """

    kind: str
    subject: str
    change: ChangePoint
    difference: float
    unit: str = ""
    callers: tuple[str, ...] = ()
    category: str | None = None
    higher_is_worse: bool = True


@dataclass(frozen=True)
class ChangeGroup:
    """Changes that are reported as one.

    `lead` names it and is the first of `members`. `is_move`: the members' gains and losses cancel, so nothing is reported; `net`
    is the remainder in the unit of the lead (NaN if levels cannot be added), `under` the caller in which they cancel. The change
    began at one of `low_index`..`high_index`, according to all members.
    """

    lead: SeriesChange
    members: tuple[SeriesChange, ...]
    is_move: bool
    net: float
    under: str | None
    low_index: int
    high_index: int


def group(changes: Sequence[SeriesChange]) -> tuple[ChangeGroup, ...]:
    """Group related changes, each in one group: real changes first, the most significant first.

    Then cost shifts.
    """
    groups = [one for together in _at_one_place(changes) for one in _groups_at_place(together)]
    return tuple(sorted(groups, key=lambda one: (one.is_move, -one.lead.change.score)))


def _at_one_place(changes: Sequence[SeriesChange]) -> list[list[SeriesChange]]:
    """Return changes of one cause with overlapping ranges, the most significant first."""
    places: list[tuple[list[SeriesChange], int, int]] = []
    for one in sorted(changes, key=lambda one: -one.change.score):
        low, high = one.change.low_index, one.change.high_index
        for number, (members, first, last) in enumerate(places):
            if members[0].change.cause == one.change.cause and low <= last and high >= first:
                places[number] = ([*members, one], max(first, low), min(last, high))
                break
        else:
            places.append(([one], low, high))
    return [members for members, _, _ in places]


def _groups_at_place(together: list[SeriesChange]) -> list[ChangeGroup]:
    """Group the changes at one place."""
    leading = [one for one in together if one.kind in PARTS and one.subject not in FOLLOWING]
    following = [one for one in together if one not in leading]
    if not leading:
        return [_make_group(following, None)]
    shifts, rest = _cost_shifts(leading)
    change_groups = _connect(rest, _related)
    for one in [one for one in rest if one.kind == "category"]:
        alone = next(change_group for change_group in change_groups if one in change_group)
        home = next((shift for _, shift in shifts if any(_explains(part, one) for part in shift)), None)
        if len(alone) == 1 and home is not None:
            home.append(one)
            change_groups.remove(alone)
    groups = [_make_group(members, under) for under, members in shifts]
    if not change_groups:
        return groups + ([_make_group(following, None)] if following else [])
    largest = max(change_groups, key=lambda change_group: max(one.change.score for one in change_group))
    return groups + [
        _make_group([*change_group, *following] if change_group is largest else change_group, None)
        for change_group in change_groups
    ]


def _cost_shifts(changes: list[SeriesChange]) -> tuple[list[tuple[str, list[SeriesChange]]], list[SeriesChange]]:
    """Return functions that cancel in a common caller, by the nearest caller, and all other changes."""
    functions = [one for one in changes if one.kind == "function" and isfinite(one.difference)]
    changed = {one.subject for one in functions}
    shifts: list[tuple[str, list[SeriesChange]]] = []
    callers = sorted(
        {caller for one in functions for caller in one.callers if caller not in changed},
        key=lambda caller: min(one.callers.index(caller) for one in functions if caller in one.callers),
    )
    for caller in callers:
        used = {id(one) for _, members in shifts for one in members}
        under = [one for one in functions if caller in one.callers and id(one) not in used]
        if len({one.unit for one in under}) == 1 and _cancel(_outermost(under)):
            shifts.append((caller, under))
    used = {id(one) for _, members in shifts for one in members}
    return shifts, [one for one in changes if id(one) not in used]


def _cancel(changes: list[SeriesChange]) -> bool:
    gained = sum(one.difference for one in changes if one.difference > 0)
    lost = -sum(one.difference for one in changes if one.difference < 0)
    if gained == 0 or lost == 0:
        return False
    error = hypot(*(one.difference / max(one.change.score, 1e-9) for one in changes))
    return abs(gained - lost) <= min(ZERO_ERRORS * error, ZERO_PART * max(gained, lost))


def _outermost(functions: list[SeriesChange]) -> list[SeriesChange]:
    """Return the functions below none of the others, whose totals include the rest."""
    names = {one.subject for one in functions}
    return [one for one in functions if not names & set(one.callers)]


def _related(one: SeriesChange, other: SeriesChange) -> bool:
    """Return whether two changes are of the same work."""
    if one.kind == other.kind == "function":
        return (
            one.subject in other.callers
            or other.subject in one.callers
            or (len(one.callers) > 0 and one.callers[:1] == other.callers[:1])
        )
    return _explains(one, other) or _explains(other, one) or one.subject == other.subject


def _explains(function: SeriesChange, category: SeriesChange) -> bool:
    """Return whether a function's change is one of its category."""
    return (
        category.kind == "category"
        and function.category == category.subject
        and ((function.change.ratio > 1) == (category.change.ratio > 1))
    )


def _connect(
    changes: list[SeriesChange], related: Callable[[SeriesChange, SeriesChange], bool]
) -> list[list[SeriesChange]]:
    """Connect related changes, also indirectly."""
    groups = [[one] for one in changes]
    for one, other in combinations(changes, 2):
        if related(one, other):
            first = next(change_group for change_group in groups if one in change_group)
            second = next(change_group for change_group in groups if other in change_group)
            if first is not second:
                first += second
                groups.remove(second)
    return groups


def _make_group(members: list[SeriesChange], under: str | None) -> ChangeGroup:
    lead = _lead(members)
    same = [one for one in members if one.kind == lead.kind and one.unit == lead.unit]
    outer = _outermost(same) if lead.kind == "function" else same
    low = max(one.change.low_index for one in members)
    high = min(one.change.high_index for one in members)
    if low > high:
        low, high = lead.change.low_index, lead.change.high_index
    ordered = (lead, *(one for one in members if one is not lead))
    return ChangeGroup(lead, ordered, under is not None, sum(one.difference for one in outer), under, low, high)


def _lead(members: list[SeriesChange]) -> SeriesChange:
    """Return the innermost function with most of the change; else a category, else the most significant."""
    for kind in ("function", "category"):
        some = [one for one in members if one.kind == kind and one.subject not in FOLLOWING]
        if not some:
            continue
        most = max(abs(one.difference) if isfinite(one.difference) else 0.0 for one in some)
        enough = [one for one in some if not isfinite(one.difference) or abs(one.difference) >= EXPLAINS * most]
        return max(enough, key=lambda one: (len(one.callers), one.change.score))
    return max(members, key=lambda one: one.change.score)
