"""Ingest pushed samples: validate each, write them together, and acknowledge them after the commit.

One request is one WAL record in one transaction that waits for the disk. An existing sample with the same value counts as
written, because senders repeat unacknowledged requests. A different value at the same time is rejected; the first one
remains.
"""

from collections.abc import Callable, Mapping
from typing import Literal

from sqlalchemy import bindparam, update
from sqlalchemy.dialects.postgresql import insert

from slowpath.analysis.kinds.metrics.protocols.ingest_batch import Deliver, IngestBatch, RejectedSamples
from slowpath.analysis.kinds.metrics.samples.column_codec import Ints
from slowpath.core.db_sessions import WriteSession
from slowpath.core.ids import new_id
from slowpath.core.jobs import enqueue_unless_pending
from slowpath.evidence.metrics import queries
from slowpath.evidence.metrics.jobs import CompactMetricWal, DetectChangePoints
from slowpath.evidence.metrics.rules import COMPACT_AFTER_S, COMPACTION_INTERVAL_MS, DAY_MS, DETECT_AFTER_S, FUTURE_MS
from slowpath.evidence.metrics.service.sample_writer import WriteResult, write_samples
from slowpath.evidence.metrics.service.series_cache import TeamSeriesCache
from slowpath.evidence.metrics.service.series_registry import (
    REFUSED,
    IngestRequest,
    record_metric_types,
    resolve_series_slots,
)
from slowpath.evidence.metrics.tables import MetricSeries, MetricSettings

Protocol = Literal["remote-write-1", "remote-write-2", "otlp", "import"]
Read = Callable[[Mapping[bytes, int], Deliver], IngestBatch]
"""Parser of a request: delivers a large request in parts, and returns the last part."""


def ingest_samples(
    session: WriteSession, team: TeamSeriesCache, protocol: Protocol, read: Read, *, now_ms: int, most_series: int
) -> WriteResult:
    """Write a request part by part. Raises what `read` raises; then nothing is written."""
    settings = get_or_create_settings(session)
    team.as_of(settings.series_epoch)
    taken = WriteResult(0, 0, 0, RejectedSamples())

    def write_part(incoming: IngestBatch) -> None:
        intake = IngestRequest(session, team, protocol, incoming, most_series)
        record_metric_types(intake)
        made = resolve_series_slots(intake)
        taken.add(write_samples(intake, made, (now_ms - settings.retention_days * DAY_MS, now_ms + FUTURE_MS)))
        _record_start_times(intake, made)
        team.trim()

    team.begin()
    write_part(read(team.known(protocol), write_part))
    if taken.samples + taken.histograms and now_ms - team.compaction_enqueued_ms > COMPACTION_INTERVAL_MS:
        enqueue_unless_pending(session, CompactMetricWal(session.team_id), after_s=COMPACT_AFTER_S)
        enqueue_unless_pending(session, DetectChangePoints(session.team_id), after_s=DETECT_AFTER_S)
        team.compaction_enqueued_ms = now_ms
    return taken


def get_or_create_settings(session: WriteSession) -> MetricSettings:
    """Return the team's settings, created on first use; no series is deleted until the transaction ends."""
    found = queries.lock_settings_shared(session)
    if found is None:
        session.execute(insert(MetricSettings).values(team_id=session.team_id, id=new_id()).on_conflict_do_nothing())
        found = queries.lock_settings_shared(session)
        assert found is not None
    return found


def _record_start_times(intake: IngestRequest, made: Ints) -> None:
    """Record the start times of counters that are new or have changed."""
    team, news = intake.team, []
    for reference, created_ms in intake.incoming.created_ms.items():
        slot = int(made[-1 - reference]) if reference < 0 else reference
        if slot != REFUSED and team.created_ms.get(slot) != created_ms:
            team.dirty = True
            team.created_ms[slot] = created_ms
            news.append({"this": int(team.ids[slot]), "at": created_ms})
    if news:
        statement = (
            update(MetricSeries)
            .where(MetricSeries.team_id == intake.session.team_id, MetricSeries.id == bindparam("this"))
            .values(created_ms=bindparam("at"))
        )
        intake.session.connection().execute(statement, news)
