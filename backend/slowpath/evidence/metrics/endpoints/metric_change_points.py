"""HTTP endpoints of metric change points and deployment checks."""

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Query

from slowpath.core.errors import InvalidRequest, NotFound
from slowpath.core.ids import DeployId, EnvironmentId
from slowpath.evidence.metrics.endpoints.dashboard import Instant
from slowpath.evidence.metrics.schemas import (
    DeploymentCheckOut,
    DeploymentEvaluationOut,
    MetricChangePointList,
)
from slowpath.evidence.metrics.service import dashboard_markers, deployment_checks
from slowpath.evidence.metrics.service.dashboard_range import parse_dashboard_request
from slowpath.inventory.catalog import service as catalog
from slowpath.platform.accounts.access import MayRead
from slowpath.platform.http.internal_api import FREEZABLE
from slowpath.platform.http.problems import document_problems
from slowpath.platform.http.request_dependencies import Now, Reading

router = APIRouter(prefix="/api/v1", tags=["metrics"])


@router.get(
    "/metric-change-points",
    operation_id="metric-change-points:list",
    openapi_extra=FREEZABLE,
    responses=document_problems(NotFound, InvalidRequest),
)
def list_change_points(
    caller: MayRead,
    session: Reading,
    now: Now,
    environment_id: UUID,
    start: Annotated[Instant | None, Query(alias="from")] = None,
    end: Annotated[Instant | None, Query(alias="to")] = None,
) -> MetricChangePointList:
    """List the change points of latency and load of an environment, oldest first; by default of the last six hours."""
    one = EnvironmentId(environment_id)
    catalog.environment(session, one)
    wish = parse_dashboard_request(
        now.now(), start, end, environment_id=one, service_ids=(), against="none", by_instance=False
    )
    found = dashboard_markers.list_environment_change_points(session, one, wish.from_ms, wish.to_ms)
    return MetricChangePointList(items=found)


@router.get(
    "/deployments/{deployment_id}/check",
    operation_id="deployments:check",
    openapi_extra=FREEZABLE,
    responses=document_problems(NotFound),
)
def get_deployment_check(deployment_id: UUID, caller: MayRead, session: Reading) -> DeploymentCheckOut:
    """Return the verdict on a deployment and all its evaluations."""
    rows = deployment_checks.list_evaluations(session, DeployId(deployment_id))
    counted = deployment_checks.select_deciding_evaluation(rows)
    evaluations = [
        DeploymentEvaluationOut(
            minutes_after_deployment=row.minutes,
            verdict=row.verdict,
            basis=row.basis,
            at=row.created_at,
            check=row.statement,
        )
        for row in rows
    ]
    return DeploymentCheckOut(
        deployment_id=deployment_id,
        verdict=counted.verdict if counted else None,
        check=counted.statement if counted else None,
        evaluations=evaluations,
    )
