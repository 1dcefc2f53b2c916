"""Delete the example data of a team, and nothing of the team's own."""

from collections.abc import Sequence
from uuid import UUID

from slowpath.core.db_sessions import WriteSession
from slowpath.core.ids import ComparisonId, EnvironmentId, ReportId, RepositoryId, ServiceId
from slowpath.core.jobs import enqueue
from slowpath.evidence.artifacts.service import artifacts
from slowpath.evidence.metrics.service import service_samples
from slowpath.inventory.catalog import service as catalog
from slowpath.inventory.repositories.service import repositories
from slowpath.operations.example_data import queries
from slowpath.operations.example_data.jobs import DeleteExampleHistory
from slowpath.platform.jobs import service as work
from slowpath.sharing.discussions.service import activity_feed
from slowpath.sharing.notifications.service import event_log
from slowpath.sharing.reports.service import reports
from slowpath.verdicts.comparisons.service import comparisons

BATCH_SIZE = 100
HISTORY_DELAY_S = 10.0
"""Pause after which what happened to the example is deleted: jobs of the removal are finished then, mostly."""


def schedule_history_deletion(session: WriteSession) -> None:
    """Note all subjects of the example before they are deleted, for the job that deletes what happened to them."""
    row = queries.lock_example(session)
    services = [str(each.id) for each in queries.select_example_services(session)]
    subjects = [str(each) for each in queries.select_example_subjects(session)]
    if row is not None:
        places = (row.id, row.environment_id, row.report_id, *row.repository_ids)
        subjects += [str(each) for each in places if each is not None]
    enqueue(session, DeleteExampleHistory(session.team_id, services, subjects), after_s=HISTORY_DELAY_S)


def delete_history(session: WriteSession, service_ids: Sequence[UUID], subject_ids: Sequence[UUID]) -> bool:
    """Delete activities, events and finished jobs of deleted subjects; return whether none of them has a job left."""
    activity_feed.hide_activity(session, subject_ids)
    event_log.delete_events_of_services(session, service_ids)
    return work.delete_finished_jobs(session, subject_ids)


def delete_comparisons(session: WriteSession) -> int:
    """Delete a batch of comparisons whose artifacts are all of the example.

    Returns their number, 0 if none is left. A comparison with an artifact of the team remains: it loses its other side.
    """
    found = queries.select_example_comparisons(session, BATCH_SIZE)
    for each in found:
        comparisons.delete_comparison(session, ComparisonId(each))
    return len(found)


def delete_artifacts(session: WriteSession) -> int:
    """Delete a batch of artifacts; a job deletes their bytes unless another artifact has the same. Returns their number."""
    found = queries.select_example_artifacts(session, BATCH_SIZE)
    artifacts.delete_artifacts(session, found)
    return len(found)


def delete_services(session: WriteSession) -> None:
    """Delete the example's services with all that belongs to them, its environment and its repositories.

    The environment and the repositories remain if the team's own services use them.
    """
    row = queries.lock_example(session)
    services = [ServiceId(each.id) for each in queries.select_example_services(session)]
    service_samples.delete_service_samples(session, services)
    for service_id in services:
        catalog.delete_service(session, service_id, is_example=True)
    session.flush()
    if row is None:
        return
    if row.report_id is not None:
        reports.delete_report(session, ReportId(row.report_id))
    if row.environment_id is not None and not queries.is_environment_used(session, row.environment_id):
        catalog.delete_environment(session, EnvironmentId(row.environment_id))
    for repository_id in row.repository_ids:
        if not queries.is_repository_linked(session, repository_id):
            repositories.delete_repository(session, RepositoryId(repository_id))
    row.report_id, row.environment_id, row.repository_ids = None, None, []
    session.flush()
