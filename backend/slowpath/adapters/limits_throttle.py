"""Rate limits in Valkey or Redis, shared by all web processes; in memory while it is unavailable."""

import math
import time
from typing import Any, Final

import structlog
from limits import RateLimitItemPerSecond
from limits.errors import StorageError
from limits.storage import MemoryStorage, RedisSentinelStorage, Storage, storage_from_string
from limits.strategies import SlidingWindowCounterRateLimiter

from slowpath.adapters.valkey_address import SentinelAddress, read_sentinel_address
from slowpath.core.ports import RateLimitResult
from slowpath.core.settings import Settings

log = structlog.get_logger(__name__)

TIMEOUT_SECONDS = 1.0
"""Timeout of one request to the broker."""
TIMEOUTS: Final[dict[str, Any]] = {"socket_timeout": TIMEOUT_SECONDS, "socket_connect_timeout": TIMEOUT_SECONDS}
UNAVAILABLE_SECONDS = 5.0
"""Time without counting after a failure, so that an unavailable broker does not delay requests."""
REDIS = ("redis:", "rediss:", "redis+unix:", "valkey:", "valkeys:")


class SlidingWindowRateLimiter:
    """Rate limits with a sliding window per key."""

    def __init__(self, storage: Storage) -> None:
        """Set the shared storage."""
        self._shared = SlidingWindowCounterRateLimiter(storage)
        self._local = SlidingWindowCounterRateLimiter(MemoryStorage())
        self._unavailable_until = 0.0

    def hit(self, key: str, *, times: int, seconds: int) -> bool:
        """Count one attempt and return whether there were at most `times` in the last `seconds`."""
        item = RateLimitItemPerSecond(times, seconds, namespace="slowpath")
        try:
            return self._shared.hit(item, key)
        except StorageError as error:
            log.warning("rate_limit.counted_in_memory", error=str(error.storage_error)[:200])
            return self._local.hit(item, key)

    def take(self, key: str, *, times: int, seconds: int) -> RateLimitResult | None:
        """Count one request of `times` in `seconds`; None while the storage is unavailable."""
        if time.monotonic() < self._unavailable_until:
            return None
        item = RateLimitItemPerSecond(times, seconds, namespace="slowpath")
        try:
            allowed = self._shared.hit(item, key)
            window = self._shared.get_window_stats(item, key)
        except StorageError as error:
            self._unavailable_until = time.monotonic() + UNAVAILABLE_SECONDS
            log.warning("rate_limit.unavailable", for_seconds=UNAVAILABLE_SECONDS, error=str(error.storage_error)[:200])
            return None
        wait = max(1, math.ceil(window.reset_time - time.time()))
        return RateLimitResult(allowed, window.remaining if allowed else 0, min(wait, seconds))

    def clear(self, key: str, *, times: int, seconds: int) -> None:
        """Reset the attempts of a key."""
        item = RateLimitItemPerSecond(times, seconds, namespace="slowpath")
        self._local.clear(item, key)
        try:
            self._shared.clear(item, key)
        except StorageError as error:
            log.warning("rate_limit.reset_failed", error=str(error.storage_error)[:200])


def create_throttle(settings: Settings) -> SlidingWindowRateLimiter:
    """Return a rate limiter that counts in the broker."""
    url = settings.broker_url.get_secret_value()
    timeouts = TIMEOUTS if url.startswith(REDIS) else {}
    address = read_sentinel_address(url)
    storage = _of_sentinels(address) if address else storage_from_string(url, wrap_exceptions=True, **timeouts)
    assert isinstance(storage, Storage)  # an `async+` URL would give an asynchronous storage
    return SlidingWindowRateLimiter(storage)


def _of_sentinels(address: SentinelAddress) -> Storage:
    """Return a storage on the present primary. The library would send the servers' password to the Sentinels."""
    no_one: dict[str, str | None] = {"username": None, "password": None}
    of_sentinels: dict[str, Any] = {**no_one, **address.sentinel_sign_in, **address.client_tls, **TIMEOUTS}
    return RedisSentinelStorage(
        address.limits_url,
        use_replicas=False,  # a replica may not have the last attempts
        sentinel_kwargs=of_sentinels,
        wrap_exceptions=True,
        db=address.database,
        **address.sign_in,
        **address.client_tls,
        **TIMEOUTS,
    )
