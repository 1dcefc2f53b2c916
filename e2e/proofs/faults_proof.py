"""Files, samples and comparisons go on while the network, the stores, the disk and the clock have faults.

Connections to PostgreSQL, Valkey and the S3 server are cut, silent and slow; S3 answers 500 and 503; the disk of web and
worker is full; their clock jumps by an hour in both directions. Every failed request is answered by a problem with status
503, in time. After each fault all works again without help. In the end everything that was acknowledged is there, complete:
files with their bytes, samples with their values, comparisons with their results; and each blob of the store has a row.
Run beside the stores: `bootstrap.py services -- python -m proofs.faults_proof --seconds N --seed N`.
"""

import argparse
import hashlib
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import SplitResult, urlsplit
from uuid import UUID

import psycopg

import slowpath.metadata
from bootstrap_parts.machine_checks import free_port
from proofs.faults_load import FaultsLoad
from proofs.faulty_proxy import Fault, FaultyProxy
from proofs.kill_proof import say
from slowpath.adapters.obstore_blobs import ObstoreBlobs
from slowpath.adapters.postgres import create_postgres_engine
from slowpath.core.db_sessions import Database, TeamScope
from slowpath.core.ids import TeamId
from slowpath.core.settings import read_settings
from slowpath.evidence.metrics.service.series_reader import SeriesSelector, select_all
from support.demo_user import DemoFailed, DemoUser, sign_up
from support.s3_server import BUCKET, s3_environment, s3_server_binary
from tests.support.worker_supervisor import WorkerSupervisor

assert slowpath.metadata.FEATURES  # rows refer to tables of features that are not named here

START_SECONDS = 240.0
RECOVERY_SECONDS = 30.0
PATIENCE_SECONDS = 60.0
FAULT_SECONDS, SILENT_SECONDS = 2.0, 7.0
"""The shortest faults; silence has to outlast the timeouts of connections."""
SCRATCH_MIB = 8
JUMP_SECONDS = 3600
HOUR_MS = 3_600_000
LOG_LINES = 60
NETWORK = {
    "PostgreSQL": (Fault.REFUSED, Fault.SILENT, Fault.SLOW),
    "Valkey": (Fault.REFUSED, Fault.SILENT),
    "S3": (Fault.REFUSED, Fault.SILENT, Fault.SLOW, Fault.HTTP_500, Fault.HTTP_503),
}
FULL_DISK, CLOCK = "full disk", "clock"


@dataclass
class Stack:
    """The processes, the proxies to the stores, and what else can have a fault."""

    folder: Path
    url: str
    keeper: WorkerSupervisor
    proxies: dict[str, FaultyProxy]
    scratch: Path
    is_small_disk: bool
    recovery_s: dict[str, float] = field(default_factory=dict)

    @property
    def faults(self) -> list[tuple[str, str]]:
        """Return all faults that can be caused here."""
        network = [(name, fault.value) for name in self.proxies for fault in NETWORK[name]]
        disk = [(FULL_DISK, "no space left")] if self.is_small_disk else []
        return [*network, *disk, (CLOCK, f"+{JUMP_SECONDS}"), (CLOCK, f"-{JUMP_SECONDS}")]

    def begin(self, where: str, what: str) -> None:
        """Begin a fault."""
        if where == FULL_DISK:
            with (self.scratch / "filler").open("wb", buffering=0) as file, suppress(OSError):
                while True:
                    file.write(bytes(4096))
        elif where == CLOCK:
            (self.folder / "clock").write_text(what)
        else:
            self.proxies[where].begin(Fault(what))

    def end(self, where: str) -> None:
        """End a fault."""
        if where == FULL_DISK:
            (self.scratch / "filler").unlink()
        elif where == CLOCK:
            (self.folder / "clock").write_text("0")
        else:
            self.proxies[where].begin(Fault.NONE)


@contextmanager
def _stack(folder: Path) -> Iterator[Stack]:
    url = f"http://127.0.0.1:{free_port()}"
    scratch = folder / "scratch"
    scratch.mkdir()
    mounted = _mount(scratch)
    clock = folder / "clock"
    clock.write_text("0")
    proxies, environment = {}, {**os.environ}
    for name, setting in (("PostgreSQL", "DATABASE_URL"), ("Valkey", "BROKER_URL")):
        parts = urlsplit(environment[setting])
        proxies[name] = FaultyProxy(free_port(), parts.port or 0)
        environment[setting] = _with_port(parts, proxies[name].port)
    commands: dict[str, tuple[str, ...]] = {}
    if (server := s3_server_binary()) is not None:
        port = free_port()
        commands["s3"] = (str(server), f"127.0.0.1:{port}", str(folder / "blobs.bolt"), BUCKET)
        proxies["S3"] = FaultyProxy(free_port(), port)
        environment |= s3_environment(proxies["S3"].port)
    environment |= {
        "SLOWPATH_PUBLIC_URL": url,
        "SLOWPATH_SIGN_UP": "open",
        "SLOWPATH_LOG_FORMAT": "text",
        "SLOWPATH_SCRATCH_DIR": str(scratch),
        "SLOWPATH_WORKER_PROCESSES": "1",
    }
    shifted = ("proofs.shifted_clock", str(clock))
    commands |= {
        "web": (*shifted, "slowpath.platform.http.server", "--port", str(urlsplit(url).port)),
        "worker": (*shifted, "slowpath_worker"),
        "relay": (*shifted, "slowpath_worker.relay"),
    }
    for proxy in proxies.values():
        proxy.start()
    keeper = WorkerSupervisor(environment, folder, commands)
    try:
        yield Stack(folder, url, keeper, proxies, scratch, mounted)
    finally:
        keeper.stop()
        if mounted:
            subprocess.run(["umount", "--lazy", str(scratch)], check=False)


def _with_port(parts: SplitResult, port: int) -> str:
    return parts._replace(netloc=parts.netloc.rpartition(":")[0] + f":{port}").geturl()


def _mount(scratch: Path) -> bool:
    """Mount a small disk; return whether this machine allows it."""
    command = ["mount", "-t", "tmpfs", "-o", f"size={SCRATCH_MIB}m,mode=1777", "tmpfs", str(scratch)]
    try:
        return subprocess.run(command, capture_output=True, check=False).returncode == 0
    except FileNotFoundError:
        return False


def play(stack: Stack, rng: random.Random, seconds: float) -> list[str]:
    """Cause each fault once under load; return what is wrong."""
    user = _first_user(stack)
    load = FaultsLoad(stack.url, user.token, rng)
    load.start()
    wrong: list[str] = []
    faults = stack.faults
    rng.shuffle(faults)
    try:
        _look_after(stack, 2.0)
        for where, what in faults:
            stack.begin(where, what)
            shortest_s = SILENT_SECONDS if what == Fault.SILENT else FAULT_SECONDS
            _look_after(stack, max(shortest_s, seconds / len(faults) * 0.5))
            stack.end(where)
            ended = dict(load.failures)
            wrong += _wait_until_usable(stack, load, f"{where} {what}")
            say(f"  {where} {what}: usable after {stack.recovery_s[f'{where} {what}']:.1f} s; {ended}")
    finally:
        load.end()
    wrong += load.faults[:20]
    wrong += _judge(stack, load, TeamId(UUID(user.call("GET", "/session")["teams"][0]["id"])))
    say(
        f"{len(load.files)} files, {len(load.samples)} samples, {len(load.comparisons)} comparisons acknowledged; failed requests: "
        f"{load.failures}, the slowest after {load.slowest_s:.1f} s; usable again after at most "
        f"{max(stack.recovery_s.values()):.1f} s"
    )
    return wrong


def _first_user(stack: Stack) -> DemoUser:
    deadline = time.monotonic() + START_SECONDS
    while True:
        stack.keeper.look_after()
        try:
            return sign_up(stack.url)
        except DemoFailed:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.3)


def _look_after(stack: Stack, seconds: float) -> None:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        stack.keeper.look_after()
        time.sleep(0.1)


def _wait_until_usable(stack: Stack, load: FaultsLoad, fault: str) -> list[str]:
    """Wait until a file that is sent after the fault is acknowledged."""
    begun, before = time.monotonic(), len(load.files)
    while time.monotonic() - begun < RECOVERY_SECONDS:
        _look_after(stack, 0.1)
        if len(load.files) > before:
            stack.recovery_s[fault] = time.monotonic() - begun
            return []
    stack.recovery_s[fault] = RECOVERY_SECONDS
    return [f"{RECOVERY_SECONDS:.0f} s after {fault} no file could be sent"]


def _judge(stack: Stack, load: FaultsLoad, team_id: TeamId) -> list[str]:
    wrong = _wait_until_done(stack)
    with load.client() as client:
        for artifact_id, sha256 in load.files.items():
            body = client.get(f"/artifacts/{artifact_id}").json()
            if body.get("state") != "decoded":
                wrong.append(f"artifact {artifact_id} is {body.get('state')}: {body.get('problem')}")
            if hashlib.sha256(client.get(f"/artifacts/{artifact_id}/original").content).hexdigest() != sha256:
                wrong.append(f"artifact {artifact_id} has other bytes")
        for comparison_id in load.comparisons:
            body = client.get(f"/comparisons/{comparison_id}").json()
            if body.get("state") != "done":
                wrong.append(f"comparison {comparison_id} is {body.get('state')}: {body.get('problem')}")
        count = len(client.get("/comparisons?limit=200").json()["items"])
        if count != len(load.comparisons):
            wrong.append(f"{count} comparisons were made, {len(load.comparisons)} acknowledged")
    engine = create_postgres_engine(read_settings(), pool_size=1)
    with Database(engine).reading(TeamScope(team_id)) as session:
        (found,) = select_all(session, [SeriesSelector("up")], 0, int(time.time() * 1000) + HOUR_MS)
    engine.dispose()
    there = {
        at: value
        for data in found
        if data.values is not None
        for at, value in zip(data.times_ms.tolist(), data.values.tolist(), strict=True)
    }
    lost = [at for at, value in load.samples.items() if there.get(at) != value]
    strange = [at for at, value in there.items() if load.sent_samples.get(at) != value]
    wrong += [f"{len(lost)} acknowledged samples are lost or other"] if lost else []
    wrong += [f"{len(strange)} samples were never sent"] if strange else []
    return wrong + _compare_store(stack, team_id)


def _compare_store(stack: Stack, team_id: TeamId) -> list[str]:
    """Return blobs without a row: nothing would ever delete them."""
    if "S3" not in stack.proxies:
        return []
    os.environ.update(s3_environment(stack.proxies["S3"].port))
    stored = {blob.key for page in ObstoreBlobs(f"s3://{BUCKET}").listed(str(team_id)) for blob in page}
    with psycopg.connect(_admin_url(), autocommit=True) as admin:
        rows = {key for (key,) in admin.execute("SELECT key FROM stored_blob WHERE team_id = %s", (team_id,))}
    without = stored - rows
    return (
        [f"{len(without)} of {len(stored)} blobs have no row: {sorted(without)[:3]}"] if without or not stored else []
    )


def _wait_until_done(stack: Stack) -> list[str]:
    deadline = time.monotonic() + PATIENCE_SECONDS
    left: list[tuple[str, ...]] = []
    while time.monotonic() < deadline:
        _look_after(stack, 0.3)
        with psycopg.connect(_admin_url(), autocommit=True) as admin:
            left = admin.execute(
                "SELECT name, state, problem::text FROM job WHERE state IN ('waiting', 'running')"
                " AND name IN ('artifacts.decode', 'comparisons.compute')"
            ).fetchall()
        if not left:
            return []
    return [f"{len(left)} jobs are not done {PATIENCE_SECONDS:.0f} s after the last fault: {left[:3]}"]


def _admin_url() -> str:
    name = os.environ["DATABASE_URL"].rpartition("/")[2]
    return f"{os.environ['ADMIN_DATABASE_URL'].rpartition('/')[0]}/{name}"


def main() -> int:
    """Play one round; 0 if nothing was wrong."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 31))
    options = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="faults-"))
    try:
        with _stack(folder) as stack:
            skipped = [] if stack.is_small_disk else ["the full disk: mounting a small one needs root"]
            skipped += [] if "S3" in stack.proxies else ["S3: its server cannot be built here"]
            say(f"seed {options.seed}, {len(stack.faults)} faults; skipped: {'; '.join(skipped) or 'nothing'}")
            wrong = ["the proof did not end"]
            try:
                wrong = play(stack, random.Random(options.seed), options.seconds)
            finally:
                for log in sorted(folder.glob("*.log")) if wrong else []:
                    say(
                        f"--- {log.name}",
                        *log.read_text(errors="replace").splitlines()[-LOG_LINES:],
                        sep="\n",
                        to=sys.stderr,
                    )
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    for fault in wrong:
        say(f"  {fault}")
    say(f"{int(not wrong)} passed, {int(bool(wrong))} failed")
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
