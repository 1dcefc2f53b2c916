"""Servers for tests: real HTTP on a loopback port, with any response that a test needs."""

import contextlib
import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Self


@dataclass(frozen=True)
class Asked:
    """A request as it came."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes


@dataclass(frozen=True)
class Reply:
    """An answer; a body given in pieces is sent piece by piece, without a length."""

    status: int = 200
    body: bytes | Iterable[bytes] = b""
    headers: dict[str, str] = field(default_factory=dict)
    cut: bool = False


Handler = Callable[[Asked], Reply]


class Answering:
    """A server on a port of its own, for the length of a block. `asked` keeps every request."""

    def __init__(self, handler: Handler) -> None:
        self.asked: list[Asked] = []
        answering = self

        class _Handler(BaseHTTPRequestHandler):
            def do(self) -> None:
                body = self.rfile.read(int(self.headers.get("content-length") or 0))
                asked = Asked(self.command, self.path, {k.lower(): v for k, v in self.headers.items()}, body)
                answering.asked.append(asked)
                reply = handler(asked)
                with contextlib.suppress(OSError):  # the client has had enough, which is what some tests are about
                    self.answer(reply)

            do_GET = do_PUT = do_POST = do_PATCH = do_DELETE = do  # noqa: N815 - the base class calls them so

            def answer(self, reply: Reply) -> None:
                self.send_response(reply.status)
                if isinstance(reply.body, bytes):
                    self.send_header("Content-Length", str(len(reply.body) + (100 if reply.cut else 0)))
                for name, value in reply.headers.items():
                    self.send_header(name, value)
                self.end_headers()
                for piece in [reply.body] if isinstance(reply.body, bytes) else reply.body:
                    self.wfile.write(piece)
                    self.wfile.flush()
                self.close_connection = True

            def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class names it so
                """Stay silent."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,))

    @property
    def address(self) -> str:
        """host:port."""
        return f"127.0.0.1:{self._server.server_port}"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._thread.join(10)
        self._server.server_close()
