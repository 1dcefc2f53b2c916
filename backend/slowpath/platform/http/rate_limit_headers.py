"""Response headers with the state of the rate limit: `RateLimit-*` (draft-ietf-httpapi-ratelimit-headers)."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from fastapi import Request


@dataclass(frozen=True)
class RateLimitStatus:
    """A rate limit and the remaining requests."""

    name: str
    limit: int
    seconds: int
    left: int
    wait_s: int

    def headers(self) -> dict[str, str]:
        """Return the headers; most programs read those without structured fields."""
        return {
            "RateLimit-Policy": f'"{self.name}";q={self.limit};w={self.seconds}',
            "RateLimit-Limit": str(self.limit),
            "RateLimit-Remaining": str(self.left),
            "RateLimit-Reset": str(self.wait_s),
        }


def set_rate_limit_status(request: Request, status: RateLimitStatus) -> None:
    """Attach this state to the response; of several rate limits, the one closest to its end is reported."""
    before = getattr(request.state, "rate", None)
    if before is None or status.left / status.limit < before.left / before.limit:
        request.state.rate = status


def rate_headers(state: Mapping[str, Any]) -> dict[str, str]:
    """Return the headers of a request; none if nothing was counted."""
    status = state.get("rate")
    return status.headers() if isinstance(status, RateLimitStatus) else {}
