"""Storage usage of a team: its artifacts and its derived data (decoded artifacts, reports, exports)."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Final
from uuid import UUID

from sqlalchemy import func
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.exc import IntegrityError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from slowpath.core import stored_blobs
from slowpath.core.db_sessions import Database, ReadSession, TeamScope, WriteSession
from slowpath.core.errors import NotFound, Unavailable
from slowpath.core.ids import BlobKey, TeamId, new_id
from slowpath.core.ports import BlobInfo, BlobStore
from slowpath.evidence.artifacts import queries
from slowpath.evidence.artifacts.tables import DerivedStorageTotal

FILES: Final = "originals"
"""Folder of the original files, whose size is counted from the artifact rows."""


class TeamErased(NotFound):
    """The team of a blob does not exist any more."""


def get_stored_bytes(session: ReadSession) -> int:
    """Return the counted storage usage of the team, in bytes."""
    return queries.bytes_stored(session) + queries.derived_bytes(session)


def add_stored_bytes(session: WriteSession, size_bytes: int) -> None:
    """Add bytes to the total of derived data."""
    made = insert(DerivedStorageTotal).values(team_id=session.team_id, id=new_id(), size_bytes=size_bytes)
    grown = DerivedStorageTotal.size_bytes + made.excluded.size_bytes
    session.execute(made.on_conflict_do_update(index_elements=["team_id"], set_={"size_bytes": grown}))


def set_stored_bytes(session: WriteSession, size_bytes: int) -> None:
    """Set the total of derived data to a new count of all blobs, each of which has a row from now on."""
    made = insert(DerivedStorageTotal).values(
        team_id=session.team_id, id=new_id(), size_bytes=size_bytes, listed_at=func.clock_timestamp()
    )
    fresh = {name: made.excluded[name] for name in ("size_bytes", "listed_at")}
    session.execute(made.on_conflict_do_update(index_elements=["team_id"], set_=fresh))


def needs_listing(session: ReadSession) -> bool:
    """Return whether blobs of the team may have no rows, because they are from before these rows existed."""
    return queries.listed_at(session) is None


class AccountingBlobStore:
    """A blob store that records each blob before it is stored, and counts the derived data.

    The row is committed at once by a connection of `database`, which no caller of `put` holds: an own pool, because
    callers may hold a connection of theirs meanwhile.
    """

    def __init__(self, store: BlobStore, database: Database) -> None:
        """Store blobs in `store`, and their rows in `database`."""
        self._store = store
        self._database = database

    def put(self, key: BlobKey, content: Path | bytes | Iterator[bytes]) -> None:
        """Store the bytes under the key, atomically. Raises `Unavailable`, and `TeamErased` for a deleted team."""
        if isinstance(content, (Path, bytes)):
            self._record(key, len(content) if isinstance(content, bytes) else content.stat().st_size)
            self._store.put(key, content)
            return
        self._record(key, 0)
        sizes: list[int] = []
        self._store.put(key, _measured(content, sizes))
        self._record(key, sum(sizes))

    def _record(self, key: BlobKey, size_bytes: int) -> None:
        team, _, rest = key.partition("/")
        try:
            with self._database.writing(TeamScope(TeamId(UUID(team)))) as session:
                stored_blobs.record_blob(session, key, size_bytes)
                if size_bytes and not rest.startswith(f"{FILES}/"):
                    add_stored_bytes(session, size_bytes)
        except IntegrityError as error:
            raise TeamErased("The team of these bytes was deleted.") from error
        except (OperationalError, PoolTimeout) as error:
            raise Unavailable("The database is not available.", remedy="Try again later.") from error

    def listed(self, prefix: str) -> Iterator[Sequence[BlobInfo]]:
        """Yield the blobs under `prefix/`. Raises `Unavailable`."""
        return self._store.listed(prefix)

    def read(self, key: BlobKey) -> bytes:
        """Return all bytes. Raises `NotFound`, `Unavailable`."""
        return self._store.read(key)

    def read_ranges(self, key: BlobKey, ranges: Sequence[tuple[int, int]]) -> list[bytes]:
        """Return bytes at offsets."""
        return self._store.read_ranges(key, ranges)

    def read_range(self, key: BlobKey, offset: int, length: int) -> bytes:
        """Return `length` bytes from an offset. Raises `NotFound`, `Unavailable`."""
        return self._store.read_range(key, offset, length)

    def stream(self, key: BlobKey) -> Iterator[bytes]:
        """Yield the bytes in chunks. Raises `NotFound`, `Unavailable` before the first chunk."""
        return self._store.stream(key)

    def local(self, key: BlobKey) -> AbstractContextManager[Path]:
        """Return a context manager that provides the bytes as a local file."""
        return self._store.local(key)

    def exists(self, key: BlobKey) -> bool:
        """Return whether a blob is stored under the key."""
        return self._store.exists(key)

    def delete(self, keys: Iterable[BlobKey]) -> None:
        """Delete the blobs that exist under these keys."""
        self._store.delete(keys)

    def delete_under(self, prefix: str) -> int:
        """Delete all blobs under a prefix; return their number."""
        return self._store.delete_under(prefix)

    def check(self) -> None:
        """Raise `Unavailable` if the store does not respond."""
        self._store.check()


def _measured(content: Iterator[bytes], sizes: list[int]) -> Iterator[bytes]:
    for piece in content:
        sizes.append(len(piece))
        yield piece
