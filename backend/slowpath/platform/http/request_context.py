"""Add to every request an ID, a log line, security headers and metrics.

Written as pure ASGI, because Starlette's BaseHTTPMiddleware buffers and breaks streaming uploads.
"""

import re
import time
from uuid import uuid4

import structlog
from prometheus_client import Counter, Histogram
from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from slowpath.platform.http.rate_limit_headers import rate_headers
from slowpath.platform.http.scim_errors import SCIM_PREFIX

REQUESTS = Counter("slowpath_http_requests_total", "Number of HTTP requests.", ["method", "route", "status"])
DURATION = Histogram("slowpath_http_request_duration_seconds", "Time to the end of the response.", ["method", "route"])

CONTENT_SECURITY_POLICY = (
    "default-src 'none'; script-src 'self'; worker-src 'self' blob:; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data: blob:; font-src 'self'; connect-src 'self'; manifest-src 'self'; form-action 'self'; "
    "base-uri 'none'; frame-ancestors 'none'"
)
"""No inline scripts. Inline *styles* are the component library's; they cannot run code."""

SECURITY_HEADERS = {
    "Content-Security-Policy": CONTENT_SECURITY_POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
}

REQUEST_ID = re.compile(r"[A-Za-z0-9._-]{8,64}")
log = structlog.get_logger("slowpath.request")


class RequestContextMiddleware:
    """Middleware that adds the ID, headers, log line and metrics of a request."""

    def __init__(self, app: ASGIApp, *, https: bool) -> None:
        """`https` adds Strict-Transport-Security."""
        self.app = app
        self.https = https

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        given = Headers(scope=scope).get("x-request-id", "")
        request_id = given if REQUEST_ID.fullmatch(given) else uuid4().hex
        scope.setdefault("state", {})["request_id"] = request_id
        started = time.monotonic()
        status = 500

        async def send_with_headers(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                headers = MutableHeaders(scope=message)
                for name, value in SECURITY_HEADERS.items():
                    headers.setdefault(name, value)
                headers["X-Request-Id"] = request_id
                headers.update(rate_headers(scope["state"]))
                if self.https:
                    headers.setdefault("Strict-Transport-Security", "max-age=31536000")
                if scope["path"].startswith(("/api/", "/v1/", SCIM_PREFIX)):
                    headers.setdefault("Cache-Control", "no-store")
            await send(message)

        with structlog.contextvars.bound_contextvars(request_id=request_id):
            try:
                await self.app(scope, receive, send_with_headers)
            finally:
                self._record_request(scope, status, time.monotonic() - started)

    @staticmethod
    def _record_request(scope: Scope, status: int, seconds: float) -> None:
        route = getattr(scope.get("route"), "path", "(none)")
        method = scope["method"] if scope["method"] in KNOWN_METHODS else "other"
        REQUESTS.labels(method, route, str(status)).inc()
        DURATION.labels(method, route).observe(seconds)
        # The route's pattern, never the path: paths contain secrets of share links and invitations.
        log.info("request", method=method, route=route, status=status, duration_ms=round(seconds * 1000, 1))


KNOWN_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
