"""The chain of a team's audit events: each hash covers the one before it and the content of its event."""

from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import sha256
from uuid import UUID

MAX_ENTRIES = 1_000
"""Of one request for entries."""
MAX_VERIFIED = 20_000
"""Entries that one request verifies."""


@dataclass(frozen=True)
class ChainPosition:
    """An entry of a chain by its sequence, with its hash; sequence 0 is before the first entry."""

    sequence: int
    hash: bytes


@dataclass(frozen=True)
class AuditEntry:
    """A stored audit event and what its hash covers."""

    id: UUID
    sequence: int | None
    hash: bytes | None
    content: str


@dataclass(frozen=True)
class BrokenEntry:
    """The first entry that is not as it was written."""

    sequence: int
    id: UUID | None
    """None if the entry is missing."""
    problem: str


@dataclass(frozen=True)
class ChainVerification:
    """How far a chain was verified, and what is broken there."""

    verified_count: int
    position: ChainPosition
    broken: BrokenEntry | None
    is_complete: bool
    """Whether the end of the chain was reached; otherwise continue after the position."""


def hash_entry(previous_hash: bytes, content: str) -> bytes:
    """Return the hash of an entry."""
    return sha256(previous_hash + content.encode()).digest()


def verify_entries(
    after: ChainPosition, entries: Iterable[AuditEntry]
) -> tuple[ChainPosition, int, BrokenEntry | None]:
    """Verify entries in the order of their sequence; return the last intact one, their number and the first broken one."""
    count = 0
    for entry in entries:
        expected = after.sequence + 1
        if entry.sequence != expected:
            return after, count, BrokenEntry(expected, None, "The entry is missing.")
        digest = hash_entry(after.hash, entry.content)
        if digest != entry.hash:
            problem = "The entry, or the hash before it, is not what was written."
            return after, count, BrokenEntry(expected, entry.id, problem)
        after, count = ChainPosition(expected, digest), count + 1
    return after, count, None
