"""HTTP endpoint of the commits between two builds, by suspicion."""

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Query

from slowpath.core.errors import InvalidRequest, NotFound
from slowpath.core.ids import ServiceId
from slowpath.inventory.catalog.service import catalog_entries
from slowpath.inventory.repositories.errors import CommitNotFound, RepositoryNotLinked
from slowpath.inventory.repositories.rules import MOST_BETWEEN
from slowpath.inventory.repositories.schemas.commit_schemas import CommitRangeOut
from slowpath.inventory.repositories.schemas.repository_schemas import Spelled
from slowpath.inventory.repositories.service import suspect_commits
from slowpath.platform.accounts.access import MayRead
from slowpath.platform.http.internal_api import FREEZABLE
from slowpath.platform.http.problems import document_problems
from slowpath.platform.http.request_dependencies import Blobs, Reading
from slowpath.verdicts.bisects.service.regressed_code import RegressedSubject, read_regressed_code

router = APIRouter(tags=["repositories"])

Functions = Annotated[list[Annotated[str, Query(max_length=1_000)]], Query(alias="function", max_length=50)]
Files = Annotated[list[Annotated[str, Query(max_length=1_000)]], Query(alias="file", max_length=50)]


@router.get(
    "/services/{service_id}/commits",
    operation_id="commits:range",
    openapi_extra=FREEZABLE,
    responses=document_problems(NotFound, InvalidRequest),
)
def commits_between(
    service_id: UUID,
    caller: MayRead,
    session: Reading,
    blobs: Blobs,
    good: Annotated[Spelled, Query()],
    bad: Annotated[Spelled, Query()],
    regression_id: UUID | None = None,
    comparison_id: UUID | None = None,
    function: Functions = [],  # noqa: B006 - FastAPI copies defaults
    file: Files = [],  # noqa: B006 - FastAPI copies defaults
    limit: Annotated[int, Query(ge=1, le=MOST_BETWEEN)] = 500,
) -> CommitRangeOut:
    """List the commits that are in a bad and not in a good build, with their suspicion.

    What got slower is that of the regression or comparison, as a bisect weighs it; `function` and `file` name more, as
    profiles name it. A service without a repository, or whose repository lacks a commit, has an empty list and the reason.
    """
    service = catalog_entries.service(session, ServiceId(service_id))
    subject = RegressedSubject(regression_id, comparison_id)
    regressed = read_regressed_code(session, blobs, ServiceId(service.id), subject).with_more(function, file)
    try:
        found = suspect_commits.rank_suspects(session, ServiceId(service.id), good, bad, regressed, limit=limit)
    except (RepositoryNotLinked, CommitNotFound) as unknown:
        return CommitRangeOut.unknown(good, bad, " ".join(filter(None, (unknown.detail, unknown.remedy))))
    return CommitRangeOut.of(found)
