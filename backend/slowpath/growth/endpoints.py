"""Stack-growth logs over HTTP."""

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Query

from slowpath.accounts.access import MayRead
from slowpath.analysis.growth.page import sets_table
from slowpath.analysis.growth.thresholds import DEFAULT_GROWTH_THRESHOLDS
from slowpath.core.errors import NotFound, Refused, Unavailable
from slowpath.core.ids import ArtifactId
from slowpath.growth import service
from slowpath.growth.schemas import GrowthSetOut
from slowpath.web.own_answers import FREEZABLE
from slowpath.web.problems import problems
from slowpath.web.sessions import Blobs, Reading

router = APIRouter(prefix="/api/v1", tags=["growth"])
MOST_LOGS = 200


@router.get(
    "/growth", operation_id="growth:sets", openapi_extra=FREEZABLE, responses=problems(NotFound, Refused, Unavailable)
)
def list_sets(
    artifact_id: Annotated[list[UUID], Query(min_length=1, max_length=MOST_LOGS)],
    caller: MayRead,
    session: Reading,
    blobs: Blobs,
) -> list[GrowthSetOut]:
    """Return a row for each build whose logs are asked for, in that order: how often stacks grew, and who paid."""
    sets = service.sets_of(session, blobs, [ArtifactId(each) for each in artifact_id])
    return [GrowthSetOut.model_validate(row) for row in sets_table(sets, DEFAULT_GROWTH_THRESHOLDS)]
