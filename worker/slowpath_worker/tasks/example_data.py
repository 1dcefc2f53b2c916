"""Add and remove example data: the files under `worker/example`, recorded as senders would send them."""

from slowpath.core.db_sessions import WriteSession
from slowpath.operations.example_data.errors import ExampleDataNotInstalled
from slowpath.operations.example_data.jobs import AddExampleData, RemoveExampleData
from slowpath.operations.example_data.rules import ExampleDataState
from slowpath.operations.example_data.service import example_removal, example_state
from slowpath.operations.retention.service import build_comparisons
from slowpath.sharing.inbox.service import triage_retention
from slowpath_worker.example_additions import EXAMPLE, add_example
from slowpath_worker.job_context import JobContext, JobFailure

__all__ = [
    "AddExampleData",
    "RemoveExampleData",
    "add_example_data",
    "record_addition_failure",
    "record_removal_failure",
    "remove_example_data",
]


def add_example_data(_job: AddExampleData, context: JobContext) -> None:
    """Add the example's services with their data. What an interrupted attempt had added is deleted first."""
    if not EXAMPLE.is_dir():
        raise ExampleDataNotInstalled(
            "This installation does not contain the files of the example.", remedy="Use the image of the release."
        )
    with context.reading() as session:
        is_new = not example_state.get_status(session).services
    if not is_new:
        _remove_contents(context)
    add_example(context)
    with context.finishing() as session:
        example_state.require_wanted(session)
        example_state.record_added(session)


def remove_example_data(_job: RemoveExampleData, context: JobContext) -> None:
    """Delete the example's services with all their data and bytes, and nothing of the team's own."""
    _remove_contents(context)
    with context.finishing() as session:
        example_state.delete_record(session)


def record_addition_failure(session: WriteSession, _job: AddExampleData, failure: JobFailure) -> None:
    """Record why the example was not added. What was added remains until it is removed or added again."""
    example_state.record_failure(session, ExampleDataState.ADDING, failure.problem)


def record_removal_failure(session: WriteSession, _job: RemoveExampleData, failure: JobFailure) -> None:
    """Record why the example was not removed as a whole."""
    example_state.record_failure(session, ExampleDataState.REMOVING, failure.problem)


def _remove_contents(context: JobContext) -> None:
    context.progress("removing comparisons", 0.1)
    while True:
        with context.writing() as session:
            if not example_removal.delete_comparisons(session):
                break
    context.progress("removing files", 0.4)
    while True:
        with context.writing() as session:
            if not example_removal.delete_artifacts(session):
                break
    context.progress("removing services", 0.8)
    with context.writing() as session:
        example_removal.delete_services(session)
        triage_retention.delete_orphaned_triage(session, context.clock.now())
    while True:  # comparisons of builds that were evaluated meanwhile
        with context.writing() as session:
            if not build_comparisons.delete_unused_build_comparisons(session):
                return
