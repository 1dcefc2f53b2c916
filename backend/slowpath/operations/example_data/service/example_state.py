"""Request, and record the state of, the example data of a team."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from slowpath.core.db_sessions import ReadSession, WriteSession
from slowpath.core.ids import EnvironmentId, ExampleDataId, JobId, ReportId, RepositoryId, new_id
from slowpath.core.jobs import JobRow, enqueue
from slowpath.inventory.catalog.tables import Service
from slowpath.operations.example_data import queries
from slowpath.operations.example_data.errors import ExampleDataConflict, ExampleDataNotFound
from slowpath.operations.example_data.jobs import AddExampleData, RemoveExampleData
from slowpath.operations.example_data.rules import ENVIRONMENT, NO_OWN_DATA, SERVICES, ExampleDataState, OwnData
from slowpath.operations.example_data.tables import ExampleData
from slowpath.platform.jobs import service as work


@dataclass(frozen=True)
class ExampleDataStatus:
    """Example data of a team: its row (None: there is none), its services and its last job."""

    row: ExampleData | None
    services: Sequence[Service] = ()
    series: int = 0
    own: OwnData = NO_OWN_DATA
    job: JobRow | None = None


def get_status(session: ReadSession) -> ExampleDataStatus:
    """Return the state of the team's example data."""
    row = queries.select_example(session)
    if row is None:
        return ExampleDataStatus(None)
    job = work.get_jobs_by_id(session, [JobId(row.job_id)]).get(JobId(row.job_id)) if row.job_id else None
    services, series = queries.select_example_services(session), queries.count_example_series(session)
    return ExampleDataStatus(row, services, series, queries.select_own_data(session), job)


def request_addition(session: WriteSession) -> ExampleData:
    """Enqueue the job that adds example data; a failed addition is repeated. Raises `ExampleDataConflict`."""
    row = queries.lock_example(session)
    if row is not None and row.state != ExampleDataState.FAILED:
        raise ExampleDataConflict("The team has example data already.", remedy="Remove it first.")
    if row is None:
        taken = queries.select_taken_names(session, SERVICES, ENVIRONMENT)
        if taken:
            raise ExampleDataConflict(
                f"The team has services or environments with names of the example: {', '.join(taken)}.",
                remedy="Add the example to another team.",
            )
        row = ExampleData(team_id=session.team_id, id=new_id(), state=ExampleDataState.ADDING, repository_ids=[])
        session.add(row)
        session.flush()
    row.state, row.problem = ExampleDataState.ADDING, None
    row.job_id = enqueue(session, AddExampleData(ExampleDataId(row.id)))
    return row


def request_removal(session: WriteSession) -> ExampleData:
    """Enqueue the job that removes example data; a running addition is cancelled. Raises `ExampleDataNotFound`."""
    row = queries.lock_example(session)
    if row is None:
        raise ExampleDataNotFound("The team has no example data.")
    if row.state == ExampleDataState.REMOVING:
        return row
    if row.job_id is not None:
        work.abandon_job(session, JobId(row.job_id))
    row.state, row.problem = ExampleDataState.REMOVING, None
    row.job_id = enqueue(session, RemoveExampleData(ExampleDataId(row.id)))
    return row


def require_wanted(session: WriteSession) -> None:
    """Lock the example data that is being added. Raises `ExampleDataNotFound` if its removal was requested meanwhile."""
    if _locked(session).state != ExampleDataState.ADDING:
        raise ExampleDataNotFound("The example data is removed.")


def record_environment(session: WriteSession, environment_id: EnvironmentId) -> None:
    """Record the environment that was created for the example."""
    _locked(session).environment_id = environment_id


def record_repository(session: WriteSession, repository_id: RepositoryId) -> None:
    """Record a repository that was created for the example."""
    row = _locked(session)
    row.repository_ids = [*row.repository_ids, UUID(str(repository_id))]


def record_report(session: WriteSession, report_id: ReportId) -> None:
    """Record the report that was created for the example."""
    _locked(session).report_id = report_id


def record_added(session: WriteSession) -> None:
    """Record that the example is complete."""
    _locked(session).state = ExampleDataState.ADDED


def record_failure(session: WriteSession, state: ExampleDataState, problem: dict[str, Any]) -> None:
    """Record why adding or removing failed, unless the row is gone or another job has taken over."""
    row = queries.lock_example(session)
    if row is not None and row.state == state:
        row.state, row.problem = ExampleDataState.FAILED, problem


def delete_record(session: WriteSession) -> None:
    """Delete the row of the example data: it can then be added again."""
    row = queries.lock_example(session)
    if row is not None:
        session.delete(row)


def _locked(session: WriteSession) -> ExampleData:
    row = queries.lock_example(session)
    if row is None:
        raise ExampleDataNotFound("The example data was removed meanwhile.")
    return row
