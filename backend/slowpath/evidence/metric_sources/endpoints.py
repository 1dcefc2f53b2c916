"""HTTP endpoints of metric sources and federated services."""

from typing import Any
from uuid import UUID

from fastapi import APIRouter, Depends, Request

from slowpath.core.errors import (
    AddressNotAllowed,
    Conflict,
    InvalidRequest,
    LimitExceeded,
    NotFound,
    SlowpathError,
    TooLarge,
    Unavailable,
    UpstreamUnavailable,
)
from slowpath.core.ids import MetricSourceId
from slowpath.evidence.metric_sources.rules import MOST_NAMES
from slowpath.evidence.metric_sources.schemas import (
    CredentialsIn,
    FederatedServiceIn,
    FederatedServiceOut,
    ImportIn,
    ImportStartedOut,
    MetricSourceIn,
    MetricSourceOut,
    MetricSourceUpdate,
    SourceCheckOut,
)
from slowpath.evidence.metric_sources.service import federated_services, history_import, metric_sources
from slowpath.evidence.metric_sources.service.federated_services import ServicePlacement
from slowpath.evidence.metric_sources.service.metric_sources import SourceCredentials
from slowpath.evidence.metric_sources.service.prometheus_client import PrometheusClient
from slowpath.evidence.metrics.rules import HOUR_MS
from slowpath.platform.accounts.access import MayManage, MayRead, take_check_turn
from slowpath.platform.accounts.service import record_audit_event
from slowpath.platform.http.body_limits import KIB, body_up_to
from slowpath.platform.http.pagination import Page, Paging
from slowpath.platform.http.problems import document_problems
from slowpath.platform.http.request_dependencies import DatabaseOf, Now, Reading, Seals, WayOut, Writing, scope_of

router = APIRouter(prefix="/api/v1/metric-sources", tags=["metrics"])


@router.get("", operation_id="metric-sources:list", responses=document_problems(InvalidRequest))
def list_sources(caller: MayRead, session: Reading, paging: Paging) -> Page[MetricSourceOut]:
    """List metric sources, newest first."""
    rows = metric_sources.list_metric_sources(session, paging.after, paging.limit + 1)
    return paging.page(rows, MetricSourceOut.of, lambda row: (row.created_at, row.id))


@router.post(
    "",
    operation_id="metric-sources:create",
    openapi_extra=body_up_to(64 * KIB),
    status_code=201,
    responses=document_problems(InvalidRequest, LimitExceeded),
)
def create_source(
    body: MetricSourceIn, caller: MayManage, session: Writing, outside: WayOut, sealer: Seals
) -> MetricSourceOut:
    """Create a metric source. It is not queried yet."""
    sign_in = _make_credentials(body.credentials) or SourceCredentials("none")
    row = metric_sources.create_metric_source(session, sealer, outside, label=body.name, url=body.url, sign_in=sign_in)
    facts = {"name": row.label, "url": row.url, "credentials": row.credentials}
    record_audit_event(session, caller, "metric-source.created", "metric_source", row.id, facts)
    return MetricSourceOut.of(row)


@router.patch(
    "/{source_id}",
    operation_id="metric-sources:update",
    openapi_extra=body_up_to(64 * KIB),
    responses=document_problems(NotFound, InvalidRequest),
)
def change_source(
    source_id: UUID,
    change: MetricSourceUpdate,
    caller: MayManage,
    session: Writing,
    outside: WayOut,
    sealer: Seals,
) -> MetricSourceOut:
    """Update a metric source."""
    sent = {"label": change.name, "url": change.url}
    values = {name: value for name, value in sent.items() if value is not None}
    sign_in = _make_credentials(change.credentials)
    row = metric_sources.update_metric_source(
        session, sealer, outside, MetricSourceId(source_id), values=values, sign_in=sign_in
    )
    facts = {**values, **({"credentials": row.credentials} if sign_in else {})}
    record_audit_event(session, caller, "metric-source.updated", "metric_source", row.id, facts)
    return MetricSourceOut.of(row)


@router.delete(
    "/{source_id}", operation_id="metric-sources:delete", status_code=204, responses=document_problems(NotFound)
)
def delete_source(source_id: UUID, caller: MayManage, session: Writing) -> None:
    """Delete a metric source. Imported samples remain."""
    row = metric_sources.delete_metric_source(session, MetricSourceId(source_id))
    record_audit_event(session, caller, "metric-source.deleted", "metric_source", source_id, {"name": row.label})


@router.post(
    "/{source_id}/check",
    dependencies=[Depends(take_check_turn, scope="function")],
    operation_id="metric-sources:check",
    responses=document_problems(NotFound, AddressNotAllowed, TooLarge, UpstreamUnavailable, Unavailable),
)
def check_source(
    source_id: UUID,
    caller: MayManage,
    request: Request,
    database: DatabaseOf,
    clock: Now,
    outside: WayOut,
    sealer: Seals,
) -> SourceCheckOut:
    """Check a source: query its version and its recognized metric names. The result is stored with the source."""
    with database.reading(
        scope_of(request)
    ) as session:  # closed before the query to the source, which can take seconds
        row = metric_sources.get_metric_source(session, MetricSourceId(source_id))
        rules = history_import.rules_of(session)
    now_ms = int(clock.now().timestamp() * 1000)

    def record(**result: Any) -> None:  # noqa: ANN401 - values of JSON
        with database.writing(scope_of(request)) as writing:
            metric_sources.record_check_result(writing, MetricSourceId(source_id), {"at_ms": now_ms, **result})

    try:
        reached = metric_sources.get_connection(row, sealer)
        with outside.opened(reached.url) as peer:
            api = PrometheusClient(peer, reached.headers)
            version, names = api.version(), api.names(now_ms - HOUR_MS, now_ms)
    except SlowpathError as error:
        record(detail=error.detail)
        raise
    usual = history_import.select_importable_names(names, rules)[:MOST_NAMES]
    record(version=version, names=len(names), recognized_names=usual)
    return SourceCheckOut(version=version, names=len(names), recognized_names=usual)


@router.post(
    "/{source_id}/imports",
    operation_id="metric-sources:import",
    status_code=202,
    responses=document_problems(NotFound, Conflict, InvalidRequest),
)
def import_history(
    source_id: UUID, body: ImportIn, caller: MayManage, session: Writing, clock: Now
) -> ImportStartedOut:
    """Import the recognized metrics of a source in a time range. Importing again adds no duplicates."""
    job_id, from_ms, to_ms = metric_sources.enqueue_import(
        session,
        MetricSourceId(source_id),
        int(body.begin.timestamp() * 1000),
        int(body.end.timestamp() * 1000),
        now_ms=int(clock.now().timestamp() * 1000),
    )
    record_audit_event(
        session, caller, "metric-source.imported", "metric_source", source_id, {"from_ms": from_ms, "to_ms": to_ms}
    )
    return ImportStartedOut(job_id=job_id, from_ms=from_ms, to_ms=to_ms)


@router.get(
    "/{source_id}/federated-services",
    operation_id="federated-services:list",
    responses=document_problems(NotFound, InvalidRequest),
)
def list_federated_services(
    source_id: UUID, caller: MayRead, session: Reading, paging: Paging
) -> Page[FederatedServiceOut]:
    """List the federated services of a source, newest first."""
    rows = federated_services.list_federated_services(
        session, MetricSourceId(source_id), paging.after, paging.limit + 1
    )
    return paging.page(rows, FederatedServiceOut.of, lambda found: (found[0].created_at, found[0].id))


@router.post(
    "/{source_id}/federated-services",
    operation_id="federated-services:create",
    status_code=201,
    responses=document_problems(NotFound, Conflict, InvalidRequest, LimitExceeded),
)
def create_federated_service(
    source_id: UUID, body: FederatedServiceIn, caller: MayManage, session: Writing
) -> FederatedServiceOut:
    """Create a federated service: the dashboard queries its samples at the source and does not store them."""
    place = ServicePlacement(body.service, body.environment)
    found = federated_services.create_federated_service(session, MetricSourceId(source_id), place, body.label_matchers)
    facts = {"service": found[1].name, "environment": found[2].name, "label_matchers": body.label_matchers}
    record_audit_event(session, caller, "federated-service.created", "metric_source", source_id, facts)
    return FederatedServiceOut.of(found)


@router.delete(
    "/{source_id}/federated-services/{federated_service_id}",
    operation_id="federated-services:delete",
    status_code=204,
    responses=document_problems(NotFound),
)
def delete_federated_service(source_id: UUID, federated_service_id: UUID, caller: MayManage, session: Writing) -> None:
    """Delete a federated service."""
    row = federated_services.delete_federated_service(session, MetricSourceId(source_id), federated_service_id)
    facts = {"service_id": str(row.service_id), "environment_id": str(row.environment_id)}
    record_audit_event(session, caller, "federated-service.deleted", "metric_source", source_id, facts)


def _make_credentials(given: CredentialsIn | None) -> SourceCredentials | None:
    if given is None:
        return None
    token, password = given.token, given.password
    return SourceCredentials(
        given.kind,
        token.get_secret_value() if token else "",
        given.username or "",
        password.get_secret_value() if password else "",
    )
