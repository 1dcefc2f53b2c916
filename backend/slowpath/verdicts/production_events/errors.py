"""Errors of production events."""

from slowpath.core.errors import InvalidRequest, NotFound


class ProductionEventNotFound(NotFound):
    """The team has no such production event."""

    slug = "production-event-not-found"
    title = "No such production event"


class ProductionAssigneeNotInTeam(InvalidRequest):
    """Only members of the team can be assigned a production event."""

    slug = "assignee-not-in-team"
    title = "Not a member of the team"


class InvalidFix(InvalidRequest):
    """A fix names exactly one commit, build or deployment."""

    slug = "invalid-fix"
    title = "The fix is not clear"
