"""What can go wrong with stack-growth logs."""

from slowpath.core.errors import NotFound, Unavailable


class GrowthLogNotFound(NotFound):
    """The artifact is not a decoded stack-growth log of this team."""

    slug = "growth-log-not-found"
    title = "No such stack-growth log"


class GrowthLogUnreadable(Unavailable):
    """What was decoded can not be read any more: the store has lost or changed bytes."""

    slug = "growth-log-damaged"
    title = "The decoded log is damaged"
