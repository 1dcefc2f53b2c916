"""Call our own API with the permissions of the current caller: a snapshot records what a page shows.

Only reads that are declared recordable (`openapi_extra=FREEZABLE`) are called. The request passes through the complete
app, so that it is rejected wherever the caller would be. Its team is that of the outer request, whatever the address or
header of the caller names.
"""

import re
import time
import zlib
from collections.abc import Iterator, Sequence
from functools import lru_cache
from threading import BoundedSemaphore
from typing import Annotated, Any, Final
from urllib.parse import quote

import anyio.from_thread
from fastapi import Depends, FastAPI, Request
from fastapi.routing import iter_route_contexts
from starlette.datastructures import Headers
from starlette.types import Message

from slowpath.core.errors import InvalidRequest, LimitExceeded, TooLarge, Unavailable
from slowpath.core.ports import InternalApi, InternalResponse
from slowpath.platform.http.request_dependencies import scope_of

FREEZABLE: Final[dict[str, Any]] = {"x-freezable": True}
"""`openapi_extra` of a read whose response may be part of a report."""
MARK: Final = "x-freezable"
PREFIX: Final = "/api/v1"
RECORDED_STATUSES: Final = frozenset({200, 204, 404, 409})
"""Statuses that a page shows: found, no content, not found, not ready."""
CREDENTIALS: Final = (b"cookie", b"authorization", b"host", b"user-agent")
TEAM_HEADER: Final = b"slowpath-team"
MAX_PROBLEM: Final = 300
AT_ONCE: Final = 4
"""How many snapshots a process records at a time: each occupies a thread while other threads serve its requests."""
WAIT_SECONDS: Final = 5.0
ALSO_SECONDS: Final = 20.0
"""How long responses behind links of the page are requested."""
_asking = BoundedSemaphore(AT_ONCE)


class NotSnapshotable(InvalidRequest):
    """A request that is not a recordable read."""

    slug = "not-freezable"
    title = "This page cannot be recorded"


class SnapshotResponseTooLarge(TooLarge):
    """The responses exceed the limit of one snapshot."""

    slug = "view-too-large"
    title = "The snapshot is too large"


@lru_cache(maxsize=4)
def snapshotable_paths(app: FastAPI) -> tuple[tuple[re.Pattern[str], bool], ...]:
    """Return a pattern of the path of each GET under /api/v1, and whether it may be recorded."""
    found = []
    for route in iter_route_contexts(app.routes):
        path = str(getattr(route, "path_format", "") or "")
        if path.startswith(f"{PREFIX}/") and "GET" in (route.methods or ()):
            pieces = re.split(r"\{[^}]*\}", path.removeprefix(PREFIX))
            pattern = re.compile("[^/]+".join(re.escape(piece) for piece in pieces))
            marked = (getattr(route, "openapi_extra", None) or {}).get(MARK) is True
            found.append((pattern, marked and "{team_id}" not in path))
    return tuple(found)


def is_snapshotable(app: FastAPI, path: str) -> bool:
    """Return whether a path leads to a read, and every read it could lead to may be recorded."""
    marks = [mark for pattern, mark in snapshotable_paths(app) if pattern.fullmatch(path)]
    return bool(marks) and all(marks)


class InternalApiClient:
    """The app behind a request, called with the permissions of its sender."""

    def __init__(self, request: Request) -> None:
        """Call the app as the sender of this request."""
        self._request = request

    def ask(self, requests: Sequence[str], *, also: Sequence[str] = (), most_bytes: int) -> Sequence[InternalResponse]:
        """Return the responses in the order of the requests; called in a server thread, as endpoints are."""
        app: FastAPI = self._request.app
        for request in (*requests, *also):
            if not is_snapshotable(app, request.partition("?")[0]):
                raise NotSnapshotable(
                    f"{request[:MAX_PROBLEM]} cannot be part of a report.",
                    remedy="Reports can contain comparisons, regressions, series, builds, dashboards, spans and traces.",
                )
        if not _asking.acquire(timeout=WAIT_SECONDS):
            raise Unavailable("Too many snapshots are being recorded.", remedy="Try again in a moment.")
        try:
            answers = self._ask_all(requests, most_bytes)
            if all(answer.status >= 400 for answer in answers):
                raise _refused(answers[0].request, answers[0].status, answers[0].content)
            room = most_bytes - sum(len(answer.content) for answer in answers)
            return [*answers, *self._ask_as_far_as_it_goes(also, room)]
        finally:
            _asking.release()

    def _ask_all(self, requests: Sequence[str], most_bytes: int) -> list[InternalResponse]:
        answers: list[InternalResponse] = []
        room = most_bytes
        for request in requests:
            answer = anyio.from_thread.run(self._ask, request, room, most_bytes)
            answers.append(answer)
            room -= len(answer.content)
        return answers

    def _ask_as_far_as_it_goes(self, requests: Sequence[str], room: int) -> Iterator[InternalResponse]:
        end = time.monotonic() + ALSO_SECONDS
        for request in requests:
            if time.monotonic() > end:
                return
            try:
                answer = anyio.from_thread.run(self._ask, request, room, room)
            except (InvalidRequest, TooLarge, Unavailable):
                continue  # responses behind links are not marked as part of the report
            room -= len(answer.content)
            yield answer

    async def _ask(self, request: str, room: int, most_bytes: int) -> InternalResponse:
        answer = ResponseCollector()
        path, _, query = request.partition("?")
        await self._request.app(make_inner_scope(self._request, "GET", f"{PREFIX}{path}", query), _nothing, answer.send)
        headers = Headers(raw=answer.headers)
        content = unpack_content(b"".join(answer.pieces), headers.get("content-encoding", ""), room, most_bytes)
        if answer.status not in RECORDED_STATUSES:
            raise _refused(request, answer.status, content)
        media_type = headers.get("content-type", "").partition(";")[0] or "application/octet-stream"
        return InternalResponse(request, answer.status, media_type, content)


def make_inner_scope(
    outer_request: Request, method: str, path: str, query: str, headers: Sequence[tuple[bytes, bytes]] = ()
) -> dict[str, Any]:
    """Return the ASGI scope of a request with the credentials, address and team of an authenticated one."""
    outer = outer_request.scope
    team = scope_of(outer_request).team_id
    if team is None:
        raise LookupError("the caller is not authenticated yet")
    passed_on = [(name, value) for name, value in outer["headers"] if name in CREDENTIALS]
    request_id = str(getattr(outer_request.state, "request_id", "")).encode()
    return {
        "type": "http",
        "asgi": outer.get("asgi", {"version": "3.0"}),
        "http_version": "1.1",
        "method": method,
        "scheme": outer.get("scheme", "http"),
        "path": path,
        "raw_path": quote(path, safe="/").encode(),
        "root_path": "",
        "query_string": query.encode(),
        "headers": [*passed_on, *headers, (TEAM_HEADER, str(team).encode()), (b"x-request-id", request_id)],
        "client": outer.get("client"),
        "server": outer.get("server"),
        "state": {},
    }


class ResponseCollector:
    """The collected response of the app."""

    def __init__(self) -> None:
        self.status = 500
        self.headers: list[tuple[bytes, bytes]] = []
        self.pieces: list[bytes] = []

    async def send(self, message: Message) -> None:
        """Receive one message of the response."""
        if message["type"] == "http.response.start":
            self.status, self.headers = message["status"], message.get("headers", [])
        elif message["type"] == "http.response.body":
            self.pieces.append(message.get("body", b""))


async def _nothing() -> Message:
    return {"type": "http.request", "body": b"", "more_body": False}


def unpack_content(content: bytes, encoding: str, room: int, most_bytes: int) -> bytes:
    """Return the decompressed bytes; never more than the limit are produced."""
    if encoding not in {"", "gzip"}:
        raise InvalidRequest(f"A response has the encoding {encoding}, which cannot be stored.")
    if encoding == "gzip":
        unpacker = zlib.decompressobj(wbits=31)
        content = unpacker.decompress(content, room + 1)
    if len(content) > room:
        raise SnapshotResponseTooLarge(
            "The responses of this page exceed the limit of one snapshot.",
            limit=most_bytes,
            actual=most_bytes - room + len(content),
            unit="bytes",
            remedy="Add a snapshot of a part of the page: one finding or one graph.",
        )
    return content


def _refused(request: str, status: int, content: bytes) -> InvalidRequest | Unavailable:
    excerpt = content[:MAX_PROBLEM].decode("utf-8", "replace")
    detail = f"{request[:MAX_PROBLEM]} failed with status {status}: {excerpt}"
    if status == 429:
        return LimitExceeded(detail, remedy="Wait a moment.")
    if status >= 500:
        return Unavailable(detail, remedy="Try again.")
    return NotSnapshotable(detail, remedy="Reload the page, then add the snapshot again.")


def make_internal_api(request: Request) -> InternalApi:
    """Return our own API with the permissions of the current caller."""
    return InternalApiClient(request)


Own = Annotated[InternalApi, Depends(make_internal_api)]
