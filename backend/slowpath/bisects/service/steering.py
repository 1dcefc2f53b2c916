"""What people do to a search."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from slowpath.bisects.tables import Bisect
from slowpath.core.ids import BisectId, UserId
from slowpath.core.sessions import WriteSession


@dataclass(frozen=True)
class Mark:
    """What a person knows of a candidate."""

    candidate: str
    verdict: str
    reason: str


def change(
    session: WriteSession, bisect_id: BisectId, said: Mapping[str, Any], *, by: UserId | None, now: datetime
) -> Bisect:
    """Change settings."""
    raise NotImplementedError


def delete(session: WriteSession, bisect_id: BisectId) -> Bisect:
    """Delete a bisect that has ended."""
    raise NotImplementedError


def move(
    session: WriteSession, bisect_id: BisectId, what: str, reason: str, *, by: UserId | None, now: datetime
) -> Bisect:
    """Pause, resume, cancel, approve."""
    raise NotImplementedError


def mark(
    session: WriteSession, bisect_id: BisectId, said: Mark, *, secret: str, by: UserId | None, now: datetime
) -> Bisect:
    """Say what is known of a candidate."""
    raise NotImplementedError


def remeasure(
    session: WriteSession, bisect_id: BisectId, candidate: str, *, secret: str, by: UserId | None, now: datetime
) -> Bisect:
    """Ask for one more deploy."""
    raise NotImplementedError


def annul(
    session: WriteSession, bisect_id: BisectId, number: int, reason: str, *, by: UserId | None, now: datetime
) -> Bisect:
    """Say that a probe does not count."""
    raise NotImplementedError
