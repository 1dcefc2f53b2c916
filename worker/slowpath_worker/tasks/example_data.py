"""Add and remove example data: the files under `worker/example`, recorded as senders would send them."""

from contextlib import suppress
from typing import Final
from uuid import UUID

from slowpath.core.db_sessions import WriteSession
from slowpath.core.errors import NotFound
from slowpath.core.ids import ArtifactId
from slowpath.evidence.artifacts.rules import ArtifactState
from slowpath.evidence.artifacts.service import artifacts
from slowpath.operations.example_data.errors import ExampleDataNotInstalled
from slowpath.operations.example_data.jobs import (
    AddExampleData,
    DeleteExampleHistory,
    ExplainExampleGap,
    RemoveExampleData,
)
from slowpath.operations.example_data.rules import ExampleDataState
from slowpath.operations.example_data.service import example_removal, example_state
from slowpath.operations.retention.service import build_comparisons
from slowpath.sharing.inbox.service import triage_retention
from slowpath.verdicts.gap_explanations.service import gap_explanations
from slowpath_worker.example_additions import EXAMPLE, add_example
from slowpath_worker.example_evidence import find_largest_gap
from slowpath_worker.job_context import JobContext, JobFailure, Postponed

__all__ = [
    "AddExampleData",
    "DeleteExampleHistory",
    "ExplainExampleGap",
    "RemoveExampleData",
    "add_example_data",
    "delete_example_history",
    "explain_example_gap",
    "record_addition_failure",
    "record_removal_failure",
    "remove_example_data",
]

OPEN_STATES: Final = frozenset({ArtifactState.RECEIVED, ArtifactState.DECODING})
DECODING_PAUSE_S = 2.0
"""Pause while the spans or the trace of the gap are not decoded."""
HISTORY_PAUSE_S = 30.0
"""Pause while a job of a deleted subject runs or waits."""


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
    with context.writing() as session:
        example_removal.schedule_history_deletion(session)
    _remove_contents(context)
    with context.finishing() as session:
        example_state.delete_record(session)


def explain_example_gap(job: ExplainExampleGap, context: JobContext) -> None:
    """Request the explanation of the largest gap as soon as spans and trace are decoded; nothing if they are gone."""
    with context.reading() as session:
        ids = [ArtifactId(UUID(each)) for each in job.artifact_ids]
        files = [] if any(artifacts.is_gone(session, each) for each in ids) else artifacts.get_artifacts(session, ids)
        if any(each.state in OPEN_STATES for each in files):
            raise Postponed(DECODING_PAUSE_S)
        gap = find_largest_gap(session, context.blobs, files, job.trace, job.service)
    with context.finishing() as session:
        if gap is not None:
            with suppress(NotFound):  # removed meanwhile
                gap_explanations.request_explanation(session, context.blobs, *gap)


def delete_example_history(job: DeleteExampleHistory, context: JobContext) -> None:
    """Delete what happened to the removed example, again until none of its subjects has a job."""
    services, subjects = [UUID(each) for each in job.service_ids], [UUID(each) for each in job.subject_ids]
    with context.writing() as session:
        is_complete = example_removal.delete_history(session, services, subjects)
    if not is_complete:
        raise Postponed(HISTORY_PAUSE_S)
    with context.finishing():
        pass


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
