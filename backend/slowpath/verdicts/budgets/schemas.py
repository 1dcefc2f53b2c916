"""Wire shapes of budgets."""

from datetime import datetime
from typing import Annotated, Literal
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from slowpath.platform.http.request_types import JsonFloat
from slowpath.verdicts.budgets.read_models import ListedBudget
from slowpath.verdicts.budgets.rules import MOST_INCREASE, MOST_SECONDS, Limit, SignalName, StateName
from slowpath.verdicts.budgets.tables import BudgetEvaluation

Route = Annotated[
    str, StringConstraints(strip_whitespace=True, min_length=1, max_length=300, pattern=r"^[^\x00-\x1f\x7f]*$")
]


class AbsoluteLimit(BaseModel):
    """At most so many seconds: of latency, or of CPU per request."""

    model_config = ConfigDict(extra="forbid")

    type: Literal["absolute"]
    seconds: JsonFloat = Field(gt=0, le=MOST_SECONDS, allow_inf_nan=False)

    def to_limit(self) -> Limit:
        """Return the limit."""
        return Limit(self.seconds, None)


class ReleaseLimit(BaseModel):
    """At most so much more than the release before, as a share: 0.05 is 5% more."""

    model_config = ConfigDict(extra="forbid")

    type: Literal["per-release"]
    increase: JsonFloat = Field(gt=0, le=MOST_INCREASE, allow_inf_nan=False)

    def to_limit(self) -> Limit:
        """Return the limit."""
        return Limit(None, self.increase)


BudgetLimit = Annotated[AbsoluteLimit | ReleaseLimit, Field(discriminator="type")]


class BudgetIn(BaseModel):
    """A new budget of a service."""

    model_config = ConfigDict(extra="forbid")

    service_id: UUID
    environment_id: UUID | None = Field(None, description="Only this environment; null: each environment is evaluated")
    route: Route | None = Field(None, description="Only requests with this value of a route label; null: all")
    signal: SignalName
    limit: BudgetLimit


class BudgetUpdate(BaseModel):
    """A new limit of the same type."""

    model_config = ConfigDict(extra="forbid")

    limit: BudgetLimit


class BudgetEvaluationOut(BaseModel):
    """The newest evaluation. `value`, `low` and `high` have the unit of the limit; `high` is null without a bound."""

    environment_id: UUID | None
    build_id: UUID | None
    deployment_id: UUID | None
    state: StateName
    is_announced: bool = Field(description="exceeded with the certainty that a message requires")
    sentence: str
    value: float | None
    low: float | None
    high: float | None
    evaluated_at: datetime

    @classmethod
    def of(cls, row: BudgetEvaluation) -> "BudgetEvaluationOut":
        """Return the wire shape of an evaluation."""
        return cls.model_validate(row, from_attributes=True)


class BudgetOut(BaseModel):
    """A budget with its newest evaluation in each environment, or of the newest build."""

    id: UUID
    service_id: UUID
    environment_id: UUID | None
    route: str | None
    signal: SignalName
    limit: BudgetLimit
    evaluations: list[BudgetEvaluationOut]
    created_at: datetime

    @classmethod
    def of(cls, listed: ListedBudget) -> "BudgetOut":
        """Return the wire shape of a budget."""
        row = listed.budget
        limit: AbsoluteLimit | ReleaseLimit
        if row.limit_seconds is not None:
            limit = AbsoluteLimit(type="absolute", seconds=row.limit_seconds)
        else:
            limit = ReleaseLimit(type="per-release", increase=row.limit_increase or 0.0)
        return cls.model_validate(
            {
                "id": row.id,
                "service_id": row.service_id,
                "environment_id": row.environment_id,
                "route": row.route,
                "signal": row.signal,
                "limit": limit,
                "evaluations": [BudgetEvaluationOut.of(each) for each in listed.evaluations],
                "created_at": row.created_at,
            }
        )


class BudgetList(BaseModel):
    """Budgets, oldest first; at most 1,000."""

    items: list[BudgetOut]
