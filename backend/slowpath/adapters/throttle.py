"""Counting tries in Valkey or Redis, so that all web processes count together; in memory when it does not answer."""

import structlog
from limits import RateLimitItemPerSecond
from limits.errors import StorageError
from limits.storage import MemoryStorage, Storage, storage_from_string
from limits.strategies import SlidingWindowCounterRateLimiter

from slowpath.core.settings import Settings

log = structlog.get_logger(__name__)


class LimitsThrottle:
    """A sliding window per key."""

    def __init__(self, storage: Storage) -> None:
        """Count in this storage."""
        self._shared = SlidingWindowCounterRateLimiter(storage)
        self._own = SlidingWindowCounterRateLimiter(MemoryStorage())

    def hit(self, key: str, *, times: int, seconds: int) -> bool:
        """Count one try and tell whether there were at most `times` in the last `seconds`."""
        item = RateLimitItemPerSecond(times, seconds, namespace="slowpath")
        try:
            return self._shared.hit(item, key)
        except StorageError as error:
            log.warning("counting tries in memory", error=str(error.storage_error)[:200])
            return self._own.hit(item, key)

    def clear(self, key: str, *, times: int, seconds: int) -> None:
        """Forget the tries of this key."""
        item = RateLimitItemPerSecond(times, seconds, namespace="slowpath")
        self._own.clear(item, key)
        try:
            self._shared.clear(item, key)
        except StorageError as error:
            log.warning("tries not cleared", error=str(error.storage_error)[:200])


def create_throttle(settings: Settings) -> LimitsThrottle:
    """Return a throttle that counts in the broker."""
    storage = storage_from_string(settings.broker_url.get_secret_value(), wrap_exceptions=True)
    assert isinstance(storage, Storage)  # an `async+` address would give another kind
    return LimitsThrottle(storage)
