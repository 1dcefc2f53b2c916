"""What runners tell of their probes."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from slowpath.bisects.rules.states import CommandName
from slowpath.bisects.tables import Probe
from slowpath.core.sessions import WriteSession


@dataclass(frozen=True)
class Told:
    """One measurement as it was told."""

    index: int
    value: float | None
    verdict: str | None
    problem: str | None
    artifact_ids: tuple[UUID, ...]
    started_at: datetime
    ended_at: datetime


@dataclass(frozen=True)
class Heard:
    """What is answered to a beat."""

    probe: Probe
    command: CommandName
    taken: int
    lease_seconds: float


def beat(session: WriteSession, run_id: UUID, runner: str, phase: str, log_tail: str, *, now: datetime) -> Heard:
    """Keep a lease."""
    raise NotImplementedError


def window(session: WriteSession, run_id: UUID, told: Told, *, now: datetime) -> tuple[Probe, bool]:
    """Write down one measurement; tell whether it was new."""
    raise NotImplementedError


def end(session: WriteSession, run_id: UUID, how: str, log_tail: str, *, now: datetime) -> tuple[Probe, bool]:
    """Write down that nothing of a probe runs any more; tell whether that was new."""
    raise NotImplementedError
