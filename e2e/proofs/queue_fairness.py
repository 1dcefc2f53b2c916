"""One team floods the queue, another sends one file: how long it waits, on a whole stack of real processes.

`python -m proofs.queue_fairness --seconds N --seed N`. Team A has 10,000 decode jobs of a small valid file and four of
a slow one; team B then sends single files. Each must wait at most 5 s longer than it takes by itself.
"""

import argparse
import gzip
import random
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import httpx

from proofs.bombs import FUNCTION, GOOD, LOCATION, SAMPLE, TEXTS, TYPES, field
from tests.support.databases import TestDatabase, made_database
from tests.support.running_stacks import RunningStack, reported_faults, running_stack

BACKLOG: Final = 10_000
SLOW_FILES: Final = 4
SLOW_SAMPLES: Final = 12_000_000
DELAY_SECONDS: Final = 5.0
PATIENCE_SECONDS: Final = 120.0
POLL_SECONDS: Final = 0.05
FLOOD: Final = """
INSERT INTO artifact SELECT (jsonb_populate_record(artifact, jsonb_build_object('id', gen_random_uuid()))).*
    FROM artifact, generate_series(1, %s) WHERE id = %s
"""
JOBS: Final = """
INSERT INTO job (team_id, id, name, queue, payload, subject_kind, subject_id, max_attempts, priority, state, attempts, fencing_token,
        progress, step)
    SELECT team_id, gen_random_uuid(), 'artifacts.decode', 'decode', jsonb_build_object('artifact_id', id), 'artifact', id, 5, 3,
        'waiting', 0, 0, 0, ''
    FROM artifact WHERE team_id = (SELECT team_id FROM artifact WHERE id = %s) AND id <> %s
"""


@contextmanager
def _stack(folder: Path) -> Iterator[RunningStack]:
    with made_database("slowpath_proof_queues") as database:
        database.migrate()
        with running_stack(database, folder) as stack:
            yield stack


def _send(client: httpx.Client, name: str, content: bytes) -> str:
    answer = client.put(f"/artifacts/{name}", content=content)
    answer.raise_for_status()
    return str(answer.json()["id"])


def _seconds_until_decoded(stack: RunningStack, client: httpx.Client, name: str, content: bytes) -> float:
    begun = time.monotonic()
    artifact_id = _send(client, name, content)
    while time.monotonic() - begun < PATIENCE_SECONDS:
        stack.keeper.look_after()
        if client.get(f"/artifacts/{artifact_id}").json()["state"] == "decoded":
            return time.monotonic() - begun
        time.sleep(POLL_SECONDS)
    return PATIENCE_SECONDS


def _small(number: int) -> bytes:
    """Return a valid profile that no other one equals."""
    return GOOD + field(6, f"file {number}".encode())


def _flood(database: TestDatabase, client: httpx.Client, rng: random.Random) -> None:
    slow = TYPES + SAMPLE * SLOW_SAMPLES + LOCATION + FUNCTION + TEXTS
    packed = gzip.compress(slow, 1)
    for one in range(SLOW_FILES):
        _send(client, f"slow.{one}.pb.gz", packed + gzip.compress(field(6, str(rng.random()).encode())))
    first = _send(client, "backfill.pb", _small(rng.randrange(10**9)))
    with database.as_admin() as admin:
        admin.execute(FLOOD, (BACKLOG, first))
        admin.execute(JOBS, (first, first))


def _waiting(database: TestDatabase) -> int:
    with database.as_admin() as admin:
        found = admin.execute(
            "SELECT count(*) FROM job WHERE name = 'artifacts.decode' AND state = 'waiting'"
        ).fetchone()
    return int(found[0]) if found else 0


def main() -> int:
    """Measure alone, then beside the flood, for as long as there is time."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    rng = random.Random(options.seed)
    with tempfile.TemporaryDirectory() as folder, _stack(Path(folder)) as stack:
        flooding, single = stack.signed_up(), stack.signed_up()
        alone = [
            _seconds_until_decoded(stack, single, f"alone.{one}", _small(rng.randrange(10**9))) for one in range(3)
        ]
        _flood(stack.database, flooding, rng)
        delays: list[float] = []
        until = time.monotonic() + options.seconds
        while time.monotonic() < until and _waiting(stack.database) > 0:
            took = _seconds_until_decoded(stack, single, f"one.{len(delays)}", _small(rng.randrange(10**9)))
            delays.append(took - min(alone))
        left, errors = _waiting(stack.database), reported_faults(stack.keeper.logs)
    worst, late = max(delays, default=PATIENCE_SECONDS), sum(delay > DELAY_SECONDS for delay in delays)
    print(
        f"alone {min(alone):.2f} s; beside a backlog ({left} jobs left): {len(delays)} files, at most {worst:.2f} s more"
    )
    for line in errors:
        print(line)
    print(f"{len(delays) - late} passed, {late} failed")
    return 0 if delays and not late else 1


if __name__ == "__main__":
    sys.exit(main())
