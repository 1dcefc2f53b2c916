"""What can go wrong with sources."""

from slowpath.core.errors import Conflict, InvalidRequest, LimitExceeded, NotFound, TooLarge


class MetricSourceNotFound(NotFound):
    """No such source in this team."""

    slug = "metric-source-not-found"
    title = "No such source"


class TooManyMetricSources(LimitExceeded):
    """The team has as many sources as it may."""

    slug = "too-many-metric-sources"
    title = "Too many sources"


class FederatedServiceNotFound(NotFound):
    """No such service is read through to this source."""

    slug = "read-through-not-found"
    title = "Not read through"


class ServiceAlreadyFederated(Conflict):
    """The service of this environment is read through to some source."""

    slug = "already-read-through"
    title = "Read through already"


class TooManyFederatedServices(LimitExceeded):
    """The team reads as many services through as it may."""

    slug = "too-many-read-through"
    title = "Too many services"


class InvalidSourceCredentials(InvalidRequest):
    """Credentials that can not be sent, or that must be given again."""

    slug = "credentials-refused"
    title = "These credentials can not be used"


class SourceRejectedQuery(InvalidRequest):
    """The source answered that it will not, or in a way that its API does not."""

    slug = "source-refused"
    title = "The source refused"


class RangeSelectorNotSupported(SourceRejectedQuery):
    """The source does not answer range selectors, by which samples are had as they are."""

    slug = "range-selector-refused"


class PageTooLarge(TooLarge):
    """Not even the shortest page of a name is small enough."""

    slug = "page-too-large"
    title = "Too much at once"


class ImportInProgress(Conflict):
    """Another import from the same source has not ended."""

    slug = "import-goes-on"
    title = "An import goes on"
