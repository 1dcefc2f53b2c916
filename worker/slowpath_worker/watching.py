"""Watches that the worker takes what lies in the broker; one that does not ends itself, and its supervisor starts another.

Seen in the proof of kills: after the broker and a child had died within seconds of each other, Celery's consumer was
connected again and fetched nothing more. Nothing is lost by starting anew: the jobs table is the truth.
"""

import threading
import time
from collections.abc import Callable

import structlog

from slowpath.core.errors import Unavailable

log = structlog.get_logger(__name__)

STUCK_SECONDS = 7.0
"""So long messages may lie while nothing is done here. A job under way gives a sign at a third of its lease."""
LOOK_SECONDS = 1.0


class Watch:
    """Looks at what lies in the broker, and at when this worker last gave a sign."""

    def __init__(self, lying: Callable[[], int], last_sign: Callable[[], float], now: Callable[[], float]) -> None:
        """`lying` counts messages and may raise `Unavailable`; `last_sign` and `now` are in seconds of one clock."""
        self._lying = lying
        self._last_sign = last_sign
        self._now = now
        self._since: float | None = None

    def is_stuck(self) -> bool:
        """Look once: whether messages have been lying for too long without a sign. A broker that is away is no sign."""
        try:
            lying = self._lying()
        except Unavailable:
            lying = 0
        if not lying:
            self._since = None
            return False
        if self._since is None:
            self._since = self._now()
        return self._now() - max(self._since, self._last_sign()) > STUCK_SECONDS


def keep_watch(watch: Watch, end: Callable[[], None]) -> None:
    """Look again and again in a thread of its own; `end` is called when the worker is stuck."""

    def look() -> None:
        while not watch.is_stuck():
            time.sleep(LOOK_SECONDS)
        log.error("the worker takes nothing from the broker any more: it ends, to be started anew")
        end()

    threading.Thread(target=look, name="watch", daemon=True).start()
