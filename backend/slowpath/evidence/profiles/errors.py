"""Errors of profile sets, stored views and exports."""

from slowpath.core.errors import Conflict, InvalidRequest, LimitExceeded, NotFound


class ProfileSetNotFound(NotFound):
    """The team has no such profile set, or an artifact of it was deleted."""

    slug = "profile-set-not-found"
    title = "No such profile set"


class ProfileSetNotReady(Conflict):
    """The profiles of the set are not read yet, or reading them failed."""

    slug = "profile-set-not-ready"
    title = "The profile set is not ready"


class ArtifactListedTwice(InvalidRequest):
    """An artifact is listed twice."""

    slug = "artifact-listed-twice"
    title = "An artifact is listed twice"


class TooManyProfiles(LimitExceeded):
    """A set has more artifacts than the limit."""

    slug = "too-many-profiles"
    title = "Too many artifacts"


class TooManyViews(LimitExceeded):
    """A set has more views than the limit."""

    slug = "too-many-views"
    title = "Too many views"


class NoProfiles(InvalidRequest):
    """No artifact of the set has profiles or stacks, or none of the chosen kind and labels."""

    slug = "no-profiles"
    title = "No profiles"


class NoExecutable(InvalidRequest):
    """The program that the profiles are of is not stored."""

    slug = "no-executable"
    title = "No executable"


class ViewNotFound(NotFound):
    """There is no such view."""

    slug = "view-not-found"
    title = "No such view"


class ViewNotReady(Conflict):
    """The view is not computed yet, or computing it failed."""

    slug = "view-not-ready"
    title = "The view is not ready"


class ExportNotFound(NotFound):
    """The team has no such export."""

    slug = "export-not-found"
    title = "No such export"


class ExportNotReady(Conflict):
    """The export is not written yet, or writing it failed."""

    slug = "export-not-ready"
    title = "The export is not ready"


class InvalidPattern(InvalidRequest):
    """The search pattern is not a valid regular expression."""

    slug = "pattern-refused"
    title = "Invalid search pattern"


class NodeNotFound(NotFound):
    """The view has no such node."""

    slug = "node-not-found"
    title = "No such node"
