"""The last wall of the app: no body is read whole that has no bound, and nothing leaves that is not a problem.

Stands inside `RequestContext`, so that even a fault of ours carries a request id and the security
headers. Pure ASGI, because bodies must stream through it.
"""

import re

from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from slowpath.web.bodies import declared_bytes, too_large
from slowpath.web.problems import problem_of, unexpected

WHOLE_BODY_BYTES = 2 << 20
"""Of bodies that are read whole, which is before anybody asks who sends them. A build with 5,000
dependencies of the longest names is 2 MB; everything else is far smaller."""
REMEDY = "Files go to PUT /api/v1/artifacts/{name}, in parts if they are large."


class Guard:
    """Bound bodies but those of `streamed`, a pattern of "METHOD path"; answer what nobody caught."""

    def __init__(self, app: ASGIApp, *, streamed: re.Pattern[str]) -> None:
        """Guard an app."""
        self.app = app
        self.streamed = streamed

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        request = Request(scope)
        bounded = self.streamed.fullmatch(f"{scope['method']} {scope['path']}") is None
        declared = declared_bytes(request)
        if bounded and declared > WHOLE_BODY_BYTES:
            error = too_large(WHOLE_BODY_BYTES, declared, remedy=REMEDY)
            await problem_of(request, error)(scope, receive, send)
            return
        started, arrived = False, 0

        async def receive_bounded() -> Message:
            nonlocal arrived
            message = await receive()
            arrived += len(message.get("body", b""))
            if bounded and arrived > WHOLE_BODY_BYTES:
                raise too_large(WHOLE_BODY_BYTES, arrived, remedy=REMEDY)
            return message

        async def send_noted(message: Message) -> None:
            nonlocal started
            started = started or message["type"] == "http.response.start"
            await send(message)

        try:
            await self.app(scope, receive_bounded, send_noted)
        except Exception as error:
            if started:
                raise  # the answer is half out; all that is left is to break it off
            await unexpected(request, error)(scope, receive, send)
