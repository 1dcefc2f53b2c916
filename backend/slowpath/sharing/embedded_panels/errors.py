"""Errors of embedded panels."""

from slowpath.core.errors import Gone, InvalidRequest, LimitExceeded, NotFound


class EmbeddedPanelNotFound(NotFound):
    """The team has no such embedded panel, or the link is not one of this server."""

    slug = "embedded-panel-not-found"
    title = "No such embedded panel"


class EmbeddedPanelEnded(Gone):
    """The link is no longer valid: revoked, expired, or share links are disabled."""

    slug = "embedded-panel-ended"
    title = "The embedded panel is no longer available"


class EmbeddingDisabled(InvalidRequest):
    """The team does not allow share links."""

    slug = "embedding-disabled"
    title = "Share links are disabled"


class TooManyEmbeddedPanels(LimitExceeded):
    """The team has reached its limit of embedded panels."""

    slug = "too-many-embedded-panels"
    title = "Too many embedded panels"


class TooManyPanelViews(LimitExceeded):
    """Too many requests from one IP address."""

    slug = "too-many-panel-views"
    title = "Too many requests"
