"""What a team uses: what is stored, and what came in each day. Sums of days are kept: they outlive what they count."""

from datetime import UTC, datetime, time, timedelta

from sqlalchemy import func
from sqlalchemy.dialects.postgresql import insert

from slowpath.core.db_sessions import ReadSession, WriteSession
from slowpath.core.ids import new_id
from slowpath.operations.retention import queries
from slowpath.operations.retention.rules import USAGE_DAYS, DailyUsage, StoredBytes, TeamUsage
from slowpath.operations.retention.tables import UsageDay

OPEN_DAYS = 2
"""So many days back a day's sums are counted again: what is folded or judged late still belongs to it."""


def get_usage(session: ReadSession, now: datetime) -> TeamUsage:
    """Return what the team uses."""
    told = TeamUsage(service_names=queries.service_names(session))
    for kind, service_id, age, files, size in queries.stored(session, now):
        for counted in (
            told.kinds.setdefault(kind, StoredBytes()),
            told.services.setdefault(service_id, StoredBytes()),
            told.ages[age],
            told.total,
        ):
            counted.add(files, int(size or 0))
    count = queries.newest_count(session)
    if count is not None:
        told.folders = {name: (both[0], both[1]) for name, both in count.folders.items()}
        told.counted_at, told.swept = count.created_at, count.deleted_blobs
    told.days = list_daily_usage(session, now)
    return told


def list_daily_usage(session: ReadSession, now: datetime) -> list[DailyUsage]:
    """Return the newest days, oldest first, without a gap."""
    today = now.astimezone(UTC).date()
    first = today - timedelta(days=USAGE_DAYS - 1)
    kept = {row.day: row for row in queries.days_since(session, first)}
    live = {day.day: day for day in count_daily_usage(session, now)}
    told = []
    for number in range(USAGE_DAYS):
        at = first + timedelta(days=number)
        row, fresh = kept.get(at), live.get(at, DailyUsage(at))
        if row is not None:
            fresh = DailyUsage(
                at,
                max(row.uploads, fresh.uploads),
                max(row.upload_bytes, fresh.upload_bytes),
                max(row.samples, fresh.samples),
                max(row.jobs, fresh.jobs),
                max(row.builds, fresh.builds),
            )
        told.append(fresh)
    return told


def count_daily_usage(session: ReadSession, now: datetime, back: int = OPEN_DAYS) -> list[DailyUsage]:
    """Count the newest days anew, from the rows themselves."""
    today = now.astimezone(UTC).date()
    first = datetime.combine(today - timedelta(days=back), time(), UTC)
    uploads, jobs = queries.uploads_per_day(session, first), queries.jobs_per_day(session, first)
    builds, samples = queries.builds_per_day(session, first), queries.samples_per_day(session, first)
    told = []
    for number in range(back + 1):
        at = first.date() + timedelta(days=number)
        day = DailyUsage(
            at,
            uploads[at][1] if at in uploads else 0,
            int(uploads[at][2] or 0) if at in uploads else 0,
            samples.get(at, 0),
            jobs[at][2] if at in jobs else 0,
            builds[at][1] if at in builds else 0,
        )
        told.append(day)
    return told


def record_daily_usage(session: WriteSession, now: datetime) -> None:
    """Write down the sums of the newest days, and of all that are shown if none was written down yet.

    A sum never falls: what is deleted was used all the same.
    """
    first_time = queries.newest_count(session) is None
    for day in count_daily_usage(session, now, USAGE_DAYS if first_time else OPEN_DAYS):
        made = insert(UsageDay).values(
            team_id=session.team_id,
            id=new_id(),
            day=day.day,
            uploads=day.uploads,
            upload_bytes=day.upload_bytes,
            samples=day.samples,
            jobs=day.jobs,
            builds=day.builds,
        )
        sums = ("uploads", "upload_bytes", "samples", "jobs", "builds")
        session.execute(
            made.on_conflict_do_update(
                index_elements=["team_id", "day"],
                set_={name: func.greatest(getattr(UsageDay, name), getattr(made.excluded, name)) for name in sums},
            )
        )
