"""Start a bisect."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

from slowpath.bisects.tables import Bisect
from slowpath.core.ids import UserId
from slowpath.core.sessions import WriteSession


@dataclass(frozen=True)
class Asked:
    """What somebody gave; nothing is taken from the offer."""

    service_id: UUID | None = None
    regression_id: UUID | None = None
    comparison_id: UUID | None = None
    repository_id: UUID | None = None
    good_sha: str | None = None
    bad_sha: str | None = None
    signature: tuple[str, str] | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)


def start(session: WriteSession, asked: Asked, *, by: UserId | None, now: datetime) -> Bisect:
    """Start a bisect."""
    raise NotImplementedError
