"""Errors of execution traces and their excerpts."""

from slowpath.core.errors import Conflict, InvalidRequest, NotFound


class ExecutionTraceNotFound(NotFound):
    """The team has no decoded execution trace with this ID."""

    slug = "trace-not-found"
    title = "No such trace"


class TileNotFound(NotFound):
    """The trace has no such longest wait, or the wait has no such tile."""

    slug = "tile-not-found"
    title = "No such tile"


class InvalidExcerptRange(InvalidRequest):
    """The time range of the excerpt is empty or outside the trace."""

    slug = "window-refused"
    title = "The time range is outside the trace"


class ExcerptNotFound(NotFound):
    """The team has no such trace excerpt."""

    slug = "trace-cut-not-found"
    title = "No such excerpt"


class ExcerptNotReady(Conflict):
    """The excerpt is not finished."""

    slug = "trace-cut-not-ready"
    title = "The excerpt is not ready"
