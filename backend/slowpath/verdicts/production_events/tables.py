"""Tables of production events, their change points and their history."""

from datetime import date, datetime
from typing import Any
from uuid import UUID

from sqlalchemy import CheckConstraint, ForeignKeyConstraint, Index, UniqueConstraint, Uuid, text
from sqlalchemy.orm import Mapped, mapped_column

from slowpath.core.ids import UserId
from slowpath.core.table_base import Table, TeamScoped


class ProductionEvent(TeamScoped, Table):
    """One incident of a service in an environment. Without a number it is unconfirmed: it is not listed or announced."""

    __tablename__ = "production_event"
    __table_args__ = (
        UniqueConstraint("team_id", "number"),
        ForeignKeyConstraint(["team_id", "service_id"], ["service.team_id", "service.id"], ondelete="CASCADE"),
        ForeignKeyConstraint(
            ["team_id", "environment_id"], ["environment.team_id", "environment.id"], ondelete="CASCADE"
        ),
        ForeignKeyConstraint(
            ["team_id", "deployment_id"], ["deployment.team_id", "deployment.id"], ondelete="SET NULL (deployment_id)"
        ),
        ForeignKeyConstraint(
            ["team_id", "comparison_id"], ["comparison.team_id", "comparison.id"], ondelete="SET NULL (comparison_id)"
        ),
        ForeignKeyConstraint(
            ["team_id", "fixed_build_id"], ["build.team_id", "build.id"], ondelete="SET NULL (fixed_build_id)"
        ),
        ForeignKeyConstraint(
            ["team_id", "fixed_deployment_id"],
            ["deployment.team_id", "deployment.id"],
            ondelete="SET NULL (fixed_deployment_id)",
        ),
        CheckConstraint(
            "state in ('new', 'investigating', 'acknowledged', 'closed', 'not-a-regression', 'ignored', 'withdrawn')",
            name="state",
        ),
        CheckConstraint("signal in ('p50', 'p90', 'p99', 'mean', 'qps', 'gauge')", name="signal"),
        CheckConstraint("kind in ('latency', 'slow-deployment', 'load', 'gauge')", name="kind"),
        CheckConstraint("severity in ('high', 'medium', 'low')", name="severity"),
        CheckConstraint("cause in ('deployment', 'unexplained', 'budget', 'load')", name="cause"),
        CheckConstraint(
            "closed_reason in ('recovered', 'rolled-back', 'fixed', 'budget-removed', 'settled', 'joined')",
            name="closed_reason",
        ),
        Index("ix_production_event_newest", "team_id", "started_at", "id"),
        Index("ix_production_event_closed", "team_id", "closed_at", "id"),
        Index(
            "ix_production_event_open",
            "team_id",
            "environment_id",
            postgresql_where=text("state in ('new', 'investigating', 'acknowledged')"),
        ),
        Index("ix_production_event_service", "team_id", "service_id", "started_at"),
        Index("ix_production_event_deployment", "team_id", "deployment_id"),
        Index("ix_production_event_comparison", "team_id", "comparison_id"),
        Index("ix_production_event_fixed_build", "team_id", "fixed_build_id"),
        Index("ix_production_event_fixed_deployment", "team_id", "fixed_deployment_id"),
    )

    number: Mapped[int | None]
    environment_id: Mapped[UUID]
    service_id: Mapped[UUID]
    """The culprit: callers that only wait for it are change points of the same event."""
    state: Mapped[str]
    """`withdrawn`: it did not last, and was never announced."""
    kind: Mapped[str] = mapped_column(server_default="latency")
    """`slow-deployment` until a change point confirms the verdict."""
    signal: Mapped[str]
    gauge: Mapped[str] = mapped_column(server_default="")
    """Metric of the signal `gauge`; empty for the others."""
    title: Mapped[str]
    sentence: Mapped[str]
    cause: Mapped[str]
    deployment_id: Mapped[UUID | None]
    """The deployment that caused it."""
    commit: Mapped[str | None]
    former_commit: Mapped[str | None]
    """The commit that ran before the deployment: running it again is a rollback."""
    before: Mapped[float]
    """Seconds, requests per second of `qps`, or the value of a gauge; the limit if an absolute budget opened the event."""
    after: Mapped[float]
    ratio: Mapped[float]
    ratio_low: Mapped[float]
    ratio_high: Mapped[float]
    requests_per_second: Mapped[float | None]
    added_seconds_per_second: Mapped[float | None]
    severity: Mapped[str]
    sparkline: Mapped[dict[str, Any] | None]
    """{"values", "step_at", "levels"} of the sparkline in the list."""
    started_at: Mapped[datetime]
    earliest_at: Mapped[datetime]
    """Begin of the interval in which it started."""
    detected_at: Mapped[datetime]
    """Time of the newest sample at detection."""
    announced_at: Mapped[datetime | None]
    """To the channels that chose its kind."""
    occurred_at: Mapped[datetime]
    """Time of the newest occurrence: its detection, or that of a change point after it was closed."""
    checked_at: Mapped[datetime | None]
    """Time of the newest sample of the last check for recovery."""
    assignee_id: Mapped[UserId | None] = mapped_column(Uuid())
    due_on: Mapped[date | None]
    comparison_id: Mapped[UUID | None]
    fixed_commit: Mapped[str | None]
    """What a user named as the fix; the event is closed when it is proven."""
    fixed_build_id: Mapped[UUID | None]
    fixed_deployment_id: Mapped[UUID | None]
    closed_at: Mapped[datetime | None]
    closed_reason: Mapped[str | None]
    """What the proof shows; None if a user closed it."""
    proof: Mapped[list[Any] | None]
    """[{"id", "sentence", "state"}]: what is known of its end, as of the last check."""


class ProductionEventChangePoint(TeamScoped, Table):
    """A change point that belongs to a production event: of its service, or of one that follows it."""

    __tablename__ = "production_event_change_point"
    __table_args__ = (
        UniqueConstraint("team_id", "change_point_id", name="uq_production_event_change_point_once"),
        ForeignKeyConstraint(
            ["team_id", "event_id"], ["production_event.team_id", "production_event.id"], ondelete="CASCADE"
        ),
        ForeignKeyConstraint(
            ["team_id", "change_point_id"],
            ["metric_change_point.team_id", "metric_change_point.id"],
            ondelete="CASCADE",
        ),
        Index("ix_production_event_change_point_event", "team_id", "event_id"),
    )

    event_id: Mapped[UUID]
    change_point_id: Mapped[UUID]


class ProductionEventBudget(TeamScoped, Table):
    """A budget of the service that is exceeded during a production event, and what its newest evaluation shows."""

    __tablename__ = "production_event_budget"
    __table_args__ = (
        UniqueConstraint("team_id", "event_id", "budget_id", name="uq_production_event_budget_once"),
        ForeignKeyConstraint(
            ["team_id", "event_id"], ["production_event.team_id", "production_event.id"], ondelete="CASCADE"
        ),
        ForeignKeyConstraint(
            ["team_id", "budget_id"], ["budget.team_id", "budget.id"], ondelete="SET NULL (budget_id)"
        ),
        CheckConstraint("state in ('exceeded', 'within', 'inconclusive')", name="state"),
        Index("ix_production_event_budget_budget", "team_id", "budget_id"),
    )

    event_id: Mapped[UUID]
    budget_id: Mapped[UUID | None]
    """None: the budget was removed."""
    state: Mapped[str]
    """`within` only at a comparable load."""
    sentence: Mapped[str]
    limit_increase: Mapped[float | None]
    """Of a budget per release: latency is recovered when it is certainly below this increase."""


class ProductionEventHistory(TeamScoped, Table):
    """One entry of the history of a production event."""

    __tablename__ = "production_event_history"
    __table_args__ = (
        ForeignKeyConstraint(
            ["team_id", "event_id"], ["production_event.team_id", "production_event.id"], ondelete="CASCADE"
        ),
        Index("ix_production_event_history_newest", "team_id", "event_id", "created_at", "id"),
    )

    event_id: Mapped[UUID]
    kind: Mapped[str]
    user_id: Mapped[UserId | None] = mapped_column(Uuid())
    """The user; None if the evaluation recorded it."""
    details: Mapped[dict[str, Any]] = mapped_column(default=dict, server_default="{}")
