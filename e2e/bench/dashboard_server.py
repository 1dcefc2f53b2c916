"""Server cost of a dashboard, from the request to the compressed response: 12 and 50 services for 24 hours.

Each service has three instances, a histogram of twenty buckets with sum and count, and requests by three codes, scraped every
15 seconds: 76 series, 440,000 samples per day. One scrape arrives by remote write, so that series are classified and numbered as
usual; the day before is written like compacted chunks. The application runs in this process, without a network.

The same samples of one service are written to a real Prometheus if available: the results must be the same, and the time of its
queries for one service's panels is reported next to that of twelve services.
"""

import math
import os
import random
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from statistics import median
from uuid import UUID

import httpx
import numpy as np
from numpy.typing import NDArray
from sqlalchemy import insert, select
from starlette.testclient import TestClient

from bench.benchmark_results import BenchmarkResult
from bench.stack_benchmarks import beside_stack
from slowpath.analysis.formats.column_file import ColumnFile, read_columns
from slowpath.analysis.kinds.metrics.samples.series_chunks import FloatSamples, SeriesChunk, encode_block
from slowpath.app import create_app
from slowpath.core.db_sessions import Database, TeamScope
from slowpath.core.ids import TeamId
from slowpath.evidence.metrics.tables import MetricChunk, MetricSeries
from support.prometheus_oracle import (
    REMOTE_WRITE_HEADERS,
    Prometheus,
    WrittenBlock,
    prometheus_binary,
    remote_write_body,
    running_prometheus,
)

NAME = "board"
HOUR_MS = 3_600_000
DAY_MS = 24 * HOUR_MS
SCRAPE_MS = 15_000
INSTANCES = 3
BOUNDS = [*(0.001 * 1.6**k for k in range(19)), math.inf]
ROUNDS = 7
GOAL_MS = 300.0
GOAL_OF_50_MS = 1000.0
FIRST_ROWS = 24
"""Number of rows in the first request of the page."""
NEWEST_MS = 600_000

Labels = dict[str, str]
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Day:
    """A day of one instance; all its series share the times."""

    times: Ints
    series: list[tuple[Labels, Floats]]


def run() -> Iterator[BenchmarkResult]:
    """Yield all results; takes one to two minutes."""
    yield from beside_stack("bench.dashboard_server", "services")


def inside() -> Iterator[BenchmarkResult]:
    """Yield the results, with PostgreSQL."""
    now_ms = int(time.time() * 1000)
    end_ms = now_ms - now_ms % HOUR_MS
    with app_of() as (http, database):
        for services in (12, 50):
            yield from _measured(http, database, services, end_ms)


@contextmanager
def app_of() -> Iterator[tuple[TestClient, Database]]:
    """Run the application in this process on the temporary database."""
    os.environ.setdefault("SLOWPATH_LOG_FORMAT", "json")
    app = create_app()
    with TestClient(app, base_url=app.state.settings.public_url, client=("127.0.0.1", 50_000)) as http:
        yield http, app.state.database


def _measured(http: TestClient, database: Database, services: int, end_ms: int) -> Iterator[BenchmarkResult]:
    team = newcomer(http, f"board-{services}-{end_ms}@example.com")
    days = {
        f"service-{n:02}": [day_of(n * INSTANCES + i, n, end_ms) for i in range(INSTANCES)] for n in range(services)
    }
    samples = lay_down(http, database, team, days)
    asked = {"from": str(end_ms - DAY_MS), "to": str(end_ms)}
    whole_ms, cpu, size, board = _asked(http, asked)
    assert len(board.header["rows"]) == services
    what = f"{services} services x 24 h, {samples / 1e6:.1f} million samples"
    most = GOAL_MS if services == 12 else GOAL_OF_50_MS
    yield BenchmarkResult(NAME, f"{what}: ms in the server", whole_ms, None, None, f"< {most:.0f} ms", whole_ms < most)
    yield BenchmarkResult(NAME, f"{what}: ms of CPU", cpu)
    yield BenchmarkResult(NAME, f"{what}: kB sent", size / 1000)
    if services > FIRST_ROWS:
        took, cpu, size, _ = _asked(http, {**asked, "rows": str(FIRST_ROWS)})
        yield BenchmarkResult(NAME, f"{services} services x 24 h, the {FIRST_ROWS} rows on top: ms in the server", took)
        yield BenchmarkResult(NAME, f"{services} services x 24 h, the {FIRST_ROWS} rows on top: ms of CPU", cpu)
    shown = {"step_ms": str(board.header["step_ms"]), "known_until_ms": str(round(time.time() * 1000))}
    took, cpu, size, part = _asked(http, {**asked, **shown, "since_ms": str(end_ms - NEWEST_MS)})
    assert part.header["points"] < board.header["points"]
    yield BenchmarkResult(
        NAME, f"{services} services, the newest {part.header['points']} cells: ms in the server", took
    )
    yield BenchmarkResult(NAME, f"{services} services, the newest {part.header['points']} cells: ms of CPU", cpu)
    yield BenchmarkResult(NAME, f"{services} services, the newest {part.header['points']} cells: kB sent", size / 1000)
    if services == 12:
        yield from _beside_prometheus(board, days, whole_ms)


def _asked(http: TestClient, asked: dict[str, str]) -> tuple[float, float, int, ColumnFile]:
    """Return milliseconds and CPU milliseconds (medians), response bytes, and the dashboard."""
    walls, cpus, size = [], [], 0
    board: ColumnFile | None = None
    for _ in range(ROUNDS + 1):
        wall, cpu = time.perf_counter(), time.process_time()
        answer = http.get("/api/v1/dashboard", params=asked)
        walls.append((time.perf_counter() - wall) * 1000)
        cpus.append((time.process_time() - cpu) * 1000)
        answer.raise_for_status()
        size = int(answer.headers["content-length"])
        board = read_columns(answer.content, "slowpath.board")
    assert board is not None
    return median(walls[1:]), median(cpus[1:]), size, board


def newcomer(http: TestClient, email: str) -> TeamId:
    """Sign up a new user with a team."""
    http.cookies.clear()
    http.headers.update({"Origin": str(http.base_url).rstrip("/")})
    fields = {"email": email, "password": "correct horse battery of the bench"}
    http.post("/api/v1/sign-up", json={**fields, "name": "Bench"}).raise_for_status()
    http.post("/api/v1/session", json=fields).raise_for_status()
    return TeamId(UUID(http.get("/api/v1/session").raise_for_status().json()["teams"][0]["id"]))


def day_of(seed: int, service: int, end_ms: int, length_ms: int = DAY_MS) -> Day:
    """Return a day, or another length, of one instance: random requests whose durations are distributed over the buckets, not aligned to minutes."""
    rng = np.random.default_rng(seed)
    start = end_ms - length_ms - HOUR_MS + 1 + random.Random(seed).randrange(1, SCRAPE_MS - 2)
    times = np.arange(start, end_ms, SCRAPE_MS, dtype=np.int64)
    weights = np.exp(-0.5 * ((np.arange(20) - 10) / 3.0) ** 2)
    each = rng.poisson(weights * 40, (len(times), 20))
    upto = np.cumsum(np.cumsum(each, axis=0), axis=1).astype(np.float64) + 100_000 * np.arange(1, 21)
    who = {"job": f"service-{service:02}", "instance": f"i{seed}:80"}
    buckets = [
        (
            {"__name__": "http_request_duration_seconds_bucket", "le": "+Inf" if math.isinf(b) else repr(b), **who},
            upto[:, k],
        )
        for k, b in enumerate(BOUNDS)
    ]
    totals = upto[:, -1]
    rest = [
        ({"__name__": "http_request_duration_seconds_sum", **who}, totals * 0.12),
        ({"__name__": "http_request_duration_seconds_count", **who}, totals),
        *(
            ({"__name__": "http_requests_total", "code": code, **who}, np.floor(totals * share))
            for code, share in (("200", 0.98), ("404", 0.015), ("500", 0.005))
        ),
    ]
    return Day(times, [*buckets, *rest])


def lay_down(http: TestClient | httpx.Client, database: Database, team: TeamId, days: dict[str, list[Day]]) -> int:
    """Store the days: the newest scrape by remote write, the hours before as compacted chunks."""
    token = http.post(
        f"/api/v1/teams/{team}/tokens", json={"name": "bench", "scopes": ["upload"], "expires_in_days": 1}
    )
    headers = {**REMOTE_WRITE_HEADERS, "Authorization": f"Bearer {token.raise_for_status().json()['secret']}"}
    for of_service in days.values():
        newest = [
            WrittenBlock(labels, [(int(day.times[-1]), float(values[-1]))])
            for day in of_service
            for labels, values in day.series
        ]
        body = remote_write_body(newest)
        http.post("/api/v1/metrics/write", content=body, headers=headers).raise_for_status()
    known = known_series(database, team)
    parts: dict[tuple[int, int], list[FloatSamples]] = {}
    for day in (day for of_service in days.values() for day in of_service):
        hours = day.times[:-1] // HOUR_MS  # the newest scrape is in the WAL
        edges = [(int(hour), *np.searchsorted(hours, (hour, hour + 1)).tolist()) for hour in np.unique(hours)]
        for labels, values in day.series:
            rest = {key: text for key, text in labels.items() if key != "__name__"}
            series_id, block_id = known[labels["__name__"], tuple(sorted(rest.items()))]
            for hour, a, b in edges:
                parts.setdefault((block_id, hour), []).append(FloatSamples(series_id, day.times[a:b], values[a:b]))
    samples = 0
    with database.writing(TeamScope(team)) as session:
        for (block_id, hour), runs in parts.items():
            block = SeriesChunk(runs)
            samples += block.samples
            row = {
                "team_id": team,
                "id": block_id,
                "hour": hour,
                "samples": block.samples,
                "content": encode_block(block),
            }
            session.execute(insert(MetricChunk).values(**row))
    return samples


def known_series(database: Database, team: TeamId) -> dict[tuple[str, tuple[tuple[str, str], ...]], tuple[int, int]]:
    """Return ID and series group of each series by name and labels."""
    columns = (MetricSeries.id, MetricSeries.series_group_id, MetricSeries.name, MetricSeries.labels)
    with database.reading(TeamScope(team)) as session:
        return {
            (name, tuple(sorted(labels.items()))): (series_id, block_id)
            for series_id, block_id, name, labels in session.execute(
                select(*columns).where(MetricSeries.team_id == team)
            )
        }


def _beside_prometheus(board: ColumnFile, days: dict[str, list[Day]], ours_ms: float) -> Iterator[BenchmarkResult]:
    binary = prometheus_binary()
    if binary is None:
        yield BenchmarkResult(NAME, "a real Prometheus cannot be had here: not compared", math.nan)
        return
    header = board.header
    start, step, points = header["from_ms"], header["step_ms"], header["points"]
    with running_prometheus(binary) as server:
        _load(server, days["service-00"])
        window = f"[{max(step, 4 * SCRAPE_MS)}ms]"
        bucket, count = f"http_request_duration_seconds_bucket{window}", f"http_request_duration_seconds_count{window}"
        questions = {
            **{f"r0_p{p}": f"histogram_quantile({p / 100}, sum by (le) (rate({bucket})))" for p in (50, 90, 99)},
            "r0_mean": f"sum(rate(http_request_duration_seconds_sum{window})) / sum(rate({count}))",
            **{
                f"r0_qps_{c[0]}xx": f'sum(rate(http_requests_total{{code="{c}"}}{window}))'
                for c in ("200", "404", "500")
            },
        }
        ask: Callable[[str], Floats] = lambda promql: np.array(  # noqa: E731 - names the expression below
            [float(v) for _, v in server.query_range(promql, start, start + (points - 1) * step, step)[0]["values"]]
        )
        worst, took = 0.0, 0.0
        for name, promql in questions.items():
            began = time.perf_counter()
            theirs = ask(promql)
            took += (time.perf_counter() - began) * 1000
            # Values are sent with 24 bits; a test compares the arithmetic to within 1e-9.
            worst = max(worst, float(np.max(np.abs(board.column(name, "f32") - theirs) / np.abs(theirs))))
    yield BenchmarkResult(
        NAME, "largest relative difference from Prometheus, as sent", worst, None, None, "< 1e-6 (f32)", worst < 1e-6
    )
    each = ours_ms / len(days)
    yield BenchmarkResult(NAME, "ms for one service's panels, Prometheus the same", each, took, took / each)


def _load(server: Prometheus, days: Sequence[Day]) -> None:
    first = min(int(day.times[0]) for day in days)
    for at in range(first, first + DAY_MS + 2 * HOUR_MS, HOUR_MS):
        part = []
        for day in days:
            a, b = np.searchsorted(day.times, (at, at + HOUR_MS)).tolist()
            part += [
                WrittenBlock(labels, list(zip(day.times[a:b].tolist(), values[a:b].tolist(), strict=True)))
                for labels, values in day.series
                if b > a
            ]
        if part:
            server.write(part)
