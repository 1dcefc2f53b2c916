"""Every SELECT of sources."""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from sqlalchemy import func, select, tuple_

from slowpath.core.db_sessions import ReadSession
from slowpath.core.ids import MetricSourceId
from slowpath.core.jobs import JobRow, JobState
from slowpath.evidence.metric_sources.jobs import ImportHistory
from slowpath.evidence.metric_sources.tables import FederatedService, MetricSource
from slowpath.inventory.catalog.tables import Environment, Service

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


def is_import_running(session: ReadSession, source_id: MetricSourceId) -> bool:
    """Tell whether an import from a source has not ended, by ix_job_subject."""
    found = select(JobRow.id).where(
        JobRow.team_id == session.team_id,
        JobRow.subject_kind == ImportHistory.subject_kind,
        JobRow.subject_id == source_id,
        JobRow.state.in_([JobState.WAITING, JobState.RUNNING]),
    )
    return session.scalars(found.limit(1)).first() is not None


def all_read_through(session: ReadSession) -> Sequence[tuple[FederatedService, MetricSource]]:
    """Return all services that are read through, each with its source, by uq_read_through_place."""
    found = (
        select(FederatedService, MetricSource)
        .join(
            MetricSource,
            (MetricSource.team_id == FederatedService.team_id) & (MetricSource.id == FederatedService.source_id),
        )
        .where(FederatedService.team_id == session.team_id)
        .order_by(FederatedService.created_at, FederatedService.id)
    )
    return [(row, source) for row, source in session.execute(found).all()]


def read_through_of(
    session: ReadSession, source_id: MetricSourceId, after: After, limit: int
) -> Sequence[tuple[FederatedService, Service, Environment]]:
    """Return what is read through to a source, newest first, with names, by ix_read_through_source."""
    found = (
        select(FederatedService, Service, Environment)
        .join(Service, (Service.team_id == FederatedService.team_id) & (Service.id == FederatedService.service_id))
        .join(
            Environment,
            (Environment.team_id == FederatedService.team_id) & (Environment.id == FederatedService.environment_id),
        )
        .where(FederatedService.team_id == session.team_id, FederatedService.source_id == source_id)
        .order_by(FederatedService.created_at.desc(), FederatedService.id.desc())
        .limit(limit)
    )
    if after is not None:
        found = found.where(tuple_(FederatedService.created_at, FederatedService.id) < after)
    return [(row, service, environment) for row, service, environment in session.execute(found).all()]


def read_through(session: ReadSession, read_through_id: UUID) -> FederatedService | None:
    """Return one service that is read through, by primary key."""
    return session.get(FederatedService, (session.team_id, read_through_id))


def read_through_place(session: ReadSession, environment_id: UUID, service_id: UUID) -> FederatedService | None:
    """Return how a service of an environment is read through, by uq_read_through_place."""
    return session.scalars(
        select(FederatedService).where(
            FederatedService.team_id == session.team_id,
            FederatedService.environment_id == environment_id,
            FederatedService.service_id == service_id,
        )
    ).one_or_none()


def count_read_through(session: ReadSession) -> int:
    """Return how many services of the team are read through."""
    found = select(func.count()).select_from(FederatedService).where(FederatedService.team_id == session.team_id)
    return session.scalars(found).one()
