"""Throughput of one, two and three web and worker processes, and what their coordination costs.

Each number of processes has a stack with a database; all of them run at the same time and are measured in turn, so that other
work on the machine affects all alike. The cost of coordination is the CPU time per unit of work, compared with that of one process: it
is meaningful on a machine with fewer free cores than processes, where the throughput is not. The clients' CPU time is not counted.
"""

import gzip
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import count
from statistics import median
from uuid import UUID

import httpx
import numpy as np

import slowpath.metadata
from bench.benchmark_results import BenchmarkResult
from bench.captures import IN_TIME
from bench.dashboard_server import DAY_MS, HOUR_MS, day_of, lay_down
from bench.running_processes import ScaledStack, WorkCost, scaled_stacks
from bench.stack_benchmarks import beside_stack
from slowpath.adapters.postgres import create_postgres_engine
from slowpath.core.db_sessions import Database
from slowpath.core.ids import TeamId
from support.prometheus_oracle import REMOTE_WRITE_HEADERS, WrittenBlock, remote_write_body
from tests.support.app_under_test import settings_for

assert slowpath.metadata.FEATURES  # foreign keys need the tables of all features

NAME = "scale"
PROCESSES = (1, 2, 3)
ROUNDS = 3
MOST_OVERHEAD = 0.15
FILES = 36
COMPARISONS = 9
FILES_PER_SIDE = 4
SERVICES = 12
DASHBOARD_READS = 24
SERIES_AT_ONCE = 2_000
WRITES = 200
PROGRAM = "etcd"


@dataclass(frozen=True)
class Workload:
    """One kind of work: what its units are, what it needs, and a plan of it that can be carried out once."""

    name: str
    unit: str
    prepare: Callable[[ScaledStack], None]
    plan: Callable[[ScaledStack], Callable[[], float]]


def run() -> Iterator[BenchmarkResult]:
    """Yield all results; takes half an hour on a machine with other work."""
    yield from beside_stack("bench.process_scaling", "services")


def inside() -> Iterator[BenchmarkResult]:
    """Yield the results, with PostgreSQL and Valkey."""
    with scaled_stacks(PROCESSES) as stacks:
        for workload in WORKLOADS:
            yield from results_of(workload, measure_in_turn(workload, stacks))


def measure_in_turn(workload: Workload, stacks: Sequence[ScaledStack]) -> dict[int, list[WorkCost]]:
    """Return the costs of each round by number of processes; the first round only fills caches."""
    for stack in stacks:
        workload.prepare(stack)
        workload.plan(stack)()
    costs: dict[int, list[WorkCost]] = {stack.processes: [] for stack in stacks}
    for turn in range(ROUNDS):
        for stack in stacks[:: (-1) ** turn]:
            costs[stack.processes].append(stack.measure(workload.plan(stack)))
    return costs


def results_of(workload: Workload, costs: dict[int, list[WorkCost]]) -> Iterator[BenchmarkResult]:
    """Yield throughput by number of processes, and how much more CPU time a unit takes than with one process."""
    alone = costs[min(costs)]
    for processes, of_processes in costs.items():
        column = "1 process" if processes == 1 else f"{processes} processes"
        what = f"{workload.name}, {workload.unit}"
        per_second = median(cost.per_second for cost in of_processes)
        per_cpu_s = median(cost.per_cpu_s for cost in of_processes)
        yield BenchmarkResult(NAME, f"{what} per second", per_second, column=column)
        yield BenchmarkResult(NAME, f"{what} per CPU second", per_cpu_s, column=column)
        for part in of_processes[0].cpu_s_of_parts:
            share = median(cost.cpu_s_of_parts[part] / cost.cpu_s for cost in of_processes)
            yield BenchmarkResult(NAME, f"{workload.name}, share of the CPU time in {part}", share, column=column)
        if processes > 1:
            # Rounds are compared with the neighbouring round of one process: the machine is shared.
            more = median(first.per_cpu_s / cost.per_cpu_s - 1 for first, cost in zip(alone, of_processes, strict=True))
            yield BenchmarkResult(
                NAME,
                f"{workload.name}, more CPU time per unit than one process (share)",
                more,
                goal=f"< {MOST_OVERHEAD}",
                met=more < MOST_OVERHEAD,
                column=column,
            )


_numbers = count(1)


def _no_preparation(_: ScaledStack) -> None:
    """Do nothing."""


def _plan_uploads(stack: ScaledStack) -> Callable[[], float]:
    """Upload captures of a real program, each with other bytes, until they are decoded and opened."""
    bodies = [
        gzip.compress(gzip.decompress(path.read_bytes()), 6, mtime=next(_numbers))
        for path in sorted((IN_TIME / PROGRAM).glob("*.pb.gz"))[:FILES]
    ]

    def put(body: bytes) -> Callable[[httpx.Client], httpx.Response]:
        return lambda http: http.put(f"/artifacts/cpu.{next(_numbers)}.pb.gz", content=body)

    def work() -> float:
        stack.send([put(body) for body in bodies])
        stack.wait_for_jobs()
        with stack.database.as_admin() as admin:
            undecoded = admin.execute("SELECT count(*) FROM artifact WHERE state <> 'decoded'").fetchone()
        if undecoded != (0,):
            raise RuntimeError(f"{undecoded} artifacts were not decoded")
        return len(bodies)

    return work


def _plan_comparisons(stack: ScaledStack) -> Callable[[], float]:
    """Compare random files of the same program, up to the first diff view."""
    with stack.database.as_admin() as admin:
        files = [str(found) for (found,) in admin.execute("SELECT id FROM artifact ORDER BY id").fetchall()]
    rng = np.random.default_rng(next(_numbers))

    def create(sides: Sequence[str]) -> Callable[[httpx.Client], httpx.Response]:
        base, candidate = sides[:FILES_PER_SIDE], sides[FILES_PER_SIDE:]
        asked = {"name": "bench", "base": {"artifact_ids": base}, "candidate": {"artifact_ids": candidate}}
        return lambda http: http.post("/comparisons", json=asked)

    drawn = [rng.choice(files, 2 * FILES_PER_SIDE, replace=False).tolist() for _ in range(COMPARISONS)]

    def work() -> float:
        stack.send([create(sides) for sides in drawn])
        stack.wait_for_jobs()
        with stack.database.as_admin() as admin:
            undone = admin.execute("SELECT count(*) FROM comparison WHERE state <> 'done'").fetchone()
        if undone != (0,):
            raise RuntimeError(f"{undone} comparisons are not done")
        return COMPARISONS

    return work


def _store_a_day(stack: ScaledStack) -> None:
    end_ms = int(time.time() * 1000) // HOUR_MS * HOUR_MS
    engine = create_postgres_engine(settings_for(stack.database.app_url))
    days = {f"service-{n:02}": [day_of(n, n, end_ms)] for n in range(SERVICES)}
    team = TeamId(UUID(stack.user.call("GET", "/session")["teams"][0]["id"]))
    lay_down(stack.user.http, Database(engine), team, days)
    engine.dispose()


def _plan_dashboards(stack: ScaledStack) -> Callable[[], float]:
    end_ms = int(time.time() * 1000) // HOUR_MS * HOUR_MS
    asked = {"from": str(end_ms - DAY_MS), "to": str(end_ms)}
    return lambda: len(stack.send([lambda http: http.get("/dashboard", params=asked)] * DASHBOARD_READS))


def _plan_writes(stack: ScaledStack) -> Callable[[], float]:
    now_ms = int(time.time() * 1000)
    rng = np.random.default_rng(next(_numbers))

    def write(number: int) -> Callable[[httpx.Client], httpx.Response]:
        values = rng.integers(0, 1 << 40, SERIES_AT_ONCE)
        body = remote_write_body(
            WrittenBlock(_labels_of(series), [(now_ms - (WRITES - number) * 10, float(value))])
            for series, value in enumerate(values)
        )
        return lambda http: http.post("/metrics/write", content=body, headers=REMOTE_WRITE_HEADERS)

    writes = [write(number) for number in range(WRITES)]
    return lambda: SERIES_AT_ONCE * len(stack.send(writes))


def _labels_of(series: int) -> dict[str, str]:
    return {
        "__name__": f"metric_{series % 20}_total",
        "job": f"service-{series % 37}",
        "instance": f"10.1.0.{series // 20}:9090",
        "namespace": "production",
        "pod": f"service-{series % 37}-7d9f8b6c5d-{series:05}",
        "container": "main",
        "method": "GET",
        "route": f"/api/v1/things/{series % 11}",
        "code": "200",
        "cluster": "eu-central-1a",
    }


WORKLOADS = (
    Workload("uploads decoded", "files", _no_preparation, _plan_uploads),
    Workload("comparisons with first view", "comparisons", _no_preparation, _plan_comparisons),
    Workload(f"dashboard of {SERVICES} services × 24 h", "reads", _store_a_day, _plan_dashboards),
    Workload("remote write", "samples", _no_preparation, _plan_writes),
)
