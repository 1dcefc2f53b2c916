"""Sources of metrics."""

from typing import Any

from sqlalchemy import CheckConstraint, Index, LargeBinary
from sqlalchemy.orm import Mapped, mapped_column

from slowpath.core.tables import Table, TeamScoped


class MetricSource(TeamScoped, Table):
    """One Prometheus-compatible API, and how to sign in there."""

    __tablename__ = "metric_source"
    __table_args__ = (
        CheckConstraint("credentials in ('none', 'bearer', 'basic')", name="credentials"),
        CheckConstraint("(credentials = 'none') = (sealed IS NULL)", name="sealed"),
        Index("ix_metric_source_newest", "team_id", "created_at", "id"),
    )

    label: Mapped[str]
    """How people call it."""
    url: Mapped[str]
    """What stands before /api/v1."""
    credentials: Mapped[str]
    sealed: Mapped[bytes | None] = mapped_column(LargeBinary)
    """The value of the header Authorization, encrypted for this row."""
    last_import: Mapped[dict[str, Any] | None]
    """How the newest import ended."""
