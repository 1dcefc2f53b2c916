"""What services return about budgets."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from slowpath.verdicts.budgets.rules import BudgetState, Interval
from slowpath.verdicts.budgets.tables import Budget, BudgetEvaluation


@dataclass(frozen=True)
class BudgetMeasurement:
    """What one evaluation shows; without an interval it is inconclusive, and the sentence says why."""

    budget_id: UUID
    environment_id: UUID | None
    state: BudgetState
    sentence: str
    at: datetime
    interval: Interval | None = None
    is_announced: bool = False
    requests_per_second: float | None = None
    build_id: UUID | None = None
    deployment_id: UUID | None = None
    base_seconds: float | None = None
    """The latency of the deployment before, if the budget limits the increase."""


@dataclass(frozen=True)
class ListedBudget:
    """A budget with its newest evaluations, one per environment."""

    budget: Budget
    evaluations: tuple[BudgetEvaluation, ...]
