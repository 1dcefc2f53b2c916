"""Find orphaned blobs, and count the storage of a team."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from uuid import UUID

from slowpath.core.db_sessions import ReadSession, WriteSession
from slowpath.core.ids import new_id
from slowpath.core.ports import BlobInfo
from slowpath.evidence import kind_registry
from slowpath.evidence.artifacts.service import artifacts, storage_accounting
from slowpath.operations.retention import queries
from slowpath.operations.retention.rules import (
    SAMPLES,
    USAGE_DAYS,
    YOUNG_HOURS,
    BlobOwner,
    folder_of,
    owner_of,
)
from slowpath.operations.retention.tables import StorageSnapshot


@dataclass
class BlobTotals:
    """Number and size of blobs by folder."""

    folders: dict[str, list[int]] = field(default_factory=dict)
    deleted_blobs: int = 0

    def add(self, blob: BlobInfo) -> None:
        """Add a blob."""
        counted = self.folders.setdefault(folder_of(blob.key), [0, 0])
        counted[0] += 1
        counted[1] += blob.size_bytes

    def take(self, blob: BlobInfo) -> None:
        """Subtract a deleted blob."""
        counted = self.folders[folder_of(blob.key)]
        counted[0] -= 1
        counted[1] -= blob.size_bytes
        self.deleted_blobs += 1


def find_orphaned_blobs(
    session: ReadSession, blobs: Sequence[BlobInfo], now: datetime
) -> list[tuple[BlobInfo, BlobOwner]]:
    """Return the blobs whose row does not exist; young blobs and those with unknown keys are omitted."""
    old = now - timedelta(hours=YOUNG_HOURS)
    folders = kind_registry.blob_folders()
    owned = [
        (blob, owner) for blob in blobs if blob.changed_at < old and (owner := owner_of(blob.key, folders)) is not None
    ]
    hashes = {owner.sha256 for _, owner in owned if owner.sha256 is not None}
    known = queries.known_hashes(session, hashes) if hashes else set()
    ids: dict[str, set[UUID]] = defaultdict(set)
    for _, owner in owned:
        if owner.row_id is not None:
            ids[owner.folder].add(owner.row_id)
    rows = {folder: queries.known_rows(session, folder, some) for folder, some in ids.items()}
    return [
        (blob, owner)
        for blob, owner in owned
        if (owner.sha256 not in known if owner.sha256 is not None else owner.row_id not in rows[owner.folder])
    ]


def recheck_orphaned_blobs(session: WriteSession, owner: BlobOwner) -> bool:
    """Return whether a blob is still orphaned, and lock its bytes against being stored now."""
    if owner.sha256 is None:
        return True  # a row ID is never reused
    return not artifacts.is_blob_referenced(session, owner.sha256)


def record_storage(session: WriteSession, tally: BlobTotals, now: datetime) -> None:
    """Record a storage snapshot; delete snapshots older than the usage page shows."""
    chunks, stored = queries.samples_size(session)
    folders: Mapping[str, list[int]] = {**tally.folders, SAMPLES: [chunks, stored]}
    session.add(
        StorageSnapshot(team_id=session.team_id, id=new_id(), folders=dict(folders), deleted_blobs=tally.deleted_blobs)
    )
    storage_accounting.set_stored_bytes(
        session, sum(both[1] for name, both in tally.folders.items() if name != storage_accounting.FILES)
    )
    queries.delete_snapshots(session, now - timedelta(days=USAGE_DAYS))
