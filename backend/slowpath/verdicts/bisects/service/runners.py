"""Register, list, release and delete runners."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from slowpath.core.db_sessions import ReadSession, WriteSession
from slowpath.core.ids import new_id
from slowpath.platform.accounts.rules.roles import Caller, TokenScope
from slowpath.verdicts.bisects import queries
from slowpath.verdicts.bisects.errors import ProbeNotFound, RunnerBusy, RunnerNameTaken, RunnerNotFound, TooManyBisects
from slowpath.verdicts.bisects.rules.bisect_settings import BisectSettings
from slowpath.verdicts.bisects.rules.bisect_states import (
    ALIVE_SECONDS,
    MOST_RUNNERS,
    BisectState,
    ProbeState,
    may_be_leased,
)
from slowpath.verdicts.bisects.service.bisect_locks import lock_probe_run, publish_bisect_change
from slowpath.verdicts.bisects.service.bisect_summaries import update_deployment_count
from slowpath.verdicts.bisects.tables import Probe, Runner

__all__ = [
    "RunnerInfo",
    "RunnerProcess",
    "RunnerStatus",
    "delete_runner",
    "find_missing_runner",
    "list_runners",
    "lock_own_runner",
    "lock_runner",
    "register_runner",
    "release_runner",
    "require_free_name",
    "require_run_token",
    "require_runner_token",
]

SILENT = timedelta(hours=1)
"""Silence after which a runner can be deleted although its deployments may run."""


@dataclass(frozen=True)
class RunnerProcess:
    """The process of a runner and its host."""

    instance: str
    host: str


@dataclass(frozen=True)
class RunnerInfo:
    """The registration of a runner."""

    name: str
    slots: int
    labels: dict[str, str]
    version: str
    process: RunnerProcess
    variants: tuple[str, ...] = ()
    """Kinds of variants that its configuration allows."""
    can_compile: bool = False
    measurement_seconds: float | None = None
    """How long its command takes for a measurement, if it states that."""


@dataclass(frozen=True)
class RunnerStatus:
    """A runner and its number of unfinished probes."""

    row: Runner
    running: int

    def is_alive(self, now: datetime) -> bool:
        """Return whether the runner was seen recently and has not shut down."""
        return self.row.left_at is None and now - self.row.seen_at <= timedelta(seconds=ALIVE_SECONDS)


def list_runners(session: ReadSession) -> Sequence[RunnerStatus]:
    """Return the runners, by name."""
    counts = queries.count_active_probes(session)
    return [RunnerStatus(row, counts.get(row.id, 0)) for row in queries.select_runners(session)]


def find_missing_runner(session: ReadSession, settings: BisectSettings, now: datetime) -> str | None:
    """Return in words which runner is missing; None if one with the labels is online."""
    if any(one.is_alive(now) and settings.is_for(one.row.labels) for one in list_runners(session)):
        return None
    wanted = ", ".join(f"{name}={value}" for name, value in settings.runner_labels.items())
    return f"No runner with {wanted} is online" if wanted else "No runner is online"


def lock_runner(session: WriteSession, name: str) -> Runner:
    """Lock a runner until the transaction ends, so that it gets no other leases. Raises `RunnerNotFound`."""
    row = queries.select_runner_by_name(session, name, locked=True)
    if row is None:
        raise RunnerNotFound("The team has no runner with this name.", remedy="Register it first: PUT /runners/{name}.")
    return row


def lock_own_runner(session: WriteSession, name: str, instance: str, *, now: datetime) -> Runner:
    """Lock a runner for its own process. Raises `RunnerNotFound`, `RunnerNameTaken`."""
    row = lock_runner(session, name)
    require_free_name(row, instance, now=now)
    return row


def require_runner_token(session: ReadSession, name: str, caller: Caller) -> None:
    """Raise `RunnerNotFound` if the token only runs probes and another token registered the runner."""
    row = queries.select_runner_by_name(session, name)
    if row is not None and not _is_of(row, caller):
        raise RunnerNotFound("This token has no runner with this name.", remedy="Choose another name for the runner.")


def require_run_token(session: ReadSession, run_id: UUID, caller: Caller) -> None:
    """Raise `ProbeNotFound` if the token only runs probes and a runner of another token leased the probe."""
    probe = queries.select_probe_by_run(session, run_id)
    row = None if probe is None or probe.runner_id is None else queries.select_runner(session, probe.runner_id)
    if row is not None and not _is_of(row, caller):
        raise ProbeNotFound("No runner of this token leased a probe with this ID.")


def _is_of(row: Runner, caller: Caller) -> bool:
    restricted = caller.token_id is not None and TokenScope.WRITE not in caller.scopes
    return not restricted or row.token_id in {None, caller.token_id}


def require_free_name(row: Runner, instance: str, *, now: datetime) -> None:
    """Raise `RunnerNameTaken` if another process holds the name.

    A process never acts for the deployments of another.
    """
    if row.instance == instance:
        return
    silence = max((now - row.seen_at).total_seconds(), 0.0)
    where = f" on {row.host}" if row.host else ""
    raise RunnerNameTaken(
        f"The runner name {row.name} is taken: another process runs{where}, last seen {silence:.0f} s ago.",
        limit=ALIVE_SECONDS, actual=round(silence, 1), unit="seconds of silence",
        remedy="Give one of the two a different name ([runner] name, or --name), or stop the other one.",
    )  # fmt: skip


def register_runner(
    session: WriteSession, info: RunnerInfo, *, token_id: UUID | None, now: datetime
) -> tuple[RunnerStatus, bool]:
    """Register a runner; return it, and whether anything changed.

    Raises `TooManyBisects`, `RunnerNameTaken`.

    A name belongs to one process. Another one can take it at once after a shutdown, or after a period of silence: a lost machine or
    work folder.
    """
    queries.lock_team(session)
    row = queries.select_runner_by_name(session, info.name, locked=True)
    is_new = row is None
    if row is None:
        known = queries.select_runners(session)
        if len(known) >= MOST_RUNNERS:
            raise TooManyBisects(
                "The team has reached the limit of runners.", limit=MOST_RUNNERS, actual=len(known) + 1, unit="runners",
                remedy="Delete runners that no longer exist.",
            )  # fmt: skip
        row = Runner(team_id=session.team_id, id=new_id(), name=info.name)
        session.add(row)
    elif row.left_at is None and now - row.seen_at < timedelta(seconds=ALIVE_SECONDS):
        require_free_name(row, info.process.instance, now=now)
    if not is_new and row.instance != info.process.instance:
        _requeue_unacknowledged(session, queries.select_active_probes(session, row.id), now=now)
    before = None if is_new else _registration(row)
    row.slots, row.labels, row.version = info.slots, dict(info.labels), info.version
    row.variants, row.can_compile = sorted(info.variants), info.can_compile
    row.measurement_seconds = info.measurement_seconds
    row.instance, row.host = info.process.instance, info.process.host
    row.token_id, row.seen_at, row.left_at = token_id, now, None
    session.flush()
    return RunnerStatus(row, len(queries.select_active_probes(session, row.id))), before != _registration(row)


def release_runner(session: WriteSession, name: str, instance: str, *, now: datetime) -> Runner:
    """Record that a runner has shut down, so that its name is free.

    Raises `RunnerNotFound`, `RunnerNameTaken`, `RunnerBusy`.
    """
    row = lock_own_runner(session, name, instance, now=now)
    left = queries.select_active_probes(session, row.id)
    begun = sum(one.state != ProbeState.LEASED for one in left)
    if begun:
        raise RunnerBusy(f"{begun} of its probes have not ended.", remedy="Tear them down and report their results.")
    _requeue_unacknowledged(session, left, now=now)
    row.left_at = row.seen_at = now
    session.flush()
    return row


def _requeue_unacknowledged(session: WriteSession, probes: Sequence[Probe], *, now: datetime) -> None:
    """Queue the probes again whose runner shut down, or lost its name, before it acknowledged the lease."""
    for one in probes:
        bisect, probe = lock_probe_run(session, one.run_id)
        if probe.state != ProbeState.LEASED:
            continue
        probe.runner_id = probe.slot = probe.leased_at = probe.lease_expires_at = None
        if may_be_leased(bisect.state, probe.purpose):
            probe.state = ProbeState.QUEUED
        else:
            probe.state, probe.ended_at, probe.reason = ProbeState.LOST, now, "its runner was stopped"
        session.flush()
        update_deployment_count(session, bisect)
        publish_bisect_change(session, bisect, step=bisect.state != BisectState.SEARCHING)


def _registration(row: Runner) -> tuple[object, ...]:
    return row.slots, row.labels, row.version, row.instance, row.host, row.token_id, row.variants, row.can_compile


def delete_runner(session: WriteSession, name: str, *, now: datetime) -> Runner:
    """Delete a runner; its unfinished probes are lost. Raises `RunnerNotFound`, `RunnerBusy`."""
    row = lock_runner(session, name)
    left = queries.select_active_probes(session, row.id)
    if left and now - row.seen_at < SILENT:
        raise RunnerBusy(f"{len(left)} of its probes have not ended.", remedy="Cancel or pause the bisect, and wait.")
    for one in left:
        bisect, probe = lock_probe_run(session, one.run_id)
        if probe.ended_at is None:
            probe.state, probe.ended_at, probe.reason = ProbeState.LOST, now, "its runner was deleted"
            publish_bisect_change(session, bisect, step=True)
    session.flush()
    session.delete(row)
    return row
