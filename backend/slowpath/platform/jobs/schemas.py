"""Wire shapes of jobs."""

from datetime import datetime
from typing import Literal
from uuid import UUID

from pydantic import BaseModel

from slowpath.core.jobs import JobRow
from slowpath.platform.http.problems import StoredProblem

JobStateName = Literal["waiting", "running", "done", "failed", "cancelled"]


class JobSubject(BaseModel):
    """The object that a job processes."""

    kind: str
    id: UUID
    name: str | None = None
    """Its name, in lists of jobs; null if it has none or was deleted."""


class JobOut(BaseModel):
    """A job: its progress, and its error if it failed."""

    id: UUID
    name: str
    state: JobStateName
    progress: float
    step: str
    subject: JobSubject
    attempts: int
    max_attempts: int
    cancel_requested: bool
    problem: StoredProblem
    created_at: datetime
    started_at: datetime | None
    finished_at: datetime | None
    created_by: UUID | None


def make_job_out(row: JobRow, subject_name: str | None = None) -> JobOut:
    """Return the wire shape of a job."""
    return JobOut.model_validate(
        {
            "id": row.id,
            "name": row.name,
            "state": row.state,
            "progress": row.progress,
            "step": row.step,
            "subject": {"kind": row.subject_kind, "id": row.subject_id, "name": subject_name},
            "attempts": row.attempts,
            "max_attempts": row.max_attempts,
            "cancel_requested": row.cancel_requested,
            "problem": row.problem,
            "created_at": row.created_at,
            "started_at": row.started_at,
            "finished_at": row.finished_at,
            "created_by": row.created_by,
        }
    )
