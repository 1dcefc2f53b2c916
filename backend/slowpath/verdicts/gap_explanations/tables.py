"""Tables of gap explanations: the gap, and the document that explains it."""

from typing import Any
from uuid import UUID

from sqlalchemy import CheckConstraint, ForeignKeyConstraint, UniqueConstraint, Uuid
from sqlalchemy.orm import Mapped, mapped_column

from slowpath.core.ids import UserId
from slowpath.core.table_base import Table, TeamScoped
from slowpath.verdicts.gap_explanations.rules import ExplanationState


class GapExplanation(TeamScoped, Table):
    """The explanation of one gap of one span from execution traces. One row per gap."""

    __tablename__ = "gap_explanation"
    __table_args__ = (
        UniqueConstraint(
            "team_id", "artifact_id", "trace_id", "span_number", "gap_number", name="uq_gap_explanation_gap"
        ),
        ForeignKeyConstraint(["team_id", "artifact_id"], ["span_set.team_id", "span_set.id"], ondelete="CASCADE"),
        ForeignKeyConstraint(["team_id", "job_id"], ["job.team_id", "job.id"], ondelete="SET NULL (job_id)"),
        CheckConstraint("state in ('waiting', 'running', 'done', 'failed', 'cancelled')", name="state"),
    )

    artifact_id: Mapped[UUID]
    """The artifact of the span set."""
    trace_id: Mapped[str]
    """32 hexadecimal digits."""
    span_number: Mapped[int]
    """Indexes of the span and of its gap, as the page of the trace numbers them."""
    gap_number: Mapped[int]
    state: Mapped[str] = mapped_column(default=ExplanationState.WAITING)
    problem: Mapped[dict[str, Any] | None]
    job_id: Mapped[UUID | None]
    document: Mapped[dict[str, Any] | None]
    """slowpath.gap-explanation/2."""
    created_by: Mapped[UserId | None] = mapped_column(Uuid())
