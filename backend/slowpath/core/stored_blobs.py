"""The table of all blobs, which finds those that nothing needs without listing the store.

A blob's row is committed before its bytes are stored, with the time of its check: if the process dies before it commits
what refers to the blob, the check finds and deletes it. Deleting a row that owns blobs marks theirs as unused in the
same transaction, and a job deletes them in bulk. The row of a blob goes only after its bytes, and only when the time of
its check has come: until then a process that recorded it before the deletion may still store them.

Storing a blob again postpones its check and removes the mark, and waits while a job deletes it. So a blob whose bytes
were just stored is not deleted, whatever was marked before.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import ClassVar, Final

from sqlalchemy import (
    BigInteger,
    Index,
    Text,
    UniqueConstraint,
    bindparam,
    cast,
    delete,
    func,
    null,
    select,
    text,
    update,
)
from sqlalchemy.dialects.postgresql import ARRAY, insert
from sqlalchemy.orm import Mapped, mapped_column

from slowpath.core.db_sessions import ReadSession, WriteSession
from slowpath.core.ids import BlobKey, TeamId, new_id
from slowpath.core.jobs import HOUSEKEEPING, Job, Queue, enqueue_unless_pending
from slowpath.core.table_base import Table, TeamScoped

CHECK_HOURS: Final = 6
"""Time from storing a blob until its check: what refers to it must be committed by then."""
KEYS_PER_STATEMENT: Final = 1000


class StoredBlob(TeamScoped, Table):
    """One blob of a team, from before its bytes are stored until after they are deleted."""

    __tablename__ = "stored_blob"
    __table_args__ = (
        UniqueConstraint("team_id", "key"),
        Index("ix_stored_blob_check", "team_id", "check_at", postgresql_where=text("check_at IS NOT NULL")),
    )

    key: Mapped[BlobKey] = mapped_column(Text(collation="C"))
    """Ordered by bytes, so that a range of keys is a prefix."""
    size_bytes: Mapped[int] = mapped_column(BigInteger)
    check_at: Mapped[datetime | None]
    """Time from which the blob is deleted if nothing needs it; None after a check that found what needs it."""
    is_unused: Mapped[bool] = mapped_column(server_default=text("false"))
    """Whether what needed the blob was deleted."""
    recorded_at: Mapped[datetime] = mapped_column(server_default=func.clock_timestamp())
    """Time before its bytes were stored last."""


@dataclass(frozen=True)
class DeleteOrphanedBlobs(Job):
    """Delete the blobs of a team that are due for their check and that nothing needs."""

    name: ClassVar[str] = "blobs.delete-orphaned"
    queue: ClassVar[Queue] = Queue.NOTIFY
    subject_kind: ClassVar[str] = HOUSEKEEPING

    team_id: TeamId


def record_blob(session: WriteSession, key: BlobKey, size_bytes: int) -> None:
    """Record a blob whose bytes are stored next, and postpone its check."""
    made = insert(StoredBlob).values(
        team_id=session.team_id, id=new_id(), key=key, size_bytes=size_bytes, check_at=_check_time(), is_unused=False,
        recorded_at=func.clock_timestamp(),
    )  # fmt: skip
    changed = {name: made.excluded[name] for name in ("size_bytes", "check_at", "is_unused", "recorded_at")}
    session.execute(made.on_conflict_do_update(index_elements=["team_id", "key"], set_=changed))


def record_listed_blobs(session: WriteSession, blobs: Iterable[tuple[BlobKey, int]]) -> int:
    """Record blobs that a listing of the store found, unless they have rows; return the number of new rows."""
    rows = [
        {"team_id": session.team_id, "id": new_id(), "key": key, "size_bytes": size, "check_at": _check_time()}
        for key, size in blobs
    ]
    if not rows:
        return 0
    made = insert(StoredBlob).values(rows).on_conflict_do_nothing(index_elements=["team_id", "key"])
    return len(session.scalars(made.returning(StoredBlob.id)).all())


def mark_unused(session: WriteSession, prefixes: Sequence[str]) -> None:
    """Mark the blobs with these keys and below them as unused, and enqueue their deletion after the commit.

    A blob with the hash of a file in its key is only deleted if no other row needs the file.
    """
    if not prefixes:
        return
    for first in range(0, len(prefixes), KEYS_PER_STATEMENT):
        given = cast(bindparam("prefixes", sorted(prefixes[first : first + KEYS_PER_STATEMENT])), ARRAY(Text()))
        prefix = func.unnest(given).column_valued("prefix")
        below = (StoredBlob.key > prefix.concat("/")) & (StoredBlob.key < prefix.concat("0"))
        found = (
            select(StoredBlob.id)
            .where((StoredBlob.key == prefix) | below)
            .order_by(StoredBlob.key)
            .with_for_update(of=StoredBlob)
        )
        ids = session.scalars(found).all()  # in the order of keys, so that two deletions wait for each other
        changed = update(StoredBlob).where(StoredBlob.id.in_(ids))
        session.execute(changed.values(check_at=func.clock_timestamp(), is_unused=True))
    enqueue_unless_pending(session, DeleteOrphanedBlobs(session.team_id))


def select_due_blobs(session: ReadSession, limit: int, after: BlobKey) -> Sequence[BlobKey]:
    """Return the keys of blobs that are due for their check, after a key in their order."""
    due = select(StoredBlob.key).where(StoredBlob.check_at <= func.clock_timestamp(), StoredBlob.key > after)
    return session.scalars(due.order_by(StoredBlob.key).limit(limit)).all()


def lock_due_blobs(session: WriteSession, keys: Iterable[BlobKey]) -> Sequence[StoredBlob]:
    """Lock those of the blobs that are still due and that no other transaction uses; storing them waits."""
    due = select(StoredBlob).where(StoredBlob.key.in_(list(keys)), StoredBlob.check_at <= func.clock_timestamp())
    return session.scalars(due.order_by(StoredBlob.key).with_for_update(skip_locked=True)).all()


def record_checked(session: WriteSession, needed: Iterable[StoredBlob], deleted: Iterable[StoredBlob]) -> None:
    """Record that some blobs are needed and that the bytes of others are deleted.

    The rows of the latter go if no process can be about to store them; otherwise they are checked once more.
    """
    checked = update(StoredBlob).where(StoredBlob.id.in_([blob.id for blob in needed]))
    session.execute(checked.values(check_at=null(), is_unused=False))
    gone = StoredBlob.id.in_([blob.id for blob in deleted])
    last_check = StoredBlob.recorded_at + timedelta(hours=CHECK_HOURS)
    session.execute(delete(StoredBlob).where(gone, last_check <= func.clock_timestamp()))
    session.execute(update(StoredBlob).where(gone).values(check_at=last_check, is_unused=True, size_bytes=0))


def sum_by_folder(session: ReadSession) -> dict[str, tuple[int, int]]:
    """Return number and bytes of the team's blobs by folder: the part of the key after the team."""
    folder = func.split_part(StoredBlob.key, "/", 2).label("folder")
    found = select(folder, func.count(), func.sum(StoredBlob.size_bytes)).where(~StoredBlob.is_unused).group_by(folder)
    return {row[0]: (row[1], int(row[2])) for row in session.execute(found)}


def _check_time() -> object:
    return func.clock_timestamp() + timedelta(hours=CHECK_HOURS)
