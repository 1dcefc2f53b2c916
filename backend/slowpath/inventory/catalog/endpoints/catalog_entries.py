"""HTTP endpoints of services, environments and builds."""

from typing import Any
from uuid import UUID

from fastapi import APIRouter, Response
from pydantic import BaseModel

from slowpath.core.errors import Conflict, InvalidRequest, NotFound
from slowpath.core.ids import BuildId, EnvironmentId, ServiceId
from slowpath.inventory.catalog import service
from slowpath.inventory.catalog.endpoints.metadata_sender import make_metadata_sender
from slowpath.inventory.catalog.schemas.catalog_entries import (
    BuildIn,
    BuildOut,
    BuildUpdate,
    EnvironmentIn,
    EnvironmentOut,
    ServiceIn,
    ServiceOut,
    ServiceUpdate,
)
from slowpath.inventory.catalog.service import BuildIdentity
from slowpath.platform.accounts.access import MayManage, MayRead, MaySend, MayWrite
from slowpath.platform.accounts.service import record_audit_event
from slowpath.platform.http.body_limits import KIB, body_up_to
from slowpath.platform.http.internal_api import FREEZABLE
from slowpath.platform.http.pagination import Page, Paging
from slowpath.platform.http.problems import document_problems
from slowpath.platform.http.request_dependencies import Reading, Writing

router = APIRouter(prefix="/api/v1", tags=["catalog"])

IDENTITY = ("commit", "go_version", "goos", "goarch", "flags")


def dump_request_fields(change: BaseModel) -> dict[str, Any]:
    """Return the values that were sent, with URLs as text; null removes a value."""
    values = change.model_dump(exclude_unset=True)
    if values.get("pull_request"):
        values["pull_request"] = change.model_dump(mode="json", include={"pull_request"})["pull_request"]
    return {name: str(value) if name.endswith("_url") and value else value for name, value in values.items()}


@router.get(
    "/services", operation_id="services:list", openapi_extra=FREEZABLE, responses=document_problems(InvalidRequest)
)
def list_services(caller: MayRead, session: Reading, paging: Paging) -> Page[ServiceOut]:
    """List services, newest first."""
    rows = service.services(session, paging.after, paging.limit + 1)
    return paging.page(rows, ServiceOut.model_validate, lambda row: (row.created_at, row.id))


@router.post(
    "/services", operation_id="services:create", status_code=201, responses=document_problems(InvalidRequest, Conflict)
)
def create_service(body: ServiceIn, caller: MayManage, session: Writing) -> ServiceOut:
    """Create a service."""
    row = service.create_service(session, body.name, body.model_dump(exclude={"name"}))
    record_audit_event(session, caller, "service.created", "service", row.id, {"name": row.name})
    return ServiceOut.model_validate(row)


@router.get(
    "/services/{service_id}",
    operation_id="services:get",
    openapi_extra=FREEZABLE,
    responses=document_problems(NotFound),
)
def get_service(service_id: UUID, caller: MayRead, session: Reading) -> ServiceOut:
    """Return one service."""
    return ServiceOut.model_validate(service.service(session, ServiceId(service_id)))


@router.patch(
    "/services/{service_id}",
    operation_id="services:update",
    responses=document_problems(NotFound, InvalidRequest, Conflict),
)
def update_service(service_id: UUID, change: ServiceUpdate, caller: MayManage, session: Writing) -> ServiceOut:
    """Update a service."""
    values = {
        name: value
        for name, value in dump_request_fields(change).items()
        if value is not None or name == "main_package"
    }
    row = service.change_service(session, ServiceId(service_id), values)
    record_audit_event(session, caller, "service.updated", "service", row.id, values)
    return ServiceOut.model_validate(row)


@router.delete(
    "/services/{service_id}",
    operation_id="services:delete",
    status_code=204,
    responses=document_problems(NotFound, Conflict),
)
def delete_service(service_id: UUID, caller: MayManage, session: Writing) -> None:
    """Delete a service, its builds and their files; the stored bytes are deleted half a day later."""
    row = service.delete_service(session, ServiceId(service_id))
    record_audit_event(session, caller, "service.deleted", "service", service_id, {"name": row.name})


@router.get(
    "/environments",
    operation_id="environments:list",
    openapi_extra=FREEZABLE,
    responses=document_problems(InvalidRequest),
)
def list_environments(caller: MayRead, session: Reading, paging: Paging) -> Page[EnvironmentOut]:
    """List environments, newest first."""
    rows = service.environments(session, paging.after, paging.limit + 1)
    return paging.page(rows, EnvironmentOut.model_validate, lambda row: (row.created_at, row.id))


@router.post(
    "/environments",
    operation_id="environments:create",
    status_code=201,
    responses=document_problems(InvalidRequest, Conflict),
)
def create_environment(body: EnvironmentIn, caller: MayManage, session: Writing) -> EnvironmentOut:
    """Create an environment."""
    row = service.create_environment(session, body.name)
    record_audit_event(session, caller, "environment.created", "environment", row.id, {"name": row.name})
    return EnvironmentOut.model_validate(row)


@router.patch(
    "/environments/{environment_id}",
    operation_id="environments:update",
    responses=document_problems(NotFound, InvalidRequest),
)
def update_environment(
    environment_id: UUID, change: EnvironmentIn, caller: MayManage, session: Writing
) -> EnvironmentOut:
    """Rename an environment."""
    row = service.rename_environment(session, EnvironmentId(environment_id), change.name)
    record_audit_event(session, caller, "environment.updated", "environment", row.id, {"name": row.name})
    return EnvironmentOut.model_validate(row)


@router.delete(
    "/environments/{environment_id}",
    operation_id="environments:delete",
    status_code=204,
    responses=document_problems(NotFound),
)
def delete_environment(environment_id: UUID, caller: MayManage, session: Writing) -> None:
    """Delete an environment."""
    row = service.delete_environment(session, EnvironmentId(environment_id))
    record_audit_event(session, caller, "environment.deleted", "environment", environment_id, {"name": row.name})


@router.post(
    "/builds",
    operation_id="builds:create",
    openapi_extra=body_up_to(1024 * KIB, members=6_000),
    status_code=201,
    responses={
        **document_problems(NotFound, InvalidRequest),
        200: {"model": BuildOut, "description": "The build already exists"},
    },
)
def register_build(body: BuildIn, caller: MaySend, session: Writing, response: Response) -> BuildOut:
    """Create a build, or return the existing build with the same identity (200)."""
    identity = BuildIdentity(ServiceId(body.service_id), **body.model_dump(include=set(IDENTITY)))
    values = body.model_dump(exclude={"service_id", *IDENTITY})
    values["ci_url"] = str(body.ci_url) if body.ci_url else None
    values["pull_request"] = body.pull_request.model_dump(mode="json") if body.pull_request else None
    row, made = service.register_build(session, identity, values, by=make_metadata_sender(caller))
    if made:
        record_audit_event(session, caller, "build.created", "build", row.id, {"commit": row.commit})
    else:
        response.status_code = 200
    return BuildOut.model_validate(row)


@router.get(
    "/builds/{build_id}", operation_id="builds:get", openapi_extra=FREEZABLE, responses=document_problems(NotFound)
)
def get_build(build_id: UUID, caller: MayRead, session: Reading) -> BuildOut:
    """Return one build."""
    return BuildOut.model_validate(service.build(session, BuildId(build_id)))


@router.patch(
    "/builds/{build_id}",
    operation_id="builds:update",
    openapi_extra=body_up_to(1024 * KIB, members=6_000),
    responses=document_problems(NotFound, InvalidRequest),
)
def update_build(build_id: UUID, change: BuildUpdate, caller: MayWrite, session: Writing) -> BuildOut:
    """Update the details of a build."""
    row = service.change_build(session, BuildId(build_id), dump_request_fields(change))
    record_audit_event(
        session, caller, "build.updated", "build", row.id, change.model_dump(mode="json", exclude_unset=True)
    )
    return BuildOut.model_validate(row)


@router.delete(
    "/builds/{build_id}", operation_id="builds:delete", status_code=204, responses=document_problems(NotFound)
)
def delete_build(build_id: UUID, caller: MayManage, session: Writing) -> None:
    """Delete a build and its files; the stored bytes are deleted half a day later."""
    row = service.delete_build(session, BuildId(build_id))
    record_audit_event(session, caller, "build.deleted", "build", build_id, {"commit": row.commit})
