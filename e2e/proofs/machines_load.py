"""What people and programs do while parts of several machines fail: uploads, reads, event streams. All of it repeats what failed."""

import json
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from http import HTTPStatus

import httpx

RETRY_SECONDS = 0.3
READ_PAUSE_SECONDS = 0.15
PATHS = ("/artifacts?limit=50", "/services", "/builds?limit=50", "/jobs?limit=50", "/comparisons?limit=50")
UNAVAILABLE = {HTTPStatus.BAD_GATEWAY, HTTPStatus.SERVICE_UNAVAILABLE, HTTPStatus.INTERNAL_SERVER_ERROR}


@dataclass(frozen=True)
class Read:
    """One read: when it began, how long it took, and why it failed, if it did."""

    at: float
    seconds: float
    failure: str = ""


@dataclass
class Load:
    """The threads of the load and what they saw."""

    client: Callable[[], httpx.Client]
    files: Sequence[tuple[str, bytes]]
    """Path and content of each upload."""
    pause_s: float
    of_upgrade: int
    """Number of uploads, the last ones, that are made from `upgrading` to `upgraded`."""
    begun: set[str] = field(default_factory=set)
    """Paths of the uploads that were begun."""
    acknowledged: dict[str, str] = field(default_factory=dict)
    """The artifact of each upload, by path."""
    acknowledged_at: list[float] = field(default_factory=list)
    reads: list[Read] = field(default_factory=list)
    events: list[list[tuple[float, str, str]]] = field(default_factory=list)
    """Of each stream: time, subject and state; an empty subject is `stale`."""
    connections: list[int] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)
    upgrading: threading.Event = field(default_factory=threading.Event)
    upgraded: threading.Event = field(default_factory=threading.Event)
    uploads_ended: threading.Event = field(default_factory=threading.Event)
    stop: threading.Event = field(default_factory=threading.Event)
    threads: list[threading.Thread] = field(default_factory=list)

    def start(self, *, readers: int, streams: int) -> None:
        """Begin."""
        self.threads.append(threading.Thread(target=self._upload))
        self.threads += [threading.Thread(target=self._read, args=(number,)) for number in range(readers)]
        for number in range(streams):
            self.events.append([])
            self.connections.append(0)
            self.threads.append(threading.Thread(target=self._follow, args=(number,), daemon=True))
        for thread in self.threads:
            thread.start()

    def end(self) -> None:
        """End all threads; a stream that is silent ends with the process."""
        for event in (self.stop, self.upgrading, self.upgraded):
            event.set()
        for thread in self.threads:
            thread.join(10 if not thread.daemon else 1)

    def _upload(self) -> None:
        with self.client() as client:
            for number, (path, content) in enumerate(self.files):
                if number == len(self.files) - self.of_upgrade:
                    self.upgrading.wait()
                if self.upgraded.is_set():
                    break
                self.begun.add(path)
                while not self.stop.is_set() and path not in self.acknowledged:
                    self._send(client, path, content)
                self.stop.wait(self.pause_s)
        self.uploads_ended.set()

    def _send(self, client: httpx.Client, path: str, content: bytes) -> None:
        try:
            answer = client.put(path, content=content, headers={"Idempotency-Key": path.rpartition("/")[2]})
        except httpx.TransportError:
            self.stop.wait(RETRY_SECONDS)
            return
        if answer.is_success:
            self.acknowledged[path] = answer.json()["id"]
            self.acknowledged_at.append(time.time())
        elif answer.status_code in UNAVAILABLE:
            self.stop.wait(RETRY_SECONDS)
        else:
            self.faults.append(f"PUT {path}: {answer.status_code} {answer.text[:200]}")
            self.stop.wait(1)

    def _read(self, number: int) -> None:
        with self.client() as client:
            while not self.stop.is_set():
                path = PATHS[number % len(PATHS)]
                number += 1
                begun, wall = time.monotonic(), time.time()
                failure = _failure(client, path) and _failure(client, path)  # a closed connection is tried once more
                self.reads.append(Read(wall, time.monotonic() - begun, failure))
                self.stop.wait(READ_PAUSE_SECONDS)

    def _follow(self, number: int) -> None:
        with self.client() as client:
            while not self.stop.is_set():
                try:
                    with client.stream("GET", "/updates", timeout=httpx.Timeout(10, read=30)) as answer:
                        if answer.status_code == HTTPStatus.UNAUTHORIZED:
                            self.faults.append("a stream lost its session")
                        self.connections[number] += answer.is_success
                        for line in answer.iter_lines():
                            self._note(number, line)
                except httpx.TransportError:
                    pass
                self.stop.wait(RETRY_SECONDS)

    def _note(self, number: int, line: str) -> None:
        if line.startswith("data:"):
            event = json.loads(line.removeprefix("data:"))
            self.events[number].append((time.time(), str(event.get("id", "")), str(event.get("state", ""))))


def _failure(client: httpx.Client, path: str) -> str:
    try:
        answer = client.get(path)
    except httpx.TransportError as error:
        return f"GET {path}: {type(error).__name__}"
    return "" if answer.is_success else f"GET {path}: {answer.status_code} {answer.text[:150]}"
