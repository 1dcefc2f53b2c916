"""Every SELECT of sources."""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from sqlalchemy import func, select, tuple_

from slowpath.core.ids import MetricSourceId
from slowpath.core.jobs import JobRow, JobState
from slowpath.core.sessions import ReadSession
from slowpath.sources.jobs import ImportHistory
from slowpath.sources.tables import MetricSource

After = tuple[datetime, UUID] | None


def sources(session: ReadSession, after: After, limit: int) -> Sequence[MetricSource]:
    """Return sources newest first, by ix_metric_source_newest."""
    found = select(MetricSource).where(MetricSource.team_id == session.team_id)
    found = found.order_by(MetricSource.created_at.desc(), MetricSource.id.desc()).limit(limit)
    if after is not None:
        found = found.where(tuple_(MetricSource.created_at, MetricSource.id) < after)
    return session.scalars(found).all()


def source(session: ReadSession, source_id: MetricSourceId) -> MetricSource | None:
    """Return one source, by primary key."""
    return session.get(MetricSource, (session.team_id, source_id))


def held(session: ReadSession, source_id: MetricSourceId) -> MetricSource | None:
    """Return one source that nobody else changes until the transaction ends, by primary key."""
    return session.get(MetricSource, (session.team_id, source_id), with_for_update=True, populate_existing=True)


def count(session: ReadSession) -> int:
    """Return how many sources the team has, by ix_metric_source_newest."""
    found = select(func.count()).select_from(MetricSource).where(MetricSource.team_id == session.team_id)
    return session.scalars(found).one()


def goes_on(session: ReadSession, source_id: MetricSourceId) -> bool:
    """Tell whether an import from a source has not ended, by ix_job_subject."""
    found = select(JobRow.id).where(
        JobRow.team_id == session.team_id,
        JobRow.subject_kind == ImportHistory.subject_kind,
        JobRow.subject_id == source_id,
        JobRow.state.in_([JobState.WAITING, JobState.RUNNING]),
    )
    return session.scalars(found.limit(1)).first() is not None
