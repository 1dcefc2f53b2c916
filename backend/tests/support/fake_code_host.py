"""A code host that answers paths with what a test sets, and records what it was asked for."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit


@dataclass(frozen=True)
class HostRequest:
    """A request for a path; names of headers are in lower case."""

    path: str
    query: dict[str, list[str]]
    headers: dict[str, str]

    @property
    def page(self) -> int:
        """The requested page of a list, from 1 on; lists of Bitbucket Data Center begin at an entry."""
        return int(self.query["page"][0]) if "page" in self.query else 1 + int(self.query["start"][0]) // 100


@dataclass
class FakeCodeHost:
    """Answers a path of `answers`, else any path with its page of `pages`, or with `raw` bytes; without these, 404."""

    url: str = ""
    answers: dict[str, Any] = field(default_factory=dict)
    pages: list[Any] | None = None
    raw: bytes | None = None
    status: int = 200
    asked: list[HostRequest] = field(default_factory=list)

    def answer(self, request: HostRequest) -> tuple[int, bytes]:
        """Return status and content of the answer."""
        self.asked.append(request)
        if self.raw is not None:
            return self.status, self.raw
        if self.pages is not None:
            page = self.pages[request.page - 1] if request.page <= len(self.pages) else []
            return self.status, json.dumps(page).encode()
        if request.path not in self.answers:
            return 404, json.dumps({"message": "Not Found"}).encode()
        return self.status, json.dumps(self.answers[request.path]).encode()


@contextmanager
def serve_code_host() -> Iterator[FakeCodeHost]:
    """Serve a code host on a free port; a redirect leads to a closed one."""
    host = FakeCodeHost()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            parsed = urlsplit(self.path)
            headers = {name.lower(): value for name, value in self.headers.items()}
            status, content = host.answer(HostRequest(parsed.path, parse_qs(parsed.query), headers))
            self.send_response(status)
            if status == 302:
                self.send_header("Location", "http://127.0.0.1:1/")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_args: object) -> None:
            """Print nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        host.url = f"http://127.0.0.1:{server.server_port}"
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        yield host
        server.shutdown()
