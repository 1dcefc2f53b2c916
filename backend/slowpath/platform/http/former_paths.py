"""Former paths that are configured in external systems: webhooks of code hosts and deploy tools."""

import re
from typing import Final

from starlette.types import ASGIApp, Receive, Scope, Send

FORMER_PATHS: Final = (
    (re.compile(r"/api/v1/webhooks/deploys"), "/api/v1/deployment-events"),
    (re.compile(r"/api/v1/hooks/([^/]+)/(github|gitlab)"), r"/api/v1/webhooks/\1/\2"),
)
"""Former paths and their present ones. They remain permanently, because external senders use them."""


class FormerPaths:
    """Serve requests to former paths under the present ones."""

    def __init__(self, app: ASGIApp) -> None:
        """Wrap an app."""
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] == "http" and scope["method"] == "POST":
            for pattern, path in FORMER_PATHS:
                if former := pattern.fullmatch(scope["path"]):
                    present = former.expand(path)
                    scope = {**scope, "path": present, "raw_path": present.encode()}
        await self.app(scope, receive, send)
