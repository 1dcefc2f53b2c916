"""HTTP endpoints to choose the sides of a comparison: search of sources, preview, suggestions."""

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Query, Request

from slowpath.core.errors import InvalidRequest, LimitExceeded, NotFound
from slowpath.core.ids import ServiceId
from slowpath.evidence.metrics.service.live_samples import LiveReads, gather_with_sources
from slowpath.platform.accounts.access import MayRead
from slowpath.platform.http.body_limits import KIB, body_up_to
from slowpath.platform.http.problems import document_problems
from slowpath.platform.http.request_dependencies import Blobs, DatabaseOf, Now, Reading, scope_of
from slowpath.verdicts.comparison_previews.schemas import (
    PreviewIn,
    PreviewOut,
    SearchedType,
    SourceMatchesOut,
    SuggestionsOut,
    make_preview_out,
    make_source_matches_out,
    make_suggestions_out,
)
from slowpath.verdicts.comparison_previews.service import previews, source_search, suggestions
from slowpath.verdicts.comparison_previews.service.side_dispersion import SideDispersions
from slowpath.verdicts.comparisons.schemas.source_schemas import parse_side_source

router = APIRouter(prefix="/api/v1", tags=["comparisons"])

Text = Annotated[
    str | None,
    Query(
        max_length=200, pattern=r"^[^\x00]*$", description="part of a name, branch or title, or prefix of a commit SHA"
    ),
]


@router.get(
    "/comparison-sources",
    operation_id="comparison-sources:list",
    responses=document_problems(NotFound, InvalidRequest),
)
def list_comparison_sources(
    caller: MayRead,
    session: Reading,
    clock: Now,
    type: SearchedType,  # noqa: A002 - the name on the wire
    service_id: UUID | None = None,
    q: Text = None,
    limit: Annotated[int, Query(ge=1, le=50)] = 20,
) -> SourceMatchesOut:
    """Search builds, branches and tags, or deployments that a side can be, newest first."""
    of_service = ServiceId(service_id) if service_id else None
    found = source_search.search_sources(
        session, type, service_id=of_service, text=(q or "").strip(), limit=limit + 1, now=clock.now()
    )
    return make_source_matches_out(found, limit)


@router.post(
    "/comparison-previews",
    operation_id="comparison-previews:create",
    openapi_extra=body_up_to(192 * KIB, members=3_000),
    responses=document_problems(NotFound, InvalidRequest, LimitExceeded),
)
def preview_comparison(
    body: PreviewIn, caller: MayRead, request: Request, database: DatabaseOf, clock: Now, blobs: Blobs
) -> PreviewOut:
    """Return what both sides contain and what their comparison could conclude; nothing is stored."""
    base, candidate = (parse_side_source(each) if each else None for each in (body.base, body.candidate))
    now = clock.now()
    live = LiveReads(request.app.state.watched, int(now.timestamp() * 1000))
    dispersions = SideDispersions(blobs)
    found = gather_with_sources(
        lambda: database.reading(scope_of(request)),
        live,
        lambda session: previews.preview_comparison(session, base, candidate, now, live, dispersions=dispersions),
    )
    return make_preview_out(found)


@router.get(
    "/comparison-suggestions",
    operation_id="comparison-suggestions:list",
    responses=document_problems(NotFound, InvalidRequest),
)
def list_comparison_suggestions(
    caller: MayRead, session: Reading, clock: Now, service_id: UUID | None = None
) -> SuggestionsOut:
    """Return pairs of a service that are worth comparing, and those that the caller compared recently."""
    of_service = ServiceId(service_id) if service_id else None
    return make_suggestions_out(suggestions.list_suggestions(session, of_service, clock.now()))
