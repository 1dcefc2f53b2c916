"""The line of builds that a build stands in: which, and in what order.

A branch's line is its builds in the order of their commits. A branch that few builds were made on begins with those of the
branch that it came from: else a pull request could be compared with nothing. The order is that of ancestry where a
repository tells it; else that of the parents that builds name; else that of time.
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
"""A commit may be named by so much of it."""


@dataclass(frozen=True)
class HistoryPosition:
    """One build of a line; `is_own`: of the branch itself, not of the one that it came from."""

    build: Build
    judgement: BuildVerdict
    is_own: bool


def load_branch_history(session: ReadSession, service_id: ServiceId, branch: str) -> list[HistoryPosition]:
    """Return the newest builds of a branch in order, oldest first, behind those of the branch that it came from."""
    own = [
        HistoryPosition(build, judgement, True)
        for judgement, build in queries.line(session, service_id, branch, MOST_BUILDS)
    ]
    trunk = guess_default_branch(queries.branches(session, service_id))
    before: list[HistoryPosition] = []
    if trunk != branch and own:
        rows = queries.line(session, service_id, trunk, MOST_BUILDS, until=own[0].judgement.ordered_at)
        before = [HistoryPosition(build, judgement, False) for judgement, build in rows]
    return (_in_order(session, service_id, before) + _in_order(session, service_id, own))[-MOST_BUILDS:]


def load_own_branch_history(session: ReadSession, service_id: ServiceId, branch: str) -> list[HistoryPosition]:
    """Return the newest builds of a branch alone, in order, oldest first."""
    rows = queries.line(session, service_id, branch, MOST_BUILDS)
    return _in_order(session, service_id, [HistoryPosition(build, judgement, True) for judgement, build in rows])


def _in_order(session: ReadSession, service_id: ServiceId, places: Sequence[HistoryPosition]) -> list[HistoryPosition]:
    if len(places) < 2:
        return list(places)
    told = sort_topologically(session, service_id, [place.build.commit for place in places])
    if told is None:
        return _after_parents(places)
    rank = {commit: number for number, commit in enumerate(told.order)}
    ordered: list[tuple[float, int, HistoryPosition]] = []
    reached = -1.0
    for number, place in enumerate(places):  # a build whose commit nobody told of stays behind the one before it
        reached = float(rank.get(place.build.commit, reached))
        ordered.append((reached, number, place))
    return [place for _, _, place in sorted(ordered, key=lambda each: each[:2])]


def _after_parents(places: Sequence[HistoryPosition]) -> list[HistoryPosition]:
    """Put a build that would stand before the one that it names as its parent right behind that; leave all others."""
    by_short = {place.build.commit[:LEAST_SHA]: place for place in places}
    held: dict[UUID, list[HistoryPosition]] = {}
    done: dict[UUID, HistoryPosition] = {}
    for place in places:
        parent = by_short.get((place.build.parent or "")[:LEAST_SHA])
        if parent is not None and parent.build.id not in done and parent is not place:
            held.setdefault(parent.build.id, []).append(place)
            continue
        ready = [place]
        while ready:
            each = ready.pop(0)
            done[each.build.id] = each
            ready = held.pop(each.build.id, []) + ready
    left = [place for place in places if place.build.id not in done]  # they name each other as parents
    return [*done.values(), *left]
