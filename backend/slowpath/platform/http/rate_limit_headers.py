"""What an answer says of the rate its request was counted against: `RateLimit-*` (draft-ietf-httpapi-ratelimit-headers)."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from fastapi import Request


@dataclass(frozen=True)
class RateLimitStatus:
    """A rate, and what is left of it now."""

    name: str
    limit: int
    seconds: int
    left: int
    wait_s: int

    def headers(self) -> dict[str, str]:
        """Return the headers; those without a structure are what most programs read."""
        return {
            "RateLimit-Policy": f'"{self.name}";q={self.limit};w={self.seconds}',
            "RateLimit-Limit": str(self.limit),
            "RateLimit-Remaining": str(self.left),
            "RateLimit-Reset": str(self.wait_s),
        }


def set_rate_limit_status(request: Request, told: RateLimitStatus) -> None:
    """Have the answer to a request say this; of several rates it says the one that is nearest to its end."""
    before = getattr(request.state, "rate", None)
    if before is None or told.left / told.limit < before.left / before.limit:
        request.state.rate = told


def rate_headers(state: Mapping[str, Any]) -> dict[str, str]:
    """Return the headers for the state of a request; none where nothing was counted."""
    told = state.get("rate")
    return told.headers() if isinstance(told, RateLimitStatus) else {}
