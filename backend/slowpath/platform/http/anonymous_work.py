"""Limit requests of unauthenticated callers by IP address, before a body is read or a query runs.

A caller is known once this process has accepted their session or token. Only a digest of the credentials is remembered,
and it grants nothing: every request is authenticated again. All other requests share the allowance of their address.
The count is in memory: it protects this process without depending on other systems. The broker limits guessing of
secrets for all processes together.
"""

import hashlib
import math
from collections import OrderedDict
from dataclasses import dataclass
from typing import Final

from starlette.requests import Request

from slowpath.core.errors import LimitExceeded
from slowpath.platform.http.scim_errors import SCIM_PREFIX

PREFIXES: Final = ("/api/", "/v1/", SCIM_PREFIX)
MOST_ADDRESSES: Final = 20_000
MOST_KNOWN: Final = 20_000
WINDOW_SECONDS: Final = 60
ACCEPTED: Final = "credentials_accepted"
SESSION_COOKIES: Final = ("__Host-slowpath", "slowpath")


@dataclass
class _Bucket:
    left: float
    at: float


class AnonymousWork:
    """A token bucket per address, with a capacity of one minute's allowance, refilled evenly."""

    def __init__(self, times: int) -> None:
        """Allow this many requests per minute and address; 0 for any number."""
        self.times = times
        self._buckets: OrderedDict[str, _Bucket] = OrderedDict()
        self._known: OrderedDict[bytes, None] = OrderedDict()

    def admit(self, request: Request, address: str, now: float) -> None:
        """Count a request to the API. Raises `LimitExceeded` when the address has used up its allowance."""
        if not self.times or not request.scope["path"].startswith(PREFIXES) or self._is_known(request):
            return
        bucket = self._buckets.pop(address, None) or _Bucket(float(self.times), now)
        rate = self.times / WINDOW_SECONDS
        bucket.left = min(float(self.times), bucket.left + (now - bucket.at) * rate)
        bucket.at = now
        self._buckets[address] = bucket
        while len(self._buckets) > MOST_ADDRESSES:
            self._buckets.popitem(last=False)
        if bucket.left >= 1.0:
            bucket.left -= 1.0
            return
        refused = LimitExceeded(
            "Too many requests without a valid session or token from this IP address.",
            slug="too-many-anonymous",
            limit=self.times,
            actual=self.times + 1,
            unit="requests per minute",
            remedy="Wait a moment, sign in, or send a valid token. SLOWPATH_ANONYMOUS_REQUESTS_PER_MINUTE sets the limit.",
        )
        refused.retry_after_s = max(1, math.ceil((1.0 - bucket.left) / rate))
        raise refused

    def learn(self, request: Request) -> None:
        """Remember the credentials of a request if they were accepted (`accept_credentials`)."""
        digest = _digest(request)
        if digest is not None and getattr(request.state, ACCEPTED, False):
            self._known[digest] = None
            self._known.move_to_end(digest)
            while len(self._known) > MOST_KNOWN:
                self._known.popitem(last=False)

    def _is_known(self, request: Request) -> bool:
        digest = _digest(request)
        return digest is not None and digest in self._known


def has_credentials(request: Request) -> bool:
    """Return whether a request has a session or a token, valid or not."""
    return _digest(request) is not None


def accept_credentials(request: Request) -> None:
    """Remember that the credentials of a request are valid."""
    setattr(request.state, ACCEPTED, True)


def _digest(request: Request) -> bytes | None:
    token = request.headers.get("authorization", "")
    if token:
        return hashlib.sha256(token.encode("utf-8", "replace")).digest()
    cookies = request.cookies
    secret = next((cookies[name] for name in SESSION_COOKIES if cookies.get(name)), None)
    return None if secret is None else hashlib.sha256(secret.encode("utf-8", "replace")).digest()
