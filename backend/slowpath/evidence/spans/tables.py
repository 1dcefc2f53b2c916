"""Tables of decoded span sets, and of pushes that are not merged yet."""

from datetime import datetime
from uuid import UUID

from sqlalchemy import BigInteger, CheckConstraint, ForeignKeyConstraint, Index, LargeBinary
from sqlalchemy.orm import Mapped, mapped_column

from slowpath.core.table_base import Table, TeamScoped


class SpanSet(TeamScoped, Table):
    """One decoded span set; it has the ID of its artifact."""

    __tablename__ = "span_set"
    __table_args__ = (
        ForeignKeyConstraint(["team_id", "id"], ["artifact.team_id", "artifact.id"], ondelete="CASCADE"),
        ForeignKeyConstraint(
            ["team_id", "environment_id"],
            ["environment.team_id", "environment.id"],
            ondelete="SET NULL (environment_id)",
        ),
        Index("ix_span_set_columns", "team_id", "columns_key"),
        Index("ix_span_set_when", "team_id", "environment_id", "ended_at"),
    )

    dialect: Mapped[str]
    spans: Mapped[int] = mapped_column(BigInteger)
    traces: Mapped[int] = mapped_column(BigInteger)
    environment_id: Mapped[UUID | None]
    began_at: Mapped[datetime]
    ended_at: Mapped[datetime]
    columns_key: Mapped[str]
    columns_bytes: Mapped[int] = mapped_column(BigInteger)
    page_key: Mapped[str]
    """Blob key of the page of this span set: JSON, gzip."""
    critical_key: Mapped[str | None]
    """Its critical paths as the columns of a profile."""


class SpanPush(TeamScoped, Table):
    """Content of one export request, until it is merged into a file with others."""

    __tablename__ = "span_push"
    __table_args__ = (
        Index("ix_span_push_oldest", "team_id", "created_at", "id"),
        CheckConstraint("dialect in ('protobuf', 'json')", name="dialect"),
    )

    dialect: Mapped[str]
    content: Mapped[bytes] = mapped_column(LargeBinary)
    size_bytes: Mapped[int] = mapped_column(BigInteger)
