"""Limit the bytes of request bodies that a process holds in memory, in total and per sender."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from slowpath.core.errors import Unavailable

TOTAL_BYTES: Final = 64 << 20
SENDER_BYTES: Final = TOTAL_BYTES // 4


class Held:
    """The bytes that one request holds."""

    def __init__(self, flight: "BytesInFlight", sender: str) -> None:
        """Start with nothing."""
        self._flight, self._sender, self._bytes = flight, sender, 0

    def add(self, size_bytes: int) -> None:
        """Add bytes. Raises `Unavailable` above the limit of the sender or the process."""
        self._flight.take(self._sender, size_bytes)
        self._bytes += size_bytes

    def release(self) -> None:
        """Release all bytes."""
        self._flight.give_back(self._sender, self._bytes)
        self._bytes = 0


class BytesInFlight:
    """The bytes held now, by sender (an address, or a team). Used only on the event loop, so it needs no lock.

    A request above the limit is rejected immediately with a time to retry: requests that wait while they hold a part of
    their body could wait for each other.
    """

    def __init__(self, total_bytes: int = TOTAL_BYTES, sender_bytes: int = SENDER_BYTES) -> None:
        """Take the limits."""
        self.total_bytes, self.sender_bytes = total_bytes, sender_bytes
        self._held: dict[str, int] = {}
        self._sum = 0

    @contextmanager
    def held_by(self, sender: str) -> Iterator[Held]:
        """Return an account for a request of this sender; it is released when the block ends."""
        held = Held(self, sender)
        try:
            yield held
        finally:
            held.release()

    def take(self, sender: str, size_bytes: int) -> None:
        """Count bytes as held. Raises `Unavailable`."""
        theirs = self._held.get(sender, 0) + size_bytes
        if theirs > self.sender_bytes:
            # Not 429: Prometheus drops what is rejected with 429, and retries after 503.
            raise Unavailable(
                "Your running requests exceed the limit of bytes.",
                slug="too-many-bytes-in-flight",
                limit=self.sender_bytes,
                actual=theirs,
                unit="bytes",
                remedy="Send fewer or smaller requests at a time.",
            )
        if self._sum + size_bytes > self.total_bytes:
            raise Unavailable(
                "The running requests exceed the server's limit of bytes.",
                slug="server-full",
                limit=self.total_bytes,
                actual=self._sum + size_bytes,
                unit="bytes",
                remedy="Try again in a few seconds.",
            )
        self._held[sender] = theirs
        self._sum += size_bytes

    def give_back(self, sender: str, size_bytes: int) -> None:
        """Release bytes."""
        self._sum -= size_bytes
        left = self._held.get(sender, 0) - size_bytes
        if left > 0:
            self._held[sender] = left
        else:
            self._held.pop(sender, None)
