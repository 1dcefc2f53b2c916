"""Runners of a team."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from slowpath.core.db_sessions import ReadSession, WriteSession
from slowpath.core.ids import new_id
from slowpath.platform.accounts.rules.roles import Caller, TokenScope
from slowpath.verdicts.bisects import queries
from slowpath.verdicts.bisects.errors import ProbeNotFound, RunnerBusy, RunnerNameTaken, RunnerNotFound, TooManyBisects
from slowpath.verdicts.bisects.rules.bisect_states import ALIVE_SECONDS, MOST_RUNNERS, BisectState, ProbeState
from slowpath.verdicts.bisects.service.bisect_locks import lock_probe_run, publish_bisect_change
from slowpath.verdicts.bisects.tables import Runner

__all__ = [
    "RunnerInfo",
    "RunnerProcess",
    "RunnerStatus",
    "check_caller",
    "check_run",
    "check_runner_process",
    "delete_runner",
    "list_runners",
    "lock_own_runner",
    "lock_runner",
    "register_runner",
    "release_runner",
]

SILENT = timedelta(hours=1)
"""A runner that has been silent for so long may be forgotten although something of it may run."""


@dataclass(frozen=True)
class RunnerProcess:
    """Which process a runner is, and on which machine."""

    instance: str
    host: str


@dataclass(frozen=True)
class RunnerInfo:
    """What a runner tells of itself."""

    name: str
    slots: int
    labels: dict[str, str]
    version: str
    process: RunnerProcess


@dataclass(frozen=True)
class RunnerStatus:
    """A runner, and how many deploys it has."""

    row: Runner
    running: int

    def is_alive(self, now: datetime) -> bool:
        """Whether it was heard of lately, and has not said that it ended."""
        return self.row.left_at is None and now - self.row.seen_at <= timedelta(seconds=ALIVE_SECONDS)


def list_runners(session: ReadSession) -> Sequence[RunnerStatus]:
    """Return the runners, by name."""
    counts = queries.count_active_probes(session)
    return [RunnerStatus(row, counts.get(row.id, 0)) for row in queries.select_runners(session)]


def lock_runner(session: WriteSession, name: str) -> Runner:
    """Return a runner for which nobody else takes leases until the transaction ends. Raises `RunnerNotFound`."""
    row = queries.select_runner_by_name(session, name, locked=True)
    if row is None:
        raise RunnerNotFound("No runner of this name is known.", remedy="Make it known first: PUT /runners/{name}.")
    return row


def lock_own_runner(session: WriteSession, name: str, instance: str, *, now: datetime) -> Runner:
    """Return a runner as `lock_runner` does, for the process that it is. Raises `RunnerNotFound`, `RunnerNameTaken`."""
    row = lock_runner(session, name)
    check_runner_process(row, instance, now=now)
    return row


def check_caller(session: ReadSession, name: str, caller: Caller) -> None:
    """Refuse a token that only runs probes, where another token has made the runner known. Raises `RunnerNotFound`."""
    row = queries.select_runner_by_name(session, name)
    if row is not None and not _is_of(row, caller):
        raise RunnerNotFound("No runner of this name belongs to this token.", remedy="Give the runner another name.")


def check_run(session: ReadSession, run_id: UUID, caller: Caller) -> None:
    """Refuse a token that only runs probes what was leased to a runner of another token. Raises `ProbeNotFound`."""
    probe = queries.select_probe_by_run(session, run_id)
    row = None if probe is None or probe.runner_id is None else queries.select_runner(session, probe.runner_id)
    if row is not None and not _is_of(row, caller):
        raise ProbeNotFound("No deploy of this id was given to a runner of this token.")


def _is_of(row: Runner, caller: Caller) -> bool:
    restricted = caller.token_id is not None and TokenScope.WRITE not in caller.scopes
    return not restricted or row.token_id in {None, caller.token_id}


def check_runner_process(row: Runner, instance: str, *, now: datetime) -> None:
    """Raise `RunnerNameTaken` where another process has the name: none ever acts for what another one deployed."""
    if row.instance == instance:
        return
    silent = max((now - row.seen_at).total_seconds(), 0.0)
    where = f" on {row.host}" if row.host else ""
    raise RunnerNameTaken(
        f"Another runner is called {row.name}: it runs{where}, and was seen {silent:.0f} s ago.",
        limit=ALIVE_SECONDS, actual=round(silent, 1), unit="seconds of its silence",
        remedy="Give one of the two a name of its own ([runner] name, or --name), or stop the other one.",
    )  # fmt: skip


def register_runner(
    session: WriteSession, told: RunnerInfo, *, token_id: UUID | None, now: datetime
) -> tuple[RunnerStatus, bool]:
    """Make a runner known, and tell whether anything is new of it. Raises `TooManyBisects`, `RunnerNameTaken`.

    A name belongs to one process. When that has ended, another one may have it at once; when it has been silent, after a
    while: a machine that was lost, a work folder that is gone.
    """
    queries.lock_team(session)
    row = queries.select_runner_by_name(session, told.name, locked=True)
    is_new = row is None
    if row is None:
        known = queries.select_runners(session)
        if len(known) >= MOST_RUNNERS:
            raise TooManyBisects(
                "The team has as many runners as it may.", limit=MOST_RUNNERS, actual=len(known) + 1, unit="runners",
                remedy="Forget some that are gone.",
            )  # fmt: skip
        row = Runner(team_id=session.team_id, id=new_id(), name=told.name)
        session.add(row)
    elif row.left_at is None and now - row.seen_at < timedelta(seconds=ALIVE_SECONDS):
        check_runner_process(row, told.process.instance, now=now)
    before = None if is_new else _said(row)
    row.slots, row.labels, row.version = told.slots, dict(told.labels), told.version
    row.instance, row.host = told.process.instance, told.process.host
    row.token_id, row.seen_at, row.left_at = token_id, now, None
    session.flush()
    return RunnerStatus(row, len(queries.select_active_probes(session, row.id))), before != _said(row)


def release_runner(session: WriteSession, name: str, instance: str, *, now: datetime) -> Runner:
    """Write down that a runner has ended, so that its name is free. Raises `RunnerNotFound`, `RunnerNameTaken`, `RunnerBusy`."""
    row = lock_own_runner(session, name, instance, now=now)
    left = queries.select_active_probes(session, row.id)
    begun = sum(one.state != ProbeState.LEASED for one in left)
    if begun:
        raise RunnerBusy(f"{begun} of its deploys have not ended.", remedy="Take them down, and say so.")
    for one in left:
        _given_back(session, one.run_id, now=now)
    row.left_at = row.seen_at = now
    session.flush()
    return row


def _given_back(session: WriteSession, run_id: UUID, *, now: datetime) -> None:
    """Ask again for what was given to a runner that ended before it heard of it: nothing of it was begun."""
    bisect, probe = lock_probe_run(session, run_id)
    if probe.state != ProbeState.LEASED:
        return
    probe.runner_id = probe.slot = probe.leased_at = probe.lease_expires_at = None
    if bisect.state == BisectState.SEARCHING:
        probe.state = ProbeState.QUEUED
    else:
        probe.state, probe.ended_at, probe.reason = ProbeState.LOST, now, "its runner was stopped"
    publish_bisect_change(session, bisect, step=bisect.state != BisectState.SEARCHING)


def _said(row: Runner) -> tuple[object, ...]:
    return row.slots, row.labels, row.version, row.instance, row.host, row.token_id


def delete_runner(session: WriteSession, name: str, *, now: datetime) -> Runner:
    """Forget a runner; what it had counts as lost. Raises `RunnerNotFound`, `RunnerBusy`."""
    row = lock_runner(session, name)
    left = queries.select_active_probes(session, row.id)
    if left and now - row.seen_at < SILENT:
        raise RunnerBusy(
            f"{len(left)} of its deploys have not ended.", remedy="Cancel the bisect, or pause it, and wait."
        )
    for one in left:
        bisect, probe = lock_probe_run(session, one.run_id)
        if probe.ended_at is None:
            probe.state, probe.ended_at, probe.reason = ProbeState.LOST, now, "its runner was forgotten"
            publish_bisect_change(session, bisect, step=True)
    session.flush()
    session.delete(row)
    return row
