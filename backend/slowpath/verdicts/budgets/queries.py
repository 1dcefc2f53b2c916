"""SELECT statements for budgets."""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from sqlalchemy import func, or_, select

from slowpath.core.db_sessions import ReadSession, WriteSession
from slowpath.core.ids import BudgetId, EnvironmentId, ServiceId
from slowpath.verdicts.budgets.rules import CPU
from slowpath.verdicts.budgets.tables import Budget, BudgetEvaluation


def select_budget(session: ReadSession, budget_id: BudgetId) -> Budget | None:
    """Return one budget, by primary key."""
    return session.get(Budget, (session.team_id, budget_id))


def select_budgets(
    session: ReadSession, service_id: ServiceId | None, environment_id: EnvironmentId | None, limit: int
) -> Sequence[Budget]:
    """Return budgets, oldest first: of a service, and those that an environment is evaluated by."""
    found = select(Budget).where(Budget.service_id == service_id) if service_id is not None else select(Budget)
    if environment_id is not None:
        found = found.where(or_(Budget.environment_id.is_(None), Budget.environment_id == environment_id))
    return session.scalars(found.order_by(Budget.created_at, Budget.id).limit(limit)).all()


def select_latency_budgets(session: ReadSession, environment_id: EnvironmentId, limit: int) -> Sequence[Budget]:
    """Return the budgets of latency that an environment is evaluated by, oldest first."""
    found = select(Budget).where(
        Budget.signal != CPU, or_(Budget.environment_id.is_(None), Budget.environment_id == environment_id)
    )
    return session.scalars(found.order_by(Budget.created_at, Budget.id).limit(limit)).all()


def select_cpu_budgets(session: ReadSession, service_id: ServiceId) -> Sequence[Budget]:
    """Return the budgets of CPU per request of a service, oldest first."""
    found = select(Budget).where(Budget.service_id == service_id, Budget.signal == CPU)
    return session.scalars(found.order_by(Budget.created_at, Budget.id)).all()


def select_evaluations(session: ReadSession, budget_ids: Sequence[UUID]) -> Sequence[BudgetEvaluation]:
    """Return the newest evaluations of budgets, by uq_budget_evaluation_place."""
    if not budget_ids:
        return []
    found = select(BudgetEvaluation).where(BudgetEvaluation.budget_id.in_(budget_ids))
    return session.scalars(found.order_by(BudgetEvaluation.created_at, BudgetEvaluation.id)).all()


def lock_evaluation(session: WriteSession, budget_id: UUID, environment_id: UUID | None) -> BudgetEvaluation | None:
    """Return the newest evaluation of a budget in an environment, locked until the transaction ends."""
    found = select(BudgetEvaluation).where(
        BudgetEvaluation.budget_id == budget_id,
        BudgetEvaluation.environment_id.is_not_distinct_from(environment_id),
    )
    return session.scalars(found.with_for_update()).first()


def lock_budgets(session: WriteSession, budget_ids: Sequence[UUID]) -> set[UUID]:
    """Return which of these budgets exist; they are not deleted until the transaction ends."""
    found = select(Budget.id).where(Budget.id.in_(budget_ids)).order_by(Budget.id).with_for_update(read=True)
    return set(session.scalars(found))


def select_evaluation_times(session: ReadSession, environment_id: EnvironmentId) -> dict[UUID, datetime]:
    """Return the time of the newest evaluation of each budget in an environment."""
    found = select(BudgetEvaluation).where(BudgetEvaluation.environment_id == environment_id)
    return {row.budget_id: row.evaluated_at for row in session.scalars(found)}


def count_budgets(session: ReadSession, service_id: ServiceId) -> int:
    """Return the number of budgets of a service."""
    found = select(func.count()).select_from(Budget).where(Budget.service_id == service_id)
    return session.scalar(found) or 0


def has_equal_budget(session: ReadSession, budget: Budget) -> bool:
    """Return whether a service has a budget of the same measurement."""
    found = select(Budget.id).where(
        Budget.service_id == budget.service_id,
        Budget.environment_id.is_not_distinct_from(budget.environment_id),
        Budget.route.is_not_distinct_from(budget.route),
        Budget.signal == budget.signal,
        Budget.limit_increase.is_not(None) if budget.limit_increase is not None else Budget.limit_increase.is_(None),
    )
    return session.scalar(found.limit(1)) is not None


def lock_service(session: WriteSession, service_id: ServiceId) -> None:
    """Serialize changes of the budgets of a service until the transaction ends."""
    key = f"budgets/{service_id}"
    session.execute(select(func.pg_advisory_xact_lock(func.hashtextextended(key, 5))))
