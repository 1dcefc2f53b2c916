"""Changes of several series at one build that are one story: what leads, what follows, and what only moved.

Series are related by where they are measured: functions lie under their callers and in a category; a category lies in the whole.
What one function gained and another under the same caller lost is a move: in the caller they cancel.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import hypot, isfinite

from slowpath.analysis.series.change_points import ChangePoint

# What is measured of parts of the work; all other kinds are of the whole, or what someone feels of it.
PARTS = frozenset({"function", "category", "growth", "delay", "allocation"})
# Categories that grow because something else allocates more: they lead only where nothing else does.
FOLLOWING = frozenset({"gc-assist", "gc-mark", "gc-write-barrier", "gc-sweep", "gc-scavenge", "allocation"})
# A sum is nothing if it is within so many of its standard errors, and no more than this part of what was gained or lost.
NOTHING_ERRORS, NOTHING_PART = 2.0, 0.25
# Of a function and what it calls the innermost leads that has this much of the change.
EXPLAINS = 0.8


@dataclass(frozen=True)
class SeriesChange:
    """A change of one series.

    `kind` is what is measured ("category", "function", "benchmark", "latency", "growth", "delay", "allocation", "total"),
    `subject` its name. `change` is where. `difference` is after minus before in `unit`, the same unit in all series of a
    kind that can be added (CPU seconds per second, per request); NaN where levels cannot be added. `callers`: functions
    beneath which nearly all of it lies, nearest first. `category`: the category in which it lies. `higher_is_worse`: False
    for throughput.
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
    """Changes that are told as one.

    `lead` names it and is the first of `members`. `is_move`: what members gained others lost, so that nothing is to be told
    of; `net` is what is left over in the unit of the lead (NaN where levels cannot be added), `under` the caller in which
    they cancel. The change began at one of `low_index`..`high_index`, by all members together.
    """

    lead: SeriesChange
    members: tuple[SeriesChange, ...]
    is_move: bool
    net: float
    under: str | None
    low_index: int
    high_index: int


def group(changes: Sequence[SeriesChange]) -> tuple[ChangeGroup, ...]:
    """Put changes that belong together into groups, each change into one: real changes first, the surest first; then moves."""
    groups = [told for together in _at_one_place(changes) for told in _stories(together)]
    return tuple(sorted(groups, key=lambda one: (one.is_move, -one.lead.change.score)))


def _at_one_place(changes: Sequence[SeriesChange]) -> list[list[SeriesChange]]:
    """Changes of one cause whose ranges have builds in common, the surest first."""
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


def _stories(together: list[SeriesChange]) -> list[ChangeGroup]:
    """Groups of changes at one place."""
    leading = [one for one in together if one.kind in PARTS and one.subject not in FOLLOWING]
    following = [one for one in together if one not in leading]
    if not leading:
        return [_told(following, None)]
    moves, rest = _moves(leading)
    stories = _joined(rest, _related)
    for one in [one for one in rest if one.kind == "category"]:
        alone = next(story for story in stories if one in story)
        home = next((move for _, move in moves if any(_explains(part, one) for part in move)), None)
        if len(alone) == 1 and home is not None:
            home.append(one)
            stories.remove(alone)
    groups = [_told(members, under) for under, members in moves]
    if not stories:
        return groups + ([_told(following, None)] if following else [])
    largest = max(stories, key=lambda story: max(one.change.score for one in story))
    return groups + [_told([*story, *following] if story is largest else story, None) for story in stories]


def _moves(changes: list[SeriesChange]) -> tuple[list[tuple[str, list[SeriesChange]]], list[SeriesChange]]:
    """Functions that cancel in a common caller, by the nearest caller; and all other changes."""
    functions = [one for one in changes if one.kind == "function" and isfinite(one.difference)]
    changed = {one.subject for one in functions}
    found: list[tuple[str, list[SeriesChange]]] = []
    callers = sorted(
        {caller for one in functions for caller in one.callers if caller not in changed},
        key=lambda caller: min(one.callers.index(caller) for one in functions if caller in one.callers),
    )
    for caller in callers:
        taken = {id(one) for _, members in found for one in members}
        under = [one for one in functions if caller in one.callers and id(one) not in taken]
        if len({one.unit for one in under}) == 1 and _cancel(_outermost(under)):
            found.append((caller, under))
    taken = {id(one) for _, members in found for one in members}
    return found, [one for one in changes if id(one) not in taken]


def _cancel(changes: list[SeriesChange]) -> bool:
    gained = sum(one.difference for one in changes if one.difference > 0)
    lost = -sum(one.difference for one in changes if one.difference < 0)
    if gained == 0 or lost == 0:
        return False
    error = hypot(*(one.difference / max(one.change.score, 1e-9) for one in changes))
    return abs(gained - lost) <= min(NOTHING_ERRORS * error, NOTHING_PART * max(gained, lost))


def _outermost(functions: list[SeriesChange]) -> list[SeriesChange]:
    """Those that lie under none of the others: what they call is theirs already."""
    names = {one.subject for one in functions}
    return [one for one in functions if not names & set(one.callers)]


def _related(one: SeriesChange, other: SeriesChange) -> bool:
    """Tell whether two changes are of one piece of work."""
    if one.kind == other.kind == "function":
        return (
            one.subject in other.callers
            or other.subject in one.callers
            or (len(one.callers) > 0 and one.callers[:1] == other.callers[:1])
        )
    return _explains(one, other) or _explains(other, one) or one.subject == other.subject


def _explains(function: SeriesChange, category: SeriesChange) -> bool:
    """Tell whether a function's change is one of its category."""
    return (
        category.kind == "category"
        and function.category == category.subject
        and ((function.change.ratio > 1) == (category.change.ratio > 1))
    )


def _joined(
    changes: list[SeriesChange], related: Callable[[SeriesChange, SeriesChange], bool]
) -> list[list[SeriesChange]]:
    """Put related changes together, by way of others too."""
    stories = [[one] for one in changes]
    for one, other in combinations(changes, 2):
        if related(one, other):
            first = next(story for story in stories if one in story)
            second = next(story for story in stories if other in story)
            if first is not second:
                first += second
                stories.remove(second)
    return stories


def _told(members: list[SeriesChange], under: str | None) -> ChangeGroup:
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
    """The innermost function with most of the change; else a category, else what is surest."""
    for kind in ("function", "category"):
        some = [one for one in members if one.kind == kind and one.subject not in FOLLOWING]
        if not some:
            continue
        most = max(abs(one.difference) if isfinite(one.difference) else 0.0 for one in some)
        enough = [one for one in some if not isfinite(one.difference) or abs(one.difference) >= EXPLAINS * most]
        return max(enough, key=lambda one: (len(one.callers), one.change.score))
    return max(members, key=lambda one: one.change.score)
