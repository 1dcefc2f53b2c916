"""Compact WAL records of a team into chunks, roll them up, and delete expired samples."""

import structlog

from slowpath.analysis.kinds.metrics.samples.sample_compaction import compact_chunk
from slowpath.core.jobs import enqueue_unless_pending
from slowpath.evidence.metrics.jobs import CompactMetricWal, DeleteExpiredSamples, RollUpMetrics
from slowpath.evidence.metrics.rules import COMPACTION_SAMPLES
from slowpath.evidence.metrics.service import chunk_compaction, chunk_partitions, roll_up_writer
from slowpath_worker.job_context import JobContext

log = structlog.get_logger(__name__)

__all__ = [
    "CompactMetricWal",
    "DeleteExpiredSamples",
    "RollUpMetrics",
    "compact_metric_wal",
    "delete_expired_samples",
    "roll_up_metrics",
]


def compact_metric_wal(_job: CompactMetricWal, context: JobContext) -> None:
    """Compact up to one job's worth of samples; enqueue another job if there are more."""
    with context.reading() as session:
        gathered = chunk_compaction.gather_wal_samples(session, COMPACTION_SAMPLES)

    compacted = []
    if gathered is not None:
        total = max(len(gathered.sorted_out.parts), 1)
        for number, block in enumerate(compact_chunk(gathered.sorted_out)):
            compacted.append(block)
            if number % 100 == 0:
                context.progress("compacting", number / total)

    with context.finishing() as session:
        recorded = gathered is None or chunk_compaction.replace_wal_with_chunks(session, gathered, compacted)
        chunk_compaction.enqueue_next_compaction(session, gathered, recorded=recorded)


def roll_up_metrics(_job: RollUpMetrics, context: JobContext) -> None:
    """Join and roll up one job's worth of hours that are over; enqueue another job if there are more."""
    with context.reading() as session:
        due = roll_up_writer.gather_due_hours(session, chunk_compaction.now_ms(session))
    if due is None:
        return
    written = list(roll_up_writer.join_hours(due))
    with context.finishing() as session:
        recorded = roll_up_writer.replace_pieces(session, due, written)
        if due.more or not recorded:
            enqueue_unless_pending(session, RollUpMetrics(session.team_id))


def delete_expired_samples(_job: DeleteExpiredSamples, context: JobContext) -> None:
    """Delete expired samples, and enqueue the next deletion.

    Before that, partitions of months that no team retains are dropped, and those of future months are created.
    """
    with context.cross_team() as connection:
        done = chunk_partitions.maintain_partitions(connection)
    if done:
        log.info("metrics.partitions_maintained", partitions={partition or "all": action for partition, action in done})
    with context.finishing() as session:
        chunk_compaction.delete_expired_samples(session, chunk_compaction.now_ms(session))
        chunk_compaction.enqueue_next_compaction(session, None, recorded=True)
