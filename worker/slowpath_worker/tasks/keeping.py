"""Keep a team's house: delete what is too old, remove bytes that nobody needs, count; and put everything in one file."""

from datetime import datetime
from typing import Any

import structlog

from slowpath.adapters.clock import SystemClock
from slowpath.core.errors import SlowpathError
from slowpath.core.jobs import JobState
from slowpath.core.sessions import WriteSession
from slowpath.keeping.jobs import ExportTeam, KeepHouse
from slowpath.keeping.service import log_keeping, retaining, sweeping, taking_away, using
from slowpath.keeping.service.sweeping import Tally
from slowpath_worker.context import Cancelled, Context
from slowpath_worker.exporting import Archive

log = structlog.get_logger(__name__)

__all__ = ["ExportTeam", "KeepHouse", "export_ended_badly", "export_team", "keep_house"]


def keep_house(_job: KeepHouse, context: Context) -> None:
    """Delete what is older than the team keeps, sweep the blob store, count what is left."""
    now = SystemClock().now()
    context.progress("deleting what is too old", 0.1)
    forgotten = _forget_old(context, now)
    context.progress("sweeping", 0.4)
    tally = _sweep(context, now)
    if forgotten or tally.swept:
        log.info("house kept", files=forgotten, swept=tally.swept)

    with context.finishing() as session:
        using.keep_days(session, now)
        sweeping.record(session, tally, now)


def _forget_old(context: Context, now: datetime) -> int:
    forgotten = 0
    while True:
        with context.writing() as session:
            some = retaining.forget_expired(session, now)
        if not some:
            break
        forgotten += some
    with context.writing() as session:
        keys = taking_away.forget_expired(session, now)
    context.blobs.delete(keys)
    with context.reading() as session:
        before = log_keeping.oldest_kept(session, now)
    if before is not None:
        with context.door() as door:
            log_keeping.forget(door, context.team_id, before)
    return forgotten


def _sweep(context: Context, now: datetime) -> Tally:
    """Remove what no row needs. Each file's bytes are looked at again under the lock that holds off who stores them."""
    tally = Tally()
    for blobs in context.blobs.listed(str(context.team_id)):
        for blob in blobs:
            tally.add(blob)
        with context.reading() as session:
            found = sweeping.unneeded(session, blobs, now)
        for blob, owner in found:
            with context.writing() as session:
                if sweeping.still_unneeded(session, owner):
                    context.blobs.delete([blob.key])
                    tally.take(blob)
    return tally


def export_team(job: ExportTeam, context: Context) -> None:
    """Write all rows and originals of the team into one archive, piece by piece, straight into the blob store."""
    with context.writing() as session:
        taking_away.find(session, job.export_id).state = JobState.RUNNING
    key = taking_away.key_of(context.team_id, job.export_id)
    archive = Archive(context)
    context.blobs.put(key, archive.pieces())

    with context.finishing() as session:
        counts = (archive.files, archive.missing)
        made = taking_away.record(
            session, job.export_id, size_bytes=archive.size_bytes, sha256=archive.sha256, counts=counts
        )
        if made:
            taking_away.expire_after(taking_away.find(session, job.export_id), SystemClock().now())
    if not made:
        context.blobs.delete([key])


def export_ended_badly(
    session: WriteSession, job: ExportTeam, error: SlowpathError | Cancelled, problem: dict[str, Any]
) -> None:
    """Write on the export why it is not there."""
    row = taking_away.find(session, job.export_id)
    row.state = JobState.CANCELLED if isinstance(error, Cancelled) else JobState.FAILED
    row.problem = problem
