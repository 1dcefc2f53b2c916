"""Join the pieces of hours that are over, and add the hours to the roll-ups.

An hour that existed before roll-ups is due as well, and so is one with samples that came late: all are processed in the same way,
up to a number of samples per job.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from sqlalchemy import insert, update
from sqlalchemy.dialects.postgresql import insert as upsert

from slowpath.analysis.kinds.metrics.rates.roll_ups import roll_up
from slowpath.analysis.kinds.metrics.samples.sample_compaction import Place, join_chunks
from slowpath.analysis.kinds.metrics.samples.series_chunks import SeriesChunk, decode_blocks, encode_block
from slowpath.core.db_sessions import ReadSession, WriteSession
from slowpath.evidence.metrics import queries
from slowpath.evidence.metrics.rules import COMPACTION_SAMPLES, ROLL_UP_SPANS, hours_over
from slowpath.evidence.metrics.tables import MetricChunk, MetricRollUp, MetricSettings

HOURS_AT_ONCE = 20_000
RollUpPlace = tuple[int, int, int]
"""Series group, resolution (ms) and first hour."""


@dataclass(frozen=True)
class DueHours:
    """Hours that are due, with their pieces, and the existing roll-ups that they are added to."""

    roll_up_count: int
    """The team's number of jobs that wrote roll-ups, at the time of reading."""
    rolled_up: int
    """The first hour that does not belong to the roll-ups yet."""
    pieces: Mapping[Place, Mapping[int, bytes]]
    roll_ups: Mapping[RollUpPlace, bytes]
    more: bool

    def number(self, place: Place) -> int:
        """Return the number of the piece with the whole hour: 0 if it belongs to the roll-ups, else 1."""
        return 0 if place[1] < self.rolled_up else 1


@dataclass(frozen=True)
class WrittenHours:
    """Rows to write."""

    chunks: Sequence[Mapping[str, object]]
    roll_ups: Sequence[Mapping[str, object]]


def gather_due_hours(session: ReadSession, now_ms: int, most_samples: int = COMPACTION_SAMPLES) -> DueHours | None:
    """Return the hours that are due, up to a number of samples; None if there are none."""
    settings = queries.settings(session)
    closed, rolled_up = hours_over(now_ms)
    due = queries.due_hours(session, closed, rolled_up, HOURS_AT_ONCE)
    if settings is None or not due:
        return None
    chosen: list[Place] = []
    total = 0
    for block_id, hour, samples in due:
        total += samples
        if chosen and total > most_samples:
            break
        chosen.append((block_id, hour))
    pieces: dict[Place, dict[int, bytes]] = {}
    for block_id, hour, piece, content in queries.chunks_at(session, chosen):
        pieces.setdefault((block_id, hour), {})[piece] = content
    places = {place for hour in chosen if hour[1] < rolled_up for place in _roll_up_places(hour)}
    existing = queries.roll_ups_at(session, sorted(places))
    more = len(chosen) < len(due) or len(due) == HOURS_AT_ONCE
    return DueHours(settings.roll_up_count, rolled_up, pieces, existing, more)


def _roll_up_places(place: Place) -> list[RollUpPlace]:
    block_id, hour = place
    return [(block_id, resolution_ms, hour // span * span) for resolution_ms, span in ROLL_UP_SPANS.items()]


def join_hours(due: DueHours) -> Iterator[WrittenHours]:
    """Join the pieces of each hour, and add the hours before `rolled_up` to the roll-ups; one series group at a time."""
    for _, places in groupby(sorted(due.pieces), key=lambda place: place[0]):
        chunks: list[Mapping[str, object]] = []
        raw: dict[RollUpPlace, list[SeriesChunk]] = {}
        for place in places:
            pieces = due.pieces[place]
            joined = join_chunks(list(decode_blocks(list(pieces.values()))))
            if len(pieces) > 1:
                row = {"id": place[0], "hour": place[1], "piece": due.number(place), "samples": joined.samples}
                chunks.append({**row, "content": encode_block(joined)})
            for target in _roll_up_places(place) if place[1] < due.rolled_up else ():
                raw.setdefault(target, []).append(joined)
        yield WrittenHours(chunks, [_rolled_up(target, hours, due) for target, hours in raw.items()])


def _rolled_up(place: RollUpPlace, hours: Sequence[SeriesChunk], due: DueHours) -> dict[str, object]:
    block_id, resolution_ms, first_hour = place
    added, interval_ms = roll_up(join_chunks(hours), resolution_ms)
    existing = due.roll_ups.get(place)
    whole = join_chunks([*decode_blocks([existing]), added]) if existing is not None else added
    return {
        "id": block_id,
        "resolution_ms": resolution_ms,
        "first_hour": first_hour,
        "interval_ms": interval_ms,
        "samples": whole.samples,
        "content": encode_block(whole),
    }


def replace_pieces(session: WriteSession, due: DueHours, written: Sequence[WrittenHours]) -> bool:
    """Replace pieces by joined hours and write roll-ups; return False and do nothing if any of them changed meanwhile."""
    mine = session.scalar(
        update(MetricSettings)
        .where(MetricSettings.team_id == session.team_id, MetricSettings.roll_up_count == due.roll_up_count)
        .values(roll_up_count=MetricSettings.roll_up_count + 1)
        .returning(MetricSettings.id)
        .execution_options(synchronize_session=False)
    )
    numbers = [(*place, piece) for place, pieces in due.pieces.items() for piece in pieces]
    if mine is None or queries.lock_pieces(session, numbers) < len(numbers):
        return False
    team = {"team_id": session.team_id}
    queries.delete_pieces(session, [piece for piece in numbers if len(due.pieces[piece[:2]]) > 1])
    whole = [piece for piece in numbers if len(due.pieces[piece[:2]]) == 1]
    queries.renumber_pieces(session, whole, [due.number(piece[:2]) for piece in whole])
    for one in written:
        if one.chunks:
            session.execute(insert(MetricChunk), [{**row, **team} for row in one.chunks])
        for row in one.roll_ups:
            put = upsert(MetricRollUp).values(**row, **team)
            session.execute(
                put.on_conflict_do_update(
                    index_elements=["team_id", "id", "resolution_ms", "first_hour"],
                    set_={name: put.excluded[name] for name in ("interval_ms", "samples", "content")},
                )
            )
    return True
