"""What can go wrong with bisects."""

from slowpath.core.errors import Refused


class BadRange(Refused):
    """Nothing can be searched between the two commits."""

    slug = "bisect-range"
    title = "Nothing to search between these commits"
