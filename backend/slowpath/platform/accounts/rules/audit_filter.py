"""The filter of the audit log."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID


@dataclass(frozen=True)
class AuditFilter:
    """Conditions for audit events; None matches all. Texts match parts of names, an action its prefix."""

    actor: str | None = None
    actor_id: UUID | None = None
    action: str | None = None
    subject_id: UUID | None = None
    since: datetime | None = None
    until: datetime | None = None
