"""Connections with deadlines: the head of a request must arrive within a time and a size.

uvicorn closes connections that are idle between requests, and has no limit for a request that has started and does not
end. This is its protocol with such limits. Only a limited number of connections per address may wait for the end of a
head; the oldest is closed for a new one. When the process is short of file descriptors, the connection that has waited
longest for its client is closed, so that new ones are always accepted.
"""

import asyncio
import resource
from collections import OrderedDict
from typing import Any, Final, cast

from uvicorn.config import Config
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol
from uvicorn.server import ServerState

HEAD_SECONDS: Final = 10.0
"""From the first byte of a request to the end of its head."""
MAX_HEAD_BYTES: Final = 64 * 1024
MOST_HEADS_WAITING: Final = 256
"""Per address: connections on which a head has started or is expected."""
DRAIN_SECONDS: Final = 10.0
"""How long a body is read and dropped after the response, so that the client sees the response."""
UNSENT_SECONDS: Final = 60.0
"""A response of which the client reads nothing for this long is aborted."""
SPARE_DESCRIPTORS: Final = 200
"""Reserved for the database, the broker and files."""
MOST_DESCRIPTORS: Final = 1 << 16

TIMED_OUT: Final = (b"408 Request Timeout", b"The head of the request did not arrive in time.")
HEAD_TOO_LARGE: Final = (b"431 Request Header Fields Too Large", b"The head of the request is larger than 64 KiB.")


class IdleConnections:
    """The connections of a process that wait for their clients, the longest waiting first."""

    def __init__(self) -> None:
        """Start without connections."""
        self.heads: dict[str, OrderedDict[BoundedProtocol, None]] = {}
        self.messages: OrderedDict[BoundedProtocol, None] = OrderedDict()

    def expect_head(self, one: "BoundedProtocol") -> None:
        """Add a connection that waits for a request. Closes the oldest of its address if too many wait."""
        self.messages[one] = None
        self.messages.move_to_end(one)
        of_address = self.heads.setdefault(one.address, OrderedDict())
        of_address[one] = None
        of_address.move_to_end(one)
        if len(of_address) > MOST_HEADS_WAITING:
            next(iter(of_address)).abandon()

    def expect_body(self, one: "BoundedProtocol") -> None:
        """Note that the head has arrived."""
        of_address = self.heads.get(one.address, OrderedDict())
        of_address.pop(one, None)
        if not of_address:
            self.heads.pop(one.address, None)

    def forget(self, one: "BoundedProtocol") -> None:
        """Remove a connection that no longer waits: its request is complete, or it is closed."""
        self.expect_body(one)
        self.messages.pop(one, None)

    def make_room(self, connections: int) -> None:
        """Close the connection that has waited longest, if there are too many."""
        if connections > most_connections() and self.messages:
            next(iter(self.messages)).abandon()


def raise_descriptor_limit() -> None:
    """Raise this process's limit of file descriptors as far as allowed; child processes inherit it."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


def most_connections() -> int:
    """Return how many connections this process may have at a time."""
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    descriptors = MOST_DESCRIPTORS if soft == resource.RLIM_INFINITY else min(soft, MOST_DESCRIPTORS)
    return max(descriptors - SPARE_DESCRIPTORS, descriptors // 2)


WAITING: Final = IdleConnections()


class BoundedProtocol(HttpToolsProtocol):
    """uvicorn's HTTP/1.1 protocol with limits of time and size before the app is called."""

    def __init__(
        self,
        config: Config,
        server_state: ServerState,
        app_state: dict[str, Any],
        _loop: asyncio.AbstractEventLoop | None = None,
    ) -> None:
        """Create the protocol of one connection."""
        super().__init__(config, server_state, app_state, _loop)
        self.address = ""
        self._head_bytes = 0
        self._in_head = True
        self._in_body = False
        self._answering = False
        self._deadline: asyncio.TimerHandle | None = None
        self._unsent: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Start to wait for the first request."""
        super().connection_made(cast("asyncio.Transport", transport))
        self.address = self.client[0] if self.client else ""
        WAITING.expect_head(self)
        WAITING.make_room(len(self.connections))
        self._set_deadline(self.timeout_keep_alive)

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop waiting."""
        self._clear_deadline()
        self.resume_writing()
        WAITING.forget(self)
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Count the bytes of a head; its time starts with the first byte."""
        if self._in_head:
            if not self._head_bytes:
                self._set_deadline(HEAD_SECONDS)
                WAITING.expect_head(self)
            self._head_bytes += len(data)
        super().data_received(data)
        if self._in_head and self._head_bytes > MAX_HEAD_BYTES and not self.transport.is_closing():
            self._answer_and_close(*HEAD_TOO_LARGE)

    def on_headers_complete(self) -> None:
        """Let the app receive the body; the app limits its pace."""
        self._in_head, self._in_body, self._head_bytes = False, True, 0
        self._clear_deadline()
        WAITING.expect_body(self)
        self._answering = True
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        """Expect the next head."""
        self._in_head, self._in_body = True, False
        self._clear_deadline()
        WAITING.forget(self)
        super().on_message_complete()

    def on_response_complete(self) -> None:
        """Drop the rest of a body for a while, or wait for the next request, which uvicorn limits."""
        super().on_response_complete()
        self._answering = not self.cycle.response_complete
        if self.transport.is_closing():
            return
        if self._in_body:
            self._set_deadline(DRAIN_SECONDS)
        elif self.cycle.response_complete:
            WAITING.messages[self] = None

    def pause_writing(self) -> None:
        """Give the client some time to read what is sent."""
        super().pause_writing()
        self._unsent = self._unsent or self.loop.call_later(UNSENT_SECONDS, self.transport.abort)

    def resume_writing(self) -> None:
        """Note that the client has read what was sent."""
        super().resume_writing()
        if self._unsent is not None:
            self._unsent.cancel()
            self._unsent = None

    def abandon(self) -> None:
        """Close the connection to make room for others."""
        WAITING.forget(self)
        if not self.transport.is_closing():
            self._answer_and_close(*TIMED_OUT)

    def _set_deadline(self, seconds: float) -> None:
        self._clear_deadline()
        self._deadline = self.loop.call_later(seconds, self._end_waiting)

    def _clear_deadline(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _end_waiting(self) -> None:
        self._deadline = None
        if self.transport.is_closing():
            return
        if self._in_head and self._head_bytes:
            self._answer_and_close(*TIMED_OUT)
        else:
            self.transport.close()

    def _answer_and_close(self, status: bytes, text: bytes) -> None:
        """Respond to a request that never reached the app, unless another response is in progress."""
        if self._head_bytes and not self._answering:
            self.transport.write(
                b"HTTP/1.1 " + status + b"\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\n"
                b"Content-Length: " + str(len(text)).encode() + b"\r\n\r\n" + text
            )
        self.transport.close()
