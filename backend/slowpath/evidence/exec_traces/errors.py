"""What can go wrong with execution traces."""

from slowpath.core.errors import Conflict, InvalidRequest, NotFound


class ExecutionTraceNotFound(NotFound):
    """The artifact is not a decoded execution trace of this team."""

    slug = "trace-not-found"
    title = "No such trace"


class TileNotFound(NotFound):
    """The trace has no such wait, or the wait no such tile."""

    slug = "tile-not-found"
    title = "No such tile"


class InvalidExcerptRange(InvalidRequest):
    """The part that is to be cut out is not inside the trace."""

    slug = "window-refused"
    title = "The window can not be cut out"


class ExcerptNotFound(NotFound):
    """No such piece of a trace in this team."""

    slug = "trace-cut-not-found"
    title = "No such piece"


class ExcerptNotReady(Conflict):
    """The piece is not cut yet."""

    slug = "trace-cut-not-ready"
    title = "The piece is not ready"
