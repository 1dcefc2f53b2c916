"""Enforce retention: delete expired data and blobs that nothing needs, and count storage usage."""

from datetime import datetime

import structlog

from slowpath.core import stored_blobs
from slowpath.core.encryption import create_sealer
from slowpath.core.ids import BlobKey
from slowpath.core.stored_blobs import DeleteOrphanedBlobs
from slowpath.evidence.artifacts.service import storage_accounting
from slowpath.evidence.profiles.service import profile_sets
from slowpath.operations.retention.jobs import EnforceRetention
from slowpath.operations.retention.service import (
    audit_log_retention,
    build_comparisons,
    encryption_keys,
    orphaned_blobs,
    retention_rules,
    usage,
)
from slowpath.operations.retention.service.orphaned_blobs import BLOBS_AT_ONCE
from slowpath.sharing.inbox.service import triage_retention
from slowpath_worker.job_context import JobContext

log = structlog.get_logger(__name__)

__all__ = ["DeleteOrphanedBlobs", "EnforceRetention", "delete_orphaned_blobs", "enforce_retention"]


def enforce_retention(_job: EnforceRetention, context: JobContext) -> None:
    """Delete expired data, sweep the blob store, and record storage usage."""
    now = context.clock.now()
    context.progress("deleting expired data", 0.1)
    deleted = _delete_expired(context, now)
    context.progress("deleting orphaned blobs", 0.4)
    _record_former_blobs(context)
    with context.writing() as session:
        orphaned_blobs.mark_orphaned_blobs(session)
    deleted_blobs = _delete_due_blobs(context)
    if deleted or deleted_blobs:
        log.info("retention.enforced", files=deleted, blobs=deleted_blobs)

    with context.writing() as session:
        sealer = create_sealer(context.settings)
        of_team = encryption_keys.renew_encryption(session, sealer)
        of_members = encryption_keys.renew_members(session, sealer)
    if renewed := of_team.renewed + of_members.renewed:
        log.info("encryption.renewed", values=renewed)

    with context.finishing() as session:
        triage_retention.delete_orphaned_triage(session, now)
        usage.record_daily_usage(session, now)
        orphaned_blobs.record_storage(session, deleted_blobs, now)


def delete_orphaned_blobs(_job: DeleteOrphanedBlobs, context: JobContext) -> None:
    """Delete the blobs that are due for their check and that nothing needs."""
    _delete_due_blobs(context)
    with context.finishing():
        pass


def _delete_expired(context: JobContext, now: datetime) -> int:
    deleted = 0
    while True:
        with context.writing() as session:
            count = retention_rules.delete_expired(session, now)
        if not count:
            break
        deleted += count
    _delete_build_comparisons(context)
    _delete_incomplete_sets(context)
    with context.reading() as session:
        before = audit_log_retention.audit_log_cutoff(session, now)
    if before is not None:
        with context.cross_team() as connection:
            audit_log_retention.delete_old_audit_events(connection, context.team_id, before)
    return deleted


def _delete_build_comparisons(context: JobContext) -> None:
    while True:
        with context.writing() as session:
            if not build_comparisons.delete_unused_build_comparisons(session):
                return


def _delete_incomplete_sets(context: JobContext) -> None:
    """Delete the profile sets of which an artifact was deleted, with their blobs."""
    while True:
        with context.writing() as session:
            if not profile_sets.delete_incomplete_sets(session):
                return


def _record_former_blobs(context: JobContext) -> None:
    """List the store once per team, for blobs from before they had rows."""
    with context.reading() as session:
        if not storage_accounting.needs_listing(session):
            return
    for page in context.blobs.listed(str(context.team_id)):
        with context.writing() as session:
            stored_blobs.record_listed_blobs(session, [(blob.key, blob.size_bytes) for blob in page])


def _delete_due_blobs(context: JobContext) -> int:
    """Delete in bulk what is due; blobs that an upload uses now are omitted until the next time."""
    deleted, after = 0, BlobKey("")
    while True:
        with context.reading() as session:
            due = stored_blobs.select_due_blobs(session, BLOBS_AT_ONCE, after)
        if not due:
            return deleted
        with context.writing() as session:
            deleted += orphaned_blobs.delete_blobs(session, context.blobs, due)
        after = due[-1]
