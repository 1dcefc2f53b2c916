"""Series, their newest samples as they came, their hours at rest, and what a team says about them.

Ids of series and blocks are counted by team: a number tells nothing of other teams.
"""

from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import (
    BigInteger,
    CheckConstraint,
    DateTime,
    ForeignKey,
    ForeignKeyConstraint,
    Identity,
    Index,
    Integer,
    LargeBinary,
    UniqueConstraint,
    func,
    text,
)
from sqlalchemy.orm import Mapped, mapped_column

from slowpath.core.ids import TeamId
from slowpath.core.table_base import Table, TeamScoped

KINDS = "kind in ('counter', 'histogram', 'gauge-histogram', 'unknown', 'gauge')"


class MetricSettings(TeamScoped, Table):
    """What holds for all series of a team: one row, and the counters by which its series are numbered."""

    __tablename__ = "metric_settings"
    __table_args__ = (UniqueConstraint("team_id"),)

    retention_days: Mapped[int] = mapped_column(server_default=text("30"))
    next_id: Mapped[int] = mapped_column(BigInteger, server_default=text("1"))
    """The next number of a series or a block."""
    series: Mapped[int] = mapped_column(server_default=text("0"))
    """How many there are."""
    series_epoch: Mapped[int] = mapped_column(server_default=text("0"))
    """Grows whenever series are deleted: what a process remembers of them is then void."""
    compaction_count: Mapped[int] = mapped_column(BigInteger, server_default=text("0"))
    """Grows with every fold: two at a time notice each other."""
    retained_at: Mapped[datetime | None]
    """When what is too old was last deleted."""


class MetricSeries(Table):
    """One series: a name and labels."""

    __tablename__ = "metric_series"
    __table_args__ = (
        UniqueConstraint("team_id", "fingerprint"),
        Index("ix_metric_series_name", "team_id", "name"),
        Index("ix_metric_series_group_key", "team_id", "group_key"),
        Index(
            "ix_metric_series_environment",
            "team_id",
            "environment_id",
            postgresql_where=text("role IS NOT NULL"),
        ),
        Index("ix_metric_series_service", "team_id", "service_id"),
        ForeignKeyConstraint(
            ["team_id", "service_id"], ["service.team_id", "service.id"], ondelete="SET NULL (service_id)"
        ),
        ForeignKeyConstraint(
            ["team_id", "environment_id"],
            ["environment.team_id", "environment.id"],
            ondelete="SET NULL (environment_id)",
        ),
        CheckConstraint(KINDS, name="kind"),
    )

    team_id: Mapped[TeamId] = mapped_column(ForeignKey("team.id", ondelete="CASCADE"), primary_key=True)
    id: Mapped[int] = mapped_column(BigInteger, primary_key=True, autoincrement=False)
    fingerprint: Mapped[bytes] = mapped_column(LargeBinary)
    """16 bytes of BLAKE2b over the labels as they came."""
    name: Mapped[str]
    labels: Mapped[dict[str, Any]]
    """Without `__name__`. A NUL, which PostgreSQL can not keep, is shown as ␀; the fingerprint still tells it apart."""
    kind: Mapped[str]
    unit: Mapped[str] = mapped_column(server_default=text("''"))
    group_key: Mapped[bytes] = mapped_column(LargeBinary)
    """What belongs together: 8 bytes of BLAKE2b over the family's name and the service."""
    series_group_id: Mapped[int] = mapped_column(BigInteger)
    """With which others its hours are kept."""
    created_ms: Mapped[int | None] = mapped_column(BigInteger)
    """When the counter began at zero, if the sender said so."""
    last_ms: Mapped[int] = mapped_column(BigInteger)
    """The newest sample that was folded; before that, the time of the first one."""
    role: Mapped[str | None]
    """What it is for the board: requests, latency, gauge; null if nothing."""
    classification_reason: Mapped[str]
    """Why it has its role or has none: a slug."""
    service_id: Mapped[UUID | None]
    environment_id: Mapped[UUID | None]
    created_at: Mapped[datetime] = mapped_column(DateTime(timezone=True), server_default=func.clock_timestamp())


class MetricWalRecord(Table):
    """The samples of one request, as they came: written and committed before the sender is told so."""

    __tablename__ = "metric_wal_record"
    __table_args__ = (Index("ix_metric_wal_record_created_at", "created_at"),)

    team_id: Mapped[TeamId] = mapped_column(ForeignKey("team.id", ondelete="CASCADE"), primary_key=True)
    id: Mapped[int] = mapped_column(BigInteger, Identity(), primary_key=True)
    first_ms: Mapped[int] = mapped_column(BigInteger)
    last_ms: Mapped[int] = mapped_column(BigInteger)
    samples: Mapped[int]
    content: Mapped[bytes] = mapped_column(LargeBinary)
    created_at: Mapped[datetime] = mapped_column(DateTime(timezone=True), server_default=func.clock_timestamp())


class MetricChunk(Table):
    """One hour of a block of series, packed. Partitioned by month of the hour."""

    __tablename__ = "metric_chunk"
    __table_args__ = {"postgresql_partition_by": "RANGE (hour)"}  # noqa: RUF012 - as SQLAlchemy has it

    team_id: Mapped[TeamId] = mapped_column(ForeignKey("team.id", ondelete="CASCADE"), primary_key=True)
    id: Mapped[int] = mapped_column(BigInteger, primary_key=True, autoincrement=False)
    """The block."""
    hour: Mapped[int] = mapped_column(Integer, primary_key=True, autoincrement=False)
    """Hours since 1970."""
    samples: Mapped[int]
    content: Mapped[bytes] = mapped_column(LargeBinary)
    created_at: Mapped[datetime] = mapped_column(DateTime(timezone=True), server_default=func.clock_timestamp())


class MetricExemplar(TeamScoped, Table):
    """One observation with labels of its own: a trace's id beside a latency."""

    __tablename__ = "metric_exemplar"
    __table_args__ = (
        UniqueConstraint("team_id", "series_id", "at_ms"),
        ForeignKeyConstraint(
            ["team_id", "series_id"], ["metric_series.team_id", "metric_series.id"], ondelete="CASCADE"
        ),
    )

    series_id: Mapped[int] = mapped_column(BigInteger)
    at_ms: Mapped[int] = mapped_column(BigInteger)
    value: Mapped[float]
    labels: Mapped[dict[str, Any]]


class MetricRule(TeamScoped, Table):
    """What a team says about one metric, where its name does not say it."""

    __tablename__ = "metric_rule"
    __table_args__ = (
        CheckConstraint("role in ('requests', 'latency', 'ignore', 'gauge')", name="role"),
        Index("ix_metric_rule_newest", "team_id", "created_at", "id"),
    )

    metric: Mapped[str]
    """The family's name, without _bucket, _sum, _count."""
    role: Mapped[str]
    label_matchers: Mapped[dict[str, Any]]
    """Only series with these labels."""
    service: Mapped[str | None]
    """The service's name, if no label says it."""
    service_label: Mapped[str | None]
    environment_label: Mapped[str | None]
    status_label: Mapped[str | None]
    seconds_per_unit: Mapped[float] = mapped_column(server_default=text("1"))
    """Times this it is seconds."""
    title: Mapped[str | None]
    """How a gauge is called on the board."""


class MetricChangePoint(TeamScoped, Table):
    """One change of latency or load of a service that was found. It is never deleted because more is known later."""

    __tablename__ = "metric_change_point"
    __table_args__ = (
        ForeignKeyConstraint(["team_id", "service_id"], ["service.team_id", "service.id"], ondelete="CASCADE"),
        ForeignKeyConstraint(
            ["team_id", "environment_id"], ["environment.team_id", "environment.id"], ondelete="CASCADE"
        ),
        ForeignKeyConstraint(
            ["team_id", "deployment_id"], ["deployment.team_id", "deployment.id"], ondelete="SET NULL (deployment_id)"
        ),
        ForeignKeyConstraint(
            ["team_id", "upstream_cause_service_id"],
            ["service.team_id", "service.id"],
            ondelete="SET NULL (upstream_cause_service_id)",
        ),
        CheckConstraint("signal in ('p50', 'p90', 'p99', 'mean', 'qps')", name="signal"),
        CheckConstraint("cause in ('deployment', 'load', 'dependency', 'unexplained')", name="cause"),
        UniqueConstraint(
            "team_id", "environment_id", "service_id", "signal", "at_ms", name="uq_metric_change_point_place"
        ),
        Index("ix_metric_change_point_when", "team_id", "environment_id", "at_ms"),
    )

    environment_id: Mapped[UUID]
    service_id: Mapped[UUID]
    signal: Mapped[str]
    at_ms: Mapped[int] = mapped_column(BigInteger)
    earliest_ms: Mapped[int] = mapped_column(BigInteger)
    latest_ms: Mapped[int] = mapped_column(BigInteger)
    detected_ms: Mapped[int] = mapped_column(BigInteger)
    """What came in until then was enough to decide."""
    before: Mapped[float]
    """Seconds; requests per second for `qps`."""
    after: Mapped[float]
    ratio: Mapped[float]
    ratio_low: Mapped[float]
    ratio_high: Mapped[float]
    cause: Mapped[str]
    deployment_id: Mapped[UUID | None]
    upstream_cause_service_id: Mapped[UUID | None]


class DeploymentEvaluationRow(TeamScoped, Table):
    """What was decided of a deploy so many minutes after it."""

    __tablename__ = "deployment_evaluation"
    __table_args__ = (
        ForeignKeyConstraint(["team_id", "deployment_id"], ["deployment.team_id", "deployment.id"], ondelete="CASCADE"),
        ForeignKeyConstraint(["team_id", "service_id"], ["service.team_id", "service.id"], ondelete="CASCADE"),
        CheckConstraint("verdict in ('slower', 'not-slower', 'inconclusive')", name="verdict"),
        CheckConstraint("basis in ('concurrent', 'before-after')", name="basis"),
        UniqueConstraint("team_id", "deployment_id", "minutes", name="uq_deployment_evaluation_look"),
        Index("ix_deployment_evaluation_service", "team_id", "service_id", "is_same_build", "basis"),
    )

    deployment_id: Mapped[UUID]
    service_id: Mapped[UUID]
    minutes: Mapped[int]
    verdict: Mapped[str]
    basis: Mapped[str]
    is_same_build: Mapped[bool]
    """Whether the deploy before was of the same commit: then its ratio tells how far apart two windows lie."""
    log_ratio: Mapped[float | None]
    """Of p99."""
    statement: Mapped[dict[str, Any]]


class DetectionCursor(TeamScoped, Table):
    """How far an environment has been looked through."""

    __tablename__ = "detection_cursor"
    __table_args__ = (
        ForeignKeyConstraint(
            ["team_id", "environment_id"], ["environment.team_id", "environment.id"], ondelete="CASCADE"
        ),
        UniqueConstraint("team_id", "environment_id"),
    )

    environment_id: Mapped[UUID]
    scanned_until_ms: Mapped[int] = mapped_column(BigInteger)
    """The newest sample that was looked at."""
    minutes_ms: Mapped[int] = mapped_column(BigInteger)
    """The same when all services were last scanned minute by minute."""
