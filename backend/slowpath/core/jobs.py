"""Jobs as values, and the jobs table, which is the authoritative state.

A job is a frozen value; `enqueue` writes it as a row in the transaction that causes it. Only the relay sends due rows to
Celery, a few of each team at a time. A worker that receives a message claims the next row in fair order by compare-and-set,
gets a lease and a fencing token, and commits the job's effect together with its end, checked by that token. A worker that
lost its lease therefore changes nothing. A message only triggers a claim; it need not be the job that is claimed.
"""

from dataclasses import asdict, dataclass, fields
from datetime import datetime, timedelta
from enum import IntEnum, StrEnum
from typing import Any, ClassVar, Self
from uuid import UUID

from sqlalchemy import BigInteger, CheckConstraint, DateTime, Index, Uuid, func, select, text
from sqlalchemy.orm import Mapped, mapped_column

from slowpath.core.db_sessions import WriteSession
from slowpath.core.ids import JobId, UserId, new_id
from slowpath.core.table_base import Table, TeamScoped


class JobState(StrEnum):
    """State of a job. `waiting` and `running` are open, the others final."""

    WAITING = "waiting"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"


class Queue(StrEnum):
    """Celery's queues."""

    DECODE = "decode"
    ANALYSE = "analyse"
    BISECT = "bisect"
    NOTIFY = "notify"
    MIRROR = "mirror"
    """Jobs that read, fetch or delete mirrors of repositories: only their workers need a disk for them."""


def parse_queues(names: str) -> tuple[Queue, ...]:
    """Return the queues of a list separated by commas, all of an empty one. Raises `ValueError`."""
    return tuple(Queue(name.strip()) for name in names.split(",") if name.strip()) or tuple(Queue)


class Priority(IntEnum):
    """Order of the jobs of one team. Between teams, claims are fair regardless of the priority."""

    CANCELLED = 0
    """A cancelled job only records its end."""
    INTERACTIVE = 1
    """Requested by a user, who waits for it."""
    DERIVED = 2
    """Caused by another job, or requested by a program."""
    BULK = 3
    """Files uploaded by programs, and housekeeping; there may be thousands."""


HOUSEKEEPING = "team"
"""Subject kind of jobs for the team as a whole, which no user requested. Lists exclude them."""


@dataclass(frozen=True)
class Job:
    """Base of all jobs. Fields are IDs or plain JSON values; the first is the ID of the job's subject."""

    name: ClassVar[str]
    queue: ClassVar[Queue]
    subject_kind: ClassVar[str]
    """Kind of the job's subject: `artifact`, `comparison`, `export`."""
    max_attempts: ClassVar[int] = 5
    most_urgent: ClassVar[Priority] = Priority.INTERACTIVE
    """The priority that it has at most, also if a user caused it."""

    @property
    def subject_id(self) -> UUID:
        """Return the ID of the job's subject."""
        value = getattr(self, fields(self)[0].name)
        assert isinstance(value, UUID)
        return value

    def payload(self) -> dict[str, Any]:
        """Return the fields as JSON values."""
        return {name: str(value) if isinstance(value, UUID) else value for name, value in asdict(self).items()}

    @classmethod
    def from_payload(cls, payload: dict[str, Any]) -> Self:
        """Return the job of a row's payload. Raises `TypeError` for unknown members, an internal error."""
        by_id = {field.name for field in fields(cls) if field.name.endswith("_id")}
        return cls(**{name: UUID(value) if name in by_id else value for name, value in payload.items()})


class JobRow(TeamScoped, Table):
    """One job: its payload, progress and lease."""

    __tablename__ = "job"
    __table_args__ = (
        Index("ix_job_next", "team_id", "priority", "queue", "not_before", postgresql_where=text("state = 'waiting'")),
        Index("ix_job_to_send", "team_id", "queue", "due_at", postgresql_where=text("state = 'waiting'")),
        Index("ix_job_running", "due_at", postgresql_where=text("state = 'running'")),
        Index("ix_job_finished", "finished_at", postgresql_where=text("finished_at is not null")),
        Index("ix_job_due", "due_at", postgresql_where=text("state in ('waiting', 'running')")),
        Index("ix_job_subject", "team_id", "subject_kind", "subject_id"),
        Index("ix_job_newest", "team_id", "created_at", "id"),
        Index("ix_job_id", "id"),
        CheckConstraint("state in ('waiting', 'running', 'done', 'failed', 'cancelled')", name="state"),
    )

    name: Mapped[str]
    queue: Mapped[str]
    payload: Mapped[dict[str, Any]]
    subject_kind: Mapped[str]
    subject_id: Mapped[UUID]
    created_by: Mapped[UserId | None] = mapped_column(Uuid())
    state: Mapped[str] = mapped_column(default=JobState.WAITING)
    attempts: Mapped[int] = mapped_column(default=0)
    max_attempts: Mapped[int]
    priority: Mapped[int] = mapped_column(server_default=text("3"))
    """One of `Priority`."""
    worker: Mapped[str | None]
    """The worker that claimed it last; a worker limits the number of its processes per team."""
    due_at: Mapped[datetime] = mapped_column(DateTime(timezone=True), server_default=func.clock_timestamp())
    """Time of the next message: postponed by each message, and to the end of the lease while it runs."""
    not_before: Mapped[datetime] = mapped_column(DateTime(timezone=True), server_default=func.clock_timestamp())
    """Earliest time of a claim: set to delay a retry."""
    send_count: Mapped[int] = mapped_column(default=0, server_default=text("0"))
    """Number of messages since the last claim; each repeat waits longer."""
    fencing_token: Mapped[int] = mapped_column(BigInteger, default=0)
    """Increased by every claim; only the worker with the newest value may write."""
    lease_expires_at: Mapped[datetime | None]
    cancel_requested: Mapped[bool] = mapped_column(default=False, server_default=text("false"))
    progress: Mapped[float] = mapped_column(default=0.0)
    """From 0 to 1."""
    step: Mapped[str] = mapped_column(default="")
    """Current step, as text."""
    problem: Mapped[dict[str, Any] | None]
    """Failure of the last attempt, as a problem."""
    started_at: Mapped[datetime | None]
    finished_at: Mapped[datetime | None]


def enqueue(session: WriteSession, job: Job, *, after_s: float = 0.0) -> JobId:
    """Insert the job in this transaction, so that it exists if and only if its cause does. Returns its ID.

    It runs in `after_s` seconds, or later.
    """
    row = JobRow(
        team_id=session.team_id,
        id=new_id(),
        name=job.name,
        queue=job.queue,
        payload=job.payload(),
        subject_kind=job.subject_kind,
        subject_id=job.subject_id,
        created_by=session.scope.user_id,
        max_attempts=job.max_attempts,
        priority=_priority(session, job),
    )
    if after_s > 0:
        row.due_at = row.not_before = func.clock_timestamp() + timedelta(seconds=after_s)
    session.add(row)
    session.flush()  # later statements of this transaction can then find the row
    return JobId(row.id)


def _priority(session: WriteSession, job: Job) -> Priority:
    """Return a new job's priority. A scope without a user is that of a token, or of a job."""
    if job.subject_kind == HOUSEKEEPING:
        return Priority.BULK
    if session.scope.user_id is not None:
        return job.most_urgent
    return Priority.BULK if job.queue is Queue.DECODE else Priority.DERIVED


def enqueue_unless_pending(session: WriteSession, job: Job, *, after_s: float = 0.0) -> None:
    """Enqueue a job to run in `after_s` seconds, unless one of its name and subject is waiting.

    For jobs that process all input since their last run. Two concurrent calls may both enqueue; the second job then has
    nothing to do.
    """
    waiting = select(JobRow.id).where(
        JobRow.subject_kind == job.subject_kind,
        JobRow.subject_id == job.subject_id,
        JobRow.name == job.name,
        JobRow.state == JobState.WAITING,
    )
    if session.scalar(waiting.limit(1)) is not None:
        return
    enqueue(session, job, after_s=after_s)
