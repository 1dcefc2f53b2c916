"""HTTP endpoints of deployments, annotations and the service order."""

from datetime import datetime
from typing import Annotated, Any
from uuid import UUID

from fastapi import APIRouter, Query, Response

from slowpath.core.errors import InvalidRequest, NotFound
from slowpath.core.ids import AnnotationId, BuildId, DeployId, EnvironmentId, ServiceId
from slowpath.inventory.catalog import service
from slowpath.inventory.catalog.endpoints.catalog_entries import dump_request_fields
from slowpath.inventory.catalog.schemas.catalog_entries import ServiceOut, When
from slowpath.inventory.catalog.schemas.deployments_annotations import (
    AnnotationIn,
    AnnotationOut,
    AnnotationUpdate,
    DeploymentEventIn,
    DeploymentIn,
    DeploymentOut,
    DeploymentUpdate,
    ServiceEdgeOut,
    ServiceOrderIn,
    ServiceOrderOut,
)
from slowpath.inventory.catalog.service import DeploymentFields, ServiceOrder
from slowpath.platform.accounts.access import MayDeploy, MayManage, MayRead, MayWrite
from slowpath.platform.accounts.service import record_audit_event
from slowpath.platform.http.body_limits import KIB, body_up_to
from slowpath.platform.http.internal_api import FREEZABLE
from slowpath.platform.http.pagination import Page, Paging
from slowpath.platform.http.problems import document_problems
from slowpath.platform.http.request_dependencies import Now, Reading, Writing

router = APIRouter(prefix="/api/v1", tags=["catalog"])

KNOWN: dict[int | str, dict[str, Any]] = {200: {"model": DeploymentOut, "description": "The deployment already exists"}}


@router.get(
    "/deployments",
    operation_id="deployments:list",
    openapi_extra=FREEZABLE,
    responses=document_problems(InvalidRequest),
)
def list_deployments(
    caller: MayRead,
    session: Reading,
    paging: Paging,
    service_id: UUID | None = None,
    environment_id: UUID | None = None,
    search: Annotated[
        str | None,
        Query(max_length=200, pattern=r"^[^\x00]*$", description="prefix of a commit SHA, or part of a label"),
    ] = None,
) -> Page[DeploymentOut]:
    """List deployments, the last recorded first."""
    rows = service.deploys(
        session,
        paging.after,
        paging.limit + 1,
        service_id=ServiceId(service_id) if service_id else None,
        environment_id=EnvironmentId(environment_id) if environment_id else None,
        search=(search or "").strip() or None,
    )
    return paging.page(rows, DeploymentOut.model_validate, lambda row: (row.created_at, row.id))


@router.post(
    "/deployments",
    operation_id="deployments:create",
    openapi_extra=body_up_to(1024 * KIB, members=5_000),
    status_code=201,
    responses={**document_problems(NotFound, InvalidRequest), **KNOWN},
)
def create_deployment(
    body: DeploymentIn, caller: MayDeploy, session: Writing, now: Now, response: Response
) -> DeploymentOut:
    """Create a deployment, or return the existing one with the same `external_id` (200). Names that are new are created."""
    service_id = body.service_id or service.ensure_service(session, body.service or "").id
    environment_id = body.environment_id or service.ensure_environment(session, body.environment or "").id
    new = DeploymentFields(
        service_id=ServiceId(service_id),
        environment_id=EnvironmentId(environment_id),
        started_at=body.started_at or now.now(),
        source="api",
        commit=body.commit,
        build_id=BuildId(body.build_id) if body.build_id else None,
        label=body.label,
        external_id=body.external_id,
        url=str(body.url) if body.url else None,
        commits=[commit.model_dump(mode="json", exclude_none=True) for commit in body.commits],
    )
    row, made = service.record_deployment(session, new)
    if made:
        record_audit_event(session, caller, "deployment.created", "deployment", row.id, {"commit": row.commit})
    else:
        response.status_code = 200
    return DeploymentOut.model_validate(row)


@router.post(
    "/deployment-events",
    operation_id="deployment-events:create",
    openapi_extra=body_up_to(256 * KIB, members=10_000),
    status_code=201,
    responses={**document_problems(InvalidRequest), **KNOWN},
)
def receive_deployment_event(
    message: DeploymentEventIn, caller: MayDeploy, session: Writing, now: Now, response: Response
) -> DeploymentOut:
    """Record a deployment event in Slowpath's format (`service`, `environment`, `commit`) or from Argo CD, GitHub, Kubernetes."""
    row, made = service.record_deployment_event(session, message.model_extra or {}, now.now())
    if made:
        record_audit_event(session, caller, "deployment.created", "deployment", row.id, {"commit": row.commit})
    else:
        response.status_code = 200
    return DeploymentOut.model_validate(row)


@router.get(
    "/deployments/{deployment_id}",
    operation_id="deployments:get",
    openapi_extra=FREEZABLE,
    responses=document_problems(NotFound),
)
def get_deployment(deployment_id: UUID, caller: MayRead, session: Reading) -> DeploymentOut:
    """Return one deployment."""
    return DeploymentOut.model_validate(service.deploy(session, DeployId(deployment_id)))


@router.patch(
    "/deployments/{deployment_id}",
    operation_id="deployments:update",
    openapi_extra=body_up_to(1024 * KIB, members=5_000),
    responses=document_problems(NotFound, InvalidRequest),
)
def update_deployment(
    deployment_id: UUID, change: DeploymentUpdate, caller: MayWrite, session: Writing
) -> DeploymentOut:
    """Update a deployment."""
    values = change.model_dump(mode="json", exclude_unset=True)
    if "commits" in values:
        values["commits"] = [
            {key: value for key, value in commit.items() if value is not None} for commit in values["commits"] or ()
        ]
    row = service.change_deploy(session, DeployId(deployment_id), values)
    record_audit_event(
        session,
        caller,
        "deployment.updated",
        "deployment",
        row.id,
        {name: values[name] for name in values.keys() - {"commits"}},
    )
    return DeploymentOut.model_validate(row)


@router.delete(
    "/deployments/{deployment_id}",
    operation_id="deployments:delete",
    status_code=204,
    responses=document_problems(NotFound),
)
def delete_deployment(deployment_id: UUID, caller: MayManage, session: Writing) -> None:
    """Delete a deployment: the previous deployment then lasts until the next one."""
    row = service.delete_deploy(session, DeployId(deployment_id))
    record_audit_event(session, caller, "deployment.deleted", "deployment", deployment_id, {"commit": row.commit})


@router.get(
    "/annotations",
    operation_id="annotations:list",
    openapi_extra=FREEZABLE,
    responses=document_problems(NotFound, InvalidRequest),
)
def list_annotations(
    caller: MayRead,
    session: Reading,
    environment_id: UUID,
    start: Annotated[When, Query(alias="from")],
    end: Annotated[When, Query(alias="to")],
) -> list[AnnotationOut]:
    """List the annotations of a time range, oldest first."""
    rows = service.annotations_between(session, EnvironmentId(environment_id), start, end)
    return [AnnotationOut.model_validate(row) for row in rows]


@router.post(
    "/annotations",
    operation_id="annotations:create",
    status_code=201,
    responses=document_problems(NotFound, InvalidRequest),
)
def create_annotation(body: AnnotationIn, caller: MayWrite, session: Writing) -> AnnotationOut:
    """Create an annotation."""
    of_service = ServiceId(body.service_id) if body.service_id else None
    values = body.model_dump(include={"started_at", "ended_at", "text"})
    row = service.create_annotation(session, EnvironmentId(body.environment_id), of_service, values)
    record_audit_event(session, caller, "annotation.created", "annotation", row.id, {"text": row.text})
    return AnnotationOut.model_validate(row)


@router.patch(
    "/annotations/{annotation_id}",
    operation_id="annotations:update",
    responses=document_problems(NotFound, InvalidRequest),
)
def change_annotation(
    annotation_id: UUID, change: AnnotationUpdate, caller: MayWrite, session: Writing
) -> AnnotationOut:
    """Update the text or the time of an annotation."""
    given = dump_request_fields(change)
    values: dict[str, str | datetime | None] = {
        name: value for name, value in given.items() if value is not None or name == "ended_at"
    }
    row = service.change_annotation(session, AnnotationId(annotation_id), values)
    record_audit_event(session, caller, "annotation.updated", "annotation", row.id, {"text": row.text})
    return AnnotationOut.model_validate(row)


@router.delete(
    "/annotations/{annotation_id}",
    operation_id="annotations:delete",
    status_code=204,
    responses=document_problems(NotFound),
)
def delete_annotation(annotation_id: UUID, caller: MayWrite, session: Writing) -> None:
    """Delete an annotation."""
    row = service.delete_annotation(session, AnnotationId(annotation_id))
    record_audit_event(session, caller, "annotation.deleted", "annotation", annotation_id, {"text": row.text})


@router.get(
    "/environments/{environment_id}/service-order",
    operation_id="service-order:get",
    openapi_extra=FREEZABLE,
    responses=document_problems(NotFound),
)
def get_service_order(environment_id: UUID, caller: MayRead, session: Reading) -> ServiceOrderOut:
    """Return the service order and the service edges of an environment: the service map."""
    return _make_order_out(service.get_service_order(session, EnvironmentId(environment_id)))


@router.put(
    "/environments/{environment_id}/service-order",
    operation_id="service-order:set",
    openapi_extra=body_up_to(64 * KIB, members=2_000),
    responses=document_problems(NotFound, InvalidRequest),
)
def set_service_order(
    environment_id: UUID, body: ServiceOrderIn, caller: MayWrite, session: Writing
) -> ServiceOrderOut:
    """Set the service order manually; missing services follow at the end."""
    ids = [ServiceId(each) for each in body.service_ids]
    laid = service.set_service_order(session, EnvironmentId(environment_id), ids)
    record_audit_event(session, caller, "service-order.set", "environment", environment_id, {})
    return _make_order_out(laid)


@router.delete(
    "/environments/{environment_id}/service-order",
    operation_id="service-order:reset",
    responses=document_problems(NotFound),
)
def reset_service_order(environment_id: UUID, caller: MayWrite, session: Writing) -> ServiceOrderOut:
    """Remove the manual service order and use the order of the spans."""
    shown = service.reset_service_order(session, EnvironmentId(environment_id))
    record_audit_event(session, caller, "service-order.reset", "environment", environment_id, {})
    return _make_order_out(shown)


def _make_order_out(order: ServiceOrder) -> ServiceOrderOut:
    return ServiceOrderOut(
        services=[ServiceOut.model_validate(row) for row in order.services],
        source=order.source,
        edges=[
            ServiceEdgeOut(
                caller_id=edge.caller, callee_id=edge.callee, calls=edge.calls, requests=edge.requests, ratio=edge.ratio
            )
            for edge in order.edges
        ],
    )
