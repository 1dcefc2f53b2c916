"""Delete all samples of services."""

from collections.abc import Sequence

from sqlalchemy import delete, select

from slowpath.core.db_sessions import WriteSession
from slowpath.core.ids import ServiceId
from slowpath.evidence.metrics import queries
from slowpath.evidence.metrics.tables import MetricChunk, MetricRollUp, MetricSeries


def delete_service_samples(session: WriteSession, service_ids: Sequence[ServiceId]) -> int:
    """Delete the series and samples of services; return the number of series. Writers of the team wait meanwhile.

    A series group has series of one service only, so its chunks are deleted as a whole. Compaction leaves out the samples
    of series that no longer exist.
    """
    settings = queries.settings_locked(session)
    of_services = (MetricSeries.team_id == session.team_id, MetricSeries.service_id.in_(service_ids))
    groups = session.scalars(select(MetricSeries.series_group_id).where(*of_services).distinct()).all()
    if settings is None or not groups:
        return 0
    for table in (MetricChunk, MetricRollUp):
        session.execute(
            delete(table)
            .where(table.team_id == session.team_id, table.id.in_(groups))
            .execution_options(synchronize_session=False)
        )
    deleted = session.execute(
        delete(MetricSeries).where(*of_services).returning(MetricSeries.id).execution_options(synchronize_session=False)
    )
    count = len(deleted.all())
    settings.series -= count
    settings.series_epoch += 1
    return count
