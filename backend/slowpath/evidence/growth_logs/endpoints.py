"""HTTP endpoints of stack-growth logs."""

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Query

from slowpath.analysis.kinds.growth_logs.growth_page import sets_table
from slowpath.analysis.kinds.growth_logs.growth_thresholds import DEFAULT_GROWTH_THRESHOLDS
from slowpath.core.errors import InvalidRequest, NotFound, Unavailable
from slowpath.core.ids import ArtifactId
from slowpath.evidence.growth_logs import service
from slowpath.evidence.growth_logs.schemas import GrowthSetOut
from slowpath.platform.accounts.access import MayRead
from slowpath.platform.http.internal_api import FREEZABLE
from slowpath.platform.http.problems import document_problems
from slowpath.platform.http.request_dependencies import Blobs, Reading

router = APIRouter(prefix="/api/v1", tags=["growth logs"])
MOST_LOGS = 200


@router.get(
    "/growth-log-sets",
    operation_id="growth-log-sets:list",
    openapi_extra=FREEZABLE,
    responses=document_problems(NotFound, InvalidRequest, Unavailable),
)
def list_sets(
    artifact_id: Annotated[list[UUID], Query(min_length=1, max_length=MOST_LOGS)],
    caller: MayRead,
    session: Reading,
    blobs: Blobs,
) -> list[GrowthSetOut]:
    """Return stack growth and its attributed caller for each build of the given logs, in the order given."""
    sets = service.list_growth_sets(session, blobs, [ArtifactId(each) for each in artifact_id])
    rows = sets_table(sets, DEFAULT_GROWTH_THRESHOLDS)
    return [GrowthSetOut.model_validate(vars(row)) for row in rows]
