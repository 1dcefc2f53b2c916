"""Bodies too large for memory: spooled to disk while they arrive, hashed and counted meanwhile.

The temporary file has a generated name and is deleted when the request ends, in every case.
"""

import hashlib
import tempfile
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import asynccontextmanager
from io import BytesIO
from pathlib import Path
from typing import IO, Protocol

from anyio import CancelScope, to_thread
from fastapi import Request
from starlette.requests import ClientDisconnect

from slowpath.core.errors import InvalidRequest, TooLarge, Unavailable
from slowpath.platform.http.bytes_in_flight import BytesInFlight
from slowpath.platform.http.turns import Turns

BUFFER_BYTES = 1 << 18
LimitOf = Callable[[bytes], int]
"""The size limit of a body that starts with these bytes."""


class SpooledBody:
    """Received bytes: their file, number and SHA-256."""

    def __init__(self, scratch: Path | None) -> None:
        """Open a temporary file. Raises `Unavailable` without disk space."""
        try:
            file = tempfile.NamedTemporaryFile(dir=scratch, prefix="body-")  # noqa: SIM115 - closed below
        except OSError as error:
            raise _no_room(error) from error
        self._file: IO[bytes] = file
        self._digest = hashlib.sha256()
        self.size_bytes = 0

    @property
    def path(self) -> Path:
        """The path of the file."""
        return Path(self._file.name)

    @property
    def sha256(self) -> str:
        """The SHA-256 of the bytes, in hex."""
        return self._digest.hexdigest()

    def write(self, chunk: bytes) -> None:
        """Add bytes. Raises `Unavailable` without disk space."""
        try:
            self._file.write(chunk)
            self._file.flush()
        except OSError as error:
            raise _no_room(error) from error
        self._digest.update(chunk)
        self.size_bytes += len(chunk)

    def close(self) -> None:
        """Remove the file."""
        self._file.close()


def _no_room(error: OSError) -> Unavailable:
    return Unavailable(
        f"The server has no disk space for this body: {error.strerror}.",
        slug="no-room",
        remedy="Free disk space on the server, then try again.",
    )


def content_length(request: Request) -> int:
    """Return the declared length of the body; 0 without one."""
    declared = request.headers.get("content-length", "")
    return int(declared) if declared.isascii() and declared.isdigit() else 0


def reject_oversized_content_length(request: Request, limit_bytes: int) -> None:
    """Reject a body by its Content-Length, before any byte is read."""
    declared = content_length(request)
    if declared > limit_bytes:
        raise make_too_large_error(limit_bytes, declared)


def make_too_large_error(limit_bytes: int, actual_bytes: int, *, remedy: str | None = None) -> TooLarge:
    """Return the error of a body over its limit."""
    return TooLarge(
        "The body exceeds the size limit.",
        slug="body-too-large",
        limit=limit_bytes,
        actual=actual_bytes,
        unit="bytes",
        remedy=remedy
        or "Record for a shorter time; the limits are SLOWPATH_MAX_ARTIFACT_BYTES and SLOWPATH_MAX_TRACE_BYTES.",
    )


class Closable(Protocol):
    """What has files to delete."""

    def close(self) -> None:
        """Delete the files."""


async def close_off_loop(spooled: Closable) -> None:
    """Delete spooled files in a thread, also of a cancelled request."""
    with CancelScope(shield=True):
        await to_thread.run_sync(spooled.close)


@asynccontextmanager
async def spool_body(
    request: Request, limit_bytes: int, scratch: Path | None, limit_of: LimitOf | None = None
) -> AsyncIterator[SpooledBody]:
    """Yield the body of a request on disk. `limit_of` may lower the limit after the first bytes.

    Raises `TooLarge`, `Unavailable`, and `InvalidRequest` if the body ends early.
    """
    reject_oversized_content_length(request, limit_bytes)
    spooled = await to_thread.run_sync(SpooledBody, scratch)  # a slow disk must not hold up other requests
    limit = limit_bytes
    try:
        buffer = bytearray()
        async for chunk in limit_body(request, limit_bytes):
            buffer += chunk
            if limit_of is not None and spooled.size_bytes == 0 and buffer:
                limit = limit_of(bytes(buffer[:BUFFER_BYTES]))
                reject_oversized_content_length(request, limit)
            if spooled.size_bytes + len(buffer) > limit:
                raise make_too_large_error(limit, spooled.size_bytes + len(buffer))
            if len(buffer) >= BUFFER_BYTES:
                await to_thread.run_sync(spooled.write, bytes(buffer))
                buffer.clear()
        await to_thread.run_sync(spooled.write, bytes(buffer))
        yield spooled
    finally:
        await close_off_loop(spooled)


class WholeBody:
    """A body in memory, handed over once: only its receiver holds it afterwards."""

    def __init__(self, content: bytes) -> None:
        """Store the bytes."""
        self._content = content

    def take(self) -> bytes:
        """Return the bytes and drop the reference to them."""
        content, self._content = self._content, b""
        return content


@asynccontextmanager
async def whole_body(request: Request, limit_bytes: int, sender: str) -> AsyncIterator[WholeBody]:
    """Yield the body of a request in memory at its turn; it counts toward the sender's bytes until the block ends.

    Raises `TooLarge`, `Unavailable`, and `InvalidRequest` if the body ends early.
    """
    reject_oversized_content_length(request, limit_bytes)
    flight: BytesInFlight = request.app.state.in_flight
    turns: Turns = request.app.state.turns
    with flight.held_by(sender) as held:
        arrived = BytesIO()
        async for chunk in limit_body(request, limit_bytes):
            held.add(len(chunk))
            arrived.write(chunk)
        body = WholeBody(arrived.getvalue())  # without a copy
        del arrived
        async with turns.of(sender):
            yield body


async def limit_body(request: Request, limit_bytes: int) -> AsyncGenerator[bytes, None]:
    """Yield the chunks of a body while they are within the limit."""
    arrived = 0
    try:
        async for chunk in request.stream():
            arrived += len(chunk)
            if arrived > limit_bytes:
                raise make_too_large_error(limit_bytes, arrived)
            yield chunk
    except ClientDisconnect as error:
        raise InvalidRequest(
            f"The body ended after {arrived} bytes.", slug="body-broke-off", remedy="Send it again."
        ) from error
