"""Carry out one job: claim it, hand it to its handler, write down how it ended.

`Unavailable` (and a database that went away) is tried again with growing, jittered pauses; every
other error ends the job and is written on its row, so that a person can read why.
"""

import random
import resource
import time
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any

import structlog
from sqlalchemy import TextClause, text
from sqlalchemy.exc import OperationalError

from slowpath.core.errors import NotFound, SlowpathError, Unavailable
from slowpath.core.ids import JobId, TeamId, UserId
from slowpath.core.jobs import Job, JobState
from slowpath_worker.context import Cancelled, Claim, Context, LeaseLost, NotYet, Workshop
from slowpath_worker.registry import HANDLERS, Handler

log = structlog.get_logger(__name__)

CLAIM_NEXT = text("SELECT * FROM door.claim_next_job(:job, :worker, :slots, make_interval(secs => :lease))")
CHARGE = text("SELECT door.charge_team(:team, :seconds)")
CLAIM = text("SELECT * FROM door.claim_job(:job, make_interval(secs => :lease))")
FIRST_PAUSE_SECONDS = 1.0
LONGEST_PAUSE_SECONDS = 60.0
AWAY_PAUSE_SECONDS = 0.5
CANCELLED = {"type": "urn:slowpath:cancelled", "title": "Cancelled", "detail": "Somebody cancelled this."}


class Fault(SlowpathError):
    """A fault of ours, told without its insides; those are in the log."""

    slug = "fault"
    title = "A fault of ours"


@dataclass(frozen=True)
class Worker:
    """A worker as the claims see it: one team holds at most all but one of its `slots`."""

    name: str
    slots: int


def run_job(workshop: Workshop, job_id: JobId) -> None:
    """Carry out this one job if it can be claimed; a doubled or late message finds nothing to claim."""
    claim = _claim(workshop, CLAIM, {"job": job_id}, job_id)
    if claim is not None:
        _run(workshop, claim)


def run_next(workshop: Workshop, worker: Worker, nudged: JobId) -> bool:
    """Carry out the next fair job and charge its team; return whether there was one.

    `nudged` is preferred only if its worker died while it ran.
    """
    claim = _claim(workshop, CLAIM_NEXT, {"job": nudged, "worker": worker.name, "slots": worker.slots})
    if claim is None:
        return False
    begun = _cpu_seconds()
    try:
        _run(workshop, claim)
    finally:
        _charge(workshop, claim.team_id, _cpu_seconds() - begun)
    return True


def _cpu_seconds() -> float:
    """Return the CPU time of this process and of its children that ended; it carries out one job at a time."""
    used = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(each.ru_utime + each.ru_stime for each in used)


def _charge(workshop: Workshop, team_id: TeamId, seconds: float) -> None:
    try:
        with workshop.database.door() as door:
            door.execute(CHARGE, {"team": team_id, "seconds": seconds})
    except OperationalError as error:
        log.warning("team not charged", error=str(error).splitlines()[0])


def _run(workshop: Workshop, claim: Claim) -> None:
    with structlog.contextvars.bound_contextvars(job_id=str(claim.job_id), job=claim.name, attempt=claim.attempts):
        try:
            with Context(workshop, claim) as context:
                understood = _understood(claim)
                if understood is None:
                    _refuse(context)
                else:
                    _carry_out(context, *understood)
        except LeaseLost:
            log.warning("lease lost, another worker has the job")


def _claim(
    workshop: Workshop, function: TextClause, arguments: dict[str, Any], job_id: JobId | None = None
) -> Claim | None:
    """Claim the job. A database that is away is waited for: else its death would empty the queue within moments."""
    deadline = time.monotonic() + workshop.settings.lease_seconds
    while True:
        try:
            with workshop.database.door() as door:
                row = door.execute(function, {**arguments, "lease": workshop.settings.lease_seconds}).one_or_none()
            break
        except OperationalError as error:
            log.warning("database away", error=str(error).splitlines()[0])
            if time.monotonic() > deadline:
                return None  # the relay sends the job again
            time.sleep(AWAY_PAUSE_SECONDS)
    if row is None:
        return None
    return Claim(
        job_id=job_id or JobId(row.job_id),
        team_id=TeamId(row.team_id),
        fence=row.fence,
        name=row.name,
        payload=row.payload,
        attempts=row.attempts,
        max_attempts=row.max_attempts,
        created_by=UserId(row.created_by) if row.created_by else None,
        cancel_asked=row.cancel_asked,
    )


def _understood(claim: Claim) -> tuple[Handler, Job] | None:
    handler = HANDLERS.get(claim.name)
    try:
        return (handler, handler.job.from_payload(claim.payload)) if handler else None
    except (TypeError, ValueError, AttributeError):
        return None


def _refuse(context: Context) -> None:
    """End a job that only a newer or older worker understands; left alone it would come back for ever."""
    log.error("job not understood")
    told = Fault("This worker does not understand the job.", remedy="Update the worker, then try again.")
    with context.failing(JobState.FAILED, told.facts()):
        pass


def _carry_out(context: Context, handler: Handler, job: Job) -> None:
    end = partial(_end_badly, context, handler, job)
    try:
        _attempt(context, handler, job)
    except LeaseLost:
        raise
    except NotYet as wait:
        context.postpone(wait.pause_s, None, counted=False)
    except Cancelled as cancelled:
        log.info("job cancelled")
        end(JobState.CANCELLED, cancelled, CANCELLED)
    except Unavailable as error:
        if context.claim.attempts < context.claim.max_attempts:
            _try_later(context, error)
        else:
            end(JobState.FAILED, error, error.facts())
    except SlowpathError as error:
        log.info("job failed", error=error.name, detail=error.detail)
        end(JobState.FAILED, error, error.facts())
    except OperationalError as error:
        # The lease runs out and the job is sent again; there is nowhere to write this down now.
        log.warning("database went away", error=str(error).splitlines()[0])
    except Exception as error:  # the last wall: nothing may end without being written on the row
        log.exception("job met a fault of ours")
        told = Fault(f"Something failed that should not ({type(error).__name__}).", remedy="Try again, or report it.")
        end(JobState.FAILED, told, told.facts())


def _attempt(context: Context, handler: Handler, job: Job) -> None:
    claim = context.claim
    if claim.cancel_asked:
        raise Cancelled
    if claim.attempts > claim.max_attempts:
        raise Fault(
            f"The worker died {claim.max_attempts} times while doing this.",
            limit=claim.max_attempts,
            actual=claim.attempts - 1,
            unit="attempts",
            remedy="The file may need more memory than the worker has; try again or report it.",
        )
    log.info("job begins")
    handler.run(job, context)
    log.info("job done")


def _try_later(context: Context, error: Unavailable) -> None:
    pause = min(FIRST_PAUSE_SECONDS * 2 ** (context.claim.attempts - 1), LONGEST_PAUSE_SECONDS)
    pause *= random.uniform(0.5, 1.5)  # noqa: S311 - spreads retries, guards nothing
    log.warning("job postponed", error=error.detail, pause_s=round(pause, 1))
    context.postpone(pause, error.facts(), counted=True)


def _end_badly(  # noqa: PLR0917 - all that is known of the end
    context: Context,
    handler: Handler,
    job: Job,
    state: JobState,
    error: SlowpathError | Cancelled,
    problem: dict[str, Any],
) -> None:
    with context.failing(state, problem) as session, suppress(NotFound):  # what it was about may be deleted by now
        if handler.ended_badly is not None:
            handler.ended_badly(session, job, error, problem)
