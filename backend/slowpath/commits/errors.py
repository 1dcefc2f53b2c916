"""What can go wrong with repositories and commits."""

from slowpath.core.errors import Conflict, NotFound, Refused, TooMany


class RepositoryNotFound(NotFound):
    """No such repository in this team."""

    slug = "repository-not-found"
    title = "No such repository"


class CommitNotFound(NotFound):
    """No such commit in this repository."""

    slug = "commit-not-found"
    title = "No such commit"


class NoRepository(NotFound):
    """Nobody said from which repository a service is built."""

    slug = "no-repository"
    title = "No repository"


class TooManyRepositories(TooMany):
    """The team has as many repositories as it may."""

    slug = "too-many-repositories"
    title = "Too many repositories"


class CredentialsRefused(Refused):
    """Credentials that can not be sent, or that must be given again."""

    slug = "credentials-refused"
    title = "These credentials can not be used"


class NotACommit(Refused):
    """An id that is not forty hexadecimal digits."""

    slug = "not-a-commit"
    title = "Not the id of a commit"


class RepositoryTaken(Conflict):
    """Another repository of the team has this address."""

    slug = "repository-taken"
    title = "This repository is there already"


class NotFetched(Conflict):
    """Only facts of the repository are pushed: nothing of it can be read."""

    slug = "not-fetched"
    title = "Nothing to read"
