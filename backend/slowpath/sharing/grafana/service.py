"""Find what happened in an environment, as annotations of a time axis.

Query shape: deployments and change points of the range, and the production events around it; none per row.
"""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from uuid import UUID

from slowpath.analysis.kinds.metrics.changes.change_wording import deploy_name
from slowpath.core.db_sessions import ReadSession
from slowpath.core.ids import EnvironmentId
from slowpath.evidence.metrics.service import dashboard_markers
from slowpath.evidence.metrics.service.timestamps import at_time, to_ms
from slowpath.inventory.catalog import service as catalog
from slowpath.inventory.catalog.errors import EnvironmentNotFound, ServiceNotFound
from slowpath.inventory.catalog.tables import Environment
from slowpath.platform.accounts.service import get_team
from slowpath.verdicts.production_events.service.event_views import list_events_between

NAMES_MAX = 10_000


@dataclass(frozen=True)
class TimeAnnotation:
    """Something that happened at a time, or in a time range; milliseconds since 1970."""

    begin_ms: int
    end_ms: int | None
    kind: str
    title: str
    text: str
    service_id: UUID
    path: str
    """Of the page about it, below that of the team."""


@dataclass(frozen=True)
class EnvironmentAnnotations:
    """The annotations of an environment, and the names that describe them."""

    team: str
    environment: str
    services: dict[UUID, str]
    annotations: list[TimeAnnotation]


def list_annotations(
    session: ReadSession, environment: str, services: Collection[str], from_ms: int, to_ms_: int
) -> EnvironmentAnnotations:
    """Return deployments, change points and production events of a range, oldest first; of all services if none is named.

    Raises `EnvironmentNotFound`, `ServiceNotFound`.
    """
    place = _environment(session, environment)
    environment_id = EnvironmentId(place.id)
    known = {row.id: row.slug for row in catalog.services(session, None, NAMES_MAX)}
    if missing := set(services) - set(known.values()):
        raise ServiceNotFound(f"The team has no service {min(missing)[:100]}.")
    found = [
        *_deployments(session, environment_id, from_ms, to_ms_),
        *_change_points(session, environment_id, from_ms, to_ms_),
        *_events(session, environment_id, from_ms, to_ms_),
    ]
    shown = [
        each for each in found if each.service_id in known and (not services or known[each.service_id] in services)
    ]
    shown.sort(key=lambda each: each.begin_ms)
    return EnvironmentAnnotations(get_team(session).slug, place.slug, known, shown)


def _environment(session: ReadSession, slug: str) -> Environment:
    for row in catalog.environments(session, None, NAMES_MAX):
        if row.slug == slug:
            return row
    raise EnvironmentNotFound(f"The team has no environment {slug}.")


def _deployments(session: ReadSession, at: EnvironmentId, from_ms: int, to_ms_: int) -> Iterator[TimeAnnotation]:
    for row in catalog.deploys_between(session, at, at_time(from_ms), at_time(to_ms_)):
        name = deploy_name(row.commit, row.label)
        path = f"/dashboard?env={at}&alone={row.service_id}&deploy={row.id}&{_around(to_ms(row.started_at))}"
        yield TimeAnnotation(to_ms(row.started_at), None, "deployment", f"Deployment {name}", "", row.service_id, path)


def _change_points(session: ReadSession, at: EnvironmentId, from_ms: int, to_ms_: int) -> Iterator[TimeAnnotation]:
    for one in dashboard_markers.list_environment_change_points(session, at, from_ms, to_ms_):
        service_id = UUID(one.service_id)
        path = f"/dashboard?env={at}&alone={service_id}&{_around(one.at_ms)}"
        yield TimeAnnotation(one.at_ms, None, "change-point", "Change point", one.sentence, service_id, path)


def _events(session: ReadSession, at: EnvironmentId, from_ms: int, to_ms_: int) -> Iterator[TimeAnnotation]:
    for row in list_events_between(session, at, at_time(from_ms), at_time(to_ms_)):
        end_ms = to_ms(row.closed_at) if row.closed_at else to_ms_
        begin_ms = to_ms(row.started_at)
        title = f"Event {row.number}: {row.title}"
        yield TimeAnnotation(
            begin_ms,
            max(begin_ms, end_ms),
            "production-event",
            title,
            row.sentence,
            row.service_id,
            f"/events/{row.id}",
        )


HALF_HOUR_MS = 1_800_000


def _around(at_ms: int) -> str:
    """Return the part of an address that shows an hour around a time."""
    return f"from={at_ms - HALF_HOUR_MS}&to={at_ms + HALF_HOUR_MS}"
