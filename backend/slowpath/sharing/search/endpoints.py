"""HTTP endpoint of the search."""

from typing import Annotated

from fastapi import APIRouter, Query

from slowpath.core.errors import InvalidRequest
from slowpath.platform.accounts.access import MayRead
from slowpath.platform.http.problems import document_problems
from slowpath.platform.http.request_dependencies import Reading
from slowpath.sharing.search import service
from slowpath.sharing.search.schemas import SearchOut, make_search_out

router = APIRouter(prefix="/api/v1", tags=["search"])


@router.get("/search", operation_id="search:list", responses=document_problems(InvalidRequest))
def search(
    caller: MayRead,
    session: Reading,
    q: Annotated[
        str,
        Query(max_length=200, pattern=r"^[^\x00]*$", description="parts of words; similar words if there are none"),
    ] = "",
    limit: Annotated[int, Query(ge=1, le=20, description="of each type")] = 5,
) -> SearchOut:
    """Search services, production events, regressions, builds, commits, comparisons, bisects, reports, functions and artifacts."""
    return make_search_out(service.search_objects(session, q, limit))
