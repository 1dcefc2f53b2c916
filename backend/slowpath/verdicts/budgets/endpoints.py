"""HTTP endpoints of budgets."""

from typing import Annotated, Any
from uuid import UUID

from fastapi import APIRouter, Query

from slowpath.core.errors import Conflict, InvalidRequest, LimitExceeded, NotFound
from slowpath.core.ids import BudgetId, EnvironmentId, ServiceId
from slowpath.platform.accounts.access import MayRead, MayWrite
from slowpath.platform.accounts.service import record_audit_event
from slowpath.platform.http.internal_api import FREEZABLE
from slowpath.platform.http.problems import document_problems
from slowpath.platform.http.request_dependencies import Now, Reading, Writing
from slowpath.verdicts.budgets.schemas import BudgetIn, BudgetList, BudgetOut, BudgetUpdate
from slowpath.verdicts.budgets.service import budgets
from slowpath.verdicts.budgets.service.budgets import BudgetFields
from slowpath.verdicts.budgets.tables import Budget
from slowpath.verdicts.budgets.wording import format_limit, name_signal

router = APIRouter(prefix="/api/v1", tags=["budgets"])


@router.get(
    "/budgets",
    operation_id="budgets:list",
    openapi_extra=FREEZABLE,
    responses=document_problems(NotFound, InvalidRequest),
)
def list_budgets(
    caller: MayRead,
    session: Reading,
    service_id: Annotated[UUID | None, Query(description="Only of this service")] = None,
    environment_id: Annotated[
        UUID | None, Query(description="Only those that this environment is evaluated by")
    ] = None,
) -> BudgetList:
    """List budgets with their newest evaluations, oldest first."""
    listed = budgets.list_budgets(
        session,
        ServiceId(service_id) if service_id else None,
        EnvironmentId(environment_id) if environment_id else None,
    )
    return BudgetList(items=[BudgetOut.of(each) for each in listed])


@router.post(
    "/budgets",
    operation_id="budgets:create",
    status_code=201,
    responses=document_problems(NotFound, InvalidRequest, Conflict, LimitExceeded),
)
def create_budget(body: BudgetIn, caller: MayWrite, session: Writing, clock: Now) -> BudgetOut:
    """Set a budget. It is evaluated at once: CPU per request in the response, a latency by a job."""
    fields = BudgetFields(
        service_id=ServiceId(body.service_id),
        environment_id=EnvironmentId(body.environment_id) if body.environment_id else None,
        route=body.route,
        signal=body.signal,
        limit=body.limit.to_limit(),
    )
    created = budgets.create_budget(session, fields, clock.now())
    row = created.budget
    record_audit_event(session, caller, "budget.created", "budget", row.id, _describe(row))
    return BudgetOut.of(created)


@router.patch(
    "/budgets/{budget_id}",
    operation_id="budgets:update",
    responses=document_problems(NotFound, InvalidRequest),
)
def update_budget(budget_id: UUID, body: BudgetUpdate, caller: MayWrite, session: Writing, clock: Now) -> BudgetOut:
    """Change the limit of a budget."""
    former = format_limit(budgets.limit_of(budgets.get_budget(session, BudgetId(budget_id))))
    updated = budgets.update_limit(session, BudgetId(budget_id), body.limit.to_limit(), clock.now())
    facts = {**_describe(updated.budget), "former_limit": former}
    record_audit_event(session, caller, "budget.updated", "budget", budget_id, facts)
    return BudgetOut.of(updated)


@router.delete(
    "/budgets/{budget_id}",
    operation_id="budgets:delete",
    status_code=204,
    responses=document_problems(NotFound),
)
def delete_budget(budget_id: UUID, caller: MayWrite, session: Writing) -> None:
    """Remove a budget with its evaluations. Production events that only it opened are closed."""
    row = budgets.delete_budget(session, BudgetId(budget_id))
    record_audit_event(session, caller, "budget.deleted", "budget", budget_id, _describe(row))


def _describe(row: Budget) -> dict[str, Any]:
    """Return what a reader of the audit log needs when the budget is removed."""
    return {
        "service_id": str(row.service_id),
        "budget": f"{name_signal(row.signal)} at most {format_limit(budgets.limit_of(row))}",
        "route": row.route,
    }
