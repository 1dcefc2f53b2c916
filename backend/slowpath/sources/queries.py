"""Every SELECT of sources."""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from sqlalchemy import func, select, tuple_

from slowpath.catalog.tables import Environment, Service
from slowpath.core.ids import MetricSourceId
from slowpath.core.jobs import JobRow, JobState
from slowpath.core.sessions import ReadSession
from slowpath.sources.jobs import ImportHistory
from slowpath.sources.tables import MetricSource, ReadThrough

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


def all_read_through(session: ReadSession) -> Sequence[tuple[ReadThrough, MetricSource]]:
    """Return all services that are read through, each with its source, by uq_read_through_place."""
    found = (
        select(ReadThrough, MetricSource)
        .join(MetricSource, (MetricSource.team_id == ReadThrough.team_id) & (MetricSource.id == ReadThrough.source_id))
        .where(ReadThrough.team_id == session.team_id)
        .order_by(ReadThrough.created_at, ReadThrough.id)
    )
    return [(row, source) for row, source in session.execute(found).all()]


def read_through_of(
    session: ReadSession, source_id: MetricSourceId, after: After, limit: int
) -> Sequence[tuple[ReadThrough, Service, Environment]]:
    """Return what is read through to a source, newest first, with names, by ix_read_through_source."""
    found = (
        select(ReadThrough, Service, Environment)
        .join(Service, (Service.team_id == ReadThrough.team_id) & (Service.id == ReadThrough.service_id))
        .join(
            Environment,
            (Environment.team_id == ReadThrough.team_id) & (Environment.id == ReadThrough.environment_id),
        )
        .where(ReadThrough.team_id == session.team_id, ReadThrough.source_id == source_id)
        .order_by(ReadThrough.created_at.desc(), ReadThrough.id.desc())
        .limit(limit)
    )
    if after is not None:
        found = found.where(tuple_(ReadThrough.created_at, ReadThrough.id) < after)
    return [(row, service, environment) for row, service, environment in session.execute(found).all()]


def read_through(session: ReadSession, read_through_id: UUID) -> ReadThrough | None:
    """Return one service that is read through, by primary key."""
    return session.get(ReadThrough, (session.team_id, read_through_id))


def read_through_place(session: ReadSession, environment_id: UUID, service_id: UUID) -> ReadThrough | None:
    """Return how a service of an environment is read through, by uq_read_through_place."""
    return session.scalars(
        select(ReadThrough).where(
            ReadThrough.team_id == session.team_id,
            ReadThrough.environment_id == environment_id,
            ReadThrough.service_id == service_id,
        )
    ).one_or_none()


def count_read_through(session: ReadSession) -> int:
    """Return how many services of the team are read through."""
    found = select(func.count()).select_from(ReadThrough).where(ReadThrough.team_id == session.team_id)
    return session.scalars(found).one()
