"""What can go wrong with spans."""

from slowpath.core.errors import InvalidRequest, NotFound, TooLarge


class SpanSetNotFound(NotFound):
    """The artifact is not a decoded set of spans of this team."""

    slug = "span-set-not-found"
    title = "No such set of spans"


class SpanTraceNotFound(NotFound):
    """The set has no trace of this id."""

    slug = "span-trace-not-found"
    title = "No such trace"


class MalformedSpanPush(InvalidRequest):
    """What was pushed is not what OTLP says it is."""

    slug = "push-not-understood"
    title = "The spans are not understood"


class SpanPushTooLarge(TooLarge):
    """What was pushed unpacks to more than one push may hold."""

    slug = "push-too-large"
    title = "The push is too large"
