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

MOST_READ_THROUGH: Final = 100
"""Services of a team that are read through."""
MOST_LABELS: Final = 10
THROUGH_SECONDS: Final = 8.0
"""All that one board asks of sources."""
LANES: Final = 4
"""So many services of one board are asked about at a time."""
KINDS_SECONDS: Final = 600.0
"""What a source says of the kinds of its metrics holds so long."""
MOST_KINDS: Final = 500
"""Sources of which that is remembered."""
SULK_SECONDS: Final = 15.0
"""A source that did not answer is not waited for again so long."""
PROBE_MS: Final = 600_000
"""So far back is looked to see how far apart samples are."""
MOST_THROUGH_SERIES: Final = 3_000
"""Of one service."""
MOST_AS_THEY_ARE: Final = 250_000
"""Samples of one service that a board asks for as they are; where there are more, it asks for values at steps."""
MOST_AT_STEPS: Final = 500_000
"""Values at steps of one service: the steps become wider until there are no more."""
MOST_PAGE_SAMPLES: Final = 150_000
"""Asked for at once: some 5 MB of JSON."""
MOST_POINTS: Final = 10_000
"""Steps in one query; Prometheus allows 11,000."""
STEPS_A_COLUMN: Final = 4
"""Values at steps in each of the board's columns: a rate looks back on four."""
MOST_KEPT_SAMPLES: Final = 4_000_000
"""What one process remembers of all that was read through: 64 MB."""


def narrower(width_ms: int) -> int | None:
    """Return how far the next try of a page reaches, or nothing if it can not reach less far."""
    return max(width_ms // 2, LEAST_PAGE_MS) if width_ms > LEAST_PAGE_MS else None


def wider(width_ms: int, page_bytes: int) -> int:
    """Return how far the page after one of this size reaches."""
    return min(width_ms * 2, MOST_PAGE_MS) if page_bytes < SMALL_PAGE_BYTES else width_ms
