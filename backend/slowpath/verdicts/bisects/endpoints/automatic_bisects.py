"""HTTP endpoints of the rules by which confirmed regressions of a service start a bisect."""

from uuid import UUID

from fastapi import APIRouter

from slowpath.core.errors import InvalidRequest, NotFound
from slowpath.core.ids import RegressionId, ServiceId
from slowpath.platform.accounts.access import MayManage, MayRead
from slowpath.platform.accounts.service import record_audit_event
from slowpath.platform.http.problems import document_problems
from slowpath.platform.http.request_dependencies import Now, Reading, Writing
from slowpath.verdicts.bisects.schemas.bisect_starts import (
    AutomaticBisectRulesBody,
    AutomaticStartOut,
    StartObstacleOut,
)
from slowpath.verdicts.bisects.service import automatic_bisects
from slowpath.verdicts.bisects.service.automatic_bisects import AutomaticBisectRules

router = APIRouter(tags=["bisects"])
PATH = "/services/{service_id}/automatic-bisects"


@router.get(PATH, operation_id="automatic-bisects:get", responses=document_problems(NotFound))
def get_automatic_bisects(service_id: UUID, caller: MayRead, session: Reading) -> AutomaticBisectRulesBody:
    """Return when confirmed regressions of a service start a bisect by themselves; off by default."""
    return _body_of(automatic_bisects.get_rules(session, ServiceId(service_id)))


@router.put(PATH, operation_id="automatic-bisects:set", responses=document_problems(NotFound, InvalidRequest))
def set_automatic_bisects(
    service_id: UUID, body: AutomaticBisectRulesBody, caller: MayManage, session: Writing
) -> AutomaticBisectRulesBody:
    """Set when confirmed regressions of a service start a bisect by themselves. Those that are open already start nothing."""
    values = body.model_dump(mode="json", by_alias=True)
    automatic_bisects.set_rules(session, ServiceId(service_id), AutomaticBisectRules(**values))
    record_audit_event(session, caller, "automatic-bisects.updated", "service", service_id, values)
    return _body_of(automatic_bisects.get_rules(session, ServiceId(service_id)))


@router.get(
    "/regressions/{regression_id}/automatic-bisect",
    operation_id="automatic-bisects:explain",
    responses=document_problems(NotFound),
)
def explain_automatic_bisect(regression_id: UUID, caller: MayRead, session: Reading, clock: Now) -> AutomaticStartOut:
    """Return why no bisect was started for a regression, or why its newest bisect waits, with what solves it."""
    found = automatic_bisects.explain_start(session, RegressionId(regression_id), now=clock.now())
    return AutomaticStartOut(obstacle=None if found is None else StartObstacleOut(**vars(found)))


def _body_of(rules: AutomaticBisectRules) -> AutomaticBisectRulesBody:
    return AutomaticBisectRulesBody.model_validate(vars(rules))
