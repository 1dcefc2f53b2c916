"""What can go wrong when a gap is to be explained."""

from slowpath.core.errors import NotFound


class GapNotFound(NotFound):
    """The trace has no such span, or the span no such gap."""

    slug = "gap-not-found"
    title = "No such gap"


class ExplanationNotFound(NotFound):
    """No such explanation in this team."""

    slug = "explanation-not-found"
    title = "No such explanation"
