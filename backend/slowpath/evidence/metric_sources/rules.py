"""Limits and page sizes of queries to metric sources."""

from typing import Final, Literal

Credentials = Literal["none", "bearer", "basic"]

MOST_SOURCES: Final = 50
"""Maximum number of sources of a team."""
MOST_NAMES: Final = 500
"""Maximum number of metric names of one import."""
MAX_NAMES_BYTES: Final = 4 << 20
MAX_PAGE_BYTES: Final = 8 << 20
"""Parsed JSON needs ten times its size in memory."""
SMALL_PAGE_BYTES: Final = 1 << 20
"""After a smaller page, the time range of the next page is doubled."""
CHECK_SECONDS: Final = 10.0
PAGE_SECONDS: Final = 60.0
FIRST_PAGE_MS: Final = 3_600_000
LEAST_PAGE_MS: Final = 60_000
MOST_PAGE_MS: Final = 24 * 3_600_000
COARSE_MS: Final = 60_000
"""Step of downsampled imports: the dashboard's rate windows of 5 minutes contain at least four values."""
MOST_COARSE_NAMES: Final = 20
"""Maximum number of downsampled metrics listed by name."""

MOST_FEDERATED_SERVICES: Final = 100
"""Maximum number of federated services of a team."""
MOST_LABELS: Final = 10
QUERY_SECONDS: Final = 8.0
"""Time limit of all source queries of one dashboard request."""
CONCURRENT_QUERIES: Final = 4
"""Number of services of one dashboard that are queried concurrently."""
KINDS_SECONDS: Final = 600.0
"""Time for which the metric kinds of a source are cached."""
MOST_KINDS: Final = 500
"""Maximum number of sources in the cache of metric kinds."""
UNAVAILABLE_SECONDS: Final = 15.0
"""Time for which an unavailable source is not queried again."""
PROBE_MS: Final = 600_000
"""Time range of the query that determines the scrape interval."""
MOST_FEDERATED_SERIES: Final = 3_000
"""Maximum number of series of one federated service."""
MOST_RAW_SAMPLES: Final = 250_000
"""Maximum number of raw samples of one service in a dashboard; above it, values at steps are queried."""
MOST_AT_STEPS: Final = 500_000
"""Maximum number of values at steps of one service; the step is widened to stay below."""
MOST_PAGE_SAMPLES: Final = 150_000
"""Maximum number of samples in one page, about 5 MB of JSON."""
MOST_POINTS: Final = 10_000
"""Maximum number of steps in one query; Prometheus allows 11,000."""
STEPS_A_COLUMN: Final = 4
"""Values at steps in each column of the dashboard: a rate window contains four."""
WATCH_SECONDS: Final = 60
"""Interval at which services are read for evaluations."""
FRESH_SECONDS: Final = 45.0
"""Time for which what was read of a source counts as its newest samples."""
WATCH_QUERY_SECONDS: Final = 30.0
"""Time limit of all source queries of one range of an evaluation."""
LISTED_SECONDS: Final = 300.0
"""Time for which the list of a service's series is used."""
OVERLAP_MS: Final = 120_000
"""The newest samples up to this age are read again, because samples can come late."""
BUFFERED_MS: Final = 8 * 3_600_000
"""Time range of a service that a process holds: evaluations read at most six hours before now each minute."""
MOST_WATCHED_SAMPLES: Final = 2_000_000
"""Maximum number of raw samples of one range of an evaluation, 32 MB; above it, values at steps are queried."""
MOST_WATCHED_AT_STEPS: Final = 4_000_000
WATCH_COLUMN_MS: Final = 240_000
"""Width for which an evaluation queries values at steps: one a minute."""
FAILING_AFTER_MS: Final = 5 * 60_000
"""A source whose services could not be read for this long is shown as failing."""
MOST_CACHED_SAMPLES: Final = 4_000_000
"""Maximum number of cached samples of federated services in one process: 64 MB."""


def narrower(width_ms: int) -> int | None:
    """Return half the width of a page to try next, or None at the minimum width."""
    return max(width_ms // 2, LEAST_PAGE_MS) if width_ms > LEAST_PAGE_MS else None


def wider(width_ms: int, page_bytes: int) -> int:
    """Return the width of the page after a page of this size."""
    return min(width_ms * 2, MOST_PAGE_MS) if page_bytes < SMALL_PAGE_BYTES else width_ms
