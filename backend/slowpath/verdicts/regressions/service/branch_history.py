"""The history of builds that a build belongs to, in commit order.

The history of a branch with few builds begins with the builds of its parent branch: otherwise the first build of a pull request
has no baseline. The order is that of ancestry where the repository has the commits; else of the parents that builds name; else of time.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from slowpath.core.db_sessions import ReadSession
from slowpath.core.ids import ServiceId
from slowpath.inventory.catalog.tables import Build
from slowpath.inventory.repositories.service.commit_graph import sort_topologically
from slowpath.verdicts.regressions import queries
from slowpath.verdicts.regressions.rules import MOST_BUILDS, guess_default_branch
from slowpath.verdicts.regressions.tables import BuildVerdict

LEAST_SHA = 7
"""Least length of an abbreviated SHA."""


@dataclass(frozen=True)
class HistoryPosition:
    """One build of a history; `is_own`: of the branch itself, not of its parent branch."""

    build: Build
    verdict: BuildVerdict
    is_own: bool


def load_branch_history(session: ReadSession, service_id: ServiceId, branch: str) -> list[HistoryPosition]:
    """Return the newest builds of a branch, oldest first, after those of its parent branch."""
    own = [
        HistoryPosition(build, verdict, True)
        for verdict, build in queries.select_history(session, service_id, branch, MOST_BUILDS)
    ]
    trunk = guess_default_branch(queries.count_builds_by_branch(session, service_id))
    before: list[HistoryPosition] = []
    if trunk != branch and own:
        rows = queries.select_history(session, service_id, trunk, MOST_BUILDS, until=own[0].verdict.ordered_at)
        before = [HistoryPosition(build, verdict, False) for verdict, build in rows]
    return (_in_order(session, service_id, before) + _in_order(session, service_id, own))[-MOST_BUILDS:]


def load_own_branch_history(session: ReadSession, service_id: ServiceId, branch: str) -> list[HistoryPosition]:
    """Return the newest builds of a branch without those of its parent branch, oldest first."""
    rows = queries.select_history(session, service_id, branch, MOST_BUILDS)
    return _in_order(session, service_id, [HistoryPosition(build, verdict, True) for verdict, build in rows])


def _in_order(session: ReadSession, service_id: ServiceId, places: Sequence[HistoryPosition]) -> list[HistoryPosition]:
    if len(places) < 2:
        return list(places)
    sorted_commits = sort_topologically(session, service_id, [place.build.commit for place in places])
    if sorted_commits is None:
        return _after_parents(places)
    rank = {commit: number for number, commit in enumerate(sorted_commits.order)}
    ordered: list[tuple[float, int, HistoryPosition]] = []
    reached = -1.0
    for number, place in enumerate(places):  # a build with an unknown commit stays after the one before it
        reached = float(rank.get(place.build.commit, reached))
        ordered.append((reached, number, place))
    return [place for _, _, place in sorted(ordered, key=lambda each: each[:2])]


def _after_parents(places: Sequence[HistoryPosition]) -> list[HistoryPosition]:
    """Move each build that precedes the build of its parent commit directly after it.

    Keep the order of the others.
    """
    by_short = {place.build.commit[:LEAST_SHA]: place for place in places}
    waiting: dict[UUID, list[HistoryPosition]] = {}
    done: dict[UUID, HistoryPosition] = {}
    for place in places:
        parent = by_short.get((place.build.parent or "")[:LEAST_SHA])
        if parent is not None and parent.build.id not in done and parent is not place:
            waiting.setdefault(parent.build.id, []).append(place)
            continue
        ready = [place]
        while ready:
            each = ready.pop(0)
            done[each.build.id] = each
            ready = waiting.pop(each.build.id, []) + ready
    left = [place for place in places if place.build.id not in done]  # builds that name each other as parents
    return [*done.values(), *left]
