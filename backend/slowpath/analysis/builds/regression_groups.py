"""Which changes of a line's series are one story, what it is named by, and whether it is to be told.

A cost that one function lost and another won beneath the same caller only moved. A trifle of the whole is told to nobody.
"""

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from math import sqrt
from typing import Final
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from slowpath.analysis.builds.build_measurements import TOTAL
from slowpath.analysis.builds.series_matrix import ADDS_UP, OF_FUNCTIONS, SeriesMatrix
from slowpath.analysis.series.change_groups import ChangeGroup, SeriesChange, group
from slowpath.analysis.series.change_points import ChangePoint

F64 = NDArray[np.float64]
Key = tuple[str, str]
"""Kind and subject of a series."""

LEAST_PART: Final = 0.002
"""Of the whole: a smaller difference is a trifle, however sure."""
TELLS: Final = 0.7
"""Of what the whole gained: a function that gained so much of it is what is named."""
PARENT_BUILDS: Final = 40
PARENT_REACH: Final = 1.64
PARENT_PART: Final = 0.5
"""What a function gained must, as far as can be seen, be found again in its caller at least by half: else it moved."""
WITNESSES: Final = frozenset({"latency"})
"""What is felt of a build where it runs, with its neighbours and its load: by itself it says little of the code."""
LEAST_ALONE: Final = 5
"""So many builds must show what only latency shows, and by more than"""
FLOOR: Final = 1.05
"""this: less is nobody's regression, and placements alone lie so far apart (as in checks of deploys)."""
GROUP_KINDS: Final = {
    "profile.category": "category",
    "profile.function": "function",
    "profile.heap": "heap",
    "profile.allocs": "allocation",
    "trace.sched_delay": "delay",
    "growth.count": "growth",
    "bench": "benchmark",
    "latency": "latency",
}


@dataclass(frozen=True)
class ChangedSeries:
    """One series that changed. `confirmed`: sure enough to be told. `regression_id`: what already cites it."""

    kind: str
    subject: str
    unit: str
    change: ChangePoint
    confirmed: bool
    worse: bool
    difference: float
    part: float
    needs_builds: int | None = None
    needs_profiles: int | None = None
    is_new: bool = True
    regression_id: UUID | None = None

    @property
    def key(self) -> Key:
        """Which series it is."""
        return self.kind, self.subject


@dataclass(frozen=True)
class RegressionGroup:
    """Changes that are one. `is_told`: worse, confirmed, no move, no trifle; `is_likely`: the same but not confirmed yet."""

    lead: ChangedSeries
    members: tuple[ChangedSeries, ...]
    is_move: bool
    is_told: bool
    is_likely: bool
    low_index: int
    high_index: int


def group_regressions(
    found: Sequence[ChangedSeries],
    lines: Mapping[str, SeriesMatrix],
    fresh: Mapping[str, SeriesMatrix],
    muted: frozenset[Key],
) -> list[RegressionGroup]:
    """Put changes of the code together; those that the machine explains stand for themselves.

    `fresh`: the lines by which new changes were found, without what lies before those known.
    """
    moved = {id(each) for each in found if each.worse and _only_moved(each, fresh if each.is_new else lines)}
    by_change: dict[int, ChangedSeries] = {}
    changes = []
    for each in found:
        if each.change.cause == "conditions":
            continue
        made = _series_change(each, lines[each.kind])
        by_change[id(made)] = each
        changes.append(made)
    stories = _named_by_functions([_story(one, by_change, lines, muted, moved) for one in group(changes)])
    machines = [each for each in found if each.change.cause == "conditions"]
    return stories + [
        RegressionGroup(each, (each,), False, False, False, each.change.low_index, each.change.high_index)
        for each in machines
    ]


def _named_by_functions(stories: Sequence[RegressionGroup]) -> list[RegressionGroup]:
    """Let a category that is told of be named by the function that gained as much at the same builds, if there is one.

    The function may not be sure enough by itself yet: that it has so much of what is sure is sure enough to name it.
    """
    kept = list(stories)
    for story in stories:
        if not story.is_told or story.lead.kind != "profile.category":
            continue
        payers = [
            each
            for each in kept
            if each is not story
            and (each.is_told or each.is_likely)
            and each.lead.kind in OF_FUNCTIONS
            and each.lead.unit == story.lead.unit
            and each.lead.difference >= TELLS * story.lead.difference
            and each.low_index - 1 <= story.high_index
            and story.low_index - 1 <= each.high_index
        ]
        if payers:
            payer = max(payers, key=lambda each: each.lead.difference)
            kept[kept.index(payer)] = replace(
                payer, members=(*payer.members, *story.members), is_told=True, is_likely=False
            )
            kept.remove(story)
    return kept


def _series_change(found: ChangedSeries, line: SeriesMatrix) -> SeriesChange:
    row = line.index(found.subject)
    assert row is not None
    kind = "total" if found.subject == TOTAL else GROUP_KINDS[found.kind]
    adds_up = found.kind in ADDS_UP
    return SeriesChange(
        kind,
        found.subject,
        found.change,
        found.difference if adds_up else float("nan"),
        found.unit,
        line.callers[row],
        line.categories[row],
        line.higher_is_worse(found.subject),
    )


def _story(
    one: ChangeGroup,
    by_change: Mapping[int, ChangedSeries],
    lines: Mapping[str, SeriesMatrix],
    muted: frozenset[Key],
    moved: AbstractSet[int],
) -> RegressionGroup:
    members = [by_change[id(member)] for member in one.members]
    lead = by_change[id(one.lead)]
    paying = [each for each in members if each.worse and id(each) not in moved]
    sure = [each for each in paying if each.confirmed]
    if sure and lead not in sure:  # what is told must be what is sure, and what is left of it in the end
        lead = max(sure, key=lambda each: each.change.score)
    elif paying and lead.worse and lead not in paying:
        lead = max(paying, key=lambda each: each.change.score)
    if lead.kind in WITNESSES:
        lead, members = _seconded(lead, paying, members, lines[lead.kind])
        paying = [each for each in members if each.worse and id(each) not in moved]
    is_sure = lead.confirmed
    is_move = one.is_move or (lead.worse and lead not in paying)
    lead = _most_telling(lead, paying if lead in paying else members, lines)
    ordered = (lead, *(each for each in members if each is not lead))
    counts = lead.worse and not is_move and lead.part >= LEAST_PART and lead.key not in muted
    return RegressionGroup(
        lead=lead,
        members=ordered,
        is_move=is_move,
        is_told=counts and is_sure,
        is_likely=counts and not is_sure,
        low_index=min(one.low_index, lead.change.low_index),
        high_index=max(one.high_index, lead.change.high_index),
    )


def _seconded(
    lead: ChangedSeries, paying: Sequence[ChangedSeries], members: list[ChangedSeries], line: SeriesMatrix
) -> tuple[ChangedSeries, list[ChangedSeries]]:
    """Let what was measured of the code name a story; if only latency is sure, let more builds show it first."""
    seconds = [each for each in paying if each.kind not in WITNESSES]
    sure = [each for each in seconds if each.confirmed]
    if sure:
        return max(sure, key=lambda each: each.change.score), members
    wanting = _wanting(lead, line)
    if not lead.is_new or not lead.confirmed or not wanting:
        return lead, members
    told = [
        replace(each, confirmed=False, needs_builds=wanting) if each.kind in WITNESSES and each.is_new else each
        for each in members
    ]
    named_by = max(seconds, key=lambda each: each.change.score, default=told[members.index(lead)])
    return named_by, told


def _wanting(lead: ChangedSeries, line: SeriesMatrix) -> int:
    """How many more builds must show a change that only latency shows."""
    row = line.index(lead.subject)
    since = int(np.isfinite(line.values[row, lead.change.index :]).sum()) if row is not None else 0
    is_plain = lead.change.ratio_low > FLOOR or lead.change.ratio_high < 1 / FLOOR
    return max(LEAST_ALONE - since, 0 if is_plain else 1)


def _most_telling(
    lead: ChangedSeries, members: Sequence[ChangedSeries], lines: Mapping[str, SeriesMatrix]
) -> ChangedSeries:
    """The innermost function that has nearly all of what the lead gained; else a category rather than the whole."""
    alike = [
        each
        for each in members
        if (each.worse, each.unit)
        == (lead.worse, lead.unit)  # that it is so much of what is sure is sure enough to name it
        and each.kind in ADDS_UP
        and lead.kind in ADDS_UP
        and abs(each.difference) >= TELLS * abs(lead.difference)
        and each.change.cause == lead.change.cause
    ]
    above = {caller for each in alike for caller in _callers(each, lines)}
    inner = [each for each in (lead, *alike) if each.kind not in OF_FUNCTIONS or each.subject not in above]
    return max(
        inner or [lead],
        key=lambda each: (each.kind in OF_FUNCTIONS, each.subject != TOTAL, abs(each.difference)),
    )


def _callers(found: ChangedSeries, lines: Mapping[str, SeriesMatrix]) -> tuple[str, ...]:
    """Functions beneath which nearly all of a function lies, nearest first; of anything else none."""
    line = lines[found.kind]
    row = line.index(found.subject)
    return () if row is None or not line.callers else line.callers[row]


def _only_moved(found: ChangedSeries, lines: Mapping[str, SeriesMatrix]) -> bool:
    """Whether what a part gained is not found again in what it is part of: then something else lost it.

    Values per request only: of shares the whole never changes, and of a busy program the seconds do not either.
    """
    parent = _parent(found, lines)
    if parent is None:
        return False
    index = found.change.index
    before = parent[max(0, found.change.low_index - PARENT_BUILDS) : found.change.low_index]
    after = parent[index:]
    before, after = before[np.isfinite(before)], after[np.isfinite(after)]
    if len(before) < 3 or not len(after):
        return False
    noise = 1.4826 * float(np.median(np.abs(before - np.median(before))))
    error = noise * sqrt(1 / len(before) + 1 / len(after))
    gained = float(np.mean(after) - np.median(before))
    return gained + PARENT_REACH * error < PARENT_PART * found.difference


def _parent(found: ChangedSeries, lines: Mapping[str, SeriesMatrix]) -> F64 | None:
    """The values of the nearest caller that has a series, else of the whole."""
    line = lines[found.kind]
    if found.kind not in ADDS_UP or line.basis != "per_request" or found.subject == TOTAL:
        return None
    row = line.index(found.subject)
    callers = line.callers[row] if row is not None else ()
    for caller in callers:
        above = line.index(caller)
        if above is not None:
            parent: F64 = line.values[above]
            return parent
    whole = lines.get("profile.category") if found.kind == "profile.function" else line
    total = whole.index(TOTAL) if whole is not None and whole.basis == line.basis else None
    if whole is None or total is None:
        return None
    values: F64 = whole.values[total]
    return values
