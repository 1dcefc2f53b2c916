"""Errors of comparisons, views and exports."""

from slowpath.core.errors import Conflict, InvalidRequest, LimitExceeded, NotFound


class ComparisonNotFound(NotFound):
    """The team has no such comparison."""

    slug = "comparison-not-found"
    title = "No such comparison"


class ViewNotFound(NotFound):
    """The comparison has no such view."""

    slug = "view-not-found"
    title = "No such view"


class ExportNotFound(NotFound):
    """The team has no such export."""

    slug = "export-not-found"
    title = "No such export"


class ViewNotReady(Conflict):
    """The view is not computed yet, or computing it failed."""

    slug = "view-not-ready"
    title = "The view is not ready"


class ExportNotReady(Conflict):
    """The export is not written yet, or writing it failed."""

    slug = "export-not-ready"
    title = "The export is not ready"


class ComparisonNotFinished(Conflict):
    """The comparison has no result yet."""

    slug = "comparison-not-done"
    title = "The comparison is not finished"


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


class InvalidPattern(InvalidRequest):
    """The search pattern is not a valid regular expression."""

    slug = "pattern-refused"
    title = "Invalid search pattern"


class NodeNotFound(NotFound):
    """The view has no such node."""

    slug = "node-not-found"
    title = "No such node"


class ArtifactKindNotCompared(NotFound):
    """The comparison has no artifacts of this kind on both sides."""

    slug = "part-not-found"
    title = "No such result"
