"""Read bisects, their candidates and boundaries."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from slowpath.core.db_sessions import ReadSession
from slowpath.core.ids import RepositoryId
from slowpath.inventory.repositories.errors import CommitNotFound
from slowpath.inventory.repositories.service import suspect_commits
from slowpath.verdicts.bisects import queries
from slowpath.verdicts.bisects.errors import LevelNotFound
from slowpath.verdicts.bisects.rules import bisect_settings, search_plan
from slowpath.verdicts.bisects.rules.bisect_proposals import RangeBoundary
from slowpath.verdicts.bisects.rules.bisect_settings import BisectSettings
from slowpath.verdicts.bisects.rules.bisect_states import MOST_EVENTS
from slowpath.verdicts.bisects.rules.search_plan import SearchPlan
from slowpath.verdicts.bisects.rules.search_view import CandidateView, SearchView, compute_search_view
from slowpath.verdicts.bisects.service.bisect_locks import get_bisect
from slowpath.verdicts.bisects.service.bisect_summaries import load_probe_observations, load_search_state
from slowpath.verdicts.bisects.tables import Bisect, BisectEvent, Probe, ProbeMeasurement

__all__ = [
    "BisectDetail",
    "BisectFilter",
    "CandidatePageRows",
    "ReferencedNames",
    "get_bisect",
    "get_bisect_detail",
    "get_range_boundaries",
    "list_bisects",
    "list_candidates",
    "load_referenced_names",
]


@dataclass(frozen=True)
class BisectFilter:
    """Filter of a list of bisects."""

    states: tuple[str, ...] = ()
    service_id: UUID | None = None
    regression_id: UUID | None = None
    search: str | None = None


@dataclass(frozen=True)
class ReferencedNames:
    """Names that rows refer to by ID."""

    people: Mapping[UUID, str]
    services: Mapping[UUID, str]
    regressions: Mapping[UUID, tuple[int | None, str]]


@dataclass(frozen=True)
class BisectDetail:
    """A bisect with all data of its page; the view is None before there is a plan."""

    row: Bisect
    named: ReferencedNames
    settings: BisectSettings
    plan: SearchPlan | None
    view: SearchView | None
    probes: Sequence[Probe]
    windows: Mapping[UUID, Sequence[ProbeMeasurement]]
    runners: Mapping[UUID, str]
    events: Sequence[BisectEvent]


@dataclass(frozen=True)
class CandidatePageRows:
    """Candidates of a level with their positions, the newest first; their total, and whether more follow."""

    page: Sequence[tuple[int, CandidateView]]
    found: int
    more: bool


def list_bisects(
    session: ReadSession, filters: BisectFilter, *, after: tuple[datetime, UUID] | None, limit: int
) -> Sequence[Bisect]:
    """Return bisects, newest first."""
    return queries.select_bisects(
        session,
        filters.states,
        filters.service_id,
        filters.regression_id,
        after=after,
        limit=limit,
        search=filters.search,
    )


def load_referenced_names(
    session: ReadSession, rows: Sequence[Bisect], others: Sequence[UUID | None] = ()
) -> ReferencedNames:
    """Return the names that rows refer to."""
    return ReferencedNames(
        queries.select_user_names(session, [*(row.created_by for row in rows), *others]),
        queries.select_service_names(session, [row.service_id for row in rows]),
        queries.select_regression_refs(session, [row.regression_id for row in rows]),
    )


def get_bisect_detail(session: ReadSession, row: Bisect) -> BisectDetail:
    """Load the data of the page of a bisect."""
    settings = bisect_settings.from_json(row.settings)
    plan = search_plan.from_json(row.plan) if row.plan else None
    probes, windows = queries.select_probes(session, row.id), queries.select_measurements(session, row.id)
    view = None
    if plan is not None:
        known = load_probe_observations(probes, windows)
        view = compute_search_view(plan, load_search_state(row, plan, known), known)
    events = queries.select_events(session, row.id, MOST_EVENTS)
    named = load_referenced_names(session, [row], [one.actor for one in events])
    return BisectDetail(row, named, settings, plan, view, probes, windows, queries.select_runner_names(session), events)


def list_candidates(
    session: ReadSession, row: Bisect, level: str, words: str, *, before: int | None, limit: int
) -> CandidatePageRows:
    """Return candidates of a level before a position, filtered by SHA prefix or part of title or reason.

    Raises `LevelNotFound`.
    """
    plan = search_plan.from_json(row.plan) if row.plan else None
    if plan is None and level == search_plan.TOP:
        return CandidatePageRows((), 0, more=False)
    if plan is None or level not in plan.shown_levels:
        raise LevelNotFound("The bisect has no level with this key.")
    known = load_probe_observations(
        queries.select_probes(session, row.id), queries.select_measurements(session, row.id)
    )
    view = compute_search_view(plan, load_search_state(row, plan, known), known, most=len(plan.nodes))
    text = words.strip().lower()
    shown = next(one.candidates for one in view.levels if one.key == level)
    fit = [(place, one) for place, one in enumerate(shown) if _fits(one, text)]
    rest = [one for one in reversed(fit) if before is None or one[0] < before]
    return CandidatePageRows(rest[:limit], len(fit), more=len(rest) > limit)


def _fits(one: CandidateView, words: str) -> bool:
    node = one.node
    if words in node.title.lower() or words in node.why.lower():
        return True
    return any(sha.startswith(words) for sha in (node.sha, *node.members))


def get_range_boundaries(session: ReadSession, row: Bisect) -> tuple[RangeBoundary, RangeBoundary]:
    """Return the good and the bad commit with title and time."""
    return _end(session, row.repository_id, row.good_sha), _end(session, row.repository_id, row.bad_sha)


def _end(session: ReadSession, repository_id: UUID | None, sha: str) -> RangeBoundary:
    if repository_id is None:
        return RangeBoundary(sha)
    try:
        found = suspect_commits.get_commit(session, RepositoryId(repository_id), sha)
    except CommitNotFound:
        return RangeBoundary(sha)
    return RangeBoundary(sha, found.title or "", found.committed_at)
