"""Errors of stack-growth logs."""

from slowpath.core.errors import NotFound, Unavailable


class GrowthLogNotFound(NotFound):
    """The team has no decoded stack-growth log with this ID."""

    slug = "growth-log-not-found"
    title = "No such stack-growth log"


class GrowthLogUnreadable(Unavailable):
    """The decoded log cannot be read: its stored bytes are damaged."""

    slug = "growth-log-damaged"
    title = "The decoded log is damaged"
