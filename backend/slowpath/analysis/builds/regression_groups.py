"""Group change points of a build history that have one cause, name each group, and decide on its notification.

A cost that one function lost and another gained below the same caller only shifted. Negligible changes are not notified.
"""

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from math import sqrt
from typing import Final
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from slowpath.analysis.builds.series_matrix import ADDS_UP, OF_FUNCTIONS, SeriesMatrix
from slowpath.analysis.findings.build_measurements import TOTAL
from slowpath.analysis.kinds.registry import LATENCY, measurement_kind
from slowpath.analysis.series.change_groups import ChangeGroup, SeriesChange, group
from slowpath.analysis.series.change_points import ChangePoint

F64 = NDArray[np.float64]
Key = tuple[str, str]
"""Kind and subject of a series."""

LEAST_PART: Final = 0.002
"""Share of the total: a smaller difference is negligible, however certain."""
MIN_SHARE_OF_CATEGORY: Final = 0.7
"""A function that gained at least this share of what the group gained names the group."""
PARENT_BUILDS: Final = 40
PARENT_REACH: Final = 1.64
PARENT_PART: Final = 0.5
"""A function's gain must also appear in its caller, at least by this share; else the cost shifted."""
WITNESSES: Final = frozenset({LATENCY})
"""Kinds measured in production, with neighbors and load: alone they are weak evidence about the code."""
LEAST_ALONE: Final = 5
"""A change that only latency shows needs this many builds"""
FLOOR: Final = 1.05
"""and a ratio above this: deployments alone differ by less (as in deployment checks)."""


@dataclass(frozen=True)
class ChangedSeries:
    """One series that changed. `confirmed`: certain enough to notify.

    `regression_id`: the regression that cites it.
    """

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
        """Return the key of the series."""
        return self.kind, self.subject


@dataclass(frozen=True)
class RegressionGroup:
    """Change points with one cause.

    `is_reported`: worse, confirmed, not shifted, not negligible; `is_likely`: the same, not confirmed yet.
    """

    lead: ChangedSeries
    members: tuple[ChangedSeries, ...]
    is_move: bool
    is_reported: bool
    is_likely: bool
    low_index: int
    high_index: int


def group_regressions(
    found: Sequence[ChangedSeries],
    lines: Mapping[str, SeriesMatrix],
    fresh: Mapping[str, SeriesMatrix],
    muted: frozenset[Key],
) -> list[RegressionGroup]:
    """Group changes of the code; each change that the environment explains is a group of one.

    `fresh`: the matrices in which new changes were found, without the builds before known changes.
    """
    moved = {id(each) for each in found if each.worse and _only_moved(each, fresh if each.is_new else lines)}
    by_change: dict[int, ChangedSeries] = {}
    changes = []
    for each in found:
        if each.change.cause == "conditions":
            continue
        series_change = _series_change(each, lines[each.kind])
        by_change[id(series_change)] = each
        changes.append(series_change)
    groups = _named_by_functions([_make_group(one, by_change, lines, muted, moved) for one in group(changes)])
    environment_changes = [each for each in found if each.change.cause == "conditions"]
    return groups + [
        RegressionGroup(each, (each,), False, False, False, each.change.low_index, each.change.high_index)
        for each in environment_changes
    ]


def _named_by_functions(change_groups: Sequence[RegressionGroup]) -> list[RegressionGroup]:
    """Let the function that gained as much at the same builds name a notified category, if there is one.

    The function may not be confirmed alone yet: its share of the confirmed gain is enough to name it.
    """
    groups = list(change_groups)
    for category_group in change_groups:
        if not category_group.is_reported or category_group.lead.kind != "profile.category":
            continue
        function_groups = [
            each
            for each in groups
            if each is not category_group
            and (each.is_reported or each.is_likely)
            and each.lead.kind in OF_FUNCTIONS
            and each.lead.unit == category_group.lead.unit
            and each.lead.difference >= MIN_SHARE_OF_CATEGORY * category_group.lead.difference
            and each.low_index - 1 <= category_group.high_index
            and category_group.low_index - 1 <= each.high_index
        ]
        if function_groups:
            function_group = max(function_groups, key=lambda each: each.lead.difference)
            groups[groups.index(function_group)] = replace(
                function_group,
                members=(*function_group.members, *category_group.members),
                is_reported=True,
                is_likely=False,
            )
            groups.remove(category_group)
    return groups


def _series_change(found: ChangedSeries, line: SeriesMatrix) -> SeriesChange:
    row = line.index(found.subject)
    assert row is not None
    kind = "total" if found.subject == TOTAL else measurement_kind(found.kind).group
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


def _make_group(
    one: ChangeGroup,
    by_change: Mapping[int, ChangedSeries],
    lines: Mapping[str, SeriesMatrix],
    muted: frozenset[Key],
    moved: AbstractSet[int],
) -> RegressionGroup:
    members = [by_change[id(member)] for member in one.members]
    lead = by_change[id(one.lead)]
    gained = [each for each in members if each.worse and id(each) not in moved]
    confirmed = [each for each in gained if each.confirmed]
    if confirmed and lead not in confirmed:  # a notification must name a confirmed change that did not shift
        lead = max(confirmed, key=lambda each: each.change.score)
    elif gained and lead.worse and lead not in gained:
        lead = max(gained, key=lambda each: each.change.score)
    if lead.kind in WITNESSES:
        lead, members = _require_corroboration(lead, gained, members, lines[lead.kind])
        gained = [each for each in members if each.worse and id(each) not in moved]
    is_sure = lead.confirmed
    is_move = one.is_move or (lead.worse and lead not in gained)
    lead = _most_specific(lead, gained if lead in gained else members, lines)
    ordered = (lead, *(each for each in members if each is not lead))
    counts = lead.worse and not is_move and lead.part >= LEAST_PART and lead.key not in muted
    return RegressionGroup(
        lead=lead,
        members=ordered,
        is_move=is_move,
        is_reported=counts and is_sure,
        is_likely=counts and not is_sure,
        low_index=min(one.low_index, lead.change.low_index),
        high_index=max(one.high_index, lead.change.high_index),
    )


def _require_corroboration(
    lead: ChangedSeries, gained: Sequence[ChangedSeries], members: list[ChangedSeries], line: SeriesMatrix
) -> tuple[ChangedSeries, list[ChangedSeries]]:
    """Let a change measured on the code name the group.

    If only latency is confirmed, require more builds first.
    """
    corroborating = [each for each in gained if each.kind not in WITNESSES]
    confirmed = [each for each in corroborating if each.confirmed]
    if confirmed:
        return max(confirmed, key=lambda each: each.change.score), members
    missing = _missing_builds(lead, line)
    if not lead.is_new or not lead.confirmed or not missing:
        return lead, members
    downgraded = [
        replace(each, confirmed=False, needs_builds=missing) if each.kind in WITNESSES and each.is_new else each
        for each in members
    ]
    named_by = max(corroborating, key=lambda each: each.change.score, default=downgraded[members.index(lead)])
    return named_by, downgraded


def _missing_builds(lead: ChangedSeries, line: SeriesMatrix) -> int:
    """Return how many more builds must show a change that only latency shows."""
    row = line.index(lead.subject)
    since = int(np.isfinite(line.values[row, lead.change.index :]).sum()) if row is not None else 0
    is_plain = lead.change.ratio_low > FLOOR or lead.change.ratio_high < 1 / FLOOR
    return max(LEAST_ALONE - since, 0 if is_plain else 1)


def _most_specific(
    lead: ChangedSeries, members: Sequence[ChangedSeries], lines: Mapping[str, SeriesMatrix]
) -> ChangedSeries:
    """Return the innermost function that has nearly all of the lead's gain.

    Else a category rather than the total.
    """
    alike = [
        each
        for each in members
        if (each.worse, each.unit) == (lead.worse, lead.unit)
        and each.kind in ADDS_UP
        and lead.kind in ADDS_UP
        and abs(each.difference) >= MIN_SHARE_OF_CATEGORY * abs(lead.difference)
        and each.change.cause == lead.change.cause
    ]
    above = {caller for each in alike for caller in _callers(each, lines)}
    inner = [each for each in (lead, *alike) if each.kind not in OF_FUNCTIONS or each.subject not in above]
    return max(
        inner or [lead],
        key=lambda each: (each.kind in OF_FUNCTIONS, each.subject != TOTAL, abs(each.difference)),
    )


def _callers(found: ChangedSeries, lines: Mapping[str, SeriesMatrix]) -> tuple[str, ...]:
    """Return the functions below which nearly all of a function is, nearest first.

    Nothing for other kinds.
    """
    line = lines[found.kind]
    row = line.index(found.subject)
    return () if row is None or not line.callers else line.callers[row]


def _only_moved(found: ChangedSeries, lines: Mapping[str, SeriesMatrix]) -> bool:
    """Return whether the gain of a part is missing from its caller: then something else lost it.

    Only for values per request: the total of shares never changes, nor do the CPU seconds of a busy program.
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
    """Return the values of the nearest caller that has a series, else of the total."""
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
    totals = lines.get("profile.category") if found.kind == "profile.function" else line
    total = totals.index(TOTAL) if totals is not None and totals.basis == line.basis else None
    if totals is None or total is None:
        return None
    values: F64 = totals.values[total]
    return values
