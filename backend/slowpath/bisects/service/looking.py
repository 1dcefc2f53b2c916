"""Look at bisects."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from slowpath.bisects import queries
from slowpath.bisects.errors import LevelNotFound
from slowpath.bisects.rules import plans
from slowpath.bisects.rules import settings as kept
from slowpath.bisects.rules.offers import End
from slowpath.bisects.rules.plans import Plan
from slowpath.bisects.rules.settings import BisectSettings
from slowpath.bisects.rules.states import MOST_EVENTS
from slowpath.bisects.rules.viewing import CandidateView, View, view_of
from slowpath.bisects.service.holding import find
from slowpath.bisects.service.summing import state_as, tried
from slowpath.bisects.tables import Bisect, BisectEvent, Probe, ProbeWindow
from slowpath.commits.errors import CommitNotFound
from slowpath.commits.service import suspecting
from slowpath.core.ids import RepositoryId
from slowpath.core.sessions import ReadSession

__all__ = ["Found", "Named", "Wanted", "Whole", "candidates", "ends", "find", "names", "newest", "whole"]


@dataclass(frozen=True)
class Wanted:
    """Which bisects."""

    states: tuple[str, ...] = ()
    service_id: UUID | None = None
    regression_id: UUID | None = None


@dataclass(frozen=True)
class Named:
    """How that is called which rows name."""

    people: Mapping[UUID, str]
    services: Mapping[UUID, str]
    regressions: Mapping[UUID, tuple[int | None, str]]


@dataclass(frozen=True)
class Whole:
    """A bisect with all that its page shows; without a plan there is no view yet."""

    row: Bisect
    named: Named
    settings: BisectSettings
    plan: Plan | None
    view: View | None
    probes: Sequence[Probe]
    windows: Mapping[UUID, Sequence[ProbeWindow]]
    runners: Mapping[UUID, str]
    events: Sequence[BisectEvent]


@dataclass(frozen=True)
class Found:
    """Candidates of a level with their places in it, the newest first; how many there are in all, and whether more follow."""

    page: Sequence[tuple[int, CandidateView]]
    found: int
    more: bool


def newest(
    session: ReadSession, wanted: Wanted, *, after: tuple[datetime, UUID] | None, limit: int
) -> Sequence[Bisect]:
    """Return bisects, newest first."""
    return queries.newest(session, wanted.states, wanted.service_id, wanted.regression_id, after=after, limit=limit)


def names(session: ReadSession, rows: Sequence[Bisect], others: Sequence[UUID | None] = ()) -> Named:
    """Return what the rows name."""
    return Named(
        queries.names(session, [*(row.created_by for row in rows), *others]),
        queries.services(session, [row.service_id for row in rows]),
        queries.regressions(session, [row.regression_id for row in rows]),
    )


def whole(session: ReadSession, row: Bisect) -> Whole:
    """Gather what the page of a bisect shows."""
    settings = kept.from_json(row.settings)
    plan = plans.from_json(row.plan) if row.plan else None
    probes, windows = queries.probes(session, row.id), queries.windows(session, row.id)
    view = None
    if plan is not None:
        known = tried(probes, windows)
        view = view_of(plan, state_as(row, plan, known), known)
    events = queries.events(session, row.id, MOST_EVENTS)
    named = names(session, [row], [one.who for one in events])
    return Whole(row, named, settings, plan, view, probes, windows, queries.runner_names(session), events)


def candidates(session: ReadSession, row: Bisect, level: str, words: str, *, before: int | None, limit: int) -> Found:
    """Return candidates of a level with a commit that begins with `words`, or whose title or reason holds them; those before a place.

    Raises `LevelNotFound`.
    """
    plan = plans.from_json(row.plan) if row.plan else None
    if plan is None and level == plans.TOP:
        return Found((), 0, more=False)
    if plan is None or level not in plan.levels:
        raise LevelNotFound("This search has looked into no candidate of this id.")
    known = tried(queries.probes(session, row.id), queries.windows(session, row.id))
    view = view_of(plan, state_as(row, plan, known), known, most=len(plan.nodes))
    wanted = words.strip().lower()
    shown = next(one.candidates for one in view.levels if one.key == level)
    fit = [(place, one) for place, one in enumerate(shown) if _fits(one, wanted)]
    rest = [one for one in reversed(fit) if before is None or one[0] < before]
    return Found(rest[:limit], len(fit), more=len(rest) > limit)


def _fits(one: CandidateView, words: str) -> bool:
    node = one.node
    if words in node.title.lower() or words in node.why.lower():
        return True
    return any(sha.startswith(words) for sha in (node.sha, *node.members))


def ends(session: ReadSession, row: Bisect) -> tuple[End, End]:
    """Return the good and the bad commit with what is known of them."""
    return _end(session, row.repository_id, row.good_sha), _end(session, row.repository_id, row.bad_sha)


def _end(session: ReadSession, repository_id: UUID | None, sha: str) -> End:
    if repository_id is None:
        return End(sha)
    try:
        found = suspecting.find(session, RepositoryId(repository_id), sha)
    except CommitNotFound:
        return End(sha)
    return End(sha, found.title or "", found.committed_at)
