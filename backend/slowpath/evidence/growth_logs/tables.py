"""Decoded stack-growth logs."""

from sqlalchemy import BigInteger, ForeignKeyConstraint
from sqlalchemy.orm import Mapped, mapped_column

from slowpath.core.table_base import Table, TeamScoped


class GrowthLog(TeamScoped, Table):
    """One stack-growth log in few numbers; its id is its artifact's. Its stacks are kept as a profile's."""

    __tablename__ = "growth_log"
    __table_args__ = (ForeignKeyConstraint(["team_id", "id"], ["artifact.team_id", "artifact.id"], ondelete="CASCADE"),)

    dialect: Mapped[str]
    """newstack, folded or bpftrace."""
    rate: Mapped[int] = mapped_column(BigInteger)
    """One in so many growths was printed."""
    sampled: Mapped[int] = mapped_column(BigInteger)
    total: Mapped[int | None] = mapped_column(BigInteger)
    """All growths, where the log says so at its end."""
    duration_ns: Mapped[int | None] = mapped_column(BigInteger)
    columns_key: Mapped[str]
    """Where its stacks lie: columns of a profile."""
