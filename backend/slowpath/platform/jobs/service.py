"""Operations on jobs: read, retry, cancel; and idempotent requests."""

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import func
from sqlalchemy.dialects.postgresql import insert

from slowpath.core.db_sessions import ReadSession, WriteSession
from slowpath.core.ids import JobId, new_id
from slowpath.core.jobs import JobRow, JobState, Priority
from slowpath.platform.jobs import queries
from slowpath.platform.jobs.errors import IdempotencyKeyReused, JobAlreadyFinished, JobNotFinished, JobNotFound
from slowpath.platform.jobs.tables import IdempotentRequest

NamedColumns = queries.NamedColumns

OPEN_STATES = (JobState.WAITING, JobState.RUNNING)


def get_job(session: ReadSession, job_id: JobId) -> JobRow:
    """Return the job. Raises `JobNotFound`."""
    row = queries.job(session, job_id)
    if row is None:
        raise JobNotFound("The team has no such job.")
    return row


def list_jobs(
    session: ReadSession, *, after: tuple[datetime, UUID] | None, limit: int, states: Sequence[str] = ()
) -> Sequence[JobRow]:
    """Return up to `limit` jobs, newest first; with `states`, only those."""
    return queries.select_jobs(session, after=after, limit=limit, states=states)


def get_subject_names(
    session: ReadSession, named: Mapping[str, NamedColumns], rows: Sequence[JobRow]
) -> Mapping[tuple[str, UUID], str]:
    """Return the names of the subjects of jobs by kind and ID; absent for kinds without names and deleted objects."""
    ids: dict[str, list[UUID]] = {}
    for row in rows:
        ids.setdefault(row.subject_kind, []).append(row.subject_id)
    return queries.select_subject_names(session, named, ids)


def get_jobs_by_id(session: ReadSession, job_ids: Sequence[JobId | None]) -> dict[JobId, JobRow]:
    """Return the jobs with these IDs in one query; unknown IDs are absent."""
    return {JobId(row.id): row for row in queries.select_jobs_by_id(session, [job_id for job_id in job_ids if job_id])}


def find_open_job(session: ReadSession, subject_kind: str, subject_id: UUID) -> JobRow | None:
    """Return the newest unfinished job of a subject, if there is one."""
    return queries.select_open_job(session, subject_kind, subject_id, OPEN_STATES)


def retry_job(session: WriteSession, job_id: JobId) -> JobRow:
    """Retry a failed or cancelled job. Raises `JobNotFound`, `JobNotFinished`."""
    row = get_job(session, job_id)
    if row.state in OPEN_STATES:
        raise JobNotFinished("The job has not finished yet.", remedy="Wait for it, or cancel it first.")
    if row.state == JobState.DONE:
        raise JobNotFinished("The job succeeded; only a failed job can be retried.", slug="job-done")
    row.state = JobState.WAITING
    row.attempts = 0
    row.priority = Priority.INTERACTIVE
    row.progress = 0.0
    row.step = ""
    row.problem = None
    row.cancel_requested = False
    row.finished_at = None
    row.lease_expires_at = None
    row.send_count = 0
    row.due_at = row.not_before = func.clock_timestamp()
    session.flush()  # the database sets the time, which the response contains
    return row


def cancel_job(session: WriteSession, job_id: JobId) -> JobRow:
    """Request the cancellation of a job. A worker ends it, so that its subject is updated too.

    Raises `JobNotFound`, `JobAlreadyFinished`.
    """
    row = get_job(session, job_id)
    if row.state not in OPEN_STATES:
        raise JobAlreadyFinished(f"The job is already {row.state}.")
    row.cancel_requested = True
    if row.state == JobState.WAITING:
        row.priority = Priority.CANCELLED
        row.send_count = 0
        row.due_at = row.not_before = func.clock_timestamp()
    session.flush()  # the database sets the time, which the response contains
    return row


def abandon_job(session: WriteSession, job_id: JobId) -> None:
    """Request the cancellation of a job whose subject was deleted; a finished or missing job is ignored."""
    row = queries.job(session, job_id)
    if row is not None and row.state in OPEN_STATES:
        cancel_job(session, job_id)


def delete_finished_jobs(session: WriteSession, subject_ids: Sequence[UUID]) -> bool:
    """Delete the finished jobs of subjects that were deleted; return whether none of them has a job left."""
    queries.delete_jobs(session, subject_ids, [each for each in JobState if each not in OPEN_STATES])
    return not queries.has_jobs(session, subject_ids, OPEN_STATES)


def run_idempotent(
    session: WriteSession,
    operation: str,
    key: str | None,
    asked: Any,  # noqa: ANN401 - any JSON value
    make: Callable[[], UUID],
) -> UUID:
    """Return the ID that `make` returns, or the one it returned when this key was first used.

    The key's row is written first and in the same transaction as the rows of `make`: a second request with the key waits
    for the first and then finds its result. Raises `IdempotencyKeyReused` if the request differs.
    """
    if key is None:
        return make()
    fingerprint = hashlib.sha256(json.dumps(asked, sort_keys=True, default=str).encode()).hexdigest()
    row_id = new_id()
    inserted = session.execute(
        insert(IdempotentRequest)
        .values(
            team_id=session.team_id,
            id=row_id,
            operation=operation,
            key=key,
            fingerprint=fingerprint,
            subject_id=row_id,
        )
        .on_conflict_do_nothing(index_elements=["team_id", "operation", "key"])
        .returning(IdempotentRequest.id)
    ).scalar_one_or_none()
    earlier = queries.select_idempotent_request(session, operation, key)
    assert earlier is not None
    if inserted is None:
        if earlier.fingerprint != fingerprint:
            raise IdempotencyKeyReused("The key was already used for another request.", remedy="Use a new key.")
        return earlier.subject_id
    earlier.subject_id = make()
    return earlier.subject_id
