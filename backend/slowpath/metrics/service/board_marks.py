"""What stands beside the lines of the board besides deploys: changes of latency that were found, checks of deploys.

Query shape: changes in the range, the deploys and services that explain them, checks of the deploys: four queries in all.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, cast
from uuid import UUID

from slowpath.analysis.metrics.attribution import Cause
from slowpath.analysis.metrics.change_wording import change_sentence, deploy_name, headline
from slowpath.catalog import service as catalog
from slowpath.catalog.tables import Deploy, Service
from slowpath.core.ids import EnvironmentId, ServiceId
from slowpath.core.sessions import ReadSession
from slowpath.metrics import queries
from slowpath.metrics.service.checking import verdict_row
from slowpath.metrics.service.times import at_time
from slowpath.metrics.service.watching import CHANGES_MAX, change_of
from slowpath.metrics.tables import LatencyChange

BEFORE_RANGE_MS: Final = 3_600_000
"""A change at the left edge may be explained by a deploy just outside."""
TOLD: Final = ("at_ms", "low_ms", "high_ms", "before", "after", "ratio", "ratio_low", "ratio_high")


@dataclass(frozen=True)
class Check:
    """What was decided of a deploy, as it is told."""

    verdict: str
    said: dict[str, Any]


@dataclass(frozen=True)
class Marks:
    """Changes in the range, checks by deploy, and the sentence above the board."""

    changes: Sequence[dict[str, Any]] = ()
    checks: Mapping[UUID, Check] = field(default_factory=dict)
    headline: dict[str, Any] | None = None


def between(
    session: ReadSession, environment_id: EnvironmentId, service_ids: Sequence[ServiceId], from_ms: int, to_ms: int
) -> Marks:
    """Return what was found of these services in a range."""
    shown = set(service_ids)
    rows = [row for row in _changes(session, environment_id, from_ms, to_ms) if row.service_id in shown]
    deploys = _deploys(session, environment_id, from_ms, to_ms)
    services = _services(session, environment_id) if rows else {}
    checks: dict[UUID, list[Any]] = {}
    for check in queries.checks_of(session, list(deploys)) if deploys else ():
        checks.setdefault(check.deploy_id, []).append(check)
    counted = {deploy_id: row for deploy_id, looks in checks.items() if (row := verdict_row(looks)) is not None}
    return Marks(
        [_told(row, deploys, services) for row in rows],
        {deploy_id: Check(row.verdict, row.said) for deploy_id, row in counted.items()},
        _headline(rows, deploys, services, to_ms),
    )


def in_environment(
    session: ReadSession, environment_id: EnvironmentId, from_ms: int, to_ms: int
) -> list[dict[str, Any]]:
    """Return the changes of all services of an environment in a range, oldest first. Raises `EnvironmentNotFound`."""
    services = _services(session, environment_id)
    deploys = _deploys(session, environment_id, from_ms, to_ms)
    return [_told(row, deploys, services) for row in _changes(session, environment_id, from_ms, to_ms)]


def _changes(session: ReadSession, environment_id: EnvironmentId, from_ms: int, to_ms: int) -> Sequence[LatencyChange]:
    return queries.changes_between(session, environment_id, from_ms, to_ms, CHANGES_MAX)


def _deploys(session: ReadSession, environment_id: EnvironmentId, from_ms: int, to_ms: int) -> dict[UUID, Deploy]:
    start, end = at_time(max(0, from_ms - BEFORE_RANGE_MS)), at_time(to_ms)
    return {row.id: row for row in catalog.deploys_between(session, environment_id, start, end)}


def _services(session: ReadSession, environment_id: EnvironmentId) -> dict[UUID, Service]:
    return {row.id: row for row in catalog.request_order(session, environment_id).services}


def _told(row: LatencyChange, deploys: Mapping[UUID, Deploy], services: Mapping[UUID, Service]) -> dict[str, Any]:
    """Return a change as the board has it."""
    followed = services.get(row.follows_service_id) if row.follows_service_id else None
    return {
        "id": str(row.id),
        "service_id": str(row.service_id),
        "signal": row.signal,
        **{name: getattr(row, name) for name in TOLD},
        "cause": row.cause,
        "deploy_id": str(row.deploy_id) if row.deploy_id else None,
        "follows_service_id": str(row.follows_service_id) if row.follows_service_id else None,
        "sentence": change_sentence(
            change_of(row), cast("Cause", row.cause), _name(row, deploys), followed.name if followed else None
        ),
    }


def _headline(
    rows: Sequence[LatencyChange], deploys: Mapping[UUID, Deploy], services: Mapping[UUID, Service], until_ms: int
) -> dict[str, Any] | None:
    """The change that is to be looked at first: longer latency that lasts and that something else does not explain.

    What a deploy explains comes before what nothing explains; of several the largest.
    """
    last: dict[UUID, LatencyChange] = {}
    for row in rows:
        if row.signal != "qps":
            last[row.service_id] = row
    longer = [row for row in last.values() if row.ratio > 1 and row.cause in ("deploy", "unexplained")]
    if not longer:
        return None
    first = max(longer, key=lambda row: (row.cause == "deploy", row.ratio_low))
    sentence, detail = headline(
        services[first.service_id].name,
        change_of(first),
        cast("Cause", first.cause),
        _name(first, deploys),
        shown_until_ms=until_ms,
    )
    return {
        "service_id": str(first.service_id),
        "sentence": sentence,
        "detail": detail,
        "deploy_id": str(first.deploy_id) if first.deploy_id else None,
        "change_id": str(first.id),
    }


def _name(row: LatencyChange, deploys: Mapping[UUID, Deploy]) -> str | None:
    deploy = deploys.get(row.deploy_id) if row.deploy_id else None
    return deploy_name(deploy.commit, deploy.label) if deploy else None
