"""Latency of searches with 10,000 builds of 50 services: all objects, sides, list of builds; in the server and a browser.

The peer is a request of the same server that lists one environment by a plain `SELECT ... LIMIT`, in the same run, so that a
ratio is independent of the machine and of the load. The goal in milliseconds is that of a person who waits for a list.
"""

import os
import time
from collections.abc import Callable, Iterator
from statistics import median
from uuid import UUID

import psycopg

from bench.benchmark_results import BenchmarkResult
from bench.comparison_client import newcomer
from bench.signed_in_browser import measure_in_browser
from bench.stack_benchmarks import beside_stack
from support.demo_user import DemoUser

NAME = "sources"
SERVICES, BUILDS, DEPLOYMENTS, REPEATS = 50, 10_000, 2_000, 15
GOAL_MS = 200.0
GOALS_MS = {"all objects, a text of few": 100.0, "all objects, a misspelled text": 100.0}
"""Of what is searched while a user types."""
WITHOUT_GOAL = ("suggestions", "preview of two builds")
FILL = """
INSERT INTO service (team_id, id, slug, name, description)
    SELECT %(team)s, gen_random_uuid(), 's' || n, 's' || n, '' FROM generate_series(1, %(services)s) n;
INSERT INTO environment (team_id, id, slug, name) VALUES (%(team)s, gen_random_uuid(), 'bench', 'bench');
INSERT INTO build (team_id, id, service_id, commit, go_version, goos, goarch, flags, branch, title, parent, created_at)
    SELECT %(team)s, gen_random_uuid(), s.id, md5(n::text) || left(md5(n::text), 8), 'go1.25', 'linux', 'amd64', '',
        CASE WHEN n %% 4 = 0 THEN 'feature/' || n %% 400 ELSE 'main' END, 'Change number ' || n, NULL,
        now() - n * interval '10 minutes'
    FROM generate_series(1, %(builds)s) n
    JOIN (SELECT id, row_number() OVER (ORDER BY id) k FROM service WHERE team_id = %(team)s) s
        ON s.k = n %% %(services)s + 1;
INSERT INTO artifact (team_id, id, name, size_bytes, sha256, build_id, run_metadata, state, kind, summary, created_at)
    SELECT %(team)s, gen_random_uuid(), 'cpu.pprof', 1, md5(b.id::text), b.id,
        '{"go_version": "go1.25", "goos": "linux", "goarch": "amd64", "requests": 9000}', 'decoded', k.kind,
        jsonb_build_object('samples', 4000, 'duration_ns', 10000000000,
            'time_ns', (extract(epoch FROM b.created_at) * 1000000000)::bigint), b.created_at
    FROM build b, unnest(ARRAY['profile.cpu','profile.cpu','profile.cpu','profile.cpu','profile.heap','trace']) k(kind)
    WHERE b.team_id = %(team)s;
INSERT INTO deployment (team_id, id, service_id, environment_id, build_id, commit, started_at, ended_at, source, commits)
    SELECT %(team)s, gen_random_uuid(), b.service_id, e.id, b.id, b.commit, b.created_at - interval '1 minute',
        b.created_at + interval '1 day', 'api', '[]'
    FROM (SELECT * FROM build WHERE team_id = %(team)s ORDER BY created_at DESC LIMIT %(deployments)s) b,
        (SELECT id FROM environment WHERE team_id = %(team)s AND slug = 'bench') e;
"""


def run() -> Iterator[BenchmarkResult]:
    """Yield all results; takes a minute."""
    yield from beside_stack("bench.source_search_latency")


def inside() -> Iterator[BenchmarkResult]:
    """Yield the results, with a running stack."""
    person = newcomer()
    team_id = UUID(person.call("GET", "/session")["teams"][0]["id"])
    with psycopg.connect(os.environ["DATABASE_URL"], autocommit=True) as database:
        database.execute("SELECT set_config('slowpath.team_id', %s, false)", (str(team_id),))
        _fill(database, team_id)
    builds = person.call("GET", "/builds", params={"limit": 50})["items"]
    service_id = builds[0]["service_id"]
    sources = [{"type": "build", "build_id": build["id"]} for build in builds[:2]]
    asked: dict[str, Callable[[], object]] = {
        "builds, newest": lambda: _search(person, "build"),
        "builds, a text of few": lambda: _search(person, "build", q="number 9999"),
        "builds, a text of none": lambda: _search(person, "build", q="no such text"),
        "branches and tags of all services": lambda: _search(person, "ref"),
        "branches and tags of one service": lambda: _search(person, "ref", service_id=service_id),
        "deployments": lambda: _search(person, "deployment"),
        "all objects, a text of few": lambda: person.call("GET", "/search", params={"q": "number 9999"}),
        "all objects, a misspelled text": lambda: person.call("GET", "/search", params={"q": "chamge nunbr"}),
        "list of builds": lambda: person.call("GET", "/builds", params={"limit": 50}),
        "list of builds of a branch": lambda: person.call(
            "GET", "/builds", params={"service_id": service_id, "branch": "main", "limit": 50}
        ),
        "suggestions": lambda: person.call("GET", "/comparison-suggestions", params={"service_id": service_id}),
        "preview of two builds": lambda: person.call(
            "POST", "/comparison-previews", json={"base": sources[0], "candidate": sources[1]}
        ),
    }
    for what, ask in asked.items():
        peer_ms, value_ms = _ms(lambda: person.call("GET", "/environments", params={"limit": 1})), _ms(ask)
        is_goal, goal_ms = what not in WITHOUT_GOAL, GOALS_MS.get(what, GOAL_MS)
        yield BenchmarkResult(
            NAME,
            f"{BUILDS:,} builds of {SERVICES} services: ms of {what}",
            value_ms,
            peer=peer_ms,
            ratio=value_ms / peer_ms,
            goal=f"<= {goal_ms:.0f}" if is_goal else None,
            met=value_ms <= goal_ms if is_goal else None,
        )
    yield from _in_browser(person)


def _in_browser(person: DemoUser) -> Iterator[BenchmarkResult]:
    """Yield the waiting times of the choice of sides in a browser, the pause after a keystroke included."""
    seen = measure_in_browser(person, "source_search.mjs", "compare") or {}
    for kind, times in seen.items():
        yield BenchmarkResult(
            NAME,
            f"{BUILDS:,} builds of {SERVICES} services: ms from a keystroke to the {kind} shown, median of {len(times)}",
            median(times),
            goal=f"<= {GOAL_MS:.0f}",
            met=median(times) <= GOAL_MS,
        )


def _fill(database: psycopg.Connection, team_id: UUID) -> None:
    """Insert all rows as the application's role, and update the statistics of the planner as the owner."""
    values = {"team": team_id, "services": SERVICES, "builds": BUILDS, "deployments": DEPLOYMENTS}
    for statement in FILL.strip().rstrip(";").split(";\n"):
        database.execute(statement.encode(), values)
    with psycopg.connect(os.environ["MIGRATE_DATABASE_URL"], autocommit=True) as owner:
        owner.execute("ANALYZE")


def _search(person: DemoUser, searched: str, **query: object) -> object:
    found: object = person.call("GET", "/comparison-sources", params={"type": searched, "limit": 50, **query})
    return found


def _ms(ask: Callable[[], object]) -> float:
    """Return the median milliseconds of a response, without the first one."""
    ask()
    times = []
    for _ in range(REPEATS):
        began = time.perf_counter()
        ask()
        times.append((time.perf_counter() - began) * 1e3)
    return median(times)
