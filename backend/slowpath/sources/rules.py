"""Limits of what is asked of a source, and in which pages."""

from typing import Final, Literal

Credentials = Literal["none", "bearer", "basic"]

MOST_SOURCES: Final = 50
"""Of a team."""
MOST_NAMES: Final = 500
"""Names that one import brings."""
MAX_NAMES_BYTES: Final = 4 << 20
MAX_PAGE_BYTES: Final = 8 << 20
"""JSON takes ten times its length in memory."""
SMALL_PAGE_BYTES: Final = 1 << 20
"""After a page smaller than this the next one reaches twice as far."""
CHECK_SECONDS: Final = 10.0
PAGE_SECONDS: Final = 60.0
FIRST_PAGE_MS: Final = 3_600_000
LEAST_PAGE_MS: Final = 60_000
MOST_PAGE_MS: Final = 24 * 3_600_000
COARSE_MS: Final = 60_000
"""How far apart an import's values are where samples as they are can not be had: four of them lie in the board's windows of 5 min."""
MOST_COARSE_NAMES: Final = 20
"""So many are told by name."""


def narrower(width_ms: int) -> int | None:
    """Return how far the next try of a page reaches, or nothing if it can not reach less far."""
    return max(width_ms // 2, LEAST_PAGE_MS) if width_ms > LEAST_PAGE_MS else None


def wider(width_ms: int, page_bytes: int) -> int:
    """Return how far the page after one of this size reaches."""
    return min(width_ms * 2, MOST_PAGE_MS) if page_bytes < SMALL_PAGE_BYTES else width_ms
