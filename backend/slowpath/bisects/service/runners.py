"""Runners of a team."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from slowpath.bisects import queries
from slowpath.bisects.errors import RunnerBusy, RunnerNotFound, TooManyBisects
from slowpath.bisects.rules.states import MOST_RUNNERS, ProbeState
from slowpath.bisects.service.holding import changed, hold_run
from slowpath.bisects.tables import Runner
from slowpath.core.ids import new_id
from slowpath.core.sessions import ReadSession, WriteSession

__all__ = ["Seen", "Told", "find", "forget", "listed", "put"]

SILENT = timedelta(hours=1)
"""A runner that has been silent for so long may be forgotten although something of it may run."""


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
    counts = queries.running_counts(session)
    return [Seen(row, counts.get(row.id, 0)) for row in queries.runners(session)]


def find(session: WriteSession, name: str) -> Runner:
    """Return a runner for which nobody else takes leases until the transaction ends. Raises `RunnerNotFound`."""
    row = queries.runner_named(session, name, locked=True)
    if row is None:
        raise RunnerNotFound("No runner of this name is known.", remedy="Make it known first: PUT /runners/{name}.")
    return row


def put(session: WriteSession, told: Told, *, token_id: UUID | None, now: datetime) -> tuple[Seen, bool]:
    """Make a runner known, and tell whether anything is new of it. Raises `TooManyBisects`."""
    queries.lock_team(session)
    row = queries.runner_named(session, told.name, locked=True)
    is_new = row is None
    if row is None:
        known = queries.runners(session)
        if len(known) >= MOST_RUNNERS:
            raise TooManyBisects(
                "The team has as many runners as it may.", limit=MOST_RUNNERS, actual=len(known) + 1, unit="runners",
                remedy="Forget some that are gone.",
            )  # fmt: skip
        row = Runner(team_id=session.team_id, id=new_id(), name=told.name)
        session.add(row)
    before = None if is_new else (row.slots, row.labels, row.version, row.token_id)
    row.slots, row.labels, row.version = told.slots, dict(told.labels), told.version
    row.token_id, row.seen_at = token_id, now
    session.flush()
    after = (row.slots, row.labels, row.version, row.token_id)
    return Seen(row, len(queries.running(session, row.id))), before != after


def forget(session: WriteSession, name: str, *, now: datetime) -> Runner:
    """Forget a runner; what it had counts as lost. Raises `RunnerNotFound`, `RunnerBusy`."""
    row = find(session, name)
    left = queries.running(session, row.id)
    if left and now - row.seen_at < SILENT:
        raise RunnerBusy(
            f"{len(left)} of its deploys have not ended.", remedy="Cancel the bisect, or pause it, and wait."
        )
    for one in left:
        bisect, probe = hold_run(session, one.run_id)
        if probe.ended_at is None:
            probe.state, probe.ended_at, probe.reason = ProbeState.LOST, now, "its runner was forgotten"
            changed(session, bisect, step=True)
    session.flush()
    session.delete(row)
    return row
