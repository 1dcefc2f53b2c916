"""Watches that the worker takes what lies in the broker; one that does not ends itself, and its supervisor starts another.

Celery's consumer has been seen connected and fetching nothing, after kills. So what is watched is not Celery's own
view of things but two facts: that messages lie in the broker, and that a process of the worker has nothing to do.
Nothing is lost by starting anew: the jobs table is the truth.
"""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from multiprocessing.sharedctypes import RawArray
from pathlib import Path

import structlog

from slowpath.core.errors import Unavailable

log = structlog.get_logger(__name__)

STUCK_SECONDS = 5.0
"""So long messages may lie while a process of the worker has nothing to do."""
LOOK_SECONDS = 1.0
UNBORN, BUSY = 0.0, -1.0


class Hands:
    """What each process of the worker is doing, in memory they share; without a lock that a kill could leave held."""

    def __init__(self, count: int, now: Callable[[], float] = time.monotonic) -> None:
        """`now` is in seconds, of one clock for all processes."""
        self._free_since = RawArray("d", [UNBORN] * count)
        self._process_id = RawArray("q", count)
        self._closing = RawArray("b", 1)
        self._now = now

    def join(self, place: int, process_id: int) -> None:
        """Take a place, perhaps that of a process that died."""
        self._process_id[place] = process_id
        self._free_since[place] = self._now()

    @contextmanager
    def busy(self, place: int) -> Iterator[None]:
        """Be busy; however long it takes is somebody else's concern."""
        self._free_since[place] = BUSY
        try:
            yield
        finally:
            self._free_since[place] = self._now()

    def close(self) -> None:
        """Ask the processes to claim nothing more."""
        self._closing[0] = 1

    @property
    def closing(self) -> bool:
        """Whether the worker was told to end."""
        return bool(self._closing[0])

    def free_since(self) -> float | None:
        """Return since when one of them has had nothing to do, or has been dead; None if all are at work."""
        for place, process_id in enumerate(self._process_id):
            if self._free_since[place] == BUSY and not _lives(process_id) and self._process_id[place] == process_id:
                self._free_since[place] = self._now()
        return min((since for since in self._free_since if since not in {UNBORN, BUSY}), default=None)


def _lives(process_id: int) -> bool:
    try:
        state = Path(f"/proc/{process_id}/stat").read_text().rpartition(")")[2].split()[0]
    except (OSError, IndexError):
        return False
    return state not in {"Z", "X"}


class Watch:
    """Looks at what lies in the broker, and at whether somebody here could take it."""

    def __init__(
        self, lying: Callable[[], int], free_since: Callable[[], float | None], now: Callable[[], float]
    ) -> None:
        """`lying` counts messages and may raise `Unavailable`; `free_since` and `now` are in seconds of one clock."""
        self._lying = lying
        self._free_since = free_since
        self._now = now
        self._since: float | None = None

    def is_stuck(self) -> bool:
        """Look once: whether messages have been lying for too long with nobody busy. A broker that is away is no sign."""
        try:
            lying = self._lying()
        except Unavailable:
            lying = 0
        if not lying:
            self._since = None
            return False
        if self._since is None:
            self._since = self._now()
        free_since = self._free_since()
        return free_since is not None and self._now() - max(self._since, free_since) > STUCK_SECONDS


def keep_watch(watch: Watch, over: threading.Event, end: Callable[[], None]) -> None:
    """Look again and again in a thread of its own until `over`; `end` is called when the worker is stuck."""

    def look() -> None:
        while not over.wait(LOOK_SECONDS):
            if watch.is_stuck():
                log.error("the worker takes nothing from the broker any more: it ends, to be started anew")
                end()

    threading.Thread(target=look, name="watch", daemon=True).start()
