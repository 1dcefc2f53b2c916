"""What can go wrong in the catalog."""

from slowpath.core.errors import Conflict, InvalidRequest, NotFound


class ServiceNotFound(NotFound):
    """No such service in this team."""

    slug = "service-not-found"
    title = "No such service"


class EnvironmentNotFound(NotFound):
    """No such environment in this team."""

    slug = "environment-not-found"
    title = "No such environment"


class BuildNotFound(NotFound):
    """No such build in this team."""

    slug = "build-not-found"
    title = "No such build"


class CatalogNameTaken(Conflict):
    """The team has one of this name already."""

    slug = "name-taken"
    title = "The name is already used"


class InvalidSlug(InvalidRequest):
    """The name has nothing a slug could be made of."""

    slug = "not-a-slug"
    title = "The name cannot be used"


class DeploymentNotFound(NotFound):
    """No such deploy in this team."""

    slug = "deploy-not-found"
    title = "No such deployment"


class AnnotationNotFound(NotFound):
    """No such annotation in this team."""

    slug = "annotation-not-found"
    title = "No such annotation"


class NoDeploymentInEvent(InvalidRequest):
    """The message tells of no deploy that happened."""

    slug = "no-deploy"
    title = "No deployment in the event"


class InvalidTimeOrOrder(InvalidRequest):
    """A time ends before it begins, or an order names a service twice or one that is not there."""

    slug = "not-in-order"
    title = "Invalid time range or order"
