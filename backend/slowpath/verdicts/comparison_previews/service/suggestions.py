"""Suggest pairs of a service that are worth comparing, and list those that the caller compared recently."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from slowpath.commit_names import short_commit
from slowpath.core.db_sessions import ReadSession
from slowpath.core.ids import ArtifactId, BuildId, DeployId, EnvironmentId, ServiceId
from slowpath.inventory.catalog import service as catalog
from slowpath.inventory.catalog.tables import Build, Deployment
from slowpath.verdicts.comparison_previews import queries
from slowpath.verdicts.comparison_previews.read_models import RecentPair, SuggestedPair, Suggestions
from slowpath.verdicts.comparison_previews.service.source_search import list_services_with_latency
from slowpath.verdicts.comparisons.rules import Side, TimeRange
from slowpath.verdicts.comparisons.rules.side_sources import (
    ArtifactsSource,
    BuildSource,
    DeploymentSource,
    SideSource,
    TimeRangeSource,
    parse_source,
    to_ms,
)
from slowpath.verdicts.comparisons.tables import Comparison

MOST_RECENT: Final = 8
MOST_READ: Final = 40
"""Comparisons that are read for recent pairs: the same pair counts once."""
MOST_BUILDS: Final = 50
"""Newest builds among which the parent of the newest is searched."""
WEEK: Final = timedelta(days=7)


def list_suggestions(session: ReadSession, service_id: ServiceId | None, now: datetime) -> Suggestions:
    """Return suggested pairs of a service, none without one, and recent pairs. Raises `ServiceNotFound`."""
    suggested: list[SuggestedPair] = []
    if service_id is not None:
        catalog.service(session, service_id)
        suggested = [*_suggest_builds(session, service_id), *_suggest_times(session, service_id, now)]
    return Suggestions(suggested, _list_recent(session))


def _suggest_builds(session: ReadSession, service_id: ServiceId) -> Iterator[SuggestedPair]:
    """Suggest the newest build against its parent, or the build before it on its branch."""
    builds = queries.select_newest_builds(session, service_id, MOST_BUILDS)
    if not builds:
        return
    newest, *others = builds
    parents = [each for each in others if newest.parent and each.commit == newest.parent]
    before = [each for each in others if each.branch == newest.branch and each.commit != newest.commit]
    base = next(iter([*parents, *before]), None)
    if base is not None:
        yield SuggestedPair(
            "newest-build",
            "The newest build with its parent" if parents else "The newest build with the build before it",
            BuildSource(BuildId(base.id)),
            _name_build(base),
            BuildSource(BuildId(newest.id)),
            _name_build(newest),
        )


def _suggest_times(session: ReadSession, service_id: ServiceId, now: datetime) -> Iterator[SuggestedPair]:
    """Suggest the newest deployment against the one before it, and this week against last week."""
    newest = next(iter(queries.select_newest_deployments(session, service_id, None, 1)), None)
    if newest is None:
        return
    environment_id = EnvironmentId(newest.environment_id)
    pair = queries.select_newest_deployments(session, service_id, environment_id, 2)
    place = catalog.environment(session, environment_id).name
    if len(pair) == 2:
        yield SuggestedPair(
            "newest-deployment",
            f"Before and after the newest deployment in {place}",
            DeploymentSource(DeployId(pair[1].id)),
            _name_deployment(pair[1]),
            DeploymentSource(DeployId(pair[0].id)),
            _name_deployment(pair[0]),
        )
    if service_id in list_services_with_latency(session, environment_id):
        last, this = ((now - WEEK - WEEK, now - WEEK), (now - WEEK, now))
        yield SuggestedPair(
            "last-week",
            f"This week with last week in {place}",
            _make_time_range(service_id, environment_id, *last),
            "last week",
            _make_time_range(service_id, environment_id, *this),
            "this week",
        )


def _make_time_range(
    service_id: ServiceId, environment_id: EnvironmentId, begin: datetime, end: datetime
) -> TimeRangeSource:
    return TimeRangeSource(TimeRange(service_id, environment_id, to_ms(begin), to_ms(end)))


def _name_build(row: Build) -> str:
    return row.display_name or short_commit(row.commit)


def _name_deployment(row: Deployment) -> str:
    return row.label or short_commit(row.commit) or "unknown commit"


def _list_recent(session: ReadSession) -> list[RecentPair]:
    user_id = session.scope.user_id
    rows = queries.select_recent_comparisons(session, user_id, MOST_READ) if user_id is not None else ()
    listed = queries.select_listed_artifacts(session, [row.id for row in rows if len(row.sources) < len(Side)])
    found: dict[tuple[SideSource, SideSource], RecentPair] = {}
    for row in rows:
        pair = _find_sources(row, listed)
        if pair is not None and pair not in found:
            found[pair] = RecentPair(
                row.id, row.name, pair[0], row.base_label, pair[1], row.candidate_label, row.created_at
            )
    return list(found.values())[:MOST_RECENT]


def _find_sources(
    row: Comparison, listed: Mapping[tuple[UUID, str], Sequence[ArtifactId]]
) -> tuple[SideSource, SideSource] | None:
    """Return the sources of both sides; those of a comparison of listed artifacts are the artifacts."""
    sources: dict[str, SideSource] = {}
    for side in Side:
        if side in row.sources:
            sources[side] = parse_source(row.sources[side]["source"])
        elif (row.id, side) in listed:
            sources[side] = ArtifactsSource(tuple(listed[row.id, side]))
    return (sources[Side.BASE], sources[Side.CANDIDATE]) if len(sources) == len(Side) else None
