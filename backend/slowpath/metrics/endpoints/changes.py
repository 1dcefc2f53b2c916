"""Changes of latency and checks of deploys over HTTP."""

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Query

from slowpath.accounts.access import MayRead
from slowpath.catalog import service as catalog
from slowpath.core.errors import NotFound, Refused
from slowpath.core.ids import DeployId, EnvironmentId
from slowpath.metrics.endpoints.board import Instant
from slowpath.metrics.schemas import ChangeList, ChangeOut, DeployCheckOut, LookOut
from slowpath.metrics.service import board_marks, checking
from slowpath.metrics.service.board_range import wish_of
from slowpath.web.own_answers import FREEZABLE
from slowpath.web.problems import problems
from slowpath.web.sessions import Now, Reading

router = APIRouter(prefix="/api/v1", tags=["metrics"])


@router.get("/changes", operation_id="changes:list", openapi_extra=FREEZABLE, responses=problems(NotFound, Refused))
def list_changes(
    caller: MayRead,
    session: Reading,
    now: Now,
    environment_id: UUID,
    start: Annotated[Instant | None, Query(alias="from")] = None,
    end: Annotated[Instant | None, Query(alias="to")] = None,
) -> ChangeList:
    """List the changes of latency and load that were found in an environment, oldest first; without a range, of six hours."""
    one = EnvironmentId(environment_id)
    catalog.environment(session, one)
    wish = wish_of(now.now(), start, end, environment_id=one, service_ids=(), against="none", by_instance=False)
    found = board_marks.in_environment(session, one, wish.from_ms, wish.to_ms)
    return ChangeList(items=[ChangeOut.model_validate(each) for each in found])


@router.get(
    "/deploys/{deploy_id}/check", operation_id="deploys:check", openapi_extra=FREEZABLE, responses=problems(NotFound)
)
def get_check(deploy_id: UUID, caller: MayRead, session: Reading) -> DeployCheckOut:
    """Return what was decided of a deploy: the word that counts, and every look."""
    rows = checking.checks(session, DeployId(deploy_id))
    counted = checking.verdict_row(rows)
    looks = [
        LookOut(minutes=row.minutes, verdict=row.verdict, basis=row.basis, at=row.created_at, check=row.said)
        for row in rows
    ]
    return DeployCheckOut(
        deploy_id=deploy_id,
        verdict=counted.verdict if counted else None,
        check=counted.said if counted else None,
        looks=looks,
    )
