"""What can go wrong with stack-growth logs."""

from slowpath.core.errors import NotFound


class GrowthLogNotFound(NotFound):
    """The artifact is not a decoded stack-growth log of this team."""

    slug = "growth-log-not-found"
    title = "No such stack-growth log"
