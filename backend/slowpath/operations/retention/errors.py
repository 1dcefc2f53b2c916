"""Errors of retention."""

from slowpath.core.errors import InvalidRequest


class InvalidRetentionRule(InvalidRequest):
    """A kind that nothing is known of, or a time that is too short."""

    slug = "retention-refused"
    title = "Nothing can be kept so"
