"""Errors of metric sources."""

from slowpath.core.errors import Conflict, InvalidRequest, LimitExceeded, NotFound, TooLarge


class MetricSourceNotFound(NotFound):
    """The team has no such metric source."""

    slug = "metric-source-not-found"
    title = "No such metric source"


class TooManyMetricSources(LimitExceeded):
    """The team has reached the limit of metric sources."""

    slug = "too-many-metric-sources"
    title = "Too many metric sources"


class FederatedServiceNotFound(NotFound):
    """The source has no such federated service."""

    slug = "read-through-not-found"
    title = "No such federated service"


class ServiceAlreadyFederated(Conflict):
    """The service of this environment is federated already."""

    slug = "already-read-through"
    title = "The service is federated already"


class TooManyFederatedServices(LimitExceeded):
    """The team has reached the limit of federated services."""

    slug = "too-many-read-through"
    title = "Too many federated services"


class InvalidSourceCredentials(InvalidRequest):
    """The credentials cannot be sent, or must be entered again."""

    slug = "credentials-refused"
    title = "The credentials cannot be used"


class SourceRejectedQuery(InvalidRequest):
    """The source responded with an error, or not like a Prometheus API."""

    slug = "source-refused"
    title = "The source rejected the query"


class RangeSelectorNotSupported(SourceRejectedQuery):
    """The source does not support range selectors, which return raw samples."""

    slug = "range-selector-refused"


class PageTooLarge(TooLarge):
    """The samples of one metric in the shortest page exceed the size limit."""

    slug = "page-too-large"
    title = "The response is too large"


class ImportInProgress(Conflict):
    """Another import from this source is in progress."""

    slug = "import-goes-on"
    title = "An import is in progress"
