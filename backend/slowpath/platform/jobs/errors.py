"""What can go wrong with jobs and repeated requests."""

from slowpath.core.errors import Conflict, InvalidRequest, NotFound


class JobNotFound(NotFound):
    """No such job in this team."""

    slug = "job-not-found"
    title = "No such job"


class JobNotFinished(Conflict):
    """Only a job that has ended can be tried again."""

    slug = "job-still-open"
    title = "The job has not finished"


class JobAlreadyFinished(Conflict):
    """A job that has ended can not be cancelled."""

    slug = "job-ended"
    title = "The job has finished"


class IdempotencyKeyReused(InvalidRequest):
    """One idempotency key stood for two different requests."""

    slug = "idempotency-key-reused"
    title = "This Idempotency-Key was used for another request"
