"""Errors of comparisons; those of views and exports are in `evidence.profiles`."""

from slowpath.core.errors import Conflict, InvalidRequest, LimitExceeded, NotFound


class ComparisonNotFound(NotFound):
    """The team has no such comparison."""

    slug = "comparison-not-found"
    title = "No such comparison"


class ComparisonNotFinished(Conflict):
    """The comparison has no result yet."""

    slug = "comparison-not-done"
    title = "The comparison is not finished"


class AssigneeUnknown(InvalidRequest):
    """The assignee is not a member of the team."""

    slug = "assignee-not-in-team"
    title = "The assignee is not in the team"


class EmptySide(InvalidRequest):
    """A side has neither artifacts nor a time range."""

    slug = "side-empty"
    title = "A side is empty"


class RefNotFound(NotFound):
    """The service has no branch or tag of this name."""

    slug = "ref-not-found"
    title = "No such branch or tag"


class SidesOverlap(InvalidRequest):
    """The same artifact is on both sides with the same labels, or twice on one side."""

    slug = "sides-overlap"
    title = "An artifact is listed twice"


class LabelsNotFound(InvalidRequest):
    """No sample of a side has the labels that select its samples."""

    slug = "labels-not-found"
    title = "No sample has these labels"


class LabelsWithoutProfiles(InvalidRequest):
    """Labels select samples of a side that has no artifacts."""

    slug = "labels-without-profiles"
    title = "Labels need profiles"


class InvalidTimeRange(InvalidRequest):
    """A time range is reversed, too long, out of range, or overlaps that of the other side."""

    slug = "window-refused"
    title = "Invalid time range"


class TooManyArtifacts(LimitExceeded):
    """A side has more artifacts than the limit."""

    slug = "too-many-artifacts"
    title = "Too many artifacts"


class NothingToCompare(InvalidRequest):
    """The two sides have no artifact kind in common that can be compared."""

    slug = "nothing-to-compare"
    title = "Nothing to compare"


class ArtifactKindNotCompared(NotFound):
    """The comparison has no artifacts of this kind on both sides."""

    slug = "part-not-found"
    title = "No such result"
