"""Respect rate limits of external systems: no requests until the time in their responses."""

import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Final

from slowpath_cli.runner.core.driver_interface import DeploymentFailed

MAX_SECONDS: Final = 3660.0
"""Longest accepted rate limit: GitHub's limits end after an hour."""
SECONDARY_SECONDS: Final = 60.0
"""Duration of a GitHub secondary rate limit without a time."""
LIMITED: Final = frozenset({403, 429})
LIMIT_TEXT: Final = "rate limit"


class StatusUnknown(DeploymentFailed):
    """The status cannot be read at the moment."""

    def __init__(self, message: str, *, seconds: float = 0.0) -> None:
        super().__init__(message, is_transient=True)
        self.seconds = seconds
        """Remaining seconds of the rate limit, 0 if unknown."""


@dataclass
class RateLimitState:
    """Rate limit of one external system. Thread-safe."""

    clock: Callable[[], float] = time.monotonic
    wall: Callable[[], float] = time.time
    _until: float = 0.0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def left(self) -> float:
        """Return the remaining seconds of the rate limit."""
        return max(0.0, self._until - self.clock())

    def record_response(self, status: int, headers: Mapping[str, str], words: str) -> float:
        """Record the rate limit of a response; return its seconds, 0 without one."""
        seconds = min(self._parse_limit(status, headers, words), MAX_SECONDS)
        if seconds > 0:
            with self._lock:
                self._until = max(self._until, self.clock() + seconds)
        return seconds

    def _parse_limit(self, status: int, headers: Mapping[str, str], words: str) -> float:
        if status not in LIMITED and status < 500:
            return 0.0
        after = headers.get("retry-after", "").strip()
        if after:
            return self._parse_retry_after(after)
        if status in LIMITED and headers.get("x-ratelimit-remaining") == "0":
            try:
                return max(1.0, float(headers.get("x-ratelimit-reset", "")) - self.wall())
            except ValueError:
                return SECONDARY_SECONDS
        return SECONDARY_SECONDS if status in LIMITED and LIMIT_TEXT in words.lower() else 0.0

    def _parse_retry_after(self, after: str) -> float:
        """Parse Retry-After, seconds or a date, and return the seconds."""
        if after.isascii() and after.isdecimal():
            return float(after[:9])
        try:
            moment = parsedate_to_datetime(after)
        except ValueError:
            return 0.0
        return max(0.0, (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp() - self.wall())


def is_limit(status: int, headers: Mapping[str, str], words: str) -> bool:
    """Return whether a response reports a rate limit, not a missing permission."""
    if status == 429:
        return True
    is_limited = "retry-after" in headers or headers.get("x-ratelimit-remaining") == "0" or LIMIT_TEXT in words.lower()
    return status == 403 and is_limited


def at(seconds: float) -> str:
    """Format the time in `seconds` from now."""
    return datetime.fromtimestamp(time.time() + seconds, UTC).strftime("%H:%M:%S UTC")
