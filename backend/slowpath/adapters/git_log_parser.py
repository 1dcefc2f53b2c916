"""Parse the output of `git log -z --raw --numstat`."""

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from typing import Final

from slowpath.core.errors import TooLarge
from slowpath.core.git_ports import GitCommit, GitFileChange

MAX_FIELD_BYTES: Final = 8 << 20
MAX_CHANGES: Final = 100_000


class NulFieldReader:
    """A reader of NUL-terminated strings with one field of lookahead."""

    def __init__(self, parts: Iterable[bytes]) -> None:
        """Read from chunks of bytes."""
        self._fields = _split(parts)
        self._next: str | None = next(self._fields, None)

    def peek(self) -> str | None:
        """Return the next field without consuming it; None at the end."""
        return self._next

    def take(self) -> str:
        """Return and consume the next field. Raises `ValueError` at the end."""
        if self._next is None:
            raise ValueError("git ended in the middle of a commit")
        taken, self._next = self._next, next(self._fields, None)
        return taken


def read_commits(fields: NulFieldReader) -> Iterator[GitCommit]:
    """Yield commits. The number of fields before the changes is fixed, whatever their content."""
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
        if len(raw) > MAX_CHANGES:
            raise TooLarge("A commit changes too many files.", limit=MAX_CHANGES, unit="files")
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
        if len(rest) > MAX_FIELD_BYTES:
            raise TooLarge("A commit message is too long.", limit=MAX_FIELD_BYTES, unit="bytes")
    if rest:
        yield rest.decode("utf-8", "replace")


def _count(text: str) -> int | None:
    return int(text) if text.isdecimal() else None


def _time(text: str) -> datetime | None:
    """Parse a Unix time; None if it is out of range, because authors can set any number."""
    try:
        return datetime.fromtimestamp(int(text), UTC)
    except (ValueError, OverflowError, OSError):
        return None
