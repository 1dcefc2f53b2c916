"""Table of embedded panels."""

from datetime import datetime
from uuid import UUID

from sqlalchemy import BigInteger, CheckConstraint, ForeignKey, ForeignKeyConstraint, Index
from sqlalchemy.orm import Mapped, mapped_column

from slowpath.core.ids import UserId
from slowpath.core.table_base import Table, TeamScoped


class EmbeddedPanel(TeamScoped, Table):
    """A panel that anyone with its signed link can see. The row, not the link, says what it shows."""

    __tablename__ = "embedded_panel"
    __table_args__ = (
        ForeignKeyConstraint(["team_id", "service_id"], ["service.team_id", "service.id"], ondelete="CASCADE"),
        ForeignKeyConstraint(
            ["team_id", "environment_id"], ["environment.team_id", "environment.id"], ondelete="CASCADE"
        ),
        CheckConstraint("panel in ('requests', 'latency')", name="panel"),
        Index("ix_embedded_panel_service", "team_id", "service_id", "created_at", "id"),
        Index("ix_embedded_panel_environment", "team_id", "environment_id"),
    )

    service_id: Mapped[UUID]
    environment_id: Mapped[UUID]
    panel: Mapped[str]
    split_label: Mapped[str | None]
    """The label whose values get a line each, a route for example."""
    length_ms: Mapped[int] = mapped_column(BigInteger)
    until_ms: Mapped[int | None] = mapped_column(BigInteger)
    """End of a fixed range, in milliseconds since 1970; null: now."""
    expires_at: Mapped[datetime]
    revoked_at: Mapped[datetime | None]
    created_by: Mapped[UserId | None] = mapped_column(ForeignKey("app_user.id", ondelete="SET NULL"), index=True)
