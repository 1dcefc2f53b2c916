"""HTTP endpoint of the list of builds with their evidence and verdicts."""

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Query

from slowpath.core.errors import InvalidRequest, NotFound
from slowpath.core.ids import ServiceId
from slowpath.evidence.artifacts.service.build_evidence import count_evidence
from slowpath.inventory.catalog import service as catalog
from slowpath.platform.accounts.access import MayRead
from slowpath.platform.http.internal_api import FREEZABLE
from slowpath.platform.http.pagination import Page, Paging
from slowpath.platform.http.problems import document_problems
from slowpath.platform.http.request_dependencies import Reading
from slowpath.verdicts.regressions.schemas.build_schemas import ListedBuildOut, make_listed_build_out
from slowpath.verdicts.regressions.service import build_measurements, regression_views

router = APIRouter(prefix="/api/v1", tags=["catalog"])


@router.get(
    "/builds",
    operation_id="builds:list",
    openapi_extra=FREEZABLE,
    responses=document_problems(NotFound, InvalidRequest),
)
def list_builds(
    caller: MayRead,
    session: Reading,
    paging: Paging,
    service_id: UUID | None = None,
    branch: Annotated[str | None, Query(max_length=300, pattern=r"^[^\x00]*$")] = None,
    search: Annotated[
        str | None,
        Query(
            max_length=200,
            pattern=r"^[^\x00]*$",
            description="prefix of a commit SHA, or part of a name, branch or title",
        ),
    ] = None,
) -> Page[ListedBuildOut]:
    """List builds with their evidence and verdicts, newest first."""
    filters = catalog.BuildFilter(ServiceId(service_id) if service_id else None, branch, (search or "").strip() or None)
    rows = catalog.builds(session, paging.after, paging.limit + 1, filters)
    counts = count_evidence(session, [row.id for row in rows])
    found = build_measurements.get_build_verdict_rows(session, [row.id for row in rows])
    verdicts = regression_views.combine_answers_of_builds(session, list(found.values()))
    return paging.page(
        rows,
        lambda row: make_listed_build_out(row, counts[row.id], verdicts.get(row.id)),
        lambda row: (row.created_at, row.id),
    )
