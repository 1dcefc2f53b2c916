"""Stored metrics at scale: dashboards of 50 services for 30 and 90 days, and the WAL of PostgreSQL that compaction writes.

The services are those of `bench.dashboard_server`: 76 series each, scraped every 15 seconds. The newest hours are stored as raw
samples and rolled up by the code of the worker; the hours before are written as roll-ups directly, because 90 days would be two
billion samples. The application runs in this process, without a network.
"""

import time
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from statistics import median

import numpy as np
from sqlalchemy import insert, select, text
from sqlalchemy.dialects.postgresql import insert as upsert
from starlette.testclient import TestClient

from bench.benchmark_results import BenchmarkResult
from bench.dashboard_server import (
    DAY_MS,
    HOUR_MS,
    INSTANCES,
    SCRAPE_MS,
    app_of,
    day_of,
    known_series,
    lay_down,
    newcomer,
)
from bench.stack_benchmarks import beside_stack
from slowpath.analysis.formats.column_file import read_columns
from slowpath.analysis.kinds.metrics.samples.sample_columns import SampleColumns, pack_tail
from slowpath.analysis.kinds.metrics.samples.sample_compaction import CompactedChunk, Place, compact_chunk, join_chunks
from slowpath.analysis.kinds.metrics.samples.series_chunks import FloatSamples, SeriesChunk, decode_blocks, encode_block
from slowpath.core.db_sessions import Database, TeamScope
from slowpath.core.ids import TeamId
from slowpath.evidence.metrics.rules import COMPACTION_SAMPLES, ROLL_UP_SPANS
from slowpath.evidence.metrics.service import chunk_compaction, roll_up_writer
from slowpath.evidence.metrics.tables import MetricChunk, MetricRollUp, MetricWalRecord

NAME = "roll-ups"
SERVICES = 50
RAW_MS = 6 * HOUR_MS
ROUNDS = 3
GOALS = ((30, 1.0), (90, 2.0))
"""Days, and the most seconds in the server."""
MOST_MB = 200.0
HOUR_RESOLUTION_MS = 3_600_000
WAL_SERVICES = 12
WAL_HOURS = 4
COMPACTION_MS = 180_000
WAL_BYTES = text("SELECT pg_current_wal_insert_lsn() - '0/0'::pg_lsn")
STATUS = Path("/proc/self/status")


def run() -> Iterator[BenchmarkResult]:
    """Yield all results; takes one to two minutes."""
    yield from beside_stack("bench.metric_scale", "services")


def inside() -> Iterator[BenchmarkResult]:
    """Yield the results, with PostgreSQL."""
    now_ms = int(time.time() * 1000)
    end_ms = now_ms - now_ms % HOUR_MS
    with app_of() as (http, database):
        team = newcomer(http, f"scale-{end_ms}@example.com")
        _store(http, database, team, end_ms)
        for days, most_s in GOALS:
            yield from _measured(http, end_ms, days, most_s)
        other = newcomer(http, f"scale-other-{end_ms}@example.com")
        _compact(database, team)  # what the dashboards left, which is not to be counted
        _roll_up(database, team, end_ms + 50 * HOUR_MS)
        yield from _wal(database, (team, other), end_ms + 100 * HOUR_MS)


def _store(http: TestClient, database: Database, team: TeamId, end_ms: int) -> None:
    services = {
        f"service-{n:02}": [day_of(n * INSTANCES + i, n, end_ms, RAW_MS) for i in range(INSTANCES)]
        for n in range(SERVICES)
    }
    lay_down(http, database, team, services)
    raw_from = (end_ms - RAW_MS) // HOUR_MS - 1
    first_hour, span = raw_from - GOALS[-1][0] * 24, ROLL_UP_SPANS[HOUR_RESOLUTION_MS]
    blocks: dict[int, list[int]] = {}
    for series_id, block_id in known_series(database, team).values():
        blocks.setdefault(block_id, []).append(series_id)
    rng = np.random.default_rng(1)
    with database.writing(TeamScope(team)) as session:
        for block_id, series in blocks.items():
            hourly = 9_600 * (1 + 0.3 * np.sin(np.arange(first_hour, raw_from) / 24 * 2 * np.pi)).cumsum()
            for first in range(first_hour // span * span, raw_from, span):
                hours = np.arange(max(first, first_hour), min(first + span, raw_from), dtype=np.int64)
                times = (hours + 1) * HOUR_MS - int(rng.integers(1, SCRAPE_MS))
                totals = hourly[hours - first_hour] * (np.arange(len(series)) % 22 + 1)[:, None]
                chunk = SeriesChunk(
                    [FloatSamples(one, times, np.floor(row)) for one, row in zip(series, totals, strict=True)]
                )
                row = {
                    "id": block_id,
                    "resolution_ms": HOUR_RESOLUTION_MS,
                    "first_hour": first,
                    "interval_ms": SCRAPE_MS,
                }
                content = {"samples": chunk.samples, "content": encode_block(chunk)}
                session.execute(insert(MetricRollUp).values(**row, **content, team_id=team))
    _roll_up(database, team, end_ms + HOUR_MS)


def _roll_up(database: Database, team: TeamId, now_ms: int) -> None:
    """Do what the job of the worker does until no hour is due."""
    while True:
        with database.reading(TeamScope(team)) as session:
            due = roll_up_writer.gather_due_hours(session, now_ms)
        if due is None:
            return
        written = list(roll_up_writer.join_hours(due))
        with database.writing(TeamScope(team)) as session:
            roll_up_writer.replace_pieces(session, due, written)


def _measured(http: TestClient, end_ms: int, days: int, most_s: float) -> Iterator[BenchmarkResult]:
    walls, cpus = [], []
    Path("/proc/self/clear_refs").write_text("5")  # the highest memory is counted from here on
    before_mb = _memory_mb("VmRSS")
    for _ in range(ROUNDS):
        wall, cpu = time.perf_counter(), time.process_time()
        answer = http.get("/api/v1/dashboard", params={"from": str(end_ms - days * DAY_MS), "to": str(end_ms)})
        walls.append(time.perf_counter() - wall)
        cpus.append(time.process_time() - cpu)
        answer.raise_for_status()
        header = read_columns(answer.content, "slowpath.board").header
        assert len(header["rows"]) == SERVICES
        assert all(row["latency"]["histogram"] == "classic" for row in header["rows"])
    more_mb = _memory_mb("VmHWM") - before_mb
    what = f"dashboard of {SERVICES} services x {days} days, {header['points']} points"
    wall = median(walls)
    yield BenchmarkResult(NAME, f"{what}: s in the server", wall, goal=f"<= {most_s:.0f}", met=wall <= most_s)
    yield BenchmarkResult(NAME, f"{what}: CPU s", median(cpus))
    goal, met = (f"<= {MOST_MB:.0f}", more_mb <= MOST_MB) if days == GOALS[0][0] else (None, None)
    yield BenchmarkResult(NAME, f"{what}: MB of memory more than before", more_mb, goal=goal, met=met)


def _memory_mb(field: str) -> float:
    return next(int(line.split()[1]) for line in STATUS.read_text().splitlines() if line.startswith(field)) / 1000


def _wal(database: Database, teams: tuple[TeamId, TeamId], start_ms: int) -> Iterator[BenchmarkResult]:
    """Compact some hours every three minutes: by appending pieces, and by writing the hour again as before (other team)."""
    team, other = teams
    ids = np.array(sorted(series for series, _ in known_series(database, team).values())[: WAL_SERVICES * 76], np.int64)
    rng = np.random.default_rng(2)
    totals = rng.integers(10**6, 10**7, len(ids))
    compacted = pieces = rewritten = samples = 0
    number = chunk_compaction.FIRST_PIECE
    for at_ms in range(start_ms, start_ms + WAL_HOURS * HOUR_MS, COMPACTION_MS):
        times = at_ms + np.arange(0, COMPACTION_MS, SCRAPE_MS, dtype=np.int64)
        steps = rng.poisson(40, (len(times), len(ids)))
        values = (totals + steps.cumsum(axis=0)).astype(np.float64)
        totals = totals + steps.sum(axis=0)
        content = pack_tail(SampleColumns(np.tile(ids, len(times)), np.repeat(times, len(ids)), values.reshape(-1)))
        row = {"first_ms": int(times[0]), "last_ms": int(times[-1]), "samples": values.size, "content": content}
        with database.writing(TeamScope(team)) as session:
            session.execute(insert(MetricWalRecord).values(**row, team_id=team))
        began = _wal_bytes(database)
        folded = _compact(database, team)
        compacted += _wal_bytes(database) - began
        new = {(one.block_id, one.hour): one.content for one in folded}
        number += 1
        pieces += _wal_of(database, other, [_row(other, place, (new[place],), number) for place in new])
        rewritten += _wal_of(
            database, other, [_row(other, place, (was, new[place]), 1) for place, was in _hours(database, other, new)]
        )
        samples += values.size
    began = _wal_bytes(database)
    _roll_up(database, team, start_ms + 6 * HOUR_MS)
    joined = _wal_bytes(database) - began
    what = f"WAL of PostgreSQL per sample, {samples / 1e6:.1f} million samples compacted every 3 minutes"
    yield BenchmarkResult(NAME, f"{what}: bytes, pieces", pieces / samples)
    yield BenchmarkResult(NAME, f"{what}: bytes, joined hours and roll-ups", joined / samples)
    yield BenchmarkResult(
        NAME, f"{what}: bytes, newest times of series and deleted records", (compacted - pieces) / samples
    )
    yield BenchmarkResult(NAME, f"{what}: bytes, each hour written again", rewritten / samples)
    ratio = rewritten / (pieces + joined)
    yield BenchmarkResult(NAME, "WAL of PostgreSQL: times less than each hour written again", ratio)


def _compact(database: Database, team: TeamId) -> list[CompactedChunk]:
    with database.reading(TeamScope(team)) as session:
        gathered = chunk_compaction.gather_wal_samples(session, COMPACTION_SAMPLES)
    assert gathered is not None
    folded = list(compact_chunk(gathered.sorted_out))
    with database.writing(TeamScope(team)) as session:
        chunk_compaction.replace_wal_with_chunks(session, gathered, folded)
    return folded


def _hours(database: Database, team: TeamId, places: Iterable[Place]) -> list[tuple[Place, bytes | None]]:
    """Return the hours that exist already, each as one row."""
    with database.reading(TeamScope(team)) as session:
        columns = (MetricChunk.id, MetricChunk.hour, MetricChunk.content)
        found = session.execute(
            select(*columns).where(
                MetricChunk.team_id == team, MetricChunk.piece == 1, MetricChunk.hour.in_({hour for _, hour in places})
            )
        )
        there = {(block_id, hour): content for block_id, hour, content in found}
    return [(place, there.get(place)) for place in places]


def _row(team: TeamId, place: Place, contents: Sequence[bytes | None], piece: int) -> dict[str, object]:
    """Return a row of an hour with some chunks joined."""
    chunk = join_chunks(list(decode_blocks([content for content in contents if content is not None])))
    row = {"team_id": team, "id": place[0], "hour": place[1], "piece": piece}
    return {**row, "samples": chunk.samples, "content": encode_block(chunk)}


def _wal_of(database: Database, team: TeamId, rows: Sequence[dict[str, object]]) -> int:
    """Write rows of chunks, or write them again; return the bytes of WAL."""
    put = upsert(MetricChunk)
    changed = {"samples": put.excluded.samples, "content": put.excluded.content}
    began = _wal_bytes(database)
    with database.writing(TeamScope(team)) as session:
        session.execute(
            put.on_conflict_do_update(index_elements=["team_id", "id", "hour", "piece"], set_=changed), rows
        )
    return _wal_bytes(database) - began


def _wal_bytes(database: Database) -> int:
    with database.engine.connect() as connection:
        return int(connection.execute(WAL_BYTES).scalar_one())
