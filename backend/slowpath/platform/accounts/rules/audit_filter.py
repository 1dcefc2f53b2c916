"""Which entries of the audit log are wanted."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID


@dataclass(frozen=True)
class AuditFilter:
    """Which entries of the log; None means any. Texts are parts of names, an action may be its beginning: `artifact`."""

    actor: str | None = None
    actor_id: UUID | None = None
    action: str | None = None
    subject_id: UUID | None = None
    since: datetime | None = None
    until: datetime | None = None
