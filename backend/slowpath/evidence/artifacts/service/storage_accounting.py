"""What a team stores in all: its files, and beside them what was made of them, reports and exports."""

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
"""The folder that is counted by the rows of files themselves."""
LATER_SECONDS: Final = 1.0
log = structlog.get_logger(__name__)


def get_stored_bytes(session: ReadSession) -> int:
    """Return how many bytes the team stores in all, as far as they were counted."""
    return queries.bytes_stored(session) + queries.derived_bytes(session)


def add_stored_bytes(session: WriteSession, size_bytes: int) -> None:
    """Add what was stored beside files."""
    made = insert(DerivedStorageTotal).values(team_id=session.team_id, id=new_id(), size_bytes=size_bytes)
    grown = DerivedStorageTotal.size_bytes + made.excluded.size_bytes
    session.execute(made.on_conflict_do_update(index_elements=["team_id"], set_={"size_bytes": grown}))


def set_stored_bytes(session: WriteSession, size_bytes: int) -> None:
    """Keep what was counted anew."""
    made = insert(DerivedStorageTotal).values(team_id=session.team_id, id=new_id(), size_bytes=size_bytes)
    fresh = {"size_bytes": made.excluded.size_bytes}
    session.execute(made.on_conflict_do_update(index_elements=["team_id"], set_=fresh))


class AccountingBlobStore:
    """A blob store that counts what is put into it beside files.

    Whoever puts may hold a transaction and a connection, so it is written down by a thread a moment later. A count that
    is lost is made up for when all is counted again; nobody waits or fails for it.
    """

    def __init__(self, store: BlobStore, database: Database) -> None:
        """Store there, count here."""
        self._store = store
        self._database = database
        self._lock = threading.Lock()
        self._grown: dict[str, int] = {}
        self._later: threading.Timer | None = None

    def put(self, key: BlobKey, content: Path | bytes | Iterator[bytes]) -> None:
        """Store the bytes under the key, whole or not at all. Raises `Unavailable`."""
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
                self._later = threading.Timer(LATER_SECONDS, self.write_down)
                self._later.daemon = True
                self._later.start()

    def write_down(self) -> None:
        """Write down what has been counted."""
        with self._lock:
            grown, self._grown, self._later = self._grown, {}, None
        for team, size_bytes in grown.items():
            try:
                with self._database.writing(TeamScope(TeamId(UUID(team)))) as session:
                    add_stored_bytes(session, size_bytes)
            except (SQLAlchemyError, ValueError) as error:  # a team that is gone, a database that is away
                log.warning("what was stored is not counted yet", error=str(error).splitlines()[0])

    def listed(self, prefix: str) -> Iterator[Sequence[BlobInfo]]:
        """Yield what lies beneath `prefix/`. Raises `Unavailable`."""
        return self._store.listed(prefix)

    def read(self, key: BlobKey) -> bytes:
        """Return all bytes. Raises `NotFound`, `Unavailable`."""
        return self._store.read(key)

    def read_range(self, key: BlobKey, offset: int, length: int) -> bytes:
        """Return so many bytes from an offset. Raises `NotFound`, `Unavailable`."""
        return self._store.read_range(key, offset, length)

    def stream(self, key: BlobKey) -> Iterator[bytes]:
        """Yield the bytes in chunks. Raises `NotFound`, `Unavailable` before the first chunk."""
        return self._store.stream(key)

    def local(self, key: BlobKey) -> AbstractContextManager[Path]:
        """Give the bytes as a local file."""
        return self._store.local(key)

    def exists(self, key: BlobKey) -> bool:
        """Tell whether something is stored under the key."""
        return self._store.exists(key)

    def delete(self, keys: Iterable[BlobKey]) -> None:
        """Remove what is there."""
        self._store.delete(keys)

    def delete_under(self, prefix: str) -> int:
        """Remove every blob beneath a prefix; returns how many there were."""
        return self._store.delete_under(prefix)

    def check(self) -> None:
        """Raise `Unavailable` when the store does not answer."""
        self._store.check()


def _measured(content: Iterator[bytes], sizes: list[int]) -> Iterator[bytes]:
    for piece in content:
        sizes.append(len(piece))
        yield piece
