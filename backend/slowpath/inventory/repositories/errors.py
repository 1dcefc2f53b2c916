"""Errors of repositories and commits."""

from slowpath.core.errors import Conflict, InvalidRequest, LimitExceeded, NotFound


class RepositoryNotFound(NotFound):
    """The team has no such repository."""

    slug = "repository-not-found"
    title = "No such repository"


class CommitNotFound(NotFound):
    """The repository has no such commit."""

    slug = "commit-not-found"
    title = "No such commit"


class RepositoryNotLinked(NotFound):
    """No repository is linked to the service."""

    slug = "no-repository"
    title = "No repository linked"


class TooManyRepositories(LimitExceeded):
    """The team has reached its limit of repositories."""

    slug = "too-many-repositories"
    title = "Too many repositories"


class InvalidGitCredentials(InvalidRequest):
    """The credentials cannot be sent, or must be entered again."""

    slug = "credentials-refused"
    title = "The credentials cannot be used"


class HostNotListed(Conflict):
    """The repositories of this code host cannot be listed."""

    slug = "host-not-listed"
    title = "The code host cannot be listed"


class InvalidCommitSha(InvalidRequest):
    """The value is not a commit SHA of 40 hexadecimal digits."""

    slug = "not-a-commit"
    title = "Not a commit SHA"


class RepositoryUrlTaken(Conflict):
    """Another repository of the team has this URL."""

    slug = "repository-taken"
    title = "The repository already exists"


class RepositoryNotFetched(Conflict):
    """Only commit metadata of the repository is pushed: its files are not available."""

    slug = "not-fetched"
    title = "The repository is not fetched"


class NoFormerDeployment(Conflict):
    """There is no deployment before this one, or the commit of one of both is unknown."""

    slug = "no-former-deployment"
    title = "No former deployment"
