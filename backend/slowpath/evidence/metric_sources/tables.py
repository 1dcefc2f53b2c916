"""Tables of metric sources and federated services."""

from typing import Any
from uuid import UUID

from sqlalchemy import BigInteger, CheckConstraint, ForeignKeyConstraint, Index, LargeBinary, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from slowpath.core.table_base import Table, TeamScoped


class MetricSource(TeamScoped, Table):
    """One Prometheus-compatible API with its credentials."""

    __tablename__ = "metric_source"
    __table_args__ = (
        CheckConstraint("credentials in ('none', 'bearer', 'basic')", name="credentials"),
        CheckConstraint("(credentials = 'none') = (encrypted_credentials IS NULL)", name="encrypted_credentials"),
        Index("ix_metric_source_newest", "team_id", "created_at", "id"),
    )

    label: Mapped[str]
    """Display name."""
    url: Mapped[str]
    """Base URL, without /api/v1."""
    credentials: Mapped[str]
    encrypted_credentials: Mapped[bytes | None] = mapped_column(LargeBinary)
    """The value of the header Authorization, encrypted for this row."""
    last_import: Mapped[dict[str, Any] | None]
    """Result of the newest import."""
    last_check: Mapped[dict[str, Any] | None]
    """Result of the newest check."""


class FederatedService(TeamScoped, Table):
    """A service of an environment whose samples stay at a source; the dashboard queries them live."""

    __tablename__ = "federated_service"
    __table_args__ = (
        ForeignKeyConstraint(
            ["team_id", "source_id"], ["metric_source.team_id", "metric_source.id"], ondelete="CASCADE"
        ),
        ForeignKeyConstraint(["team_id", "service_id"], ["service.team_id", "service.id"], ondelete="CASCADE"),
        ForeignKeyConstraint(
            ["team_id", "environment_id"], ["environment.team_id", "environment.id"], ondelete="CASCADE"
        ),
        UniqueConstraint("team_id", "environment_id", "service_id", name="uq_federated_service_place"),
        Index("ix_federated_service_source", "team_id", "source_id", "created_at", "id"),
        Index("ix_federated_service_service", "team_id", "service_id"),
    )

    source_id: Mapped[UUID]
    service_id: Mapped[UUID]
    environment_id: Mapped[UUID]
    label_matchers: Mapped[dict[str, Any]]
    """Label values that select the series of the service."""
    scanned_until_ms: Mapped[int | None] = mapped_column(BigInteger)
    """Time of the newest sample of the environment at the last scan that could read the service."""
