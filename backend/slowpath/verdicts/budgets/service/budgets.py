"""Set, change, remove and list budgets."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from slowpath.core.db_sessions import ReadSession, WriteSession
from slowpath.core.ids import BudgetId, EnvironmentId, ServiceId, new_id
from slowpath.core.jobs import enqueue_unless_pending
from slowpath.inventory.catalog import service as catalog
from slowpath.verdicts.budgets import queries, wording
from slowpath.verdicts.budgets.errors import BudgetExists, BudgetNotFound, InvalidBudget, TooManyBudgets
from slowpath.verdicts.budgets.jobs import EvaluateBudgets
from slowpath.verdicts.budgets.read_models import ListedBudget
from slowpath.verdicts.budgets.rules import CPU, MOST_LISTED, MOST_OF_SERVICE, Limit, SignalName
from slowpath.verdicts.budgets.service import build_budgets
from slowpath.verdicts.budgets.tables import Budget, BudgetEvaluation

MOST_ENVIRONMENTS = 500


@dataclass(frozen=True)
class BudgetFields:
    """What a budget limits."""

    service_id: ServiceId
    environment_id: EnvironmentId | None
    route: str | None
    signal: SignalName
    limit: Limit


def list_budgets(
    session: ReadSession, service_id: ServiceId | None, environment_id: EnvironmentId | None
) -> list[ListedBudget]:
    """Return budgets with their newest evaluations, oldest first. Raises `ServiceNotFound`, `EnvironmentNotFound`."""
    if service_id is not None:
        catalog.service(session, service_id)
    if environment_id is not None:
        catalog.environment(session, environment_id)
    return _with_evaluations(session, queries.select_budgets(session, service_id, environment_id, MOST_LISTED))


def get_budget(session: ReadSession, budget_id: BudgetId) -> Budget:
    """Return a budget. Raises `BudgetNotFound`."""
    row = queries.select_budget(session, budget_id)
    if row is None:
        raise BudgetNotFound("The team has no budget with this ID.")
    return row


def create_budget(session: WriteSession, fields: BudgetFields, now: datetime) -> ListedBudget:
    """Set a budget, and evaluate it.

    Raises `ServiceNotFound`, `EnvironmentNotFound`, `InvalidBudget`, `BudgetExists` and `TooManyBudgets`.
    """
    catalog.service(session, fields.service_id)
    if fields.environment_id is not None:
        catalog.environment(session, fields.environment_id)
    _validate(fields)
    queries.lock_service(session, fields.service_id)
    count = queries.count_budgets(session, fields.service_id)
    if count >= MOST_OF_SERVICE:
        raise TooManyBudgets(
            f"The service has {count} budgets.",
            limit=MOST_OF_SERVICE,
            actual=count + 1,
            unit="budgets",
            remedy="Remove a budget of the service first.",
        )
    row = Budget(
        team_id=session.team_id,
        id=new_id(),
        service_id=fields.service_id,
        environment_id=fields.environment_id,
        route=fields.route,
        signal=fields.signal,
        limit_seconds=fields.limit.seconds,
        limit_increase=fields.limit.increase,
        created_by=session.scope.user_id,
    )
    if queries.has_equal_budget(session, row):
        raise BudgetExists(
            f"The service has a budget of {wording.name_signal(row.signal)} for the same requests.",
            remedy="Change the limit of that budget.",
        )
    session.add(row)
    session.flush()
    return _evaluate(session, row, now)


def update_limit(session: WriteSession, budget_id: BudgetId, limit: Limit, now: datetime) -> ListedBudget:
    """Change the limit of a budget, and evaluate it. Raises `BudgetNotFound` and `InvalidBudget`."""
    row = get_budget(session, budget_id)
    if limit.is_per_release != (row.limit_increase is not None):
        raise InvalidBudget(
            "An absolute budget cannot become one per release, or the other way round.",
            remedy="Remove the budget and set another one.",
        )
    if (row.limit_seconds, row.limit_increase) != (limit.seconds, limit.increase):
        row.limit_seconds, row.limit_increase = limit.seconds, limit.increase
        for each in queries.select_evaluations(session, [row.id]):
            session.delete(each)
        session.flush()
    return _evaluate(session, row, now)


def delete_budget(session: WriteSession, budget_id: BudgetId) -> Budget:
    """Remove a budget with its evaluations; the next evaluation closes its events. Raises `BudgetNotFound`."""
    row = get_budget(session, budget_id)
    session.delete(row)
    session.flush()
    if row.signal != CPU:
        _enqueue_evaluation(session, row)
    return row


def limit_of(row: Budget) -> Limit:
    """Return the limit of a budget."""
    return Limit(row.limit_seconds, row.limit_increase)


def _validate(fields: BudgetFields) -> None:
    """Raise `InvalidBudget` for what nothing measures."""
    if fields.signal == CPU and fields.environment_id is not None:
        raise InvalidBudget(
            "CPU per request is measured of builds, which have no environment.", remedy="Leave out the environment."
        )


def _evaluate(session: WriteSession, row: Budget, now: datetime) -> ListedBudget:
    """Evaluate a budget of CPU at once, and enqueue the evaluation of one of latency."""
    if row.signal == CPU:
        build_budgets.evaluate_newest_build(session, row, now)
    else:
        _enqueue_evaluation(session, row)
    return _with_evaluations(session, [row])[0]


def _enqueue_evaluation(session: WriteSession, row: Budget) -> None:
    chosen = [row.environment_id] if row.environment_id is not None else _environments(session)
    for environment_id in chosen:
        enqueue_unless_pending(session, EvaluateBudgets(EnvironmentId(environment_id)))


def _environments(session: ReadSession) -> list[UUID]:
    return [each.id for each in catalog.environments(session, None, MOST_ENVIRONMENTS)]


def _with_evaluations(session: ReadSession, rows: Sequence[Budget]) -> list[ListedBudget]:
    evaluations: dict[UUID, list[BudgetEvaluation]] = {}
    for each in queries.select_evaluations(session, [row.id for row in rows]):
        evaluations.setdefault(each.budget_id, []).append(each)
    return [ListedBudget(row, tuple(evaluations.get(row.id, ()))) for row in rows]
