"""Limit how many requests of one sort a process works on at a time, in total and one per sender.

The memory of reading one push is bounded, so that of all is; a check of an address that users gave may last for seconds.
Waiting requests occupy no thread and delay no other request.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

from anyio import Lock, Semaphore

from slowpath.core.errors import Unavailable

AT_ONCE: Final = 3
MOST_WAITING: Final = 64
"""Per sender: more than Prometheus has shards."""
CHECKS_AT_ONCE: Final = 4
MOST_WAITING_CHECKS: Final = 5


class Turns:
    """The turns of a process. Used only on the event loop."""

    def __init__(self, at_once: int = AT_ONCE, most_waiting: int = MOST_WAITING, what: str = "pushes") -> None:
        """Take the limits."""
        self._room = Semaphore(at_once)
        self._most_waiting = most_waiting
        self._what = what
        self._senders: dict[str, tuple[Lock, int]] = {}

    @asynccontextmanager
    async def of(self, sender: str) -> AsyncIterator[None]:
        """Wait for a turn of this sender, and hold it. Raises `Unavailable` if too many of its requests wait."""
        lock, waiting = self._senders.get(sender, (Lock(), 0))
        if waiting >= self._most_waiting:
            raise Unavailable(
                f"Too many of your {self._what} are waiting.",
                slug=f"too-many-{self._what}",
                limit=self._most_waiting,
                actual=waiting + 1,
                unit=self._what,
                remedy="Send fewer requests at a time, and this one again in a few seconds.",
            )
        self._senders[sender] = (lock, waiting + 1)
        try:
            async with lock, self._room:
                yield
        finally:
            _, waiting = self._senders[sender]
            if waiting > 1:
                self._senders[sender] = (lock, waiting - 1)
            else:
                del self._senders[sender]
