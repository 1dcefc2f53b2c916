"""Samples are pushed while web, PostgreSQL, worker and relay are killed at random moments, and folded all the while.

A sender does as Prometheus does: what was not answered is sent again, as it was. In the end every sample that was answered
with 204 is there, once, with its value, and nothing that was never sent. Run beside the stores:
`bootstrap.py services -- python -m proofs.metric_kill_proof --seconds N --seed N`.
"""

import argparse
import os
import random
import socket
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from uuid import UUID

import httpx
import numpy as np
import psycopg

import slowpath.metadata
from proofs.kill_proof import LIVED_SECONDS, say
from slowpath.adapters.postgres import create_postgres_engine
from slowpath.core.db_sessions import Database, TeamScope
from slowpath.core.ids import TeamId
from slowpath.core.settings import read_settings
from slowpath.evidence.metrics.service.series_reader import SeriesSelector, select_all
from support.demo_user import DemoFailed, sign_up
from tests.factories.remote_write import V1_HEADERS, V2_HEADERS, Point, Sent, v1, v2
from tests.support.worker_supervisor import WORKSHOP, WorkerSupervisor

assert slowpath.metadata.FEATURES  # rows refer to tables of features that are not named here

KILLED = ("web", "PostgreSQL", "worker", "relay")
SERIES = 40
PATIENCE_SECONDS = 60.0
HOUR_MS = 3_600_000
HURRY = "UPDATE job SET due_at = now(), not_before = now() WHERE name = 'metrics.compact' AND state = 'waiting'"


@dataclass
class Sender:
    """Sends samples and records which were acknowledged."""

    url: str
    token: str
    rng: random.Random
    acknowledged: dict[tuple[str, int], float] = field(default_factory=dict)
    sent: dict[tuple[str, int], float] = field(default_factory=dict)
    repeated: int = 0
    at_ms: int = field(default_factory=lambda: int(time.time() * 1000) - 3 * HOUR_MS)

    def send_one(self, going_on: Iterator[None]) -> None:
        """Send one request until it is answered. `going_on` is asked between tries."""
        self.at_ms += self.rng.randrange(1, 5_000)
        points = {
            (f"s{number}", self.at_ms + self.rng.randrange(-3_000, 1)): self.rng.random()
            for number in self.rng.sample(range(SERIES), self.rng.randrange(1, SERIES))
        }
        points = {place: value for place, value in points.items() if place not in self.sent}
        self.sent |= points
        series = [Sent({"__name__": "up", "pod": pod}, [Point(at, value)]) for (pod, at), value in points.items()]
        body, headers = (v1(series), V1_HEADERS) if self.rng.random() < 0.5 else (v2(series), V2_HEADERS)
        headers = {**headers, "Authorization": f"Bearer {self.token}"}
        for _ in going_on:
            with suppress(httpx.HTTPError):
                answer = httpx.post(f"{self.url}/api/v1/metrics/write", content=body, headers=headers, timeout=10)
                if answer.status_code == 204:
                    self.acknowledged |= points
                    return
                if answer.status_code < 500:
                    raise AssertionError(f"refused: {answer.status_code} {answer.text[:300]}")
            self.repeated += 1


def main() -> int:
    """Push and kill until the time is over; 0 if nothing was lost."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 31))
    options.add_argument("--seconds", type=float, default=60.0)
    asked = options.parse_args()
    with tempfile.TemporaryDirectory(prefix="kills-") as folder:
        faults = play(asked.seed, asked.seconds, Path(folder))
    for fault in faults:
        say(f"  {fault}")
    say(f"{int(not faults)} passed, {int(bool(faults))} failed")
    return 1 if faults else 0


def play(seed: int, seconds: float, folder: Path) -> list[str]:
    """Push and kill; return what is wrong in the end."""
    rng, port = random.Random(seed), _free_port()
    url = f"http://127.0.0.1:{port}"
    environment = {**os.environ, "SLOWPATH_PUBLIC_URL": url, "SLOWPATH_SIGN_UP": "open", "SLOWPATH_LOG_FORMAT": "text"}
    web = ("uvicorn", "slowpath.app:create_app", "--factory", "--port", str(port), "--no-access-log")
    keeper = WorkerSupervisor(environment, folder, {"web": web, **WORKSHOP})
    try:
        team_id, token = _newcomer(keeper, url)
        sender = Sender(url, token, rng)
        killed = _push(keeper, sender, rng, seconds)
    finally:
        keeper.stop()
    faults = _find_faults(team_id, sender)
    folded = _count("metric_chunk")
    text = f"{len(sender.acknowledged)} samples acknowledged, {sender.repeated} tries again, {folded} hours folded"
    say(f"seed {seed}: {text}, killed: {' '.join(killed)}")
    if not folded:
        faults.append("nothing was folded")
    return faults


def _newcomer(keeper: WorkerSupervisor, url: str) -> tuple[TeamId, str]:
    deadline = time.monotonic() + PATIENCE_SECONDS
    while True:
        keeper.look_after()
        try:
            person = sign_up(url)
        except DemoFailed:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.5)
            continue
        return TeamId(UUID(person.call("GET", "/session")["teams"][0]["id"])), person.token


def _push(keeper: WorkerSupervisor, sender: Sender, rng: random.Random, seconds: float) -> list[str]:
    """Send and kill until the time is over; whatever was sent last is answered at last."""
    killed: list[str] = []
    ends = time.monotonic() + seconds
    next_kill = time.monotonic() + rng.uniform(1.0, 4.0)
    next_fold, store_died = 0.0, 0.0

    def going_on() -> Iterator[None]:
        nonlocal next_kill, next_fold, store_died
        deadline = time.monotonic() + PATIENCE_SECONDS
        while time.monotonic() < deadline:
            keeper.look_after()
            now = time.monotonic()
            if now >= next_kill and now < ends:
                target = rng.choice(KILLED)
                if (target != "PostgreSQL" or now - store_died > LIVED_SECONDS) and keeper.kill(target, rng):
                    killed.append(target)
                    store_died = now if target == "PostgreSQL" else store_died
                    next_kill = now + rng.uniform(1.0, 5.0)
                    deadline = now + PATIENCE_SECONDS  # on a slow machine, web may not start between two kills
            if now >= next_fold:
                next_fold = now + 1.0
                with suppress(psycopg.Error), psycopg.connect(_admin_url(), autocommit=True, connect_timeout=2) as one:
                    one.execute(HURRY)
            yield
            time.sleep(0.05)
        raise AssertionError(f"not answered within {PATIENCE_SECONDS:.0f} s")

    while time.monotonic() < ends:
        sender.send_one(going_on())
    return killed


def _find_faults(team_id: TeamId, sender: Sender) -> list[str]:
    engine = create_postgres_engine(read_settings(), pool_size=1)
    with Database(engine).reading(TeamScope(team_id)) as session:
        (found,) = select_all(session, [SeriesSelector("up")], 0, sender.at_ms + HOUR_MS)
    engine.dispose()
    there: dict[tuple[str, int], float] = {}
    faults = []
    for data in found:
        assert data.values is not None
        if not (np.diff(data.times_ms) > 0).all():
            faults.append(f"{data.labels}: times twice or out of order")
        there |= {
            (data.labels["pod"], at): value
            for at, value in zip(data.times_ms.tolist(), data.values.tolist(), strict=True)
        }
    lost = [place for place, value in sender.acknowledged.items() if there.get(place) != value]
    strange = [place for place, value in there.items() if sender.sent.get(place) != value]
    if lost:
        faults.append(f"{len(lost)} acknowledged samples are lost or other: {lost[:3]}")
    if strange:
        faults.append(f"{len(strange)} samples were never sent: {strange[:3]}")
    return faults


def _count(table: str) -> int:
    with psycopg.connect(_admin_url(), autocommit=True) as connection:
        row = connection.execute(f"SELECT count(*) FROM {table}".encode()).fetchone()
        return int(row[0]) if row else 0


def _admin_url() -> str:
    name = os.environ["DATABASE_URL"].rpartition("/")[2]
    return f"{os.environ['ADMIN_DATABASE_URL'].rpartition('/')[0]}/{name}"


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


if __name__ == "__main__":
    sys.exit(main())
