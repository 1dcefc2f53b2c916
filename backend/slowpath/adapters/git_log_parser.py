"""What `git log -z --raw --numstat` says, as commits."""

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from typing import Final

from slowpath.core.errors import TooLarge
from slowpath.core.git_ports import GitCommit, GitFileChange

MOST_FIELD_BYTES: Final = 8 << 20
MOST_CHANGES: Final = 100_000


class NulFieldReader:
    """Texts that end with NUL, of which the next can be looked at."""

    def __init__(self, parts: Iterable[bytes]) -> None:
        """Read from what comes in pieces."""
        self._fields = _split(parts)
        self._next: str | None = next(self._fields, None)

    def peek(self) -> str | None:
        """Return the next one without taking it; nothing at the end."""
        return self._next

    def take(self) -> str:
        """Return the next one. Raises `ValueError` at the end."""
        if self._next is None:
            raise ValueError("git ended in the middle of a commit")
        taken, self._next = self._next, next(self._fields, None)
        return taken


def read_commits(fields: NulFieldReader) -> Iterator[GitCommit]:
    """Yield commits. The format has so many fields before the changes, whatever stands in them."""
    while fields.peek() is not None:
        sha = fields.take().removeprefix("\x1e")
        parents = tuple(fields.take().split())
        name, email, authored, committed, title, message = (fields.take() for _ in range(6))
        yield GitCommit(
            sha, parents, name, email, _time(authored), _time(committed), title, message.strip("\n"), _changes(fields)
        )


def _changes(fields: NulFieldReader) -> tuple[GitFileChange, ...]:
    raw: list[tuple[str, str, str, str]] = []
    while (peeked := fields.peek()) is not None and peeked.removeprefix("\n").startswith(":"):
        _, _, before, after, status = fields.take().removeprefix("\n").split(" ")
        path = fields.take()
        if status[0] in "RC":
            path = fields.take()
        raw.append((path, status[0], before, after))
        if len(raw) > MOST_CHANGES:
            raise TooLarge("A commit touches too many files.", limit=MOST_CHANGES, unit="files")
    counted: dict[str, tuple[int | None, int | None]] = {}
    for _ in raw:
        added, removed, path = fields.take().removeprefix("\n").split("\t", 2)
        if not path:
            fields.take()
            path = fields.take()
        counted[path] = (_count(added), _count(removed))
    return tuple(
        GitFileChange(path, status, before, after, *counted.get(path, (None, None)))
        for path, status, before, after in raw
    )  # fmt: skip


def _split(parts: Iterable[bytes]) -> Iterator[str]:
    rest = b""
    for part in parts:
        *whole, rest = (rest + part).split(b"\x00")
        for field in whole:
            yield field.decode("utf-8", "replace")
        if len(rest) > MOST_FIELD_BYTES:
            raise TooLarge("A message of a commit is too long.", limit=MOST_FIELD_BYTES, unit="bytes")
    if rest:
        yield rest.decode("utf-8", "replace")


def _count(told: str) -> int | None:
    return int(told) if told.isdecimal() else None


def _time(told: str) -> datetime | None:
    """Return a time; nothing for one that no calendar holds, which an author can write."""
    try:
        return datetime.fromtimestamp(int(told), UTC)
    except (ValueError, OverflowError, OSError):
        return None
