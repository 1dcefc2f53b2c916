"""Counting tries in Valkey or Redis, so that all web processes count together; in memory when it does not answer."""

import math
import time

import structlog
from limits import RateLimitItemPerSecond
from limits.errors import StorageError
from limits.storage import MemoryStorage, Storage, storage_from_string
from limits.strategies import SlidingWindowCounterRateLimiter

from slowpath.core.ports import RateLimitResult
from slowpath.core.settings import Settings

log = structlog.get_logger(__name__)

ANSWER_SECONDS = 1.0
"""How long one count may take; the broker is near, or it is away."""
AWAY_SECONDS = 5.0
"""How long rates are not counted after the broker did not answer, so that its absence slows nobody down."""
REDIS = ("redis:", "rediss:", "redis+unix:", "valkey:", "valkeys:")


class SlidingWindowRateLimiter:
    """A sliding window per key."""

    def __init__(self, storage: Storage) -> None:
        """Count in this storage."""
        self._shared = SlidingWindowCounterRateLimiter(storage)
        self._own = SlidingWindowCounterRateLimiter(MemoryStorage())
        self._away_until = 0.0

    def hit(self, key: str, *, times: int, seconds: int) -> bool:
        """Count one try and tell whether there were at most `times` in the last `seconds`."""
        item = RateLimitItemPerSecond(times, seconds, namespace="slowpath")
        try:
            return self._shared.hit(item, key)
        except StorageError as error:
            log.warning("counting tries in memory", error=str(error.storage_error)[:200])
            return self._own.hit(item, key)

    def take(self, key: str, *, times: int, seconds: int) -> RateLimitResult | None:
        """Count one request of `times` in `seconds`; nothing when what it counts in does not answer."""
        if time.monotonic() < self._away_until:
            return None
        item = RateLimitItemPerSecond(times, seconds, namespace="slowpath")
        try:
            allowed = self._shared.hit(item, key)
            window = self._shared.get_window_stats(item, key)
        except StorageError as error:
            self._away_until = time.monotonic() + AWAY_SECONDS
            log.warning("rates are not counted", for_seconds=AWAY_SECONDS, error=str(error.storage_error)[:200])
            return None
        wait = max(1, math.ceil(window.reset_time - time.time()))
        return RateLimitResult(allowed, window.remaining if allowed else 0, min(wait, seconds))

    def clear(self, key: str, *, times: int, seconds: int) -> None:
        """Forget the tries of this key."""
        item = RateLimitItemPerSecond(times, seconds, namespace="slowpath")
        self._own.clear(item, key)
        try:
            self._shared.clear(item, key)
        except StorageError as error:
            log.warning("tries not cleared", error=str(error.storage_error)[:200])


def create_throttle(settings: Settings) -> SlidingWindowRateLimiter:
    """Return a throttle that counts in the broker."""
    url = settings.broker_url.get_secret_value()
    waits: dict[str, float | str | bool] = {}
    if url.startswith(REDIS):
        waits = {"socket_timeout": ANSWER_SECONDS, "socket_connect_timeout": ANSWER_SECONDS}
    storage = storage_from_string(url, wrap_exceptions=True, **waits)
    assert isinstance(storage, Storage)  # an `async+` address would give another kind
    return SlidingWindowRateLimiter(storage)
