"""Enforce retention: delete expired data and orphaned blobs, and count storage usage."""

from datetime import datetime

import structlog

from slowpath.core.encryption import create_sealer
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
from slowpath.operations.retention.service.orphaned_blobs import BlobTotals
from slowpath.sharing.inbox.service import triage_retention
from slowpath_worker.job_context import JobContext

log = structlog.get_logger(__name__)

__all__ = ["EnforceRetention", "enforce_retention"]


def enforce_retention(_job: EnforceRetention, context: JobContext) -> None:
    """Delete expired data, sweep the blob store, and record storage usage."""
    now = context.clock.now()
    context.progress("deleting expired data", 0.1)
    deleted = _delete_expired(context, now)
    context.progress("deleting orphaned blobs", 0.4)
    totals = _sweep(context, now)
    if deleted or totals.deleted_blobs:
        log.info("retention.enforced", files=deleted, swept=totals.deleted_blobs)

    with context.writing() as session:
        sealer = create_sealer(context.settings)
        of_team = encryption_keys.renew_encryption(session, sealer)
        of_members = encryption_keys.renew_members(session, sealer)
    if renewed := of_team.renewed + of_members.renewed:
        log.info("encryption.renewed", values=renewed)

    with context.finishing() as session:
        triage_retention.delete_orphaned_triage(session)
        usage.record_daily_usage(session, now)
        orphaned_blobs.record_storage(session, totals, now)


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
            count, keys = build_comparisons.delete_unused_build_comparisons(session)
        context.blobs.delete(keys)
        if not count:
            return


def _delete_incomplete_sets(context: JobContext) -> None:
    """Delete the profile sets of which an artifact was deleted, with their blobs."""
    while True:
        with context.writing() as session:
            deleted, keys = profile_sets.delete_incomplete_sets(session)
        context.blobs.delete(keys)
        if not deleted:
            return


def _sweep(context: JobContext, now: datetime) -> BlobTotals:
    """Delete orphaned blobs. Each is checked again under the lock that uploads take."""
    totals = BlobTotals()
    for blobs in context.blobs.listed(str(context.team_id)):
        for blob in blobs:
            totals.add(blob)
        with context.reading() as session:
            found = orphaned_blobs.find_orphaned_blobs(session, blobs, now)
        for blob, owner in found:
            with context.writing() as session:
                if orphaned_blobs.recheck_orphaned_blobs(session, owner):
                    context.blobs.delete([blob.key])
                    totals.take(blob)
    return totals
