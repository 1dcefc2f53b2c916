"""Errors of retention."""

from slowpath.core.errors import InvalidRequest


class InvalidRetentionRule(InvalidRequest):
    """The kind of a retention rule is unknown, or its days are out of range."""

    slug = "retention-refused"
    title = "The retention rule is not valid"
