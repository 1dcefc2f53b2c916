"""Errors of jobs and idempotent requests."""

from slowpath.core.errors import Conflict, InvalidRequest, NotFound


class JobNotFound(NotFound):
    """The team has no such job."""

    slug = "job-not-found"
    title = "No such job"


class JobNotFinished(Conflict):
    """Only a finished job can be retried."""

    slug = "job-still-open"
    title = "The job has not finished"


class JobAlreadyFinished(Conflict):
    """A finished job cannot be cancelled."""

    slug = "job-ended"
    title = "The job has finished"


class IdempotencyKeyReused(InvalidRequest):
    """One idempotency key was used for two different requests."""

    slug = "idempotency-key-reused"
    title = "This Idempotency-Key was used for another request"
