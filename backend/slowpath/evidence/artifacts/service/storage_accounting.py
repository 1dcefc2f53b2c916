"""Storage usage of a team: its artifacts and its derived data (decoded artifacts, reports, exports)."""

import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Final
from uuid import UUID

import structlog
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.exc import SQLAlchemyError

from slowpath.core.db_sessions import Database, ReadSession, TeamScope, WriteSession
from slowpath.core.ids import BlobKey, TeamId, new_id
from slowpath.core.ports import BlobInfo, BlobStore
from slowpath.evidence.artifacts import queries
from slowpath.evidence.artifacts.tables import DerivedStorageTotal

FILES: Final = "originals"
"""Folder of the original files, whose size is counted from the artifact rows."""
LATER_SECONDS: Final = 1.0
log = structlog.get_logger(__name__)


def get_stored_bytes(session: ReadSession) -> int:
    """Return the counted storage usage of the team, in bytes."""
    return queries.bytes_stored(session) + queries.derived_bytes(session)


def add_stored_bytes(session: WriteSession, size_bytes: int) -> None:
    """Add bytes to the total of derived data."""
    made = insert(DerivedStorageTotal).values(team_id=session.team_id, id=new_id(), size_bytes=size_bytes)
    grown = DerivedStorageTotal.size_bytes + made.excluded.size_bytes
    session.execute(made.on_conflict_do_update(index_elements=["team_id"], set_={"size_bytes": grown}))


def set_stored_bytes(session: WriteSession, size_bytes: int) -> None:
    """Set the total of derived data to a new count."""
    made = insert(DerivedStorageTotal).values(team_id=session.team_id, id=new_id(), size_bytes=size_bytes)
    fresh = {"size_bytes": made.excluded.size_bytes}
    session.execute(made.on_conflict_do_update(index_elements=["team_id"], set_=fresh))


class AccountingBlobStore:
    """A blob store that counts the derived data stored through it.

    A caller of `put` may hold a transaction and a connection, so a thread writes the count one second later. A lost
    count is corrected by the next full count; no caller waits for it or fails because of it.
    """

    def __init__(self, store: BlobStore, database: Database) -> None:
        """Store blobs in `store`, and counts in `database`."""
        self._store = store
        self._database = database
        self._lock = threading.Lock()
        self._grown: dict[str, int] = {}
        self._later: threading.Timer | None = None

    def put(self, key: BlobKey, content: Path | bytes | Iterator[bytes]) -> None:
        """Store the bytes under the key, atomically. Raises `Unavailable`."""
        if isinstance(content, (Path, bytes)):
            self._store.put(key, content)
            self._count(key, len(content) if isinstance(content, bytes) else content.stat().st_size)
            return
        sizes: list[int] = []
        self._store.put(key, _measured(content, sizes))
        self._count(key, sum(sizes))

    def _count(self, key: BlobKey, size_bytes: int) -> None:
        team, _, rest = key.partition("/")
        if rest.startswith(f"{FILES}/"):
            return
        with self._lock:
            self._grown[team] = self._grown.get(team, 0) + size_bytes
            if self._later is None:
                self._later = threading.Timer(LATER_SECONDS, self.write_counts)
                self._later.daemon = True
                self._later.start()

    def write_counts(self) -> None:
        """Add the pending counts to the totals in the database."""
        with self._lock:
            grown, self._grown, self._later = self._grown, {}, None
        for team, size_bytes in grown.items():
            try:
                with self._database.writing(TeamScope(TeamId(UUID(team)))) as session:
                    add_stored_bytes(session, size_bytes)
            except (SQLAlchemyError, ValueError) as error:  # a deleted team, a database that is unavailable
                log.warning("what was stored is not counted yet", error=str(error).splitlines()[0])

    def listed(self, prefix: str) -> Iterator[Sequence[BlobInfo]]:
        """Yield the blobs under `prefix/`. Raises `Unavailable`."""
        return self._store.listed(prefix)

    def read(self, key: BlobKey) -> bytes:
        """Return all bytes. Raises `NotFound`, `Unavailable`."""
        return self._store.read(key)

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
