"""What the hostile clients share: raw requests, and measures of what they cost."""

import socket
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

import httpx

from tests.support.running_stacks import RunningStack

TICKS_PER_SECOND = 100
MIB = 1 << 20


def cpu_seconds(pid: int) -> float:
    """Return the CPU time of a process so far."""
    columns = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(columns[11]) + int(columns[12])) / TICKS_PER_SECOND


def connected(stack: RunningStack, *, source: str = "127.0.0.1") -> socket.socket:
    """Return a connection to the web process from one of this machine's own addresses."""
    port = urlsplit(stack.address).port
    assert port is not None
    return socket.create_connection(("127.0.0.1", port), timeout=30, source_address=(source, 0))


def head(method: str, path: str, *headers: str) -> bytes:
    """Return the head of a request."""
    return "\r\n".join([f"{method} {path} HTTP/1.1", "Host: 127.0.0.1", *headers, "", ""]).encode()


def at_once(times: int, send: Callable[[], httpx.Response]) -> list[httpx.Response]:
    """Send a request many times at once."""
    with ThreadPoolExecutor(times) as pool:
        return [each.result() for each in [pool.submit(send) for _ in range(times)]]


@dataclass
class Noticed:
    """What a bystander saw while an attack went on."""

    seconds: list[float] = field(default_factory=list)
    statuses: set[int] = field(default_factory=set)
    failures: list[str] = field(default_factory=list)


@contextmanager
def looking_on(client: httpx.Client) -> Iterator[Noticed]:
    """Ask for something small over and over, as another team would, and note how long it took."""
    noticed, stop = Noticed(), threading.Event()

    def ask() -> None:
        while not stop.is_set():
            began = time.monotonic()
            try:
                noticed.statuses.add(client.get("/services").status_code)
            except httpx.HTTPError as error:
                noticed.failures.append(repr(error))
            noticed.seconds.append(time.monotonic() - began)
            stop.wait(0.02)

    thread = threading.Thread(target=ask)
    thread.start()
    try:
        yield noticed
    finally:
        stop.set()
        thread.join()
