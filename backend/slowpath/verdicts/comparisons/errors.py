"""What can go wrong with comparisons."""

from slowpath.core.errors import Conflict, InvalidRequest, LimitExceeded, NotFound


class ComparisonNotFound(NotFound):
    """No such comparison in this team."""

    slug = "comparison-not-found"
    title = "No such comparison"


class ViewNotFound(NotFound):
    """The comparison has no such view."""

    slug = "view-not-found"
    title = "No such view"


class ExportNotFound(NotFound):
    """No such export in this team."""

    slug = "export-not-found"
    title = "No such export"


class ViewNotReady(Conflict):
    """The view is still being cut, or could not be."""

    slug = "view-not-ready"
    title = "The view is not ready"


class ExportNotReady(Conflict):
    """The export is still being made, or could not be."""

    slug = "export-not-ready"
    title = "The export is not ready"


class ComparisonNotFinished(Conflict):
    """The comparison has no result yet."""

    slug = "comparison-not-done"
    title = "The comparison is not done"


class EmptySide(InvalidRequest):
    """A side has no artifacts."""

    slug = "side-empty"
    title = "A side is empty"


class SidesOverlap(InvalidRequest):
    """The same artifact stands on both sides, or twice on one."""

    slug = "sides-overlap"
    title = "An artifact stands twice"


class InvalidTimeRange(InvalidRequest):
    """A window of metrics that can not be compared: reversed, too long, out of range, or overlapping the other side's."""

    slug = "window-refused"
    title = "The window can not be compared"


class TooManyArtifacts(LimitExceeded):
    """A side has more artifacts than can be compared."""

    slug = "too-many-artifacts"
    title = "Too many artifacts"


class NothingToCompare(InvalidRequest):
    """The two sides have no kind of artifact in common that can be compared."""

    slug = "nothing-to-compare"
    title = "Nothing to compare"


class InvalidPattern(InvalidRequest):
    """The search pattern is not a regular expression that can be run safely."""

    slug = "pattern-refused"
    title = "The pattern can not be used"


class NodeNotFound(NotFound):
    """The view has no such node."""

    slug = "node-not-found"
    title = "No such node"


class ArtifactKindNotCompared(NotFound):
    """The comparison has no artifacts of this sort on both sides."""

    slug = "part-not-found"
    title = "No such part"
