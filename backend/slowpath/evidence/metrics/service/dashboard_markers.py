"""Dashboard markers: change points, deployments with their checks, and annotations.

Query shape: change points in the range, the deployments and services that cause them, checks: four queries in total.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, cast
from uuid import UUID

from slowpath.analysis.kinds.metrics.changes.change_attribution import Cause
from slowpath.analysis.kinds.metrics.changes.change_wording import change_sentence, deploy_name
from slowpath.analysis.kinds.metrics.changes.deployment_check import DeployVerdict
from slowpath.analysis.kinds.metrics.changes.latency_change_points import kind_of
from slowpath.analysis.kinds.metrics.dashboard.dashboard_header import (
    DashboardAnnotation,
    DashboardChangePoint,
    DashboardDeployment,
    DashboardHeadline,
)
from slowpath.core.db_sessions import ReadSession
from slowpath.core.ids import EnvironmentId, ServiceId
from slowpath.evidence.metrics import queries
from slowpath.evidence.metrics.service.change_detection import CHANGES_MAX
from slowpath.evidence.metrics.service.deployment_checks import select_deciding_evaluation
from slowpath.evidence.metrics.service.scan_input import change_point_from_row
from slowpath.evidence.metrics.service.timestamps import at_time, to_ms
from slowpath.evidence.metrics.tables import DeploymentEvaluationRow, MetricChangePoint
from slowpath.inventory.catalog import service as catalog
from slowpath.inventory.catalog.tables import Annotation, Deployment, Service

BEFORE_RANGE_MS: Final = 3_600_000
"""A change point at the left edge can be caused by a deployment just outside the range."""


@dataclass(frozen=True)
class DashboardMarkers:
    """Change points in the range, checks by deployment, and the headline of the dashboard."""

    changes: Sequence[DashboardChangePoint] = ()
    checks: Mapping[UUID, DeploymentEvaluationRow] = field(default_factory=dict)
    headline: DashboardHeadline | None = None


def list_markers(
    session: ReadSession, environment_id: EnvironmentId, service_ids: Sequence[ServiceId], from_ms: int, to_ms: int
) -> DashboardMarkers:
    """Return the markers of these services in a time range."""
    shown = set(service_ids)
    rows = [row for row in _changes(session, environment_id, from_ms, to_ms) if row.service_id in shown]
    deploys = _deploys(session, environment_id, from_ms, to_ms)
    services = _services(session, environment_id) if rows else {}
    checks: dict[UUID, list[DeploymentEvaluationRow]] = {}
    for check in queries.checks_of(session, list(deploys)) if deploys else ():
        checks.setdefault(check.deployment_id, []).append(check)
    counted = {
        deploy_id: row
        for deploy_id, rows_of in checks.items()
        if (row := select_deciding_evaluation(rows_of)) is not None
    }
    return DashboardMarkers(
        [_describe_change_point(row, deploys, services) for row in rows],
        counted,
        _headline(rows),
    )


def list_environment_change_points(
    session: ReadSession, environment_id: EnvironmentId, from_ms: int, to_ms: int
) -> list[DashboardChangePoint]:
    """Return the change points of all services of an environment in a range, oldest first. Raises `EnvironmentNotFound`."""
    services = _services(session, environment_id)
    deploys = _deploys(session, environment_id, from_ms, to_ms)
    return [_describe_change_point(row, deploys, services) for row in _changes(session, environment_id, from_ms, to_ms)]


def _changes(
    session: ReadSession, environment_id: EnvironmentId, from_ms: int, to_ms: int
) -> Sequence[MetricChangePoint]:
    return queries.changes_between(session, environment_id, from_ms, to_ms, CHANGES_MAX)


def _deploys(session: ReadSession, environment_id: EnvironmentId, from_ms: int, to_ms: int) -> dict[UUID, Deployment]:
    start, end = at_time(max(0, from_ms - BEFORE_RANGE_MS)), at_time(to_ms)
    return {row.id: row for row in catalog.deploys_between(session, environment_id, start, end)}


def _services(session: ReadSession, environment_id: EnvironmentId) -> dict[UUID, Service]:
    return {row.id: row for row in catalog.get_service_order(session, environment_id).services}


def _describe_change_point(
    row: MetricChangePoint, deploys: Mapping[UUID, Deployment], services: Mapping[UUID, Service]
) -> DashboardChangePoint:
    followed = services.get(row.upstream_cause_service_id) if row.upstream_cause_service_id else None
    change_point = change_point_from_row(row)
    return DashboardChangePoint(
        id=str(row.id),
        service_id=str(row.service_id),
        signal=change_point.signal,
        gauge=change_point.gauge or None,
        at_ms=row.at_ms,
        before=row.before,
        after=row.after,
        ratio=row.ratio,
        ratio_low=row.ratio_low,
        ratio_high=row.ratio_high,
        earliest_ms=row.earliest_ms,
        latest_ms=row.latest_ms,
        cause=cast("Cause", row.cause),
        deployment_id=str(row.deployment_id) if row.deployment_id else None,
        upstream_cause_service_id=str(row.upstream_cause_service_id) if row.upstream_cause_service_id else None,
        sentence=change_sentence(
            change_point,
            cast("Cause", row.cause),
            _name(row, deploys),
            followed.name if followed else None,
        ),
    )


def _headline(rows: Sequence[MetricChangePoint]) -> DashboardHeadline | None:
    """Return the headline: a lasting increase of latency that neither load nor a dependency explains.

    Changes caused by a deployment come before unexplained ones, then the largest.
    """
    last: dict[UUID, MetricChangePoint] = {}
    for row in rows:
        if kind_of(row.signal) == "latency":
            last[row.service_id] = row
    longer = [row for row in last.values() if row.ratio > 1 and row.cause in ("deployment", "unexplained")]
    if not longer:
        return None
    first = max(longer, key=lambda row: (row.cause == "deployment", row.ratio_low))
    return DashboardHeadline(service_id=str(first.service_id), change_id=str(first.id))


def _name(row: MetricChangePoint, deploys: Mapping[UUID, Deployment]) -> str | None:
    deploy = deploys.get(row.deployment_id) if row.deployment_id else None
    return deploy_name(deploy.commit, deploy.label) if deploy else None


def describe_deployment(row: Deployment, marks: DashboardMarkers) -> DashboardDeployment:
    """Return a deployment as drawn, with the result of its check."""
    check = marks.checks.get(row.id)
    return DashboardDeployment(
        id=str(row.id),
        service_id=str(row.service_id),
        build_id=str(row.build_id) if row.build_id else None,
        commit=row.commit,
        label=row.label,
        at_ms=to_ms(row.started_at),
        ended_ms=to_ms(row.ended_at) if row.ended_at else None,
        verdict=cast("DeployVerdict", check.verdict) if check else None,
        check=check.statement if check else None,
        commits=row.commits,
        url=row.url,
    )


def describe_annotation(row: Annotation) -> DashboardAnnotation:
    """Return an annotation as drawn."""
    return DashboardAnnotation(
        id=str(row.id),
        service_id=str(row.service_id) if row.service_id else None,
        at_ms=to_ms(row.started_at),
        until_ms=to_ms(row.ended_at) if row.ended_at else None,
        text=row.text,
    )
