"""HTTP endpoints of what a service allows: automatic bisects of its regressions, and measurements of its pull requests."""

from typing import Any, Final, TypeVar
from uuid import UUID

from fastapi import APIRouter
from pydantic import BaseModel

from slowpath.core.db_sessions import WriteSession
from slowpath.core.errors import InvalidRequest, NotFound
from slowpath.core.ids import RegressionId, ServiceId
from slowpath.platform.accounts.access import MayManage, MayRead, MayWrite
from slowpath.platform.accounts.rules.roles import Caller
from slowpath.platform.accounts.service import record_audit_event
from slowpath.platform.http.body_limits import KIB, body_up_to
from slowpath.platform.http.problems import document_problems
from slowpath.platform.http.request_dependencies import Now, Reading, Writing
from slowpath.verdicts.bisects.rules.service_rules import AutomaticBisectRules, MeasurementRules, ServiceRules
from slowpath.verdicts.bisects.schemas.bisect_starts import (
    AutomaticBisectRulesBody,
    AutomaticStartOut,
    StartObstacleOut,
)
from slowpath.verdicts.bisects.schemas.commit_comparisons import PullRequestRulesBody
from slowpath.verdicts.bisects.service import automatic_bisects, commit_comparisons, service_rules

router = APIRouter(tags=["bisects"])
Body = TypeVar("Body", bound=BaseModel)
AUTOMATIC_BISECTS: Final = "/services/{service_id}/automatic-bisects"
PULL_REQUESTS: Final = "/services/{service_id}/pull-request-rules"
SETS: Final[dict[str, Any]] = {
    "openapi_extra": body_up_to(64 * KIB), "responses": document_problems(NotFound, InvalidRequest),
}  # fmt: skip


@router.get(AUTOMATIC_BISECTS, operation_id="automatic-bisects:get", responses=document_problems(NotFound))
def get_automatic_bisects(service_id: UUID, caller: MayRead, session: Reading) -> AutomaticBisectRulesBody:
    """Return when confirmed regressions of a service start a bisect by themselves; off by default."""
    rules = service_rules.get_rules(session, ServiceId(service_id), AutomaticBisectRules)
    return AutomaticBisectRulesBody.model_validate(vars(rules))


@router.put(AUTOMATIC_BISECTS, operation_id="automatic-bisects:set", **SETS)
def set_automatic_bisects(
    service_id: UUID, body: AutomaticBisectRulesBody, caller: MayManage, session: Writing
) -> AutomaticBisectRulesBody:
    """Set when confirmed regressions of a service start a bisect by themselves. Those that are open already start nothing."""
    rules = AutomaticBisectRules(**body.model_dump(mode="json", by_alias=True))
    return _set_rules(session, caller, service_id, body, rules, "automatic-bisects.updated")


@router.get(PULL_REQUESTS, operation_id="pull-request-rules:get", responses=document_problems(NotFound))
def get_pull_request_rules(service_id: UUID, caller: MayRead, session: Reading) -> PullRequestRulesBody:
    """Return whether pull requests of a service are measured before the merge; off by default."""
    rules = service_rules.get_rules(session, ServiceId(service_id), MeasurementRules)
    return PullRequestRulesBody.model_validate(vars(rules))


@router.put(PULL_REQUESTS, operation_id="pull-request-rules:set", **SETS)
def set_pull_request_rules(
    service_id: UUID, body: PullRequestRulesBody, caller: MayManage, session: Writing
) -> PullRequestRulesBody:
    """Set whether pull requests of a service are measured. A measurement runs their code on the runner.

    When they are turned on, or allow more minutes, the ten open pull requests that changed last are measured.
    """
    former = service_rules.get_rules(session, ServiceId(service_id), MeasurementRules)
    signature = (body.signature.kind, body.signature.subject) if body.signature else None
    rules = MeasurementRules(**body.model_dump(mode="json", exclude={"signature"}), signature=signature)
    found = _set_rules(session, caller, service_id, body, rules, "pull-request-rules.updated")
    if body.enabled and (not former.enabled or body.minutes_per_day > former.minutes_per_day):
        commit_comparisons.request_open_pull_requests(session, ServiceId(service_id))
    return found


@router.post(
    f"{PULL_REQUESTS}/measure-open",
    operation_id="pull-request-rules:measure-open",
    status_code=204,
    responses=document_problems(NotFound, InvalidRequest),
)
def measure_open_pull_requests(service_id: UUID, caller: MayWrite, session: Writing) -> None:
    """List the open pull requests of a service at the code host, and measure the ten that changed last.

    Each head is measured once. Without credentials of the code host, those that webhooks reported are measured.
    """
    commit_comparisons.request_open_pull_requests(session, ServiceId(service_id))
    record_audit_event(session, caller, "pull-requests.measured", "service", service_id, {})


@router.get(
    "/regressions/{regression_id}/automatic-bisect",
    operation_id="automatic-bisects:explain",
    responses=document_problems(NotFound),
)
def explain_automatic_bisect(regression_id: UUID, caller: MayRead, session: Reading, clock: Now) -> AutomaticStartOut:
    """Return why no bisect was started for a regression, or why its newest bisect waits, with what solves it."""
    service_id, found = automatic_bisects.explain_start(session, RegressionId(regression_id), now=clock.now())
    obstacle = None if found is None else StartObstacleOut(**vars(found))
    return AutomaticStartOut(service_id=service_id, obstacle=obstacle)


def _set_rules(
    session: WriteSession, caller: Caller, service_id: UUID, body: Body, rules: ServiceRules, action: str
) -> Body:
    service_rules.set_rules(session, ServiceId(service_id), rules)
    facts = body.model_dump(mode="json", by_alias=True)
    record_audit_event(session, caller, action, "service", service_id, facts)
    return body
