"""Tables of this package besides the jobs (`core.jobs.JobRow`): results of idempotent requests."""

from uuid import UUID

from sqlalchemy import UniqueConstraint
from sqlalchemy.orm import Mapped

from slowpath.core.table_base import Table, TeamScoped


class IdempotentRequest(TeamScoped, Table):
    """A request with an `Idempotency-Key`, and its result."""

    __tablename__ = "idempotent_request"
    __table_args__ = (UniqueConstraint("team_id", "operation", "key"),)

    operation: Mapped[str]
    key: Mapped[str]
    fingerprint: Mapped[str]
    """SHA-256 of the request, so that one key cannot stand for two different requests."""
    subject_id: Mapped[UUID]
