"""A front before servers without TLS: connections that begin with a TLS handshake are decrypted, others are passed on.

The Valkey of the tests is built without TLS. Its servers and Sentinels reach each other through the front in plain text.
"""

import asyncio
import socket
import ssl
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

HANDSHAKE: Final = b"\x16"
CHUNK_BYTES: Final = 65_536


@contextmanager
def tls_front(ports: Mapping[int, int], certificate: Path, key: Path) -> Iterator[None]:
    """Lead each port to another one of this machine; clients with TLS need a certificate that this one vouches for."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    context.load_verify_locations(certificate)
    context.verify_mode = ssl.CERT_REQUIRED
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, name="tls-front", daemon=True)
    listeners = [socket.create_server(("127.0.0.1", port)) for port in ports]
    thread.start()
    for listener, target in zip(listeners, ports.values(), strict=True):
        asyncio.run_coroutine_threadsafe(_accept(listener, target, context), loop)
    try:
        yield
    finally:
        asyncio.run_coroutine_threadsafe(_end_all(), loop).result()
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()
        for listener in listeners:
            listener.close()


async def _end_all() -> None:
    others = asyncio.all_tasks() - {asyncio.current_task()}
    for task in others:
        task.cancel()
    await asyncio.gather(*others, return_exceptions=True)
    await asyncio.sleep(0.05)  # aborted transports close their sockets in the next rounds of the loop


async def _accept(listener: socket.socket, target: int, context: ssl.SSLContext) -> None:
    loop, serving = asyncio.get_running_loop(), set[asyncio.Task[None]]()
    listener.setblocking(False)
    while True:
        connection, _ = await loop.sock_accept(listener)
        task = asyncio.create_task(_serve(connection, target, context))
        serving.add(task)
        task.add_done_callback(serving.discard)


async def _serve(connection: socket.socket, target: int, context: ssl.SSLContext) -> None:
    loop, reader = asyncio.get_running_loop(), asyncio.StreamReader()
    readable, ends = asyncio.Event(), list[asyncio.BaseTransport]()
    protocol = asyncio.StreamReaderProtocol(reader)
    loop.add_reader(connection, readable.set)
    try:
        try:
            await readable.wait()
        finally:
            loop.remove_reader(connection)
        is_tls = connection.recv(1, socket.MSG_PEEK) == HANDSHAKE
        transport, _ = await loop.connect_accepted_socket(lambda: protocol, connection, ssl=context if is_tls else None)
        ends.append(transport)
        behind_reader, behind_writer = await asyncio.open_connection("127.0.0.1", target)
        ends.append(behind_writer.transport)
        writer = asyncio.StreamWriter(transport, protocol, reader, loop)
        await asyncio.gather(_pass_on(reader, behind_writer), _pass_on(behind_reader, writer))
    except OSError:
        return  # a refused handshake, or a killed server: the client learns it from the end of the connection
    finally:
        for end in ends:
            end.abort() if isinstance(end, asyncio.WriteTransport) else end.close()
        if not ends:
            connection.close()


async def _pass_on(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with suppress(OSError):
        while chunk := await reader.read(CHUNK_BYTES):
            writer.write(chunk)
            await writer.drain()
    writer.close()
