"""HTTP endpoints of comparisons, diff views and exports."""

from datetime import datetime
from typing import Annotated, Any
from uuid import UUID

from fastapi import APIRouter, Depends, Header, Query, Response
from pydantic import AfterValidator

from slowpath.analysis.comparison.page_versions import upgrade_packed_page
from slowpath.analysis.kinds.registry import PAGE_SECTIONS, PageSection
from slowpath.core.db_sessions import ReadSession
from slowpath.core.errors import Conflict, InvalidRequest, LimitExceeded, NotFound, Unavailable
from slowpath.core.ids import ArtifactId, ComparisonId, ExportId, JobId
from slowpath.evidence.kind_registry import KindDocument
from slowpath.evidence.profiles.access import add_content_endpoint, add_view_endpoints
from slowpath.evidence.profiles.schemas import parse_labels
from slowpath.evidence.profiles.service import stored_views
from slowpath.platform.accounts.access import MayRead, MayWrite
from slowpath.platform.accounts.service import record_audit_event
from slowpath.platform.http.body_limits import KIB, body_up_to
from slowpath.platform.http.internal_api import FREEZABLE
from slowpath.platform.http.pagination import Page, Paging
from slowpath.platform.http.problems import document_problems
from slowpath.platform.http.request_dependencies import Blobs, Now, Reading, Writing
from slowpath.platform.jobs import service as work
from slowpath.verdicts.comparisons.rules import LISTED_ORIGINS, Side
from slowpath.verdicts.comparisons.schemas.comparison_schemas import (
    ComparisonIn,
    ComparisonOut,
    ComparisonSummaryOut,
    ComparisonUpdate,
    DiffViewIn,
    DiffViewOut,
    ExportIn,
    ExportOut,
    OriginName,
    SideIn,
    StateName,
    make_comparison_out,
    make_comparison_summary_out,
    make_view_out,
    parse_time_range,
)
from slowpath.verdicts.comparisons.schemas.source_schemas import parse_side_source
from slowpath.verdicts.comparisons.service import (
    comparison_exports,
    comparison_results,
    comparisons,
    diff_views,
    side_sources,
)
from slowpath.verdicts.comparisons.service.comparisons import SideRequest
from slowpath.verdicts.comparisons.tables import Comparison, ComparisonExport, DiffView

router = APIRouter(prefix="/api/v1", tags=["comparisons"])

IdempotencyKey = Annotated[str | None, Header(alias="Idempotency-Key", min_length=1, max_length=200)]
DOCUMENT: dict[int | str, dict[str, Any]] = {
    200: {"description": "The result of one artifact kind", "model": KindDocument}
}
FRESH = {"Cache-Control": "private, no-cache"}
"""No caching by age: a comparison that is computed again overwrites its documents."""


def _make_side_request(session: ReadSession, side: Side, asked: SideIn, now: datetime) -> SideRequest:
    if asked.source is not None:
        return side_sources.make_side_request(session, side, parse_side_source(asked.source), asked.label, now)
    artifact_ids = tuple(ArtifactId(artifact_id) for artifact_id in asked.artifact_ids)
    return SideRequest(artifact_ids, asked.label, parse_time_range(asked.time_range), parse_labels(asked.labels))


def _make_out(session: ReadSession, row: Comparison) -> ComparisonOut:
    sides: dict[str, list[UUID]] = {side.value: [] for side in Side}
    for each in comparisons.list_side_artifacts(session, ComparisonId(row.id)):
        sides[each.side].append(each.artifact.id)
    job = work.get_jobs_by_id(session, [JobId(row.job_id)]).get(JobId(row.job_id)) if row.job_id else None
    document = comparison_results.find_document(row)
    views, names = diff_views.list_views(session, [row.id])[row.id], comparisons.find_assignee_names(session, [row])
    return make_comparison_out(row, document, sides, job, views, assignee_names=names)


@router.post(
    "/comparisons",
    operation_id="comparisons:create",
    openapi_extra=body_up_to(384 * KIB, members=3_000),
    status_code=201,
    responses=document_problems(NotFound, InvalidRequest, LimitExceeded),
)
def create_comparison(
    body: ComparisonIn, caller: MayWrite, session: Writing, clock: Now, idempotency_key: IdempotencyKey = None
) -> ComparisonOut:
    """Compare two sides, each with artifacts, a time range of metrics, or both, or with a source that selects them.

    Artifacts still being decoded delay the result.
    """

    def make() -> UUID:
        base, candidate = (
            _make_side_request(session, side, asked, clock.now())
            for side, asked in ((Side.BASE, body.base), (Side.CANDIDATE, body.candidate))
        )
        row = comparisons.create_comparison(session, body.name, base, candidate)
        record_audit_event(session, caller, "comparison.created", "comparison", row.id, {"name": row.name})
        return row.id

    asked = body.model_dump(mode="json")
    comparison_id = ComparisonId(work.run_idempotent(session, "comparisons:create", idempotency_key, asked, make))
    return _make_out(session, comparisons.get_comparison(session, comparison_id))


@router.get(
    "/comparisons",
    operation_id="comparisons:list",
    openapi_extra=FREEZABLE,
    responses=document_problems(InvalidRequest),
)
def list_comparisons(
    caller: MayRead,
    session: Reading,
    paging: Paging,
    state: Annotated[list[StateName] | None, Query()] = None,
    origin: Annotated[
        list[OriginName] | None,
        Query(description="What created the comparison; without it all except comparisons of builds"),
    ] = None,
    search: Annotated[str | None, Query(max_length=200)] = None,
) -> Page[ComparisonSummaryOut]:
    """List comparisons, newest first."""
    rows = comparisons.list_comparisons(
        session,
        after=paging.after,
        limit=paging.limit + 1,
        states=state or (),
        origins=origin or LISTED_ORIGINS,
        search=search,
    )
    counts = comparisons.count_artifacts(session, [row.id for row in rows])
    names = comparisons.find_assignee_names(session, rows)
    return paging.page(
        rows, lambda row: make_comparison_summary_out(row, counts, names), lambda row: (row.created_at, row.id)
    )


@router.get(
    "/comparisons/{comparison_id}",
    operation_id="comparisons:get",
    openapi_extra=FREEZABLE,
    responses=document_problems(NotFound),
)
def get_comparison(comparison_id: UUID, caller: MayRead, session: Reading) -> ComparisonOut:
    """Return one comparison with its result."""
    return _make_out(session, comparisons.get_comparison(session, ComparisonId(comparison_id)))


@router.get(
    "/comparisons/{comparison_id}/results/{part}",
    operation_id="comparisons:result",
    openapi_extra=FREEZABLE,
    responses={**document_problems(NotFound, Conflict, Unavailable), **DOCUMENT},
    response_class=Response,
)
def get_kind_document(
    comparison_id: UUID,
    part: Annotated[PageSection, AfterValidator(PAGE_SECTIONS.check)],
    caller: MayRead,
    session: Reading,
    blobs: Blobs,
) -> Response:
    """Return the result of one artifact kind: traces, spans, growth logs or benchmarks."""
    key = comparison_results.get_document_key(comparisons.get_comparison(session, ComparisonId(comparison_id)), part)
    page = upgrade_packed_page(blobs.read(key))
    return Response(page, media_type="application/json", headers={**FRESH, "Content-Encoding": "gzip"})


@router.patch(
    "/comparisons/{comparison_id}",
    operation_id="comparisons:update",
    responses=document_problems(NotFound, InvalidRequest),
)
def update_comparison(comparison_id: UUID, body: ComparisonUpdate, caller: MayWrite, session: Writing) -> ComparisonOut:
    """Update the name of a comparison, the labels of its sides or its assignee."""
    labels = (body.base_label, body.candidate_label)
    row = comparisons.rename_comparison(session, ComparisonId(comparison_id), body.name, labels)
    if "assignee_id" in body.model_fields_set:
        comparisons.assign_comparison(session, ComparisonId(comparison_id), body.assignee_id)
    record_audit_event(
        session, caller, "comparison.updated", "comparison", row.id, body.model_dump(mode="json", exclude_unset=True)
    )
    return _make_out(session, row)


@router.delete(
    "/comparisons/{comparison_id}",
    operation_id="comparisons:delete",
    status_code=204,
    responses=document_problems(NotFound, Unavailable),
)
def delete_comparison(comparison_id: UUID, caller: MayWrite, session: Writing) -> None:
    """Delete a comparison, its views and exports; the artifacts stay."""
    name = comparisons.get_comparison(session, ComparisonId(comparison_id)).name
    comparisons.delete_comparison(session, ComparisonId(comparison_id))
    record_audit_event(session, caller, "comparison.deleted", "comparison", comparison_id, {"name": name})


@router.post(
    "/comparisons/{comparison_id}/swap",
    operation_id="comparisons:swap",
    status_code=201,
    responses=document_problems(NotFound, InvalidRequest),
)
def swap_sides(comparison_id: UUID, caller: MayWrite, session: Writing) -> ComparisonOut:
    """Create a comparison of the same artifacts with the sides swapped."""
    row = comparisons.swap_sides(session, ComparisonId(comparison_id))
    record_audit_event(
        session, caller, "comparison.created", "comparison", row.id, {"name": row.name, "swapped": str(comparison_id)}
    )
    return _make_out(session, row)


@router.post(
    "/comparisons/{comparison_id}/retry",
    operation_id="comparisons:retry",
    responses=document_problems(NotFound, Conflict, InvalidRequest),
)
def retry_comparison(comparison_id: UUID, caller: MayWrite, session: Writing) -> ComparisonOut:
    """Compute a comparison again that has ended: it failed, was cancelled, or would have another result now."""
    row = comparisons.retry_comparison(session, ComparisonId(comparison_id))
    record_audit_event(session, caller, "comparison.retried", "comparison", row.id, {"name": row.name})
    return _make_out(session, row)


@router.post(
    "/comparisons/{comparison_id}/views",
    operation_id="diff-views:create",
    status_code=202,
    responses=document_problems(NotFound),
)
def create_diff_view(comparison_id: UUID, body: DiffViewIn, caller: MayRead, session: Writing) -> DiffViewOut:
    """Enqueue the computation of a view listed in the result.

    A finished or enqueued one is returned unchanged.
    """
    row = diff_views.get_view_by_key(
        session, ComparisonId(comparison_id), body.kind, body.sample_type, body.granularity
    )
    if row.state not in stored_views.OPEN_OR_DONE:
        comparison_results.enqueue_view(session, row)
    return make_view_out(row)


def _get_view(comparison_id: UUID, view_id: UUID, caller: MayRead, session: Reading) -> DiffView:
    return diff_views.get_view(session, ComparisonId(comparison_id), view_id)


add_view_endpoints(router, "/comparisons/{comparison_id}/views/{view_id}", "diff-views", _get_view)


@router.post(
    "/comparisons/{comparison_id}/exports",
    operation_id="exports:create",
    status_code=202,
    responses=document_problems(NotFound, Conflict, InvalidRequest),
)
def create_export(comparison_id: UUID, body: ExportIn, caller: MayRead, session: Writing) -> ExportOut:
    """Enqueue an export: the merged pprof of a side, the diff as pprof, JSON or CSV."""
    row = comparison_exports.create_export(session, ComparisonId(comparison_id), body.format, body.kind)
    record_audit_event(session, caller, "export.created", "export", row.id, {"format": row.format})
    return ExportOut.model_validate(row)


def _get_export(export_id: UUID, caller: MayRead, session: Reading) -> ComparisonExport:
    return comparison_exports.get_export(session, ExportId(export_id))


@router.get("/exports/{export_id}", operation_id="exports:get", responses=document_problems(NotFound))
def get_export(caller: MayRead, export: Annotated[ComparisonExport, Depends(_get_export)]) -> ExportOut:
    """Return the state of an export."""
    return ExportOut.model_validate(export)


add_content_endpoint(router, "/exports/{export_id}/content", "exports", _get_export)
