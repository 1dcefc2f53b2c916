"""Deployments of the service near an event: what ran before, the cause, and later ones."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final, Literal
from uuid import UUID

from slowpath.core.db_sessions import ReadSession
from slowpath.core.ids import EnvironmentId, ServiceId
from slowpath.evidence.metrics.service.deployment_checks import select_deciding_evaluation
from slowpath.evidence.metrics.tables import DeploymentEvaluationRow
from slowpath.inventory.catalog.tables import Deployment
from slowpath.verdicts.production_events import queries
from slowpath.verdicts.production_events.rules.change_groups import ROLLOUT, TOGETHER
from slowpath.verdicts.production_events.rules.event_ends import LaterDeployment
from slowpath.verdicts.production_events.tables import ProductionEvent

MOST_DEPLOYMENTS: Final = 50


@dataclass(frozen=True)
class DeploymentNearEvent:
    """A deployment near an event, with its deciding verdict."""

    id: UUID
    commit: str
    label: str | None
    build_id: UUID | None
    started_at: datetime
    ended_at: datetime | None
    role: Literal["former", "cause", "later"]
    verdict: str | None
    verdict_sentence: str | None


def list_deployments(
    session: ReadSession, event: ProductionEvent, begin: datetime, end: datetime
) -> list[DeploymentNearEvent]:
    """Return the deployments of the service in a time range and the one that ran before, oldest first."""
    service_id, environment_id = ServiceId(event.service_id), EnvironmentId(event.environment_id)
    rows = queries.select_deployments_between(session, service_id, environment_id, (begin, end), MOST_DEPLOYMENTS)
    earliest = rows[0].started_at if rows else event.started_at
    former = queries.find_former_deployment(session, service_id, environment_id, earliest)
    rows = [*([former] if former is not None else []), *rows]
    checks: dict[UUID, list[DeploymentEvaluationRow]] = {}
    for row in queries.select_evaluations(session, [each.id for each in rows]) if rows else ():
        checks.setdefault(row.deployment_id, []).append(row)
    return [_describe(event, row, checks.get(row.id, [])) for row in rows]


def list_later_deployments(session: ReadSession, event: ProductionEvent, until: datetime) -> list[LaterDeployment]:
    """Return the deployments of the service after the event started, without the one that caused it."""
    service_id, environment_id = ServiceId(event.service_id), EnvironmentId(event.environment_id)
    since = event.started_at - ROLLOUT if event.deployment_id else event.started_at
    rows = queries.select_deployments_between(session, service_id, environment_id, (since, until), MOST_DEPLOYMENTS)
    cause = next((row for row in rows if row.id == event.deployment_id), None)
    after = cause.started_at if cause is not None else event.started_at + TOGETHER
    return [
        LaterDeployment(row.id, row.commit, row.label, row.started_at, row.build_id)
        for row in rows
        if row.id != event.deployment_id and row.started_at > after
    ]


def _describe(
    event: ProductionEvent, row: Deployment, checks: Sequence[DeploymentEvaluationRow]
) -> DeploymentNearEvent:
    deciding = select_deciding_evaluation(checks)
    return DeploymentNearEvent(
        id=row.id,
        commit=row.commit,
        label=row.label,
        build_id=row.build_id,
        started_at=row.started_at,
        ended_at=row.ended_at,
        role="cause" if row.id == event.deployment_id else "later" if row.started_at > event.started_at else "former",
        verdict=deciding.verdict if deciding else None,
        verdict_sentence=deciding.statement["sentence"] if deciding else None,
    )
