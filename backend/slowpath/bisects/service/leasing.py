"""Give probes to runners, each once."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from slowpath.bisects.tables import Bisect, Probe
from slowpath.core.sessions import ReadSession, WriteSession


@dataclass(frozen=True)
class Lease:
    """A probe that is a runner's, with all the runner needs."""

    probe: Probe
    bisect: Bisect
    is_new: bool


def take(session: WriteSession, runner: str, slots: Sequence[int], *, secret: str, now: datetime) -> Sequence[Lease]:
    """Return what to deploy in these slots."""
    raise NotImplementedError


def held_by(session: ReadSession, runner: str, *, secret: str, now: datetime) -> Sequence[Lease]:
    """Return what a runner has."""
    raise NotImplementedError
