"""Table of example data."""

from typing import Any
from uuid import UUID

from sqlalchemy import CheckConstraint, ForeignKeyConstraint, UniqueConstraint, Uuid, text
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.orm import Mapped, mapped_column

from slowpath.core.table_base import Table, TeamScoped


class ExampleData(TeamScoped, Table):
    """The example data of a team: at most one row. Its services are marked (`service.is_example`)."""

    __tablename__ = "example_data"
    __table_args__ = (
        UniqueConstraint("team_id"),
        ForeignKeyConstraint(["team_id", "job_id"], ["job.team_id", "job.id"], ondelete="SET NULL (job_id)"),
        CheckConstraint("state in ('adding', 'added', 'removing', 'failed')", name="state"),
    )

    state: Mapped[str]
    job_id: Mapped[UUID | None]
    """The job that adds or removes it."""
    problem: Mapped[dict[str, Any] | None]
    environment_id: Mapped[UUID | None]
    report_id: Mapped[UUID | None]
    """The report of its bisect."""
    repository_ids: Mapped[list[UUID]] = mapped_column(ARRAY(Uuid()), default=list, server_default=text("'{}'"))
