"""What `work` keeps beside the jobs themselves (`core.jobs.JobRow`): answers given to idempotent requests."""

from uuid import UUID

from sqlalchemy import UniqueConstraint
from sqlalchemy.orm import Mapped

from slowpath.core.table_base import Table, TeamScoped


class IdempotentRequest(TeamScoped, Table):
    """One request that carried an `Idempotency-Key`, and what came of it."""

    __tablename__ = "idempotent_request"
    __table_args__ = (UniqueConstraint("team_id", "operation", "key"),)

    operation: Mapped[str]
    key: Mapped[str]
    fingerprint: Mapped[str]
    """SHA-256 of what was asked for, so that one key can not stand for two different requests."""
    subject_id: Mapped[UUID]
