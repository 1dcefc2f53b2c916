"""Compact WAL records into pieces of chunks, and delete expired samples."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from sqlalchemy import delete, func, insert, text, update

from slowpath.analysis.kinds.metrics.samples.sample_columns import unpack_tails
from slowpath.analysis.kinds.metrics.samples.sample_compaction import CompactedChunk, SortedSamples, partition_samples
from slowpath.core.db_sessions import ReadSession, WriteSession
from slowpath.core.jobs import enqueue_unless_pending
from slowpath.evidence.metrics import queries
from slowpath.evidence.metrics.jobs import CompactMetricWal, DeleteExpiredSamples, RollUpMetrics
from slowpath.evidence.metrics.rules import (
    COMPACT_AFTER_S,
    DAY_MS,
    HOUR_MS,
    RETAIN_AFTER_S,
    ROLL_UP_SPANS,
    hours_over,
)
from slowpath.evidence.metrics.tables import (
    MetricChunk,
    MetricExemplar,
    MetricRollUp,
    MetricSeries,
    MetricSettings,
    MetricWalRecord,
)

AT_ONCE = 500
FIRST_PIECE = 2
"""Number of the first piece; lower ones are joined hours."""
NEWER_MS = 600_000
"""Minimum increase of the newest time of an environment that is written: that of one of its series."""
QUIET_MS = 6 * HOUR_MS
"""Minimum increase of the newest time of other series that is written, which would be most of the WAL of PostgreSQL."""
NEWEST = text(
    "WITH given AS (SELECT * FROM unnest(CAST(:ids AS bigint[]), CAST(:times AS bigint[])) AS given (series, newest)), "
    "freshest AS (SELECT DISTINCT ON (environment_id) id FROM metric_series JOIN given ON id = series "
    "WHERE team_id = :team AND role IS NOT NULL ORDER BY environment_id, newest DESC, id) "
    "UPDATE metric_series SET last_ms = newest FROM given WHERE team_id = :team AND id = series "
    "AND last_ms < newest - CASE WHEN id IN (SELECT id FROM freshest) THEN :newer ELSE :quiet END"
)


@dataclass(frozen=True)
class CompactionInput:
    """WAL samples to compact."""

    compaction_count: int
    """The team's compaction count at the time of reading."""
    tail_ids: Sequence[int]
    sorted_out: SortedSamples
    more: bool
    """Whether the WAL has more samples than one job compacts."""


def gather_wal_samples(session: ReadSession, most_samples: int) -> CompactionInput | None:
    """Return the oldest samples of the WAL up to a limit, by series group and hour; None if there are none."""
    settings = queries.settings(session)
    rows = queries.select_oldest_wal_records(session, most_samples)
    if settings is None or not rows:
        return None
    parts = list(unpack_tails([content for _, content, _ in rows]))
    block_of = queries.blocks_of(session, np.unique(np.concatenate([part.all_series() for part in parts])).tolist())
    received = [received_ms for *_, received_ms in rows]
    sorted_out = partition_samples(list(zip(parts, received, strict=True)), block_of)
    more = queries.has_more_wal_records(session, rows[-1][0])
    return CompactionInput(settings.compaction_count, [row[0] for row in rows], sorted_out, more)


def replace_wal_with_chunks(session: WriteSession, gathered: CompactionInput, folded: Sequence[CompactedChunk]) -> bool:
    """Replace WAL records by pieces of chunks; return False and do nothing if another compaction committed meanwhile."""
    mine = session.scalar(
        update(MetricSettings)
        .where(MetricSettings.team_id == session.team_id, MetricSettings.compaction_count == gathered.compaction_count)
        .values(compaction_count=MetricSettings.compaction_count + 1)
        .returning(MetricSettings.id)
        .execution_options(synchronize_session=False)
    )
    if mine is None:
        return False
    for at in range(0, len(folded), AT_ONCE):
        rows = [
            {
                "team_id": session.team_id,
                "id": one.block_id,
                "hour": one.hour,
                "samples": one.samples,
                "content": one.content,
                "piece": gathered.compaction_count + FIRST_PIECE,
            }
            for one in folded[at : at + AT_ONCE]
        ]
        session.execute(insert(MetricChunk), rows)
    newest = gathered.sorted_out.newest_ms
    values = {
        "ids": list(newest),
        "times": list(newest.values()),
        "team": session.team_id,
        "newer": NEWER_MS,
        "quiet": QUIET_MS,
    }
    session.execute(NEWEST, values)
    session.execute(
        delete(MetricWalRecord)
        .where(MetricWalRecord.team_id == session.team_id, MetricWalRecord.id.in_(gathered.tail_ids))
        .execution_options(synchronize_session=False)
    )
    return True


def enqueue_next_compaction(session: WriteSession, gathered: CompactionInput | None, *, recorded: bool) -> None:
    """Enqueue the next jobs: the rest of the WAL, hours that are due, and later the deletion of expired samples."""
    if gathered is not None and (gathered.more or not recorded):
        enqueue_unless_pending(session, CompactMetricWal(session.team_id), after_s=0.0 if recorded else COMPACT_AFTER_S)
    elif queries.due_hours(session, *hours_over(now_ms(session)), 1):
        enqueue_unless_pending(session, RollUpMetrics(session.team_id))
    enqueue_unless_pending(session, DeleteExpiredSamples(session.team_id), after_s=RETAIN_AFTER_S)


def now_ms(session: ReadSession) -> int:
    """Return the time of the database's clock."""
    return queries.now_ms(session)


def delete_expired_samples(session: WriteSession, now_ms: int) -> int:
    """Delete expired samples and series; return the number of deleted series. Writers of the team wait meanwhile.

    A series is deleted if its newest sample is expired and the WAL has none of it; its ID is not reused.
    """
    settings = queries.settings_locked(session)
    if settings is None:
        return 0
    least_ms = now_ms - settings.retention_days * DAY_MS
    hour = min(max(least_ms // HOUR_MS, -(2**31)), 2**31 - 1)
    of_team = MetricChunk.team_id == session.team_id
    session.execute(
        delete(MetricChunk).where(of_team, MetricChunk.hour < hour).execution_options(synchronize_session=False)
    )
    for resolution_ms, span in ROLL_UP_SPANS.items():
        session.execute(
            delete(MetricRollUp)
            .where(
                MetricRollUp.team_id == session.team_id,
                MetricRollUp.resolution_ms == resolution_ms,
                MetricRollUp.first_hour <= hour - span,
            )
            .execution_options(synchronize_session=False)
        )
    session.execute(
        delete(MetricWalRecord)
        .where(MetricWalRecord.team_id == session.team_id, MetricWalRecord.last_ms < least_ms)
        .execution_options(synchronize_session=False)
    )
    session.execute(
        delete(MetricExemplar)
        .where(MetricExemplar.team_id == session.team_id, MetricExemplar.at_ms < least_ms)
        .execution_options(synchronize_session=False)
    )
    in_tail = {int(one) for part in unpack_tails(queries.tail_contents(session)) for one in part.all_series().tolist()}
    old = [one for one in queries.series_quiet_since(session, least_ms - QUIET_MS) if one not in in_tail]
    if old:
        session.execute(
            delete(MetricSeries)
            .where(MetricSeries.team_id == session.team_id, MetricSeries.id.in_(old))
            .execution_options(synchronize_session=False)
        )
        settings.series -= len(old)
        settings.series_epoch += 1
    settings.retained_at = func.clock_timestamp()
    return len(old)
