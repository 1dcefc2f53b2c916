"""Tables of series, WAL records, chunks, roll-ups, metric rules, change points and deployment evaluations.

IDs of series and series groups are numbered per team, so they reveal nothing about other teams.
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
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Mapped, mapped_column

from slowpath.analysis.kinds.metrics.changes.deployment_check import DeploymentCheckDocument
from slowpath.core.ids import TeamId
from slowpath.core.table_base import Table, TeamScoped

KINDS = "kind in ('counter', 'histogram', 'gauge-histogram', 'unknown', 'gauge')"


class MetricSettings(TeamScoped, Table):
    """Metric settings and counters of a team: one row."""

    __tablename__ = "metric_settings"
    __table_args__ = (UniqueConstraint("team_id"),)

    retention_days: Mapped[int] = mapped_column(server_default=text("30"))
    next_id: Mapped[int] = mapped_column(BigInteger, server_default=text("1"))
    """Next ID of a series or series group."""
    series: Mapped[int] = mapped_column(server_default=text("0"))
    """Number of series."""
    series_epoch: Mapped[int] = mapped_column(server_default=text("0"))
    """Increases when series are deleted, which invalidates the caches of processes."""
    compaction_count: Mapped[int] = mapped_column(BigInteger, server_default=text("0"))
    """Increases with every compaction, to detect concurrent ones."""
    roll_up_count: Mapped[int] = mapped_column(BigInteger, server_default=text("0"))
    """Increases with every job that writes roll-ups, to detect concurrent ones."""
    retained_at: Mapped[datetime | None]
    """Time of the last deletion of expired samples."""


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
    """16 bytes of BLAKE2b over the labels as received."""
    name: Mapped[str]
    labels: Mapped[dict[str, Any]]
    """Without `__name__`. NUL, which PostgreSQL cannot store, is replaced by ␀; the fingerprint is of the original."""
    kind: Mapped[str]
    unit: Mapped[str] = mapped_column(server_default=text("''"))
    group_key: Mapped[bytes] = mapped_column(LargeBinary)
    """8 bytes of BLAKE2b over the family's name and the service."""
    series_group_id: Mapped[int] = mapped_column(BigInteger)
    """Series group whose chunks contain it."""
    created_ms: Mapped[int | None] = mapped_column(BigInteger)
    """Start of the counter at zero, if the sender reports it."""
    last_ms: Mapped[int] = mapped_column(BigInteger)
    """Time of the newest compacted sample, or some hours before it; before the first compaction, of the first sample."""
    role: Mapped[str | None]
    """Role on the dashboard: requests, latency, gauge, or null."""
    classification_reason: Mapped[str]
    """Reason of the role, or of its absence: a slug."""
    service_id: Mapped[UUID | None]
    environment_id: Mapped[UUID | None]
    created_at: Mapped[datetime] = mapped_column(DateTime(timezone=True), server_default=func.clock_timestamp())


class MetricWalRecord(Table):
    """Samples of one request, committed before the response is sent."""

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
    """Compressed samples of a series group in one hour. Partitioned by month of the hour.

    Compactions append pieces. When the hour is over, they are joined to one chunk.
    """

    __tablename__ = "metric_chunk"
    __table_args__ = (
        Index("ix_metric_chunk_open", "team_id", "id", "hour", postgresql_where=text("piece > 0")),
        {"postgresql_partition_by": "RANGE (hour)"},
    )

    team_id: Mapped[TeamId] = mapped_column(ForeignKey("team.id", ondelete="CASCADE"), primary_key=True)
    id: Mapped[int] = mapped_column(BigInteger, primary_key=True, autoincrement=False)
    """Series group."""
    hour: Mapped[int] = mapped_column(Integer, primary_key=True, autoincrement=False)
    """Hours since 1970."""
    samples: Mapped[int]
    content: Mapped[bytes] = mapped_column(LargeBinary)
    created_at: Mapped[datetime] = mapped_column(DateTime(timezone=True), server_default=func.clock_timestamp())
    piece: Mapped[int] = mapped_column(BigInteger, primary_key=True, autoincrement=False, server_default=text("1"))
    """0: joined, and part of the roll-ups; 1: joined; above: number of the compaction that appended it, earliest first."""


class MetricRollUp(Table):
    """Samples of a series group at a coarse resolution, for some hours."""

    __tablename__ = "metric_roll_up"

    team_id: Mapped[TeamId] = mapped_column(ForeignKey("team.id", ondelete="CASCADE"), primary_key=True)
    id: Mapped[int] = mapped_column(BigInteger, primary_key=True, autoincrement=False)
    """Series group."""
    resolution_ms: Mapped[int] = mapped_column(Integer, primary_key=True, autoincrement=False)
    first_hour: Mapped[int] = mapped_column(Integer, primary_key=True, autoincrement=False)
    """Hours since 1970: a multiple of the number of hours of one roll-up."""
    interval_ms: Mapped[int]
    """Usual scrape interval of the samples."""
    samples: Mapped[int]
    content: Mapped[bytes] = mapped_column(LargeBinary)
    created_at: Mapped[datetime] = mapped_column(DateTime(timezone=True), server_default=func.clock_timestamp())


class MetricExemplar(TeamScoped, Table):
    """One observation with its own labels, such as a trace ID."""

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
    """Custom classification of one metric."""

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
    """Name of the service, if no label contains it."""
    service_label: Mapped[str | None]
    environment_label: Mapped[str | None]
    status_label: Mapped[str | None]
    seconds_per_unit: Mapped[float] = mapped_column(server_default=text("1"))
    """Factor that converts a latency to seconds."""
    title: Mapped[str | None]
    """Title of a gauge on the dashboard."""


class MetricChangePoint(TeamScoped, Table):
    """One detected change point of latency, load or a gauge of a service. Later samples never delete it."""

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
        CheckConstraint("signal in ('p50', 'p90', 'p99', 'mean', 'qps', 'gauge')", name="signal"),
        CheckConstraint("(signal = 'gauge') = (gauge <> '')", name="gauge"),
        CheckConstraint("cause in ('deployment', 'load', 'dependency', 'unexplained')", name="cause"),
        UniqueConstraint(
            "team_id", "environment_id", "service_id", "signal", "gauge", "at_ms", name="uq_metric_change_point_place"
        ),
        Index("ix_metric_change_point_when", "team_id", "environment_id", "at_ms"),
    )

    environment_id: Mapped[UUID]
    service_id: Mapped[UUID]
    signal: Mapped[str]
    gauge: Mapped[str] = mapped_column(server_default="")
    """Metric of the signal `gauge`; empty for the others."""
    at_ms: Mapped[int] = mapped_column(BigInteger)
    earliest_ms: Mapped[int] = mapped_column(BigInteger)
    latest_ms: Mapped[int] = mapped_column(BigInteger)
    detected_ms: Mapped[int] = mapped_column(BigInteger)
    """Time of the newest sample at detection."""
    before: Mapped[float]
    """Seconds; requests per second for `qps`; the value of a gauge."""
    after: Mapped[float]
    ratio: Mapped[float]
    ratio_low: Mapped[float]
    ratio_high: Mapped[float]
    cause: Mapped[str]
    deployment_id: Mapped[UUID | None]
    upstream_cause_service_id: Mapped[UUID | None]


class DeploymentEvaluationRow(TeamScoped, Table):
    """Interim verdict on a deployment, a number of minutes after it."""

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
    """Whether the previous deployment has the same commit: then the ratio measures the variation between time ranges."""
    log_ratio: Mapped[float | None]
    """Of p99."""
    statement: Mapped[DeploymentCheckDocument] = mapped_column(JSONB(none_as_null=True))


class DetectionCursor(TeamScoped, Table):
    """End of the scanned time range of an environment."""

    __tablename__ = "detection_cursor"
    __table_args__ = (
        ForeignKeyConstraint(
            ["team_id", "environment_id"], ["environment.team_id", "environment.id"], ondelete="CASCADE"
        ),
        UniqueConstraint("team_id", "environment_id"),
    )

    environment_id: Mapped[UUID]
    scanned_until_ms: Mapped[int] = mapped_column(BigInteger)
    """Time of the newest scanned sample."""
    minutes_ms: Mapped[int] = mapped_column(BigInteger)
    """Time of the newest sample at the last scan of all services at minute resolution."""
