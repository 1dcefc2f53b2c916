"""Errors of the catalog."""

from slowpath.core.errors import Conflict, InvalidRequest, NotFound


class ServiceNotFound(NotFound):
    """The team has no such service."""

    slug = "service-not-found"
    title = "No such service"


class EnvironmentNotFound(NotFound):
    """The team has no such environment."""

    slug = "environment-not-found"
    title = "No such environment"


class BuildNotFound(NotFound):
    """The team has no such build."""

    slug = "build-not-found"
    title = "No such build"


class CatalogNameTaken(Conflict):
    """The team already has an entry with this name."""

    slug = "name-taken"
    title = "The name is already used"


class ServiceIsExample(Conflict):
    """The service is part of the example data."""

    slug = "service-is-example"
    title = "The service is part of the example data"


class InvalidSlug(InvalidRequest):
    """The name contains no character of a slug."""

    slug = "not-a-slug"
    title = "The name cannot be used"


class DeploymentNotFound(NotFound):
    """The team has no such deployment."""

    slug = "deploy-not-found"
    title = "No such deployment"


class AnnotationNotFound(NotFound):
    """The team has no such annotation."""

    slug = "annotation-not-found"
    title = "No such annotation"


class NoDeploymentInEvent(InvalidRequest):
    """The event describes no completed deployment."""

    slug = "no-deploy"
    title = "No deployment in the event"


class InvalidTimeOrOrder(InvalidRequest):
    """A time range ends before it starts, or an order repeats a service or has an unknown one."""

    slug = "not-in-order"
    title = "Invalid time range or order"
