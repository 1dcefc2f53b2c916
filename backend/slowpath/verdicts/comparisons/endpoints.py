"""HTTP endpoints of comparisons, diff views and exports."""

from datetime import datetime
from typing import Annotated, Any
from uuid import UUID

from fastapi import APIRouter, Header, Path, Query, Response
from fastapi.responses import StreamingResponse
from pydantic import AfterValidator

from slowpath.analysis.comparison.page_versions import upgrade_packed_page
from slowpath.analysis.kinds.profiles.diff_header import DiffHeader, DiffTreeHeader
from slowpath.analysis.kinds.registry import PAGE_SECTIONS, PageSection
from slowpath.core.db_sessions import ReadSession
from slowpath.core.errors import Conflict, InvalidRequest, LimitExceeded, NotFound, Unavailable
from slowpath.core.ids import ArtifactId, ComparisonId, ExportId, JobId
from slowpath.evidence.kind_registry import KindDocument
from slowpath.evidence.profiles.schemas import (
    FrameSearchOut,
    SourceLineOut,
    make_frame_search_out,
    make_source_line_outs,
    parse_labels,
)
from slowpath.evidence.profiles.service import stored_views
from slowpath.platform.accounts.access import MayRead, MayWrite
from slowpath.platform.accounts.service import record_audit_event
from slowpath.platform.http.body_limits import KIB, body_up_to
from slowpath.platform.http.downloads import make_attachment_response
from slowpath.platform.http.internal_api import FREEZABLE
from slowpath.platform.http.openapi_description import FILE, OCTETS, document_columns
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
    make_export_out,
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
from slowpath.verdicts.comparisons.tables import Comparison

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
    return make_comparison_out(row, document, sides, job, diff_views.list_views(session, [row.id])[row.id])


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
    return paging.page(rows, lambda row: make_comparison_summary_out(row, counts), lambda row: (row.created_at, row.id))


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
    """Update the name of a comparison or the labels of its sides."""
    labels = (body.base_label, body.candidate_label)
    row = comparisons.rename_comparison(session, ComparisonId(comparison_id), body.name, labels)
    record_audit_event(session, caller, "comparison.updated", "comparison", row.id, body.model_dump(exclude_none=True))
    return _make_out(session, row)


@router.delete(
    "/comparisons/{comparison_id}",
    operation_id="comparisons:delete",
    status_code=204,
    responses=document_problems(NotFound, Unavailable),
)
def delete_comparison(comparison_id: UUID, caller: MayWrite, session: Writing, blobs: Blobs) -> None:
    """Delete a comparison, its views and exports; the artifacts stay."""
    name = comparisons.get_comparison(session, ComparisonId(comparison_id)).name
    keys = comparisons.delete_comparison(session, ComparisonId(comparison_id))
    record_audit_event(session, caller, "comparison.deleted", "comparison", comparison_id, {"name": name})
    session.flush()  # blobs are deleted only if the row can be
    blobs.delete(keys)


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
    responses=document_problems(NotFound, Conflict),
)
def retry_comparison(comparison_id: UUID, caller: MayWrite, session: Writing) -> ComparisonOut:
    """Compute a failed or cancelled comparison again."""
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


@router.get(
    "/comparisons/{comparison_id}/views/{view_id}/nodes/{node_id}",
    operation_id="diff-views:subtree",
    openapi_extra=FREEZABLE,
    responses={**document_problems(NotFound, Conflict, Unavailable), **document_columns(DiffTreeHeader)},
    response_class=StreamingResponse,
)
def get_subtree(
    comparison_id: UUID,
    view_id: UUID,
    node_id: Annotated[int, Path(ge=0, le=2**32 - 1)],
    caller: MayRead,
    session: Reading,
    blobs: Blobs,
) -> Response:
    """Return the largest nodes below one node."""
    view = diff_views.get_view(session, ComparisonId(comparison_id), view_id)
    return Response(stored_views.get_subtree(view, blobs, node_id), media_type=OCTETS, headers=stored_views.CACHED)


@router.get(
    "/comparisons/{comparison_id}/views/{view_id}/search",
    operation_id="diff-views:search",
    openapi_extra=FREEZABLE,
    responses=document_problems(NotFound, Conflict, InvalidRequest, Unavailable),
)
def search(
    comparison_id: UUID,
    view_id: UUID,
    pattern: Annotated[str, Query(min_length=1, max_length=stored_views.MAX_PATTERN)],
    caller: MayRead,
    session: Reading,
    blobs: Blobs,
    regex: bool = False,
    case: bool = False,
) -> FrameSearchOut:
    """Return the totals of all nodes that match a pattern, including nodes that were not sent."""
    view = diff_views.get_view(session, ComparisonId(comparison_id), view_id)
    found = stored_views.search_frames(view, blobs, stored_views.FrameSearchPattern(pattern, regex, case))
    return make_frame_search_out(found)


@router.get(
    "/comparisons/{comparison_id}/views/{view_id}/lines",
    operation_id="diff-views:lines",
    openapi_extra=FREEZABLE,
    responses=document_problems(NotFound, Conflict, Unavailable),
)
def list_lines(
    comparison_id: UUID,
    view_id: UUID,
    function: Annotated[str, Query(max_length=stored_views.MAX_FUNCTION)],
    caller: MayRead,
    session: Reading,
    blobs: Blobs,
) -> list[SourceLineOut]:
    """Return the source lines of a function with the cost of each side, as pprof's `list`."""
    view = diff_views.get_view(session, ComparisonId(comparison_id), view_id)
    return make_source_line_outs(stored_views.list_source_lines(view, blobs, function))


@router.get(
    "/comparisons/{comparison_id}/views/{view_id}/chunks/{part}",
    operation_id="diff-views:chunk",
    openapi_extra=FREEZABLE,
    responses={
        **document_problems(NotFound, Conflict, Unavailable),
        **document_columns(DiffTreeHeader | DiffHeader),
        204: {"description": "The view has no further nodes"},
    },
    response_class=StreamingResponse,
)
def get_view_chunk(
    comparison_id: UUID, view_id: UUID, part: stored_views.Part, caller: MayRead, session: Reading, blobs: Blobs
) -> Response:
    """Return one precomputed chunk of a view: the largest nodes, the rest, or the functions."""
    view = diff_views.get_view(session, ComparisonId(comparison_id), view_id)
    content = stored_views.find_chunk(view, blobs, part)
    if content is None:
        return Response(status_code=204)
    headers = {**stored_views.CACHED, "Content-Encoding": "gzip"}
    return Response(content, media_type=OCTETS, headers=headers)


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
    return make_export_out(row)


@router.get("/exports/{export_id}", operation_id="exports:get", responses=document_problems(NotFound))
def get_export(export_id: UUID, caller: MayRead, session: Reading) -> ExportOut:
    """Return the state of an export."""
    return make_export_out(comparison_exports.get_export(session, ExportId(export_id)))


@router.get(
    "/exports/{export_id}/content",
    operation_id="exports:content",
    responses={**document_problems(NotFound, Conflict, Unavailable), **FILE},
    response_class=StreamingResponse,
)
def get_export_content(export_id: UUID, caller: MayRead, session: Reading, blobs: Blobs) -> Response:
    """Return the content of a finished export."""
    row = comparison_exports.get_export(session, ExportId(export_id))
    content = blobs.stream(comparison_exports.get_content_key(row))
    return make_attachment_response(content, row.file_name or "export", media_type=row.media_type or OCTETS)
