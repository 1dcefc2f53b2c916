"""What can go wrong with keeping and taking away."""

from slowpath.core.errors import Conflict, InvalidRequest, NotFound


class InvalidRetentionRule(InvalidRequest):
    """A kind that nothing is known of, or a time that is too short."""

    slug = "retention-refused"
    title = "Nothing can be kept so"


class TeamExportNotFound(NotFound):
    """No such export of the team's data, or it has expired."""

    slug = "team-export-not-found"
    title = "No such export"


class TeamExportNotReady(Conflict):
    """It is not finished, or never will be."""

    slug = "team-export-not-ready"
    title = "The export is not ready"


class TeamExportInProgress(Conflict):
    """One at a time is enough."""

    slug = "team-export-under-way"
    title = "An export is under way"


class RangeNotSatisfiable(InvalidRequest):
    """A range of bytes that the file does not have."""

    slug = "range-refused"
    title = "The file has no such range"
