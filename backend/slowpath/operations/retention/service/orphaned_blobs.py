"""Find the blobs that nothing needs, delete them in bulk, and count the storage of a team."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from slowpath.core import stored_blobs
from slowpath.core.db_sessions import Database, TeamScope, WriteSession
from slowpath.core.ids import BlobKey, TeamId, new_id
from slowpath.core.ports import BlobStore
from slowpath.core.stored_blobs import StoredBlob
from slowpath.evidence import kind_registry
from slowpath.evidence.artifacts.service import artifacts, storage_accounting
from slowpath.operations.retention import queries
from slowpath.operations.retention.rules import SAMPLES, USAGE_DAYS, owner_of
from slowpath.operations.retention.tables import StorageSnapshot

BLOBS_AT_ONCE: Final = 1000
"""Keys of one request to the store: the limit of S3."""


def delete_blobs(session: WriteSession, blobs: BlobStore, keys: Sequence[BlobKey]) -> int:
    """Delete those of the blobs that are due and that nothing needs; return their number.

    They are locked until the transaction ends: storing one of them waits. If the process dies before the commit, their
    rows remain, and the next job deletes what is left. Raises `Unavailable`.
    """
    folders = kind_registry.blob_folders()
    owners = {key: owner_of(key, folders) for key in keys}
    hashes = {owner.sha256 for owner in owners.values() if owner is not None and owner.sha256 is not None}
    locked, unneeded = artifacts.lock_unneeded_hashes(session, sorted(hashes))
    free = [key for key, owner in owners.items() if owner is None or owner.sha256 is None or owner.sha256 in locked]
    due = stored_blobs.lock_due_blobs(session, free)
    ids: dict[str, set[UUID]] = defaultdict(set)
    for blob in due:
        if (owner := owners[blob.key]) is not None and owner.row_id is not None and not blob.is_unused:
            ids[owner.folder].add(owner.row_id)
    rows = {folder: queries.known_rows(session, folder, some) for folder, some in ids.items()}

    def is_needed(blob: StoredBlob) -> bool:
        owner = owners[blob.key]
        if owner is None:
            return True  # an unknown key, of a later version
        if owner.sha256 is not None:
            return owner.sha256 not in unneeded
        return not blob.is_unused and owner.row_id in rows[owner.folder]

    needed = [blob for blob in due if is_needed(blob)]
    orphaned = [blob for blob in due if not is_needed(blob)]
    blobs.delete([blob.key for blob in orphaned])
    stored_blobs.record_checked(session, needed, orphaned)
    return len(orphaned)


def mark_orphaned_blobs(session: WriteSession) -> None:
    """Make the blobs due whose owner was deleted without marking them, by the rows of all blobs."""
    queries.mark_blobs_without_artifact(session, kind_registry.blob_folders())
    queries.mark_blobs_without_row(session)


def list_blobs(database: Database, blobs: BlobStore, team_id: TeamId) -> int:
    """List all blobs of a team and record those without rows; return their number. Raises `Unavailable`.

    Only needed for blobs that were stored before they had rows, and after a restored backup.
    """
    recorded = 0
    for page in blobs.listed(str(team_id)):
        with database.writing(TeamScope(team_id)) as session:
            recorded += stored_blobs.record_listed_blobs(session, [(blob.key, blob.size_bytes) for blob in page])
    return recorded


def record_storage(session: WriteSession, deleted_count: int, now: datetime) -> None:
    """Record a storage snapshot; delete snapshots older than the usage page shows."""
    chunks, size = queries.samples_size(session)
    stored = stored_blobs.sum_by_folder(session)
    folders: Mapping[str, list[int]] = {name: list(both) for name, both in stored.items()} | {SAMPLES: [chunks, size]}
    session.add(
        StorageSnapshot(team_id=session.team_id, id=new_id(), folders=dict(folders), deleted_blobs=deleted_count)
    )
    storage_accounting.set_stored_bytes(
        session, sum(both[1] for name, both in stored.items() if name != storage_accounting.FILES)
    )
    queries.delete_snapshots(session, now - timedelta(days=USAGE_DAYS))
