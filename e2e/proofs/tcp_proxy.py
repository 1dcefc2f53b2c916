"""A load balancer for the proof on several processes: `python -m proofs.tcp_proxy PORT BACKEND_PORT...`.

Each connection goes to the next backend that accepts it, and ends with the connection to that backend.
"""

import asyncio
import itertools
import sys
from contextlib import suppress

CHUNK_BYTES = 1 << 16


async def _copy(source: asyncio.StreamReader, target: asyncio.StreamWriter) -> None:
    with suppress(OSError):
        while chunk := await source.read(CHUNK_BYTES):
            target.write(chunk)
            await target.drain()
    with suppress(OSError):
        target.close()


async def serve(port: int, backends: list[int]) -> None:
    """Forward connections until the process is ended."""
    turns = itertools.count()

    async def forward(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        first = next(turns)
        for step in range(len(backends)):
            with suppress(OSError):
                backend = backends[(first + step) % len(backends)]
                back_reader, back_writer = await asyncio.open_connection("127.0.0.1", backend)
                await asyncio.gather(_copy(reader, back_writer), _copy(back_reader, writer))
                return
        writer.close()

    server = await asyncio.start_server(forward, "127.0.0.1", port)
    async with server:
        await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(serve(int(sys.argv[1]), [int(port) for port in sys.argv[2:]]))
