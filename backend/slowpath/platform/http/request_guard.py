"""Bound the cost of a request before its caller is known, and respond to uncaught errors.

Runs inside `RequestContextMiddleware`, so that an internal error also has a request ID and the security headers. Pure
ASGI, because bodies must stream through it. In order: unauthenticated requests are counted by address, the query string
is bounded, the body is bounded by its declared length, then received within the time and size limits of the route, and
its JSON members are counted before parsing. Only then the app sees the request.
"""

import re
import time
from dataclasses import dataclass
from typing import Final

from anyio import fail_after, to_thread
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from slowpath.core.errors import InvalidRequest, SlowpathError, TooLarge, TooSlow
from slowpath.platform.http.anonymous_work import AnonymousWork, has_credentials
from slowpath.platform.http.body_limits import DEFAULT, BodyLimit, BodyLimits
from slowpath.platform.http.bytes_in_flight import BytesInFlight
from slowpath.platform.http.json_shape import check_json_shape
from slowpath.platform.http.problems import render_error, render_unexpected_error
from slowpath.platform.http.request_bodies import content_length, make_too_large_error

REMEDY: Final = "Send less at a time. Upload files to PUT /api/v1/artifacts/{name}, large ones in parts."
MAX_QUERY_BYTES: Final = 32 * 1024
"""A query may contain run metadata of a file (16,000 characters), percent-encoded."""
MAX_QUERY_PARAMETERS: Final = 500
OFF_LOOP_BYTES: Final = 64 * 1024
"""A larger JSON text is checked in a thread."""


@dataclass(frozen=True)
class BodyPace:
    """How slowly a body may arrive: the longest pause, and in total a grace period plus its bytes at a rate."""

    pause_seconds: float = 20.0
    grace_seconds: float = 30.0
    bytes_per_second: float = 4096.0

    def seconds_left(self, waited: float, arrived: int) -> float:
        """Return how long the next chunk may take, given the time spent waiting for earlier ones."""
        return min(self.pause_seconds, self.grace_seconds + arrived / self.bytes_per_second - waited)


class RequestGuard:
    """Middleware that bounds the cost of requests and responds to uncaught errors."""

    def __init__(
        self,
        app: ASGIApp,
        *,
        streamed: re.Pattern[str],
        limits: BodyLimits,
        anonymous: AnonymousWork,
        in_flight: BytesInFlight,
        pace: BodyPace | None = None,
    ) -> None:
        """Guard an app. `streamed` is a pattern of "METHOD path" of requests whose routes bound their bodies."""
        self.app = app
        self.streamed = streamed
        self.limits = limits
        self.anonymous = anonymous
        self.in_flight = in_flight
        self.pace = pace or BodyPace()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        request = Request(scope)
        started = False

        async def send_noted(message: Message) -> None:
            nonlocal started
            started = started or message["type"] == "http.response.start"
            await send(message)

        try:
            await self._serve(request, receive, send_noted)
        except SlowpathError as error:
            if started:
                raise
            await render_error(request, error)(scope, receive, send)
        except Exception as error:
            if started:
                raise  # the response has started; it can only be aborted
            await render_unexpected_error(request, error)(scope, receive, send)

    async def _serve(self, request: Request, receive: Receive, send: Send) -> None:
        address = request.client.host if request.client else ""
        self.anonymous.admit(request, address, time.monotonic())
        _check_query(request)
        in_time = self._in_time(receive)
        try:
            if self.streamed.fullmatch(f"{request.method} {request.scope['path']}"):
                await self.app(request.scope, in_time, send)
            else:
                await self._serve_whole(request, address, in_time, send)
        finally:
            self.anonymous.learn(request)

    async def _serve_whole(self, request: Request, address: str, receive: Receive, send: Send) -> None:
        """Receive the body first; its bytes count as held until the response ends."""
        limit = self._limit_of(request)
        declared = content_length(request)
        if declared > limit.size_bytes:
            raise make_too_large_error(limit.size_bytes, declared, remedy=REMEDY)
        if not declared and "transfer-encoding" not in request.headers:
            await self.app(request.scope, receive, send)
            return
        with self.in_flight.held_by(address) as held:
            body = bytearray()
            more = True
            while more:
                message = await receive()
                if message["type"] == "http.disconnect":
                    return
                chunk: bytes = message.get("body", b"")
                if len(body) + len(chunk) > limit.size_bytes:
                    raise make_too_large_error(limit.size_bytes, len(body) + len(chunk), remedy=REMEDY)
                held.add(len(chunk))
                body += chunk
                more = message.get("more_body", False)
            if "json" in request.headers.get("content-type", "").lower():
                await _check_json(bytes(body), limit)
            await self.app(request.scope, _replaying(bytes(body), receive), send)

    def _limit_of(self, request: Request) -> BodyLimit:
        """Return the limit of a route; limits above the default are for callers with credentials, unless it says otherwise."""
        limit = self.limits.of(request.method, request.scope["path"])
        is_for_all = limit.anonymous or limit.size_bytes <= DEFAULT.size_bytes
        return limit if is_for_all or has_credentials(request) else DEFAULT

    def _in_time(self, receive: Receive) -> Receive:
        """Return a `receive` that raises `TooSlow` for a slow body; messages after the body may take any time."""
        arrived, waited, more = 0, 0.0, True

        async def receive_in_time() -> Message:
            nonlocal arrived, waited, more
            if not more:
                return await receive()
            began = time.monotonic()
            try:
                with fail_after(max(0.0, self.pace.seconds_left(waited, arrived))):
                    message = await receive()
            except TimeoutError as error:
                raise TooSlow(
                    f"The body arrived too slowly: {arrived:,} bytes in {waited + time.monotonic() - began:.0f} s.",
                    limit=self.pace.bytes_per_second,
                    unit="bytes per second",
                    remedy="Send it again over a faster connection, large files in parts.",
                ) from error
            waited += time.monotonic() - began
            arrived += len(message.get("body", b""))
            more = message["type"] == "http.request" and message.get("more_body", False)
            return message

        return receive_in_time


def _replaying(body: bytes, receive: Receive) -> Receive:
    """Return a `receive` that returns the complete body once, and then what follows."""
    given = False

    async def receive_replayed() -> Message:
        nonlocal given
        if given:
            return await receive()
        given = True
        return {"type": "http.request", "body": body, "more_body": False}

    return receive_replayed


async def _check_json(body: bytes, limit: BodyLimit) -> None:
    if len(body) > OFF_LOOP_BYTES:
        await to_thread.run_sync(check_json_shape, body, limit.members)
    else:
        check_json_shape(body, limit.members)


def _check_query(request: Request) -> None:
    query: bytes = request.scope.get("query_string", b"")
    if len(query) > MAX_QUERY_BYTES:
        raise TooLarge(
            "The query string is too long.",
            slug="query-too-long",
            limit=MAX_QUERY_BYTES,
            actual=len(query),
            unit="bytes",
            remedy="Request less at a time.",
        )
    parameters = query.count(b"&") + 1
    if parameters > MAX_QUERY_PARAMETERS:
        raise InvalidRequest(
            f"The query string has {parameters:,} parameters; the limit is {MAX_QUERY_PARAMETERS}.",
            slug="too-many-parameters",
            limit=MAX_QUERY_PARAMETERS,
            actual=parameters,
            unit="parameters",
            remedy="Request less at a time.",
        )
