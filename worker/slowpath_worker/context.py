"""What a handler is given: sessions, blobs, dice, and its lease on the job it carries out.

The lease is kept by a thread that beats at a third of its length and carries the progress along.
Whoever lost the lease learns it at the next `check`, and could change nothing anyway: every write
is fenced by the token of the claim.
"""

import threading
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import structlog
from numpy.random import Generator, default_rng
from sqlalchemy import Connection, func, select, text, update
from sqlalchemy.exc import DBAPIError

from slowpath.core.ids import JobId, TeamId, UserId
from slowpath.core.jobs import JobRow, JobState
from slowpath.core.ports import BlobStore
from slowpath.core.sessions import Database, ReadSession, Scope, WriteSession
from slowpath.core.settings import Settings

log = structlog.get_logger(__name__)

BEAT = text("SELECT cancel_asked FROM door.beat_job(:job, :fence, make_interval(secs => :lease), :progress, :step)")
LEAST_PAUSE_SECONDS = 0.25
"""Progress is written at most this often."""


class LeaseLost(Exception):
    """Another worker has the job now; nothing more may be done for it here."""


class Cancelled(Exception):
    """Somebody asked for the job to end."""


class NotYet(Exception):
    """Something else must be done first; looking again after a pause is not a failed attempt."""

    def __init__(self, pause_s: float = 0.5) -> None:
        """Look again after `pause_s`."""
        super().__init__(pause_s)
        self.pause_s = pause_s


@dataclass(frozen=True)
class Claim:
    """A job that is ours for a while."""

    job_id: JobId
    team_id: TeamId
    fence: int
    name: str
    payload: dict[str, Any]
    attempts: int
    max_attempts: int
    created_by: UserId | None
    cancel_asked: bool


@dataclass(frozen=True)
class Workshop:
    """What every job of this process shares."""

    settings: Settings
    database: Database
    blobs: BlobStore
    scratch: Path


class Context:
    """One claimed job, from its claim to its end."""

    def __init__(self, workshop: Workshop, claim: Claim) -> None:
        """Take the claim; the lease is kept while the context is entered."""
        self.settings = workshop.settings
        self.blobs = workshop.blobs
        self.scratch = workshop.scratch
        self.claim = claim
        self._database = workshop.database
        self._scope = Scope(team_id=claim.team_id, user_id=claim.created_by)
        self._progress = 0.0
        self._step = ""
        self._news = threading.Event()
        self._ended = threading.Event()
        self._lost = threading.Event()
        self._cancelled = threading.Event()
        self._beat = threading.Thread(target=self._keep_lease, name=f"lease-{claim.job_id}", daemon=True)

    def __enter__(self) -> Self:
        """Begin to keep the lease."""
        self._beat.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Let go of the lease; whether the job has ended is the runner's business."""
        self._ended.set()
        self._news.set()
        self._beat.join()

    @property
    def team_id(self) -> TeamId:
        """Whose job it is."""
        return self.claim.team_id

    def dice(self) -> Generator:
        """Return the job's own dice: the same job throws the same numbers."""
        return default_rng(zlib.crc32(self.claim.job_id.bytes))

    def check(self) -> None:
        """Raise `LeaseLost` or `Cancelled` if going on makes no sense."""
        if self._lost.is_set():
            raise LeaseLost
        if self._cancelled.is_set():
            raise Cancelled

    def progress(self, step: str, fraction: float) -> None:
        """Say what is being done and how far it is (0 to 1). Raises like `check`."""
        self.check()
        self._step, self._progress = step, min(max(fraction, 0.0), 1.0)
        self._news.set()

    @contextmanager
    def reading(self) -> Iterator[ReadSession]:
        """Give a session of the job's team that reads."""
        self.check()
        with self._database.reading(self._scope) as session:
            yield session

    @contextmanager
    def snapshot(self) -> Iterator[ReadSession]:
        """Give a session that reads, all of it as it was when the first row was read."""
        self.check()
        with self._database.reading(self._scope) as session:
            session.connection(execution_options={"isolation_level": "REPEATABLE READ"})
            yield session

    @contextmanager
    def writing(self) -> Iterator[WriteSession]:
        """Give a session that writes while the job goes on; commits only if the lease still holds."""
        self.check()
        with self._database.writing(self._scope) as session:
            held = select(JobRow.id).where(*self._held()).with_for_update()
            if session.scalar(held) is None:
                raise LeaseLost
            yield session

    @contextmanager
    def door(self) -> Iterator[Connection]:
        """Give a connection that may call the functions of the schema `door`, which are about no team."""
        self.check()
        with self._database.door() as connection:
            yield connection

    @contextmanager
    def finishing(self) -> Iterator[WriteSession]:
        """Give the session of the job's effect; it commits together with the job's end, or not at all."""
        with self._ending(JobState.DONE, {"progress": 1.0, "step": "", "problem": None}) as session:
            yield session

    @contextmanager
    def failing(self, state: JobState, problem: dict[str, Any]) -> Iterator[WriteSession]:
        """Give the session in which what the job is about learns that the job ended badly."""
        with self._ending(state, {"problem": problem}) as session:
            yield session

    def postpone(self, pause_s: float, problem: dict[str, Any] | None, *, counted: bool) -> None:
        """Let go of the job for some seconds, by the database's clock; `counted` as an attempt or not."""
        later = func.clock_timestamp() + timedelta(seconds=pause_s)
        values = {
            "state": JobState.WAITING,
            "not_before": later,
            "due_at": later,
            "problem": problem,
            "lease_until": None,
            "attempts": self.claim.attempts - (0 if counted else 1),
        }
        with self._database.writing(self._scope) as session:
            session.execute(update(JobRow).where(*self._held()).values(**values))

    @contextmanager
    def _ending(self, state: JobState, values: dict[str, Any]) -> Iterator[WriteSession]:
        with self._database.writing(self._scope) as session:
            ended = session.scalar(
                update(JobRow)
                .where(*self._held())
                .values(state=state, finished_at=func.clock_timestamp(), lease_until=None, **values)
                .returning(JobRow.id)
            )
            if ended is None:
                raise LeaseLost
            yield session

    def _held(self) -> tuple[Any, ...]:
        return (JobRow.id == self.claim.job_id, JobRow.fence == self.claim.fence, JobRow.state == JobState.RUNNING)

    def _keep_lease(self) -> None:
        lease = self.settings.lease_seconds
        while not self._ended.is_set():
            self._news.clear()
            try:
                with self._database.door() as door:
                    row = door.execute(
                        BEAT,
                        {
                            "job": self.claim.job_id,
                            "fence": self.claim.fence,
                            "lease": lease,
                            "progress": self._progress,
                            "step": self._step,
                        },
                    ).one_or_none()
            except DBAPIError as error:
                log.warning("lease not renewed", error=str(error).splitlines()[0])
            else:
                if row is None:
                    self._lost.set()
                    return
                if row.cancel_asked:
                    self._cancelled.set()
            self._ended.wait(LEAST_PAUSE_SECONDS)
            self._news.wait(lease / 3)
