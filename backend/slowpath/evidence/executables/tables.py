"""Decoded Go executables."""

from sqlalchemy import BigInteger, ForeignKeyConstraint, Index
from sqlalchemy.orm import Mapped, mapped_column

from slowpath.core.table_base import Table, TeamScoped


class Executable(TeamScoped, Table):
    """The functions of one Go executable; it has the ID of its artifact."""

    __tablename__ = "executable"
    __table_args__ = (
        ForeignKeyConstraint(["team_id", "id"], ["artifact.team_id", "artifact.id"], ondelete="CASCADE"),
        Index("ix_executable_columns", "team_id", "columns_key"),
        Index("ix_executable_build_id", "team_id", "build_id"),
    )

    build_id: Mapped[str]
    """The GNU build ID in hex, as profiles name it; without one, that of Go."""
    arch: Mapped[str]
    functions: Mapped[int]
    inlined: Mapped[int]
    calls: Mapped[int]
    damaged: Mapped[int]
    """Functions whose tables could not be read."""
    columns_key: Mapped[str]
    columns_bytes: Mapped[int] = mapped_column(BigInteger)
