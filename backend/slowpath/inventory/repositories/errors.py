"""What can go wrong with repositories and commits."""

from slowpath.core.errors import Conflict, InvalidRequest, LimitExceeded, NotFound


class RepositoryNotFound(NotFound):
    """No such repository in this team."""

    slug = "repository-not-found"
    title = "No such repository"


class CommitNotFound(NotFound):
    """No such commit in this repository."""

    slug = "commit-not-found"
    title = "No such commit"


class RepositoryNotLinked(NotFound):
    """Nobody said from which repository a service is built."""

    slug = "no-repository"
    title = "No repository"


class TooManyRepositories(LimitExceeded):
    """The team has as many repositories as it may."""

    slug = "too-many-repositories"
    title = "Too many repositories"


class InvalidGitCredentials(InvalidRequest):
    """Credentials that can not be sent, or that must be given again."""

    slug = "credentials-refused"
    title = "These credentials can not be used"


class InvalidCommitSha(InvalidRequest):
    """An id that is not forty hexadecimal digits."""

    slug = "not-a-commit"
    title = "Not the id of a commit"


class RepositoryUrlTaken(Conflict):
    """Another repository of the team has this address."""

    slug = "repository-taken"
    title = "This repository is there already"


class RepositoryNotFetched(Conflict):
    """Only facts of the repository are pushed: nothing of it can be read."""

    slug = "not-fetched"
    title = "Nothing to read"
