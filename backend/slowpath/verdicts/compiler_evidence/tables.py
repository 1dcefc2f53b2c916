"""Tables of the compiler's evidence."""

from typing import Any, Final
from uuid import UUID

from sqlalchemy import CheckConstraint, ForeignKeyConstraint, UniqueConstraint, Uuid
from sqlalchemy.orm import Mapped, mapped_column

from slowpath.core.ids import UserId
from slowpath.core.table_base import Table, TeamScoped
from slowpath.evidence.profiles.tables import STATES
from slowpath.verdicts.compiler_evidence.rules import AssemblyState

SOURCES_DIGEST: Final = "sources_digest"
"""Member of a stored assembly that identifies the profiles and renames it was made of."""


class Assembly(TeamScoped, Table):
    """The assembly of a function in an executable, or in those of a base and a candidate."""

    __tablename__ = "assembly"
    __table_args__ = (
        UniqueConstraint(
            "team_id", "executable_id", "base_executable_id", "comparison_id", "function",
            name="uq_assembly_function", postgresql_nulls_not_distinct=True,
        ),
        ForeignKeyConstraint(["team_id", "executable_id"], ["executable.team_id", "executable.id"], ondelete="CASCADE"),
        ForeignKeyConstraint(["team_id", "base_executable_id"], ["executable.team_id", "executable.id"], ondelete="CASCADE"),
        ForeignKeyConstraint(["team_id", "comparison_id"], ["comparison.team_id", "comparison.id"], ondelete="CASCADE"),
        ForeignKeyConstraint(["team_id", "job_id"], ["job.team_id", "job.id"], ondelete="SET NULL (job_id)"),
        CheckConstraint(STATES, name="state"),
    )  # fmt: skip

    executable_id: Mapped[UUID]
    """The executable of the candidate, or the only one."""
    base_executable_id: Mapped[UUID | None]
    comparison_id: Mapped[UUID | None]
    """The comparison whose profiles give samples of instructions."""
    function: Mapped[str]
    state: Mapped[str] = mapped_column(default=AssemblyState.WAITING)
    problem: Mapped[dict[str, Any] | None]
    job_id: Mapped[UUID | None]
    document: Mapped[dict[str, Any] | None]
    """What `slowpath-decode assembly` printed, and the digest of its sources."""
    created_by: Mapped[UserId | None] = mapped_column(Uuid())

    def sources_digest(self) -> str:
        """Return what identifies the sources of the document; empty of none, and of those of earlier versions."""
        return str((self.document or {}).get(SOURCES_DIGEST, ""))


class CompileReport(TeamScoped, Table):
    """Why the compiler built a package differently in two commits."""

    __tablename__ = "compile_report"
    __table_args__ = (
        UniqueConstraint("team_id", "base_commit", "candidate_commit", "package", name="uq_compile_report_package"),
    )

    base_commit: Mapped[str]
    candidate_commit: Mapped[str]
    """Full SHAs."""
    package: Mapped[str]
    """As `go build` names it: ./cmd/server."""
    document: Mapped[dict[str, Any]]
    """`slowpath.compile-report/1`."""
    created_by: Mapped[UserId | None] = mapped_column(Uuid())
