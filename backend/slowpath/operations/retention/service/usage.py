"""Storage and daily usage of a team. Daily counts remain when the counted rows are deleted."""

from dataclasses import asdict
from datetime import UTC, datetime, time, timedelta

from sqlalchemy import func
from sqlalchemy.dialects.postgresql import insert

from slowpath.core.db_sessions import ReadSession, WriteSession
from slowpath.core.ids import new_id
from slowpath.operations.retention import queries
from slowpath.operations.retention.rules import USAGE_DAYS, DailyUsage, StoredBytes, TeamUsage
from slowpath.operations.retention.tables import UsageDay

OPEN_DAYS = 2
"""Number of past days that are counted again, to include samples compacted and builds evaluated later."""


def get_usage(session: ReadSession, now: datetime) -> TeamUsage:
    """Return the storage and daily usage of the team."""
    usage = TeamUsage(service_names=queries.service_names(session))
    for kind, service_id, age, files, size in queries.stored(session, now):
        for counted in (
            usage.kinds.setdefault(kind, StoredBytes()),
            usage.services.setdefault(service_id, StoredBytes()),
            usage.ages[age],
            usage.total,
        ):
            counted.add(files, int(size or 0))
    count = queries.find_newest_snapshot(session)
    if count is not None:
        usage.folders = {name: (both[0], both[1]) for name, both in count.folders.items()}
        usage.counted_at, usage.deleted_blobs = count.created_at, count.deleted_blobs
    usage.days = list_daily_usage(session, now)
    return usage


def list_daily_usage(session: ReadSession, now: datetime) -> list[DailyUsage]:
    """Return the usage of the last `USAGE_DAYS` days, oldest first, without gaps."""
    today = now.astimezone(UTC).date()
    first = today - timedelta(days=USAGE_DAYS - 1)
    recorded = {row.day: row for row in queries.days_since(session, first)}
    live = {day.day: day for day in count_daily_usage(session, now)}
    days = []
    for number in range(USAGE_DAYS):
        at = first + timedelta(days=number)
        row, fresh = recorded.get(at), live.get(at, DailyUsage(at))
        if row is not None:
            fresh = DailyUsage(
                at,
                max(row.uploads, fresh.uploads),
                max(row.upload_bytes, fresh.upload_bytes),
                max(row.samples, fresh.samples),
                max(row.jobs, fresh.jobs),
                max(row.builds, fresh.builds),
            )
        days.append(fresh)
    return days


def count_daily_usage(session: ReadSession, now: datetime, back: int = OPEN_DAYS) -> list[DailyUsage]:
    """Count the usage of the last `back` days and today from the rows."""
    today = now.astimezone(UTC).date()
    first = datetime.combine(today - timedelta(days=back), time(), UTC)
    uploads, jobs = queries.uploads_per_day(session, first), queries.jobs_per_day(session, first)
    builds, samples = queries.builds_per_day(session, first), queries.samples_per_day(session, first)
    days = []
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
        days.append(day)
    return days


def record_daily_usage(session: WriteSession, now: datetime) -> None:
    """Record the usage of the last days, or of all days shown if none is recorded yet.

    A recorded count never decreases: deleted data remains in the usage of its day.
    """
    first_time = queries.find_newest_snapshot(session) is None
    for day in count_daily_usage(session, now, USAGE_DAYS if first_time else OPEN_DAYS):
        made = insert(UsageDay).values(team_id=session.team_id, id=new_id(), **asdict(day))
        sums = ("uploads", "upload_bytes", "samples", "jobs", "builds")
        session.execute(
            made.on_conflict_do_update(
                index_elements=["team_id", "day"],
                set_={name: func.greatest(getattr(UsageDay, name), getattr(made.excluded, name)) for name in sums},
            )
        )
