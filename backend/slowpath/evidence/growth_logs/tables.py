"""Decoded stack-growth logs."""

from sqlalchemy import BigInteger, ForeignKeyConstraint
from sqlalchemy.orm import Mapped, mapped_column

from slowpath.core.table_base import Table, TeamScoped


class GrowthLog(TeamScoped, Table):
    """One stack-growth log; it has the ID of its artifact. Its stacks are stored as a profile."""

    __tablename__ = "growth_log"
    __table_args__ = (ForeignKeyConstraint(["team_id", "id"], ["artifact.team_id", "artifact.id"], ondelete="CASCADE"),)

    dialect: Mapped[str]
    """newstack, folded or bpftrace."""
    rate: Mapped[int] = mapped_column(BigInteger)
    """Sampling rate: one in `rate` growth events was printed."""
    sampled: Mapped[int] = mapped_column(BigInteger)
    total: Mapped[int | None] = mapped_column(BigInteger)
    """Total number of growth events, if the end of the log contains it."""
    duration_ns: Mapped[int | None] = mapped_column(BigInteger)
    columns_key: Mapped[str]
    """Blob key of its stacks: columns of a profile."""
