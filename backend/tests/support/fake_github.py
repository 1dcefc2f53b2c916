"""GitHub's API for apps over HTTP on loopback: it verifies the JWT, and gives tokens for installed repositories."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

from joserfc import jwt
from joserfc.errors import JoseError
from joserfc.jwk import RSAKey

APP, INSTALLATION = "123456", "987"


@dataclass
class FakeGitHub:
    """One app with one installation; `issued` has the request of each token."""

    key: RSAKey
    now: datetime
    port: int = 0
    repositories: frozenset[str] = frozenset({"shop"})
    permissions: dict[str, str] = field(
        default_factory=lambda: {"contents": "read", "pull_requests": "write", "statuses": "write"}
    )
    issued: list[dict[str, Any]] = field(default_factory=list)
    requests: list[tuple[str, str, str]] = field(default_factory=list)
    """Method, path and token of everything else."""
    hostile: tuple[int, bytes] | None = None
    """Answered instead of a token."""
    revoked: bool = False
    listed: dict[str, list[bytes]] = field(default_factory=dict)
    """Pages of lists by path; the last one is repeated."""

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def answer(self, method: str, path: str, authorization: str, body: bytes) -> tuple[int, bytes]:
        if path != f"/app/installations/{INSTALLATION}/access_tokens":
            return self._answer_to_token(method, path, authorization.removeprefix("Bearer "))
        if self.hostile is not None:
            return self.hostile
        try:
            claims = jwt.decode(authorization.removeprefix("Bearer "), self.key, algorithms=["RS256"]).claims
        except JoseError:
            return 401, b"{}"
        at = self.now.timestamp()
        if claims["iss"] != APP or claims["iat"] > at or not at < claims["exp"] <= at + 600:
            return 401, b"{}"
        asked = json.loads(body)
        if (
            not self.repositories.issuperset(asked.get("repositories", []))
            or not asked["permissions"].items() <= self.permissions.items()
        ):
            return 422, b"{}"
        self.issued.append(asked)
        ends = self.now + timedelta(hours=1)
        made = {"token": f"ghs_{len(self.issued):036d}", "expires_at": f"{ends:%Y-%m-%dT%H:%M:%SZ}"}
        return 201, json.dumps(made).encode()

    def _answer_to_token(self, method: str, path: str, token: str) -> tuple[int, bytes]:
        self.requests.append((method, path, token))
        known = {f"ghs_{number:036d}" for number in range(len(self.issued) + 1)}
        return (401, b"{}") if self.revoked or token not in known else (200, self._page_of(path))

    def _page_of(self, path: str) -> bytes:
        address = urlsplit(path)
        pages = self.listed.get(address.path, [b'{"id": 1}'])
        page = int(parse_qs(address.query).get("page", ["1"])[0])
        return pages[min(page, len(pages)) - 1]


@contextmanager
def serve_github(now: datetime) -> Iterator[FakeGitHub]:
    """Serve a fake GitHub with a new key."""
    github = FakeGitHub(RSAKey.generate_key(2048), now)

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self._answer()

        def do_POST(self) -> None:
            self._answer()

        def _answer(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            status, content = github.answer(
                self.command, self.path.removeprefix("/api/v3"), self.headers.get("Authorization", ""), body
            )
            self.send_response(status)
            if status == 302:
                self.send_header("Location", f"{github.url}/elsewhere")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_args: object) -> None:
            """Print nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        github.port = server.server_port
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield github
        server.shutdown()
