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
    title = "No repository linked"


class TooManyRepositories(LimitExceeded):
    """The team has reached its limit of repositories."""

    slug = "too-many-repositories"
    title = "Too many repositories"


class InvalidGitCredentials(InvalidRequest):
    """Credentials that can not be sent, or that must be given again."""

    slug = "credentials-refused"
    title = "The credentials cannot be used"


class InvalidCommitSha(InvalidRequest):
    """An id that is not a commit SHA of 40 hexadecimal digits."""

    slug = "not-a-commit"
    title = "Not a commit SHA"


class RepositoryUrlTaken(Conflict):
    """Another repository of the team has this address."""

    slug = "repository-taken"
    title = "The repository already exists"


class RepositoryNotFetched(Conflict):
    """Only facts of the repository are pushed: nothing of it can be read."""

    slug = "not-fetched"
    title = "The repository is not fetched"
