"""SQL queries on metric sources and federated services."""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from sqlalchemy import func, select, tuple_, update

from slowpath.core.db_sessions import ReadSession, WriteSession
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


def lock_source(session: ReadSession, source_id: MetricSourceId) -> MetricSource | None:
    """Lock and return one source, by primary key."""
    return session.get(MetricSource, (session.team_id, source_id), with_for_update=True, populate_existing=True)


def count(session: ReadSession) -> int:
    """Return the number of sources of the team, by ix_metric_source_newest."""
    found = select(func.count()).select_from(MetricSource).where(MetricSource.team_id == session.team_id)
    return session.scalars(found).one()


def is_import_running(session: ReadSession, source_id: MetricSourceId) -> bool:
    """Return whether an import from a source is in progress, by ix_job_subject."""
    found = select(JobRow.id).where(
        JobRow.team_id == session.team_id,
        JobRow.subject_kind == ImportHistory.subject_kind,
        JobRow.subject_id == source_id,
        JobRow.state.in_([JobState.WAITING, JobState.RUNNING]),
    )
    return session.scalars(found.limit(1)).first() is not None


def select_all_federated_services(session: ReadSession) -> Sequence[tuple[FederatedService, MetricSource]]:
    """Return all federated services with their sources, by uq_federated_service_place."""
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


def select_federated_services(
    session: ReadSession, source_id: MetricSourceId, after: After, limit: int
) -> Sequence[tuple[FederatedService, Service, Environment]]:
    """Return the federated services of a source with names, newest first, by ix_federated_service_source."""
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


def find_federated_service(session: ReadSession, federated_service_id: UUID) -> FederatedService | None:
    """Return one federated service, by primary key."""
    return session.get(FederatedService, (session.team_id, federated_service_id))


def find_federated_service_at(session: ReadSession, environment_id: UUID, service_id: UUID) -> FederatedService | None:
    """Return the federated service of a service and environment, by uq_federated_service_place."""
    return session.scalars(
        select(FederatedService).where(
            FederatedService.team_id == session.team_id,
            FederatedService.environment_id == environment_id,
            FederatedService.service_id == service_id,
        )
    ).one_or_none()


def count_federated_services(session: ReadSession) -> int:
    """Return the number of federated services of the team."""
    found = select(func.count()).select_from(FederatedService).where(FederatedService.team_id == session.team_id)
    return session.scalars(found).one()


def update_scanned_until(session: WriteSession, federated_service_ids: Sequence[str], scanned_ms: int) -> None:
    """Record until when federated services were scanned, by primary key."""
    session.execute(
        update(FederatedService)
        .where(
            FederatedService.team_id == session.team_id,
            FederatedService.id.in_([UUID(each) for each in federated_service_ids]),
        )
        .values(scanned_until_ms=scanned_ms)
        .execution_options(synchronize_session=False)
    )
