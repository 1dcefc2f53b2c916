"""Errors of span sets and pushed spans."""

from slowpath.core.errors import InvalidRequest, NotFound, TooLarge


class SpanSetNotFound(NotFound):
    """The team has no decoded span set with this ID."""

    slug = "span-set-not-found"
    title = "No such span set"


class SpanTraceNotFound(NotFound):
    """The span set has no trace with this ID."""

    slug = "span-trace-not-found"
    title = "No such trace"


class MalformedSpanPush(InvalidRequest):
    """The pushed body is not a valid OTLP export request."""

    slug = "push-not-understood"
    title = "The spans cannot be parsed"


class SpanPushTooLarge(TooLarge):
    """The decompressed push exceeds the size limit."""

    slug = "push-too-large"
    title = "The push is too large"
