"""Who is asked too much says so, and for how long: until then nothing is asked of it, as its manual wants it."""

import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Final

from slowpath_cli.runner.core.driver_interface import DeploymentFailed

LONGEST_SECONDS: Final = 3660.0
"""GitHub's limits are of an hour; who asks for more is asked again after that."""
SECONDARY_SECONDS: Final = 60.0
"""What GitHub asks for where a secondary limit comes without a time."""
LIMITED: Final = frozenset({403, 429})
SAID: Final = "rate limit"


class StatusUnknown(DeploymentFailed):
    """The one who knows is away just now."""

    def __init__(self, message: str, *, seconds: float = 0.0) -> None:
        super().__init__(message, is_transient=True)
        self.seconds = seconds
        """For how long, where that was said."""


@dataclass
class RateLimitState:
    """Until when one place is not to be asked. For several threads."""

    clock: Callable[[], float] = time.monotonic
    wall: Callable[[], float] = time.time
    _until: float = 0.0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def left(self) -> float:
        """Return for how many seconds it is not to be asked."""
        return max(0.0, self._until - self.clock())

    def heard(self, status: int, headers: Mapping[str, str], words: str) -> float:
        """Take in an answer; return how many seconds it asks us to wait: 0, if it does not."""
        seconds = min(self._asked_for(status, headers, words), LONGEST_SECONDS)
        if seconds > 0:
            with self._lock:
                self._until = max(self._until, self.clock() + seconds)
        return seconds

    def _asked_for(self, status: int, headers: Mapping[str, str], words: str) -> float:
        if status not in LIMITED and status < 500:
            return 0.0
        after = headers.get("retry-after", "").strip()
        if after:
            return self._of_text(after)
        if status in LIMITED and headers.get("x-ratelimit-remaining") == "0":
            try:
                return max(1.0, float(headers.get("x-ratelimit-reset", "")) - self.wall())
            except ValueError:
                return SECONDARY_SECONDS
        return SECONDARY_SECONDS if status in LIMITED and SAID in words.lower() else 0.0

    def _of_text(self, after: str) -> float:
        """Return what Retry-After says: seconds, or a moment."""
        if after.isascii() and after.isdecimal():
            return float(after[:9])
        try:
            moment = parsedate_to_datetime(after)
        except ValueError:
            return 0.0
        return max(0.0, (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp() - self.wall())


def is_limit(status: int, headers: Mapping[str, str], words: str) -> bool:
    """Tell whether an answer refuses because we ask too much, and not because we may not."""
    if status == 429:
        return True
    said = "retry-after" in headers or headers.get("x-ratelimit-remaining") == "0" or SAID in words.lower()
    return status == 403 and said


def at(seconds: float) -> str:
    """Return when that will be, for a person."""
    return datetime.fromtimestamp(time.time() + seconds, UTC).strftime("%H:%M:%S UTC")
