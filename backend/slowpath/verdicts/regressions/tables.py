"""Tables of build measurements, build verdicts, change points and regressions."""

from datetime import date, datetime
from typing import Any
from uuid import UUID

from sqlalchemy import CheckConstraint, ForeignKeyConstraint, Index, LargeBinary, UniqueConstraint, Uuid
from sqlalchemy.orm import Mapped, mapped_column

from slowpath.core.ids import UserId
from slowpath.core.table_base import Table, TeamScoped


class BuildMeasurement(TeamScoped, Table):
    """The measurement of a build's artifacts of one kind: one row for all subjects and artifacts."""

    __tablename__ = "build_measurement"
    __table_args__ = (
        UniqueConstraint("team_id", "build_id", "kind", name="uq_build_measurement_kind"),
        ForeignKeyConstraint(["team_id", "build_id"], ["build.team_id", "build.id"], ondelete="CASCADE"),
    )

    build_id: Mapped[UUID]
    kind: Mapped[str]
    """profile.category, .function, .heap, .allocs, .mutex, .block, trace.sched_delay, growth.count, bench, latency."""
    artifact_hashes: Mapped[str]
    """Identifies the measured artifacts and the method: if both are equal, the measurement is current."""
    artifacts: Mapped[int]
    conditions: Mapped[str]
    """Conditions of the measurement: machine, Go version, platform. Equal text means equal conditions."""
    content: Mapped[bytes] = mapped_column(LargeBinary)
    """`analysis.builds.measures`, packed."""


class BuildVerdict(TeamScoped, Table):
    """The verdict on a build, and its position in the history of its branch."""

    __tablename__ = "build_verdict"
    __table_args__ = (
        UniqueConstraint("team_id", "build_id"),
        ForeignKeyConstraint(["team_id", "build_id"], ["build.team_id", "build.id"], ondelete="CASCADE"),
        ForeignKeyConstraint(["team_id", "service_id"], ["service.team_id", "service.id"], ondelete="CASCADE"),
        ForeignKeyConstraint(
            ["team_id", "comparison_id"], ["comparison.team_id", "comparison.id"], ondelete="SET NULL (comparison_id)"
        ),
        ForeignKeyConstraint(
            ["team_id", "compared_build_id"], ["build.team_id", "build.id"], ondelete="SET NULL (compared_build_id)"
        ),
        Index("ix_build_verdict_comparison", "team_id", "comparison_id"),
        Index("ix_build_verdict_compared", "team_id", "compared_build_id"),
        Index("ix_build_verdict_line", "team_id", "service_id", "branch", "ordered_at"),
        CheckConstraint(
            "state in ('pending', 'evaluating', 'passed', 'changed', 'inconclusive', 'skipped')", name="state"
        ),
    )

    build_id: Mapped[UUID]
    service_id: Mapped[UUID]
    branch: Mapped[str]
    ordered_at: Mapped[datetime]
    """Time of the commit, else of the upload: the order where ancestry does not determine one."""
    state: Mapped[str]
    sentence: Mapped[str]
    required_evidence: Mapped[dict[str, Any] | None]
    """Evidence still required to confirm: {"builds": n | null, "profiles": n | null}."""
    regression_ids: Mapped[list[Any]] = mapped_column(default=list, server_default="[]")
    """Confirmed regressions since this build."""
    evaluated_at: Mapped[datetime | None]
    series_answer: Mapped[dict[str, Any] | None]
    """`build_decision.SeriesAnswer`: what the history of the branch shows. Null in rows of earlier versions."""
    ancestor_answer: Mapped[dict[str, Any] | None]
    """`build_decision.AncestorAnswer`: what the comparison with an earlier build shows, or why there is none."""
    exceeded_budgets: Mapped[list[Any]] = mapped_column(default=list, server_default="[]")
    """A sentence for each budget that this build exceeds first."""
    stack_check: Mapped[dict[str, Any] | None]
    """`StackCheck`: what the executable needs of the stack on hot paths of an earlier build. Null without both executables."""
    comparison_id: Mapped[UUID | None]
    """The comparison with an earlier build."""
    compared_build_id: Mapped[UUID | None]
    """The earlier build: the base of the comparison."""


class SeriesMuteRule(TeamScoped, Table):
    """A mute rule; one of a series takes precedence over one of its kind."""

    __tablename__ = "series_mute_rule"
    __table_args__ = (
        UniqueConstraint("team_id", "service_id", "kind", "subject", name="uq_series_mute_rule_subject"),
        ForeignKeyConstraint(["team_id", "service_id"], ["service.team_id", "service.id"], ondelete="CASCADE"),
    )

    service_id: Mapped[UUID]
    kind: Mapped[str]
    subject: Mapped[str]
    """Empty: all series of the kind."""
    muted: Mapped[bool]
    created_by: Mapped[UserId | None] = mapped_column(Uuid())


class Regression(TeamScoped, Table):
    """A regression since a build. Without a number it is unconfirmed, and no notification is sent."""

    __tablename__ = "regression"
    __table_args__ = (
        UniqueConstraint("team_id", "number"),
        ForeignKeyConstraint(["team_id", "service_id"], ["service.team_id", "service.id"], ondelete="CASCADE"),
        ForeignKeyConstraint(
            ["team_id", "since_build_id"], ["build.team_id", "build.id"], ondelete="SET NULL (since_build_id)"
        ),
        ForeignKeyConstraint(
            ["team_id", "good_build_id"], ["build.team_id", "build.id"], ondelete="SET NULL (good_build_id)"
        ),
        ForeignKeyConstraint(
            ["team_id", "fixed_build_id"], ["build.team_id", "build.id"], ondelete="SET NULL (fixed_build_id)"
        ),
        ForeignKeyConstraint(
            ["team_id", "comparison_id"], ["comparison.team_id", "comparison.id"], ondelete="SET NULL (comparison_id)"
        ),
        Index("ix_regression_newest", "team_id", "created_at", "id"),
        Index("ix_regression_line", "team_id", "service_id", "branch"),
        Index("ix_regression_since", "team_id", "since_build_id"),
        Index("ix_regression_good", "team_id", "good_build_id"),
        Index("ix_regression_fixed", "team_id", "fixed_build_id"),
        Index("ix_regression_comparison", "team_id", "comparison_id"),
        CheckConstraint(
            "state in ('new', 'investigating', 'acknowledged', 'fixed', 'improved', 'not-a-regression', 'ignored')",
            name="state",
        ),
        CheckConstraint("direction in ('worse', 'better')", name="direction"),
        CheckConstraint("confirmed = (number IS NOT NULL)", name="numbered"),
    )

    number: Mapped[int | None]
    service_id: Mapped[UUID]
    branch: Mapped[str]
    state: Mapped[str]
    confirmed: Mapped[bool]
    title: Mapped[str]
    sentence: Mapped[str]
    kind: Mapped[str]
    subject: Mapped[str]
    unit: Mapped[str]
    direction: Mapped[str]
    before: Mapped[float | None]
    after: Mapped[float | None]
    ratio: Mapped[float | None]
    ratio_low: Mapped[float | None]
    ratio_high: Mapped[float | None]
    since_build_id: Mapped[UUID | None]
    since_commit: Mapped[str | None]
    since_at: Mapped[datetime | None]
    good_build_id: Mapped[UUID | None]
    good_commit: Mapped[str | None]
    first_commit: Mapped[str | None]
    """First commit of the range of the first bad build; `last_commit` is the last."""
    last_commit: Mapped[str | None]
    fixed_build_id: Mapped[UUID | None]
    fixed_commit: Mapped[str | None]
    assignee_id: Mapped[UserId | None] = mapped_column(Uuid())
    due_on: Mapped[date | None]
    related_series: Mapped[list[Any]] = mapped_column(default=list, server_default="[]")
    """[{"kind", "subject", "ratio", "is_move"}]: series that changed with it; the first is its own."""
    sparkline: Mapped[dict[str, Any] | None]
    """{"values", "step_at", "levels"} of the sparkline in the list."""
    required_evidence: Mapped[dict[str, Any] | None]
    comparison_id: Mapped[UUID | None]
    created_by: Mapped[UserId | None] = mapped_column(Uuid())
    """The user who created it; None if the evaluation did."""
    closed_at: Mapped[datetime | None]


class BuildChangePoint(TeamScoped, Table):
    """A change point of a series over builds."""

    __tablename__ = "build_change_point"
    __table_args__ = (
        UniqueConstraint(
            "team_id", "service_id", "branch", "kind", "subject", "build_id", name="uq_build_change_point_place"
        ),
        ForeignKeyConstraint(["team_id", "service_id"], ["service.team_id", "service.id"], ondelete="CASCADE"),
        ForeignKeyConstraint(["team_id", "build_id"], ["build.team_id", "build.id"], ondelete="CASCADE"),
        ForeignKeyConstraint(
            ["team_id", "good_build_id"], ["build.team_id", "build.id"], ondelete="SET NULL (good_build_id)"
        ),
        ForeignKeyConstraint(
            ["team_id", "regression_id"], ["regression.team_id", "regression.id"], ondelete="SET NULL (regression_id)"
        ),
        Index("ix_build_change_point_build", "team_id", "build_id"),
        Index("ix_build_change_point_good", "team_id", "good_build_id"),
        Index("ix_build_change_point_regression", "team_id", "regression_id"),
    )

    service_id: Mapped[UUID]
    branch: Mapped[str]
    kind: Mapped[str]
    subject: Mapped[str]
    build_id: Mapped[UUID]
    """The first build after the change point."""
    good_build_id: Mapped[UUID | None]
    """The last build before the change point."""
    confirmed: Mapped[bool]
    cause: Mapped[str]
    """`code`, or `conditions`: the machine or the Go version changed at the same build."""
    before: Mapped[float]
    after: Mapped[float]
    ratio: Mapped[float | None]
    ratio_low: Mapped[float | None]
    ratio_high: Mapped[float | None]
    score: Mapped[float]
    regression_id: Mapped[UUID | None]


class RegressionEvent(TeamScoped, Table):
    """One event of a regression."""

    __tablename__ = "regression_event"
    __table_args__ = (
        ForeignKeyConstraint(["team_id", "regression_id"], ["regression.team_id", "regression.id"], ondelete="CASCADE"),
        Index("ix_regression_event_newest", "team_id", "regression_id", "created_at", "id"),
    )

    regression_id: Mapped[UUID]
    kind: Mapped[str]
    user_id: Mapped[UserId | None] = mapped_column(Uuid())
    """The user; None if the evaluation recorded it."""
    details: Mapped[dict[str, Any]] = mapped_column(default=dict, server_default="{}")


class RegressionEvidence(TeamScoped, Table):
    """Evidence of a regression besides its change points."""

    __tablename__ = "regression_evidence"
    __table_args__ = (
        CheckConstraint("kind in ('comparison', 'fix-verification')", name="kind"),
        ForeignKeyConstraint(["team_id", "regression_id"], ["regression.team_id", "regression.id"], ondelete="CASCADE"),
        ForeignKeyConstraint(
            ["team_id", "comparison_id"], ["comparison.team_id", "comparison.id"], ondelete="SET NULL (comparison_id)"
        ),
        ForeignKeyConstraint(["team_id", "build_id"], ["build.team_id", "build.id"], ondelete="SET NULL (build_id)"),
        Index("ix_regression_evidence_regression", "team_id", "regression_id"),
        Index("ix_regression_evidence_comparison", "team_id", "comparison_id"),
        Index("ix_regression_evidence_build", "team_id", "build_id"),
    )

    regression_id: Mapped[UUID]
    kind: Mapped[str]
    comparison_id: Mapped[UUID | None]
    build_id: Mapped[UUID | None]
    details: Mapped[dict[str, Any]] = mapped_column(default=dict, server_default="{}")
