"""Context of one claimed job: ports, sessions, random numbers, progress and the lease.

A thread renews the lease every third of its duration and writes the progress. A handler that lost its lease gets
`LeaseLost` at the next `check`; before that, the fencing token rejects its writes.
"""

import threading
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import structlog
from numpy.random import Generator, default_rng
from sqlalchemy import Connection, Float, Interval, func, literal, select, text, type_coerce, update
from sqlalchemy.exc import DBAPIError
from sqlalchemy.orm import aliased

from slowpath.core.db_sessions import Database, ReadSession, TeamScope, WriteSession
from slowpath.core.errors import SlowpathError
from slowpath.core.git_ports import GitMirrors
from slowpath.core.ids import JobId, TeamId, UserId
from slowpath.core.jobs import JobRow, JobState
from slowpath.core.ports import BlobStore, Clock, EgressClient, Mailer
from slowpath.core.settings import Settings

log = structlog.get_logger(__name__)

HEARTBEAT = text(
    "SELECT cancel_requested FROM cross_team.renew_lease(:job, :fence, make_interval(secs => :lease), :progress, :step)"
)
SHARE_OF_AGE = 0.1
LONGEST_PAUSE = timedelta(seconds=30)
MIN_HEARTBEAT_SECONDS = 0.25
"""Progress is written at most this often."""


class LeaseLost(Exception):
    """Another worker has claimed the job; this one must stop."""


class Cancelled(Exception):
    """A user cancelled the job."""


class Postponed(Exception):
    """The job waits for something else; running it again after a pause is not a failed attempt."""

    def __init__(self, pause_s: float = 0.5) -> None:
        """Run the job again after `pause_s` seconds."""
        super().__init__(pause_s)
        self.pause_s = pause_s


@dataclass(frozen=True)
class ClaimedJob:
    """A job that this worker has leased."""

    job_id: JobId
    team_id: TeamId
    fence: int
    name: str
    payload: dict[str, Any]
    attempts: int
    max_attempts: int
    created_by: UserId | None
    cancel_requested: bool


@dataclass(frozen=True)
class JobFailure:
    """How a job failed: the error, the problem stored on the job's row, and the time."""

    error: SlowpathError | Cancelled
    problem: dict[str, Any]
    at: datetime

    def record_on(self, row: Any) -> None:  # noqa: ANN401 - a set, comparison, view or export
        """Record on what the job makes why it was not made."""
        row.state = JobState.CANCELLED if isinstance(self.error, Cancelled) else JobState.FAILED
        row.problem = self.problem


@dataclass(frozen=True)
class WorkerContext:
    """Settings and ports that all jobs of one process share; `slowpath_worker.app` passes the adapters."""

    settings: Settings
    database: Database
    blobs: BlobStore
    scratch: Path
    clock: Clock
    egress: EgressClient
    mailer: Mailer
    mirrors: GitMirrors


class JobContext:
    """Context of one job, from its claim to its end. Renews the lease while it is entered."""

    def __init__(self, worker_context: WorkerContext, claim: ClaimedJob) -> None:
        """Create the context of a claimed job."""
        self.settings = worker_context.settings
        self.blobs = worker_context.blobs
        self.scratch = worker_context.scratch
        self.clock = worker_context.clock
        self.egress = worker_context.egress
        self.mailer = worker_context.mailer
        self.mirrors = worker_context.mirrors
        self.claim = claim
        self._database = worker_context.database
        self._scope = TeamScope(team_id=claim.team_id, user_id=claim.created_by)
        self._progress = 0.0
        self._step = ""
        self._progress_changed = threading.Event()
        self._ended = threading.Event()
        self._lost = threading.Event()
        self._cancelled = threading.Event()
        self._heartbeat = threading.Thread(target=self._renew_lease, name=f"lease-{claim.job_id}", daemon=True)

    def __enter__(self) -> Self:
        """Start renewing the lease."""
        self._heartbeat.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Stop renewing the lease; the job's end is recorded elsewhere."""
        self._ended.set()
        self._progress_changed.set()
        self._heartbeat.join()

    @property
    def team_id(self) -> TeamId:
        """Return the team that the job belongs to."""
        return self.claim.team_id

    def rng(self) -> Generator:
        """Return a random generator seeded by the job's ID, so that a repeated job has the same result."""
        return default_rng(zlib.crc32(self.claim.job_id.bytes))

    def check(self) -> None:
        """Raise `LeaseLost` or `Cancelled` if the job must stop."""
        if self._lost.is_set():
            raise LeaseLost
        if self._cancelled.is_set():
            raise Cancelled

    def progress(self, step: str, fraction: float) -> None:
        """Report the current step and the progress (0 to 1). Raises like `check`."""
        self.check()
        self._step, self._progress = step, min(max(fraction, 0.0), 1.0)
        self._progress_changed.set()

    def give_way(self) -> None:
        """Raise `Postponed` if a job of the team with a higher priority waits to run. Raises like `check`."""
        self.check()
        waiting = aliased(JobRow)
        urgent = select(waiting.id).where(
            waiting.team_id == JobRow.team_id,
            waiting.state == JobState.WAITING,
            waiting.queue == JobRow.queue,
            waiting.priority < JobRow.priority,
            waiting.not_before <= func.clock_timestamp(),
        )
        with self.reading() as session:
            if session.scalar(select(urgent.exists()).where(*self._claimed_row())):
                raise Postponed

    @contextmanager
    def reading(self) -> Iterator[ReadSession]:
        """Open a read session of the job's team."""
        self.check()
        with self._database.reading(self._scope) as session:
            yield session

    @contextmanager
    def writing(self) -> Iterator[WriteSession]:
        """Open a write session that commits only while the lease is valid. Raises `LeaseLost`."""
        self.check()
        with self._database.writing(self._scope) as session:
            claimed = select(JobRow.id).where(*self._claimed_row()).with_for_update()
            if session.scalar(claimed) is None:
                raise LeaseLost
            yield session

    @contextmanager
    def cross_team(self) -> Iterator[Connection]:
        """Open a connection that may call the functions that run before a team is known."""
        self.check()
        with self._database.cross_team() as connection:
            yield connection

    @contextmanager
    def finishing(self) -> Iterator[WriteSession]:
        """Open the write session of the job's result; it commits together with the job's end, or not at all."""
        with self._ending(JobState.DONE, {"progress": 1.0, "step": "", "problem": None}) as session:
            yield session

    @contextmanager
    def failing(self, state: JobState, problem: dict[str, Any]) -> Iterator[WriteSession]:
        """Open the write session that records a failed or cancelled job on its subject, together with the job's end."""
        with self._ending(state, {"problem": problem}) as session:
            yield session

    def postpone(self, pause_s: float, problem: dict[str, Any] | None, *, counted: bool) -> None:
        """Release the job for `pause_s` seconds by the database's clock; `counted` as an attempt or not.

        A job that is not counted waits for a tenth of its age at least: jobs that wait for decodes come before these, and
        many of them would leave no time to decode.
        """
        now, pause = func.clock_timestamp(), literal(timedelta(seconds=pause_s))
        of_age = type_coerce((now - JobRow.created_at) / literal(1 / SHARE_OF_AGE, Float), Interval)
        later = now + (pause if counted else func.least(func.greatest(pause, of_age), LONGEST_PAUSE))
        values = {
            "state": JobState.WAITING,
            "not_before": later,
            "due_at": later,
            "problem": problem,
            "lease_expires_at": None,
            "attempts": self.claim.attempts - (0 if counted else 1),
        }
        with self._database.writing(self._scope) as session:
            session.execute(update(JobRow).where(*self._claimed_row()).values(**values))

    @contextmanager
    def _ending(self, state: JobState, values: dict[str, Any]) -> Iterator[WriteSession]:
        with self._database.writing(self._scope) as session:
            ended = session.scalar(
                update(JobRow)
                .where(*self._claimed_row())
                .values(state=state, finished_at=func.clock_timestamp(), lease_expires_at=None, **values)
                .returning(JobRow.id)
            )
            if ended is None:
                raise LeaseLost
            yield session

    def _claimed_row(self) -> tuple[Any, ...]:
        return (
            JobRow.id == self.claim.job_id,
            JobRow.fencing_token == self.claim.fence,
            JobRow.state == JobState.RUNNING,
        )

    def _renew_lease(self) -> None:
        lease = self.settings.lease_seconds
        while not self._ended.is_set():
            self._progress_changed.clear()
            try:
                with self._database.cross_team() as connection:
                    row = connection.execute(
                        HEARTBEAT,
                        {
                            "job": self.claim.job_id,
                            "fence": self.claim.fence,
                            "lease": lease,
                            "progress": self._progress,
                            "step": self._step,
                        },
                    ).one_or_none()
            except DBAPIError as error:
                log.warning("job.lease_renewal_failed", error=str(error).splitlines()[0])
            else:
                if row is None:
                    self._lost.set()
                    return
                if row.cancel_requested:
                    self._cancelled.set()
            self._ended.wait(MIN_HEARTBEAT_SECONDS)
            self._progress_changed.wait(lease / 3)
