"""How many bytes of request bodies a process holds in memory at a time: a limit for all, and a share for each sender."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from slowpath.core.errors import Unavailable

TOTAL_BYTES: Final = 64 << 20
SENDER_BYTES: Final = TOTAL_BYTES // 4


class Held:
    """What one request holds."""

    def __init__(self, flight: "BytesInFlight", sender: str) -> None:
        """Begin with nothing."""
        self._flight, self._sender, self._bytes = flight, sender, 0

    def add(self, size_bytes: int) -> None:
        """Hold more bytes. Raises `Unavailable` if the sender or the process holds too much."""
        self._flight.take(self._sender, size_bytes)
        self._bytes += size_bytes

    def release(self) -> None:
        """Give everything back."""
        self._flight.give_back(self._sender, self._bytes)
        self._bytes = 0


class BytesInFlight:
    """The bytes held now, by sender (an address, or a team). Used on the event loop only, so it needs no lock.

    A request that finds no room is refused at once and told when to retry: requests that waited while they hold a part
    of their body could wait for each other.
    """

    def __init__(self, total_bytes: int = TOTAL_BYTES, sender_bytes: int = SENDER_BYTES) -> None:
        """Take the limits."""
        self.total_bytes, self.sender_bytes = total_bytes, sender_bytes
        self._held: dict[str, int] = {}
        self._sum = 0

    @contextmanager
    def held_by(self, sender: str) -> Iterator[Held]:
        """Give a request of this sender an account, which is settled when the block ends."""
        held = Held(self, sender)
        try:
            yield held
        finally:
            held.release()

    def take(self, sender: str, size_bytes: int) -> None:
        """Count bytes as held. Raises `Unavailable`."""
        theirs = self._held.get(sender, 0) + size_bytes
        if theirs > self.sender_bytes:
            # Not 429: Prometheus drops what is refused so, and sends again what is answered with 503.
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
        """Count bytes as no longer held."""
        self._sum -= size_bytes
        left = self._held.get(sender, 0) - size_bytes
        if left > 0:
            self._held[sender] = left
        else:
            self._held.pop(sender, None)
