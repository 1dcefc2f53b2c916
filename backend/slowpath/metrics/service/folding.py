"""The tail folded into packed hours, and what is too old deleted."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from sqlalchemy import delete, func, text, update
from sqlalchemy.dialects.postgresql import insert

from slowpath.analysis.metrics.folding import FoldedBlock, Place, Sorted, sort_out
from slowpath.analysis.metrics.samples import unpack_tails
from slowpath.core.jobs import enqueue_once
from slowpath.core.sessions import ReadSession, WriteSession
from slowpath.metrics import queries
from slowpath.metrics.jobs import FoldTail, ForgetOldSamples
from slowpath.metrics.rules import DAY_MS, FOLD_AFTER_S, HOUR_MS, RETAIN_AFTER_S
from slowpath.metrics.tables import MetricChunk, MetricExemplar, MetricSeries, MetricSettings, MetricTail

AT_ONCE = 500
NEWER_MS = 600_000
"""The newest time of a series is written again when it is so much newer: not a write for every series with every fold."""
NEWEST = text(
    "UPDATE metric_series SET last_ms = newest FROM unnest(CAST(:ids AS bigint[]), CAST(:times AS bigint[])) AS told (series, newest) "
    "WHERE team_id = :team AND id = series AND last_ms < newest - :newer"
)


@dataclass(frozen=True)
class Gathered:
    """What is to be folded, and what of it is there already."""

    folds: int
    """The team's count of folds when this was read."""
    tail_ids: Sequence[int]
    sorted_out: Sorted
    there: Mapping[Place, bytes]
    more: bool
    """Whether there is more in the tail than one job takes."""


def gather(session: ReadSession, most_samples: int) -> Gathered | None:
    """Return the oldest samples of the tail, up to so many, by block and hour; None if there are none."""
    settings = queries.settings(session)
    rows = queries.tail_rows(session, most_samples)
    if settings is None or not rows:
        return None
    parts = list(unpack_tails([content for _, content, _ in rows]))
    block_of = queries.blocks_of(session, np.unique(np.concatenate([part.all_series() for part in parts])).tolist())
    received = [received_ms for *_, received_ms in rows]
    sorted_out = sort_out(list(zip(parts, received, strict=True)), block_of)
    there = {(block, hour): content for block, hour, content in queries.chunks_at(session, list(sorted_out.parts))}
    more = queries.tail_goes_on(session, rows[-1][0])
    return Gathered(settings.folds, [row[0] for row in rows], sorted_out, there, more)


def record(session: WriteSession, gathered: Gathered, folded: Sequence[FoldedBlock]) -> bool:
    """Put the packed hours in the place of the tail's rows; False, and nothing done, if somebody else folded meanwhile."""
    mine = session.scalar(
        update(MetricSettings)
        .where(MetricSettings.team_id == session.team_id, MetricSettings.folds == gathered.folds)
        .values(folds=MetricSettings.folds + 1)
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
            }
            for one in folded[at : at + AT_ONCE]
        ]
        put = insert(MetricChunk)
        put = put.on_conflict_do_update(
            index_elements=["team_id", "id", "hour"],
            set_={"samples": put.excluded.samples, "content": put.excluded.content},
        )
        session.execute(put, rows)
    newest = gathered.sorted_out.newest_ms
    told = {"ids": list(newest), "times": list(newest.values()), "team": session.team_id, "newer": NEWER_MS}
    session.execute(NEWEST, told)
    session.execute(
        delete(MetricTail)
        .where(MetricTail.team_id == session.team_id, MetricTail.id.in_(gathered.tail_ids))
        .execution_options(synchronize_session=False)
    )
    return True


def go_on(session: WriteSession, gathered: Gathered | None, *, recorded: bool) -> None:
    """Ask for what is to be done next: the rest of the tail, and later what is too old by then."""
    if gathered is not None and (gathered.more or not recorded):
        enqueue_once(session, FoldTail(session.team_id), after_s=0.0 if recorded else FOLD_AFTER_S)
    enqueue_once(session, ForgetOldSamples(session.team_id), after_s=RETAIN_AFTER_S)


def now_ms(session: ReadSession) -> int:
    """Return the time by the database's clock."""
    return queries.now_ms(session)


def forget_old(session: WriteSession, now_ms: int) -> int:
    """Delete what is older than the team keeps; returns how many series are gone. Writers of the team wait meanwhile.

    A series goes when its newest sample is too old and nothing of it lies in the tail; its number is not used again.
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
    session.execute(
        delete(MetricTail)
        .where(MetricTail.team_id == session.team_id, MetricTail.last_ms < least_ms)
        .execution_options(synchronize_session=False)
    )
    session.execute(
        delete(MetricExemplar)
        .where(MetricExemplar.team_id == session.team_id, MetricExemplar.at_ms < least_ms)
        .execution_options(synchronize_session=False)
    )
    in_tail = {int(one) for part in unpack_tails(queries.tail_contents(session)) for one in part.all_series().tolist()}
    old = [one for one in queries.series_quiet_since(session, least_ms - HOUR_MS) if one not in in_tail]
    if old:
        session.execute(
            delete(MetricSeries)
            .where(MetricSeries.team_id == session.team_id, MetricSeries.id.in_(old))
            .execution_options(synchronize_session=False)
        )
        settings.series -= len(old)
        settings.epoch += 1
    settings.retained_at = func.clock_timestamp()
    return len(old)
