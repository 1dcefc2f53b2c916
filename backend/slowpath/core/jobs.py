"""Jobs as values, and the table that is the truth about them.

A job is a frozen value; `enqueue` writes it as a row in the transaction that causes it. The relay
alone sends due rows to Celery, a few of each team at a time; a worker that receives a message claims
the next fair row, whichever it is, by compare-and-set, gets a lease and a fencing
token, and commits the job's effect together with its end, fenced by that token. Whoever lost its
lease therefore changes nothing. The message is a nudge; the row is the truth.
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
    """Where a job stands. `waiting` and `running` are open, the others final."""

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


class Priority(IntEnum):
    """Which of the jobs of one team goes first. Between teams, claims are fair whatever the priority."""

    CANCELLED = 0
    """A cancelled job only writes down that it ended."""
    INTERACTIVE = 1
    """A person asked for it and waits."""
    DERIVED = 2
    """Follows from something else, or a program waits for it."""
    BULK = 3
    """Files that programs upload, and housekeeping: there may be thousands."""


HOUSEKEEPING = "team"
"""What a job is about that nobody asked for and nobody waits for: the team as a whole. Lists leave it out."""


@dataclass(frozen=True)
class Job:
    """Base of all jobs. Fields are ids or plain JSON values; the first is the id of what the job is about."""

    name: ClassVar[str]
    queue: ClassVar[Queue]
    subject_kind: ClassVar[str]
    """What the job is about: `artifact`, `comparison`, `export`."""
    max_attempts: ClassVar[int] = 5

    @property
    def subject_id(self) -> UUID:
        """The id of what the job is about."""
        value = getattr(self, fields(self)[0].name)
        assert isinstance(value, UUID)
        return value

    def payload(self) -> dict[str, Any]:
        """Return the fields as JSON values."""
        return {name: str(value) if isinstance(value, UUID) else value for name, value in asdict(self).items()}

    @classmethod
    def from_payload(cls, payload: dict[str, Any]) -> Self:
        """Return the value a row holds; unknown members are a fault of ours and raise `TypeError`."""
        by_id = {field.name for field in fields(cls) if field.name.endswith("_id")}
        return cls(**{name: UUID(value) if name in by_id else value for name, value in payload.items()})


class JobRow(TeamScoped, Table):
    """One job: what to do, how far it is, who has it."""

    __tablename__ = "job"
    __table_args__ = (
        Index("ix_job_next", "team_id", "priority", "not_before", postgresql_where=text("state = 'waiting'")),
        Index("ix_job_to_send", "team_id", "due_at", postgresql_where=text("state = 'waiting'")),
        Index("ix_job_running", "due_at", postgresql_where=text("state = 'running'")),
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
    """The worker that claimed it last; a worker limits how many of its processes one team holds."""
    due_at: Mapped[datetime] = mapped_column(DateTime(timezone=True), server_default=func.clock_timestamp())
    """When it is next to be sent: later after each sending, and after its lease while it runs."""
    not_before: Mapped[datetime] = mapped_column(DateTime(timezone=True), server_default=func.clock_timestamp())
    """Before this no message, however late, can claim it: set when a failure is to be tried again later."""
    send_count: Mapped[int] = mapped_column(default=0, server_default=text("0"))
    """How often it was sent since it was last claimed; each repeat waits longer."""
    fencing_token: Mapped[int] = mapped_column(BigInteger, default=0)
    """Grows by one with every claim; only the holder of the newest may write."""
    lease_expires_at: Mapped[datetime | None]
    cancel_requested: Mapped[bool] = mapped_column(default=False, server_default=text("false"))
    progress: Mapped[float] = mapped_column(default=0.0)
    """From 0 to 1."""
    step: Mapped[str] = mapped_column(default="")
    """What is being done right now, in words."""
    problem: Mapped[dict[str, Any] | None]
    """Why the last attempt failed, as a problem."""
    started_at: Mapped[datetime | None]
    finished_at: Mapped[datetime | None]


def enqueue(session: WriteSession, job: Job) -> JobId:
    """Write the job's row in this transaction, so that it exists if and only if its cause does."""
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
    session.add(row)
    session.flush()  # so that whoever names the row in the same transaction finds it
    return JobId(row.id)


def _priority(session: WriteSession, job: Job) -> Priority:
    """Return a new job's priority. A scope without a person belongs to a token, or to work caused by one."""
    if job.subject_kind == HOUSEKEEPING:
        return Priority.BULK
    if session.scope.user_id is not None:
        return Priority.INTERACTIVE
    return Priority.BULK if job.queue is Queue.DECODE else Priority.DERIVED


def enqueue_unless_pending(session: WriteSession, job: Job, *, after_s: float = 0.0) -> None:
    """Have a job done `after_s` seconds from now, unless one of its name and subject waits already.

    For work that gathers what came in meanwhile. Two that ask at the same moment may both be heard: such a job finds
    nothing left to do the second time.
    """
    waiting = select(JobRow.id).where(
        JobRow.subject_kind == job.subject_kind,
        JobRow.subject_id == job.subject_id,
        JobRow.name == job.name,
        JobRow.state == JobState.WAITING,
    )
    if session.scalar(waiting.limit(1)) is not None:
        return
    row = session.get_one(JobRow, (session.team_id, enqueue(session, job)))
    row.due_at = row.not_before = func.clock_timestamp() + timedelta(seconds=after_s)
