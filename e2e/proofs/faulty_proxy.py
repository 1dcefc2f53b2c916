"""A proxy of TCP that behaves like a network and a service with faults, chosen while it runs."""

import asyncio
import threading
from contextlib import suppress
from dataclasses import dataclass, field
from enum import StrEnum

CHUNK_BYTES = 1 << 16
SLOW_SECONDS = 0.5


class Fault(StrEnum):
    """What happens to connections."""

    NONE = "none"
    REFUSED = "refused"
    """Open connections are cut, and new ones end at once."""
    SILENT = "silent"
    """Connections stay open, but nothing arrives."""
    SLOW = "slow"
    """Each piece of an answer arrives late."""
    HTTP_500 = "500"
    HTTP_503 = "503"
    """Each request is answered with this status."""


@dataclass
class FaultyProxy:
    """Forwards `port` to `backend`, with a fault or without."""

    port: int
    backend: int
    fault: Fault = Fault.NONE
    _loop: asyncio.AbstractEventLoop = field(default_factory=asyncio.new_event_loop)
    _open: set[asyncio.StreamWriter] = field(default_factory=set)
    _speaks: asyncio.Event = field(default_factory=asyncio.Event)

    def start(self) -> None:
        """Begin to forward, in a thread that ends with the process."""
        listening = threading.Event()
        threading.Thread(target=self._run, args=(listening,), daemon=True).start()
        listening.wait()

    def begin(self, fault: Fault) -> None:
        """Begin a fault, or end it with `Fault.NONE`. All open connections are cut, except for slow and silent ones."""
        self.fault = fault
        self._loop.call_soon_threadsafe(self._speaks.clear if fault is Fault.SILENT else self._speaks.set)
        if fault not in {Fault.SLOW, Fault.SILENT}:
            self._loop.call_soon_threadsafe(self._cut)

    def _run(self, listening: threading.Event) -> None:
        asyncio.set_event_loop(self._loop)
        self._speaks.set()
        server = asyncio.start_server(self._forward, "127.0.0.1", self.port)
        self._loop.run_until_complete(server)
        listening.set()
        self._loop.run_forever()

    def _cut(self) -> None:
        for writer in list(self._open):
            writer.transport.abort()

    async def _forward(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._open.add(writer)
        try:
            with suppress(OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
                if self.fault is Fault.REFUSED:
                    writer.transport.abort()
                elif self.fault in {Fault.HTTP_500, Fault.HTTP_503}:
                    await self._answer(reader, writer, int(self.fault))
                else:
                    back_reader, back_writer = await asyncio.open_connection("127.0.0.1", self.backend)
                    self._open.add(back_writer)
                    await asyncio.gather(
                        self._copy(reader, back_writer), self._copy(back_reader, writer, is_answer=True)
                    )
                    self._open.discard(back_writer)
        finally:
            self._open.discard(writer)
            writer.close()

    async def _copy(
        self, source: asyncio.StreamReader, target: asyncio.StreamWriter, *, is_answer: bool = False
    ) -> None:
        with suppress(OSError):
            while chunk := await source.read(CHUNK_BYTES):
                await self._speaks.wait()
                if is_answer and self.fault is Fault.SLOW:
                    await asyncio.sleep(SLOW_SECONDS)
                target.write(chunk)
                await target.drain()
        with suppress(OSError):
            target.close()

    @staticmethod
    async def _answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, status: int) -> None:
        await reader.readuntil(b"\r\n\r\n")
        body = f"<Error><Code>{'SlowDown' if status == 503 else 'InternalError'}</Code></Error>".encode()
        head = f"HTTP/1.1 {status} Fault\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n"
        writer.write(head.encode() + body)
        await writer.drain()
