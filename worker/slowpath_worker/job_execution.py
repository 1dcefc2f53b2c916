"""Run one job: claim it, call its handler, and record how it ended.

`Unavailable` (and a lost database connection) is retried with exponential, jittered backoff. Any other
error ends the job and is recorded on its row.
"""

import errno
import random
import resource
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any

import structlog
from psycopg.errors import DeadlockDetected, ForeignKeyViolation, SerializationFailure
from sqlalchemy import TextClause, text
from sqlalchemy.exc import DBAPIError, OperationalError
from sqlalchemy.orm.exc import ObjectDeletedError, StaleDataError

from slowpath.core.errors import DiskFull, NotFound, SlowpathError, Unavailable
from slowpath.core.ids import JobId, TeamId, UserId
from slowpath.core.jobs import Job, JobState, Queue
from slowpath_worker.job_context import (
    Cancelled,
    ClaimedJob,
    JobContext,
    JobFailure,
    LeaseLost,
    Postponed,
    WorkerContext,
)
from slowpath_worker.job_handlers import HANDLERS, JobHandler

log = structlog.get_logger(__name__)

CLAIM_NEXT = text(
    "SELECT * FROM cross_team.claim_next_job(:job, :worker, :slots, make_interval(secs => :lease), CAST(:queues AS varchar[]))"
)
CHARGE = text("SELECT cross_team.record_work_seconds(:team, :seconds)")
CLAIM = text("SELECT * FROM cross_team.claim_job(:job, make_interval(secs => :lease))")
FIRST_BACKOFF_SECONDS = 1.0
MAX_BACKOFF_SECONDS = 60.0
DATABASE_RETRY_SECONDS = 0.5
FULL_DISK_PAUSE_SECONDS = 5.0
FULL = {errno.ENOSPC, errno.EDQUOT}
CHANGED_MEANWHILE = "Another process changed or deleted rows of this job meanwhile."
CONFLICTS = (ForeignKeyViolation, DeadlockDetected, SerializationFailure)
"""Errors of statements that conflict with another transaction, for example a row whose parent is deleted meanwhile."""
CANCELLED = {"type": "urn:slowpath:cancelled", "title": "Cancelled", "detail": "A user cancelled this."}


class InternalError(SlowpathError):
    """An internal error; its details are in the log only."""

    slug = "fault"
    title = "Internal error"


RecordFailure = Callable[[JobState, SlowpathError | Cancelled, dict[str, Any]], None]


@dataclass(frozen=True)
class Worker:
    """A worker that claims jobs. A team that already runs one here gets another only while fewer than `slots` run."""

    name: str
    slots: int
    queues: tuple[Queue, ...] = tuple(Queue)
    """The queues whose jobs it claims."""


def run_job(worker_context: WorkerContext, job_id: JobId) -> None:
    """Run one job if it can be claimed; a duplicate or late message claims nothing."""
    claim = _claim(worker_context, CLAIM, {"job": job_id}, job_id)
    if claim is not None:
        _run(worker_context, claim)


def run_next(worker_context: WorkerContext, worker: Worker, hint: JobId) -> bool:
    """Run the next job by fair share and charge its team; return whether there was one.

    `hint` is preferred only if its worker died while it ran.
    """
    queues = None if set(worker.queues) == set(Queue) else list(worker.queues)
    claim = _claim(
        worker_context, CLAIM_NEXT, {"job": hint, "worker": worker.name, "slots": worker.slots, "queues": queues}
    )
    if claim is None:
        return False
    start_s = _cpu_seconds()
    try:
        _run(worker_context, claim)
    finally:
        _charge(worker_context, claim.team_id, _cpu_seconds() - start_s)
    return True


def _cpu_seconds() -> float:
    """Return the CPU time of this process and its ended children; it runs one job at a time."""
    used = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(each.ru_utime + each.ru_stime for each in used)


def _charge(worker_context: WorkerContext, team_id: TeamId, seconds: float) -> None:
    try:
        with worker_context.database.cross_team() as connection:
            connection.execute(CHARGE, {"team": team_id, "seconds": seconds})
    except OperationalError as error:
        log.warning("team.charge_failed", error=str(error).splitlines()[0])


def _run(worker_context: WorkerContext, claim: ClaimedJob) -> None:
    with structlog.contextvars.bound_contextvars(job_id=str(claim.job_id), job=claim.name, attempt=claim.attempts):
        try:
            with JobContext(worker_context, claim) as context:
                parsed = _parse_job(claim)
                if parsed is None:
                    _fail_invalid_payload(context)
                else:
                    _run_handler(context, *parsed)
        except LeaseLost:
            log.warning("job.lease_lost")


def _claim(
    worker_context: WorkerContext, function: TextClause, arguments: dict[str, Any], job_id: JobId | None = None
) -> ClaimedJob | None:
    """Claim a job; wait while the database is unavailable, because an outage would otherwise empty the queue."""
    deadline = time.monotonic() + worker_context.settings.lease_seconds
    while True:
        try:
            with worker_context.database.cross_team() as connection:
                row = connection.execute(
                    function, {**arguments, "lease": worker_context.settings.lease_seconds}
                ).one_or_none()
            break
        except OperationalError as error:
            log.warning("database.unavailable", error=str(error).splitlines()[0])
            if time.monotonic() > deadline:
                return None  # the relay sends the job again
            time.sleep(DATABASE_RETRY_SECONDS)
    if row is None:
        return None
    return ClaimedJob(
        job_id=job_id or JobId(row.job_id),
        team_id=TeamId(row.team_id),
        fence=row.fencing_token,
        name=row.name,
        payload=row.payload,
        attempts=row.attempts,
        max_attempts=row.max_attempts,
        created_by=UserId(row.created_by) if row.created_by else None,
        cancel_requested=row.cancel_requested,
    )


def _parse_job(claim: ClaimedJob) -> tuple[JobHandler, Job] | None:
    handler = HANDLERS.get(claim.name)
    try:
        return (handler, handler.job.from_payload(claim.payload)) if handler else None
    except (TypeError, ValueError, AttributeError):
        return None


def _fail_invalid_payload(context: JobContext) -> None:
    """Fail a job whose payload this version cannot read; otherwise it would be sent again forever."""
    log.error("job.invalid_payload")
    error = InternalError("This worker cannot read the job's payload.", remedy="Update the worker, then try again.")
    with context.failing(JobState.FAILED, error.facts()):
        pass


def _run_handler(context: JobContext, handler: JobHandler, job: Job) -> None:
    end = partial(_record_failure, context, handler, job)
    try:
        _attempt(context, handler, job)
    except LeaseLost:
        raise
    except Postponed as wait:
        context.postpone(wait.pause_s, None, counted=False)
    except Cancelled as cancelled:
        log.info("job.cancelled")
        end(JobState.CANCELLED, cancelled, CANCELLED)
    except (Unavailable, StaleDataError, ObjectDeletedError) as cause:
        error = cause if isinstance(cause, Unavailable) else Unavailable(CHANGED_MEANWHILE)
        _run_again(context, error, end)
    except SlowpathError as error:
        log.info("job.failed", error=error.name, detail=error.detail)
        end(JobState.FAILED, error, error.facts())
    except Exception as error:  # last resort: every end is recorded on the row
        if (passing := _passing_cause(error)) is not None:
            _run_again(context, passing, end)
        elif isinstance(error, OperationalError):
            # The lease expires and the job is sent again; it cannot be recorded now.
            log.warning("database.connection_lost", error=str(error).splitlines()[0])
        else:
            log.exception("job.crashed")
            internal = InternalError(
                f"An internal error occurred ({type(error).__name__}).", remedy="Try again, or report it."
            )
            end(JobState.FAILED, internal, internal.facts())


def _passing_cause(error: Exception) -> Unavailable | None:
    """Return why a job failed if that passes: a conflict with another transaction, or a full disk."""
    if isinstance(error, DBAPIError) and isinstance(error.orig, CONFLICTS):
        return Unavailable(CHANGED_MEANWHILE)
    if isinstance(error, OSError) and error.errno in FULL:
        return DiskFull("The disk of the worker is full.", remedy="Free some space; the job is repeated until then.")
    return None


def _run_again(context: JobContext, error: Unavailable, end: RecordFailure) -> None:
    """Run a job again after a pause: as often as its attempts allow, or until a full disk has space."""
    if isinstance(error, DiskFull):
        log.error("disk.full", error=error.detail)
        pause_s = FULL_DISK_PAUSE_SECONDS * random.uniform(0.5, 1.5)  # noqa: S311 - as below
        context.postpone(pause_s, error.facts(), counted=False)
    elif context.claim.attempts < context.claim.max_attempts:
        _postpone(context, error)
    else:
        end(JobState.FAILED, error, error.facts())


def _attempt(context: JobContext, handler: JobHandler, job: Job) -> None:
    claim = context.claim
    if claim.cancel_requested:
        raise Cancelled
    if claim.attempts > claim.max_attempts:
        raise InternalError(
            f"The worker was killed {claim.max_attempts} times while running this job.",
            limit=claim.max_attempts,
            actual=claim.attempts - 1,
            unit="attempts",
            remedy="The file may need more memory than the worker has; try again or report it.",
        )
    log.info("job.started")
    handler.run(job, context)
    log.info("job.finished")


def _postpone(context: JobContext, error: Unavailable) -> None:
    pause = min(FIRST_BACKOFF_SECONDS * 2 ** (context.claim.attempts - 1), MAX_BACKOFF_SECONDS)
    pause *= random.uniform(0.5, 1.5)  # noqa: S311 - spreads retries; not security-relevant
    log.warning("job.postponed", error=error.detail, pause_s=round(pause, 1))
    context.postpone(pause, error.facts(), counted=True)


def _record_failure(  # noqa: PLR0917 - one argument for each part of the failure
    context: JobContext,
    handler: JobHandler,
    job: Job,
    state: JobState,
    error: SlowpathError | Cancelled,
    problem: dict[str, Any],
) -> None:
    with context.failing(state, problem) as session, suppress(NotFound):  # its subject may be deleted by now
        if handler.record_failure is not None:
            handler.record_failure(session, job, JobFailure(error, problem, context.clock.now()))
