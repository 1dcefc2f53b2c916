"""Stop a worker that takes no messages from the broker; its supervisor restarts it.

After kills, Celery's consumer was observed to be connected without fetching messages. The watchdog therefore does not use
Celery's state: it checks that the broker has messages while a process of the worker is idle. A restart loses no jobs, as
they are in the jobs table.
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
"""Messages may wait this long in the broker while a process of the worker is idle."""
CHECK_SECONDS = 1.0
NOT_STARTED, BUSY = 0.0, -1.0


class ProcessActivity:
    """Activity of each worker process, in shared memory; without a lock, which a killed process could leave locked."""

    def __init__(self, count: int, now: Callable[[], float] = time.monotonic) -> None:
        """Track `count` processes; `now` is in seconds, of one clock for all processes."""
        self._free_since = RawArray("d", [NOT_STARTED] * count)
        self._process_id = RawArray("q", count)
        self._closing = RawArray("b", 1)
        self._now = now

    def join(self, index: int, process_id: int) -> None:
        """Register a process at an index, which may be that of a dead process."""
        self._process_id[index] = process_id
        self._free_since[index] = self._now()

    @contextmanager
    def busy(self, index: int) -> Iterator[None]:
        """Mark a process as busy while the context is entered."""
        self._free_since[index] = BUSY
        try:
            yield
        finally:
            self._free_since[index] = self._now()

    def close(self) -> None:
        """Ask the processes to claim no more jobs."""
        self._closing[0] = 1

    @property
    def closing(self) -> bool:
        """Return whether the worker is shutting down."""
        return bool(self._closing[0])

    def free_since(self) -> float | None:
        """Return the time since which a process has been idle or dead; None if all are busy."""
        for index, process_id in enumerate(self._process_id):
            if (
                self._free_since[index] == BUSY
                and not _is_running(process_id)
                and self._process_id[index] == process_id
            ):
                self._free_since[index] = self._now()
        return min((since for since in self._free_since if since not in {NOT_STARTED, BUSY}), default=None)


def _is_running(process_id: int) -> bool:
    try:
        state = Path(f"/proc/{process_id}/stat").read_text().rpartition(")")[2].split()[0]
    except (OSError, IndexError):
        return False
    return state not in {"Z", "X"}


class BrokerWatchdog:
    """Detects messages that wait in the broker although a process is idle."""

    def __init__(
        self, count_messages: Callable[[], int], free_since: Callable[[], float | None], now: Callable[[], float]
    ) -> None:
        """`count_messages` may raise `Unavailable`; `free_since` and `now` are in seconds of one clock."""
        self._count_messages = count_messages
        self._free_since = free_since
        self._now = now
        self._since: float | None = None

    def is_stuck(self) -> bool:
        """Return whether messages have waited too long with an idle process; False if the broker is unavailable."""
        try:
            count = self._count_messages()
        except Unavailable:
            count = 0
        if not count:
            self._since = None
            return False
        if self._since is None:
            self._since = self._now()
        free_since = self._free_since()
        return free_since is not None and self._now() - max(self._since, free_since) > STUCK_SECONDS


def run_watchdog(watch: BrokerWatchdog, stopping: threading.Event, stop_worker: Callable[[], None]) -> None:
    """Check in a thread until `stopping` is set; call `stop_worker` when the worker is stuck."""

    def run() -> None:
        while not stopping.wait(CHECK_SECONDS):
            if watch.is_stuck():
                log.error("worker.stuck")
                stop_worker()

    threading.Thread(target=run, name="watchdog", daemon=True).start()
