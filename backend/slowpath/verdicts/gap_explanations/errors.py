"""Errors of gap explanations."""

from slowpath.core.errors import NotFound


class GapNotFound(NotFound):
    """The trace has no such span, or the span has no such gap."""

    slug = "gap-not-found"
    title = "No such gap"


class ExplanationNotFound(NotFound):
    """The team has no such explanation."""

    slug = "explanation-not-found"
    title = "No such explanation"
