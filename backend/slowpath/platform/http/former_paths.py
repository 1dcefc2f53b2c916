"""Former paths and query values that external systems use: webhooks of code hosts, deploy tools, scripts."""

import re
from typing import Final

from starlette.types import ASGIApp, Receive, Scope, Send

FORMER_PATHS: Final = (
    (re.compile(r"/api/v1/webhooks/deploys"), "/api/v1/deployment-events"),
    (re.compile(r"/api/v1/hooks/([^/]+)/(github|gitlab)"), r"/api/v1/webhooks/\1/\2"),
)
"""Former paths and their present ones. They remain permanently, because external senders use them."""


FORMER_QUERIES: Final = {
    "/api/v1/regressions": (re.compile(rb"(^|&)assignee=nobody(?=&|$)"), rb"\1assignee=unassigned"),
}
"""Former values in the query of a path, and their present ones."""


class FormerPaths:
    """Serve requests with former paths and query values under the present ones."""

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
        elif scope["type"] == "http" and scope["path"] in FORMER_QUERIES:
            former_value, present_value = FORMER_QUERIES[scope["path"]]
            scope = {**scope, "query_string": former_value.sub(present_value, scope["query_string"])}
        await self.app(scope, receive, send)
