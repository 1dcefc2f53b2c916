"""HTTP endpoint that finds the commits a text may name."""

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Query

from slowpath.core.errors import InvalidRequest, NotFound
from slowpath.core.ids import RepositoryId, ServiceId
from slowpath.platform.accounts.access import MayRead
from slowpath.platform.http.problems import document_problems
from slowpath.platform.http.request_dependencies import Now, Reading
from slowpath.verdicts.bisects.schemas.bisect_starts import RangeEndOut
from slowpath.verdicts.bisects.service import range_ends

router = APIRouter(tags=["bisects"])
NAME = r"^[^\x00-\x1f\x7f]*$"


@router.get("/bisect-ends", operation_id="bisects:ends", responses=document_problems(NotFound, InvalidRequest))
def list_range_ends(
    caller: MayRead,
    session: Reading,
    clock: Now,
    repository_id: UUID,
    service_id: UUID | None = None,
    search: Annotated[str, Query(max_length=200, pattern=NAME)] = "",
    limit: Annotated[int, Query(ge=1, le=50)] = 8,
) -> list[RangeEndOut]:
    """List the commits that a text may name as an end of a bisect: exact names first.

    A tag, a branch, a date (2026-11-17, or with a time), a deployment, a build, "last good build", or the first digits of a SHA.
    """
    found = range_ends.search_range_ends(
        session,
        RepositoryId(repository_id),
        None if service_id is None else ServiceId(service_id),
        search,
        limit=limit,
        now=clock.now(),
    )
    return [RangeEndOut(**vars(one)) for one in found]
