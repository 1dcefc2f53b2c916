"""Runners of a team."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from slowpath.bisects.tables import Runner
from slowpath.core.sessions import ReadSession, WriteSession


@dataclass(frozen=True)
class Told:
    """What a runner tells of itself."""

    name: str
    slots: int
    labels: dict[str, str]
    version: str


@dataclass(frozen=True)
class Seen:
    """A runner, and how many deploys it has."""

    row: Runner
    running: int


def listed(session: ReadSession) -> Sequence[Seen]:
    """Return the runners, by name."""
    raise NotImplementedError


def put(session: WriteSession, told: Told, *, token_id: UUID | None, now: datetime) -> tuple[Seen, bool]:
    """Make a runner known; tell whether anything is new of it."""
    raise NotImplementedError


def forget(session: WriteSession, name: str, *, now: datetime) -> Runner:
    """Forget a runner. Raises `RunnerNotFound`, `RunnerBusy`."""
    raise NotImplementedError
