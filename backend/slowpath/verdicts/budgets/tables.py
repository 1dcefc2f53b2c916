"""Tables of budgets and of their newest evaluations."""

from datetime import datetime
from uuid import UUID

from sqlalchemy import CheckConstraint, ForeignKeyConstraint, Index, UniqueConstraint, Uuid
from sqlalchemy.orm import Mapped, mapped_column

from slowpath.core.ids import UserId
from slowpath.core.table_base import Table, TeamScoped


class Budget(TeamScoped, Table):
    """A limit of a service's latency or CPU per request: an absolute one, or one of the increase per release."""

    __tablename__ = "budget"
    __table_args__ = (
        ForeignKeyConstraint(["team_id", "service_id"], ["service.team_id", "service.id"], ondelete="CASCADE"),
        ForeignKeyConstraint(
            ["team_id", "environment_id"], ["environment.team_id", "environment.id"], ondelete="CASCADE"
        ),
        CheckConstraint("signal in ('p50', 'p90', 'p99', 'cpu')", name="signal"),
        CheckConstraint("(limit_seconds IS NULL) <> (limit_increase IS NULL)", name="one_limit"),
        Index("ix_budget_service", "team_id", "service_id", "created_at", "id"),
        Index("ix_budget_environment", "team_id", "environment_id"),
    )

    service_id: Mapped[UUID]
    environment_id: Mapped[UUID | None]
    """None: each environment is evaluated."""
    route: Mapped[str | None]
    """Only requests of this route; None: all."""
    signal: Mapped[str]
    limit_seconds: Mapped[float | None]
    limit_increase: Mapped[float | None]
    """Per release, as a share: 0.05 is 5% more than before."""
    created_by: Mapped[UserId | None] = mapped_column(Uuid())


class BudgetEvaluation(TeamScoped, Table):
    """The newest evaluation of a budget in an environment, or of its newest build."""

    __tablename__ = "budget_evaluation"
    __table_args__ = (
        UniqueConstraint(
            "team_id",
            "budget_id",
            "environment_id",
            name="uq_budget_evaluation_place",
            postgresql_nulls_not_distinct=True,
        ),
        ForeignKeyConstraint(["team_id", "budget_id"], ["budget.team_id", "budget.id"], ondelete="CASCADE"),
        ForeignKeyConstraint(
            ["team_id", "environment_id"], ["environment.team_id", "environment.id"], ondelete="CASCADE"
        ),
        ForeignKeyConstraint(["team_id", "build_id"], ["build.team_id", "build.id"], ondelete="SET NULL (build_id)"),
        ForeignKeyConstraint(
            ["team_id", "deployment_id"], ["deployment.team_id", "deployment.id"], ondelete="SET NULL (deployment_id)"
        ),
        CheckConstraint("state in ('exceeded', 'within', 'inconclusive')", name="state"),
        Index("ix_budget_evaluation_environment", "team_id", "environment_id"),
        Index("ix_budget_evaluation_build", "team_id", "build_id"),
        Index("ix_budget_evaluation_deployment", "team_id", "deployment_id"),
    )

    budget_id: Mapped[UUID]
    environment_id: Mapped[UUID | None]
    """None: CPU per request, which is measured of builds."""
    build_id: Mapped[UUID | None]
    deployment_id: Mapped[UUID | None]
    """Whose increase was evaluated."""
    state: Mapped[str]
    is_announced: Mapped[bool]
    """Exceeded at the level of announcements."""
    sentence: Mapped[str]
    value: Mapped[float | None]
    """In the unit of the limit, as the bounds of its interval."""
    low: Mapped[float | None]
    high: Mapped[float | None]
    requests_per_second: Mapped[float | None]
    evaluated_at: Mapped[datetime]
    """Time of the newest sample, or of the evaluation of the build."""
