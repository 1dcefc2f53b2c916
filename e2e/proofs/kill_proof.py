"""Decodes go on while worker, child, relay, broker (its data wiped) and PostgreSQL are killed at random moments.

In the end every decode is done, none had its effect twice, and after each kill work went on within
30 s, counted from the last of several kills between which nothing could be done. Run beside the stores: `bootstrap.py services -- python -m proofs.kill_proof --seed N`. The
decoder is the real one, made slower, so that kills meet it at work.
"""

import argparse
import gzip
import os
import random
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TextIO
from urllib.parse import urlsplit
from uuid import UUID

import psycopg

import slowpath.metadata
from proofs.journal import TRIGGERS, Journal
from proofs.timeline import timeline
from slowpath.adapters.obstore_blobs import ObstoreBlobs
from slowpath.adapters.postgres import create_postgres_engine
from slowpath.core.db_sessions import Database, TeamScope
from slowpath.core.ids import TeamId, new_id
from slowpath.core.settings import read_settings
from slowpath.evidence.artifacts.service.artifact_ingest import ArtifactLabels, ReceivedFile, ingest_file
from slowpath.platform.http.request_bodies import SpooledBody
from tests.support.worker_supervisor import TARGETS, WorkerSupervisor

assert slowpath.metadata.FEATURES  # rows refer to tables of features that are not named here

PROFILE = Path(__file__).resolve().parents[2] / "worker" / "decode" / "testdata" / "profiles" / "go-cpu-1.26.pb.gz"
RECOVERY_SECONDS = 30.0
PATIENCE_SECONDS = 90.0
"""From the last kill to the end of the last decode."""
LIVED_SECONDS = 6.0
"""A store that fails more often than this is abandoned by its supervisor."""
SLOW = """#!/bin/sh
sleep {seconds}
exec {binary} "$@"
"""


def say(*words: object, sep: str = " ", to: TextIO = sys.stdout) -> None:
    """Print without buffering, so that the progress is visible."""
    to.write(sep.join(map(str, words)) + "\n")
    to.flush()


@dataclass
class Round:
    """One round: its decodes, its kills, and what is wrong in the end."""

    decodes: int
    kills: list[str]
    seed: int
    faults: list[str] = field(default_factory=list)
    killed: list[tuple[float, str]] = field(default_factory=list)
    recovery: dict[str, float] = field(default_factory=dict)
    """The longest time from a kill to the next decode that was done, by what was killed."""


def main() -> int:
    """Play rounds until the time is over; 0 if nothing was wrong."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 31))
    options.add_argument("--decodes", type=int, default=30)
    options.add_argument("--kills", type=int, default=10)
    options.add_argument("--seconds", type=float, default=0.0, help="play more rounds while they fit")
    options.add_argument("--everything", action="store_true", help="print what happened in good rounds too")
    asked = options.parse_args()
    begun, passed, failed, longest = time.monotonic(), 0, 0, 0.0
    while not passed + failed or time.monotonic() - begun + longest < asked.seconds:
        seed, started = asked.seed + passed + failed, time.monotonic()
        rng = random.Random(seed)
        kills = [*rng.sample(TARGETS, len(TARGETS)), *rng.choices(TARGETS, k=max(0, asked.kills - len(TARGETS)))]
        played = Round(asked.decodes, kills[: asked.kills], seed)
        play(played, everything=asked.everything)
        longest = max(longest, time.monotonic() - started)
        print_round(played, time.monotonic() - started)
        passed, failed = passed + (not played.faults), failed + bool(played.faults)
    say(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


def play(played: Round, *, everything: bool = False) -> None:
    """Play one round; print what happened in it if something is wrong, or if everything is asked for."""
    rng = random.Random(played.seed)
    with tempfile.TemporaryDirectory(prefix="kills-") as folder:
        keeper = WorkerSupervisor(_environment(Path(folder), rng), Path(folder))
        url = _admin_url()
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute(TRIGGERS)
            artifacts = _write_down(connection, played.decodes)
        try:
            _kill_while_it_works(played, keeper, rng, url)
        finally:
            orphans = keeper.stop()
        if orphans:
            played.faults.append(f"left running: {orphans}")
        with psycopg.connect(url, autocommit=True) as connection:
            journal = Journal.read(connection)
            judge(played, journal, connection, artifacts)
            lines = timeline(played.killed, journal, sorted(Path(folder).glob("*.log")))
            connection.execute("DELETE FROM team; DROP TABLE journal CASCADE")
            connection.execute("DROP FUNCTION note_job() CASCADE; DROP FUNCTION note_profile() CASCADE")
        if played.faults or everything:
            for line in lines:
                say(line, to=sys.stderr)


def _environment(folder: Path, rng: random.Random) -> dict[str, str]:
    slow = folder / "slow-decode"
    seconds = round(rng.uniform(0.3, 1.2), 2)
    slow.write_text(SLOW.format(seconds=seconds, binary=os.environ["SLOWPATH_DECODE_BIN"]))
    slow.chmod(0o755)
    return {**os.environ, "SLOWPATH_DECODE_BIN": str(slow), "SLOWPATH_LOG_FORMAT": "text"}


def _admin_url() -> str:
    database = urlsplit(os.environ["DATABASE_URL"]).path
    return urlsplit(os.environ["ADMIN_DATABASE_URL"])._replace(path=database).geturl()


def _write_down(connection: psycopg.Connection, count: int) -> dict[UUID, UUID]:
    """Receive files as web does; return the job of each artifact."""
    settings = read_settings()
    team_id = TeamId(new_id())
    connection.execute("INSERT INTO team (id, slug, name) VALUES (%s, %s, 'Kills')", (team_id, f"k{team_id.hex[:8]}"))
    engine, blobs = create_postgres_engine(settings), ObstoreBlobs(settings.blob_url)
    content, jobs = gzip.decompress(PROFILE.read_bytes()), {}
    for number in range(count):
        spooled = SpooledBody(None)
        spooled.write(gzip.compress(content, 1, mtime=number + 1))  # other bytes, the same profile
        file = ReceivedFile(spooled.path, spooled.size_bytes, spooled.sha256)
        with Database(engine).writing(TeamScope(team_id)) as session:
            artifact = ingest_file(session, blobs, file, ArtifactLabels(f"cpu.{number:02}.pb.gz"))
            assert artifact.job_id is not None
            jobs[artifact.id] = artifact.job_id
        spooled.close()
    engine.dispose()
    return jobs


def _kill_while_it_works(played: Round, keeper: WorkerSupervisor, rng: random.Random, url: str) -> None:
    left, last_store = list(played.kills), {"broker": 0.0, "PostgreSQL": 0.0}
    next_kill = time.monotonic() + rng.uniform(3.0, 6.0)
    deadline = next_kill + PATIENCE_SECONDS
    while left or not _is_all_done(url):
        keeper.look_after()
        now = time.monotonic()
        if left and now >= next_kill:
            too_soon = now - last_store.get(left[0], 0.0) < LIVED_SECONDS
            if not too_soon and keeper.kill(left[0], rng):
                played.killed.append((time.time(), left[0]))
                last_store[left[0]] = now
                left.pop(0)
                next_kill = now + rng.uniform(1.0, 4.0)
            deadline = now + PATIENCE_SECONDS
        if now > deadline:
            played.faults.append(f"not all done {PATIENCE_SECONDS:.0f} s after the last kill")
            return
        time.sleep(0.1)


def _is_all_done(url: str) -> bool:
    try:
        with psycopg.connect(url, autocommit=True, connect_timeout=2) as connection:
            found = connection.execute("SELECT count(*) FROM job WHERE state IN ('waiting', 'running')").fetchone()
            return found == (0,)
    except psycopg.Error:
        return False


def judge(played: Round, journal: Journal, connection: psycopg.Connection, jobs: dict[UUID, UUID]) -> None:
    """Write down what is wrong."""
    states: dict[UUID, str] = dict(connection.execute("SELECT id, state FROM artifact").fetchall())
    for artifact_id, job_id in jobs.items():
        if states[artifact_id] != "decoded":
            problem = connection.execute("SELECT problem FROM job WHERE id = %s", (job_id,)).fetchone()
            played.faults.append(f"{artifact_id} is {states[artifact_id]}: {problem}")
        if len(journal.times(job_id, "done")) != 1:
            played.faults.append(f"job {job_id} was done {len(journal.times(job_id, 'done'))} times")
        inserted, updated = (len(journal.times(artifact_id, f"profile {how}")) for how in ("insert", "update"))
        if (inserted, updated) != (1, 0):
            played.faults.append(f"profile {artifact_id}: {inserted} inserts, {updated} updates")
    all_done_at = max((at for job_id in jobs.values() for at in journal.times(job_id, "done")), default=0.0)
    for at, target in played.killed:
        gone_on, since = journal.first_after(at, "done"), counted_from(at, played.killed, journal)
        if at < all_done_at and (gone_on is None or gone_on - since > RECOVERY_SECONDS):
            played.faults.append(f"after the kill of {target} nothing was done for {RECOVERY_SECONDS:.0f} s")
        for job_id in jobs.values():
            taken_up = journal.taken_up_after(job_id, at)
            if taken_up is None or taken_up - since > RECOVERY_SECONDS:
                played.faults.append(f"after the kill of {target} job {job_id} was left lying")
    played.recovery = _longest(journal, played)


def counted_from(at: float, killed: Sequence[tuple[float, str]], journal: Journal) -> float:
    """Return from when the time after a kill counts: a kill that meets what has not recovered yet begins it anew.

    Else a machine on which a start takes ten seconds would be asked to recover between kills two seconds apart.
    """
    for later, _ in killed:
        gone_on = journal.first_after(at, "done")
        if later > at and (gone_on is None or gone_on > later):
            at = later
    return at


def _longest(journal: Journal, played: Round) -> dict[str, float]:
    longest: dict[str, float] = {}
    for at, target in played.killed:
        gone_on = journal.first_after(at, "done")
        if gone_on is not None:
            longest[target] = max(longest.get(target, 0.0), round(gone_on - at, 1))
    return longest


def print_round(played: Round, seconds: float) -> None:
    """Print how a round went."""
    targets = " ".join(target for _, target in played.killed)
    say(
        f"seed {played.seed}: {played.decodes} decodes in {seconds:.0f} s, killed: {targets}; went on after {played.recovery}"
    )
    for fault in played.faults:
        say(f"  {fault}")


if __name__ == "__main__":
    sys.exit(main())
