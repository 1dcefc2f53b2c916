"""HTTP endpoints of the source text of functions, and of the commits of a comparison."""

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Query

from slowpath.core.errors import Conflict, NotFound, Unavailable
from slowpath.core.ids import ComparisonId
from slowpath.evidence.profiles.service import stored_views
from slowpath.platform.accounts.access import MayRead
from slowpath.platform.http.internal_api import FREEZABLE
from slowpath.platform.http.problems import document_problems
from slowpath.platform.http.request_dependencies import Blobs, Mirrors, Reading
from slowpath.verdicts.function_sources.schemas import ComparedCommitsOut, FunctionSourcesOut
from slowpath.verdicts.function_sources.service import function_sources, side_commits

router = APIRouter(prefix="/api/v1", tags=["comparisons"])


@router.get(
    "/comparisons/{comparison_id}/views/{view_id}/source",
    operation_id="diff-views:source",
    openapi_extra=FREEZABLE,
    responses=document_problems(NotFound, Conflict, Unavailable),
)
def get_function_sources(
    comparison_id: UUID,
    view_id: UUID,
    function: Annotated[str, Query(max_length=stored_views.MAX_FUNCTION)],
    caller: MayRead,
    session: Reading,
    blobs: Blobs,
    mirrors: Mirrors,
) -> FunctionSourcesOut:
    """Return the source text of a function at the commits of both sides, with the cost of each line."""
    found = function_sources.get_function_sources(
        session, mirrors, blobs, ComparisonId(comparison_id), view_id=view_id, function=function
    )
    return FunctionSourcesOut.of(found)


@router.get(
    "/comparisons/{comparison_id}/commits",
    operation_id="comparisons:commits",
    openapi_extra=FREEZABLE,
    responses=document_problems(NotFound),
)
def get_compared_commits(comparison_id: UUID, caller: MayRead, session: Reading) -> ComparedCommitsOut:
    """Return the service and the commits of both sides, as their builds or the run metadata report them."""
    return ComparedCommitsOut.of(side_commits.get_compared_commits(session, ComparisonId(comparison_id)))
