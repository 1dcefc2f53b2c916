"""Call endpoints of our own API as the current caller: for another protocol over the same API.

Each request passes through the complete app: authentication, permission, rate limit and validation are those of the API.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Final
from urllib.parse import urlencode

from anyio import sleep_forever
from fastapi import FastAPI, Request
from pydantic import BaseModel, ValidationError
from starlette.datastructures import Headers
from starlette.types import Message, Receive

from slowpath.platform.http.internal_api import PREFIX, ResponseCollector, make_inner_scope, unpack_content

MAX_ANSWER_BYTES: Final = 64 << 20
"""Limit of one response, decompressed."""
Query = Mapping[str, str | int | Sequence[str] | None]


class _Problem(BaseModel):
    """The members of a problem that are passed on."""

    title: str = "The request failed"
    detail: str = ""
    resolution: str | None = None


class ApiRefusal(Exception):
    """A response that is not 2xx: its status and its problem in words."""

    def __init__(self, status: int, problem: _Problem) -> None:
        """Take the status and the problem of a response."""
        super().__init__(problem.title)
        self.status = status
        self.title = problem.title
        self.detail = problem.detail
        self.remedy = problem.resolution


class CallerApi:
    """The API of the app behind a request, called as its sender."""

    def __init__(self, request: Request) -> None:
        """Call the app as the sender of this request, which is authenticated already."""
        self._request = request

    async def get(self, path: str, query: Query | None = None) -> bytes:
        """Return the content of a resource below /api/v1; members of the query that are None are omitted.

        Raises `ApiRefusal`.
        """
        given = {name: value for name, value in (query or {}).items() if value is not None}
        return await self._call("GET", path, urlencode(given, doseq=True), b"")

    async def post(self, path: str, body: Mapping[str, object] | None = None) -> bytes:
        """Send JSON to a resource below /api/v1 and return the content of the response. Raises `ApiRefusal`."""
        return await self._call("POST", path, "", b"" if body is None else json.dumps(body).encode())

    async def _call(self, method: str, path: str, query: str, body: bytes) -> bytes:
        answer = ResponseCollector()
        headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())] if body else []
        if (origin := self._request.headers.get("origin")) is not None:
            headers.append((b"origin", origin.encode()))
        app: FastAPI = self._request.app
        await app(
            make_inner_scope(self._request, method, f"{PREFIX}{path}", query, headers), _send_once(body), answer.send
        )
        encoding = Headers(raw=answer.headers).get("content-encoding", "")
        content = unpack_content(b"".join(answer.pieces), encoding, MAX_ANSWER_BYTES, MAX_ANSWER_BYTES)
        if not 200 <= answer.status < 300:
            raise _refusal(answer.status, content)
        return content


def _send_once(body: bytes) -> Receive:
    sent = False

    async def receive() -> Message:
        nonlocal sent
        if sent:
            await sleep_forever()  # the sender stays connected
        sent = True
        return {"type": "http.request", "body": body, "more_body": False}

    return receive


def _refusal(status: int, content: bytes) -> ApiRefusal:
    try:
        problem = _Problem.model_validate_json(content)
    except ValidationError:
        problem = _Problem()
    return ApiRefusal(status, problem)
