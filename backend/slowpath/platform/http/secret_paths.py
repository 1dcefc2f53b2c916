"""Prevent caching, indexing and referrers of paths that contain secrets, for every response."""

from typing import Final

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

PREFIXES: Final = (
    "/s/",
    "/unsubscribe/",
    "/api/v1/shared/",
    "/api/v1/embed/",
    "/api/v1/unsubscribe/",
    "/api/v1/slack-interactions/",
    "/api/v1/probe-callbacks/",
)
HEADERS: Final = {
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
    "X-Robots-Tag": "noindex, nofollow, noarchive",
}


class SecretPaths:
    """Middleware that sets the headers of secret paths. Runs inside `RequestContextMiddleware`."""

    def __init__(self, app: ASGIApp) -> None:
        """Wrap an app."""
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] != "http" or not scope["path"].startswith(PREFIXES):
            await self.app(scope, receive, send)
            return

        async def send_hidden(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(HEADERS)
            await send(message)

        await self.app(scope, receive, send_hidden)
