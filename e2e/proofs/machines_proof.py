"""Three web processes behind a load balancer, three workers with different queues, two relays: each is killed under load.

They share one PostgreSQL with a synchronous replica, Valkey with a replica and three Sentinels, and an S3 server if it can be
built, otherwise a folder. PostgreSQL is reached through PgBouncer (transactions, and a session for what listens) if Debian's
package can be had; without it PostgreSQL does not fail over. Each process is killed in turn, PostgreSQL and Valkey fail over to
their replicas. Then comes an upgrade: the schema is migrated (`machines_upgrade.py`), the former processes go on with it, and
all are restarted one by one. In the end every upload was decoded once, no session was lost, each event stream learned of each
decode, and the reads outside fail-over, with those of the upgrade, took at most a second (95th percentile).
Run beside the stores: `bootstrap.py services -- python -m proofs.machines_proof --seconds N --seed N`.
"""

import argparse
import gzip
import random
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from statistics import quantiles
from urllib.parse import urlsplit
from uuid import UUID

import httpx

from bootstrap_parts.machine_checks import free_port
from proofs.journal import TRIGGERS, Journal
from proofs.kill_proof import PATIENCE_SECONDS, PROFILE, Round, judge, say
from proofs.machines_load import Load
from proofs.machines_stores import Pooler, PostgresPair, postgres_pair
from proofs.machines_upgrade import Upgrade, add_rows, judge_upgrade, migrate
from proofs.timeline import timeline
from support.debian_packages import library_path, unpacked_packages
from support.s3_server import BUCKET, s3_environment, s3_server_binary
from tests.support.running_stacks import owner_of, stack_environment
from tests.support.sentinels import WatchedValkey, watched_valkey
from tests.support.worker_supervisor import WorkerSupervisor

WEBS, WORKERS, RELAYS = 3, 3, 2
QUEUES = ("decode", "analyse,bisect", "decode,notify,mirror")
COMMIT = "0123456789abcdef0123456789abcdef01234567"
START_SECONDS = 240.0
STOP_SECONDS = 30.0
QUIET_SECONDS = 5.0
UPGRADE_UPLOADS = 150
"""At most, beside those that are made while processes are killed."""
SLOWEST_P95_SECONDS = 1.0
FEWEST_READS = 50
"""Reads outside fail-over that the percentile needs."""
POSTGRES, POSTGRES_FAIL_OVER, VALKEY_FAIL_OVER = "PostgreSQL", "fail-over of PostgreSQL", "fail-over of Valkey"
STORES = {POSTGRES, POSTGRES_FAIL_OVER, VALKEY_FAIL_OVER, "pgbouncer", "s3"}
"""All web processes are waited for when one of these is back."""
UNTOUCHED = ("proxy", "valkey-", "sentinel-2", "sentinel-3")
"""Prefixes of processes that are not killed by their name: a Valkey fails over, and one Sentinel is enough."""


@dataclass
class Machines:
    """The processes and where they are reached."""

    postgres: PostgresPair
    valkey: WatchedValkey
    folder: Path
    keeper: WorkerSupervisor
    address: str
    web_ports: dict[str, int]
    pooler: Pooler | None
    unready: list[tuple[float, float]] = field(default_factory=list)
    """Periods of fail-over."""

    @property
    def targets(self) -> list[str]:
        """Return all that is killed."""
        names = [name for name in self.keeper.processes if not name.startswith(UNTOUCHED)]
        return [*names, POSTGRES, VALKEY_FAIL_OVER, *([POSTGRES_FAIL_OVER] if self.pooler else [])]

    def is_ready(self, name: str) -> bool:
        """Return whether a process answers; of one without an address, whether it runs."""
        port = self.web_ports.get(name)
        if port is None:
            return name in self.keeper.running or name not in self.keeper.processes
        return _answers(f"http://127.0.0.1:{port}/readyz")

    def wait_for(self, *names: str) -> bool:
        """Wait until processes are ready; return whether they are."""
        deadline = time.monotonic() + START_SECONDS
        while time.monotonic() < deadline:
            self.keeper.look_after()
            if all(map(self.is_ready, names)):
                return True
            time.sleep(0.1)
        return False

    def restart(self, name: str) -> bool:
        """Stop one as an upgrade does, and wait until it is back; return whether it ended and is back."""
        process, deadline = self.keeper.running[name], time.monotonic() + STOP_SECONDS
        process.terminate()
        while process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.05)
        if process.poll() is None:
            return False
        self.keeper.look_after()
        return self.wait_for(name)

    def fail(self, name: str, rng: random.Random) -> bool:
        """Kill one, and wait until it is back; return whether it is."""
        begun = time.time()
        if name == POSTGRES:
            self.postgres.kill()
        elif name == POSTGRES_FAIL_OVER:
            self._fail_over_postgres()
        elif name == VALKEY_FAIL_OVER:
            if not self._fail_over_valkey(rng):
                return False
        elif not self.keeper.kill(name, rng):
            return False
        back = self.wait_for(*(self.web_ports if name in STORES else (name,)))
        self.unready.append((begun, time.time()))
        return back

    def _fail_over_postgres(self) -> None:
        """Promote the replica, and lead the pooler to it; the former primary is gone."""
        assert self.pooler is not None
        self.postgres.fail_over()
        self.pooler.lead_to(self.postgres.database)
        self.keeper.running["pgbouncer"].send_signal(signal.SIGHUP)

    def _fail_over_valkey(self, rng: random.Random) -> bool:
        """Kill the primary, and start it again when the Sentinels have made the replica the primary."""
        former, deadline = self.valkey.primary(), time.monotonic() + START_SECONDS
        if former is None:
            return False
        self.keeper.held_down.add(former)
        self.keeper.kill(former, rng)
        while self.valkey.primary() in {former, None} and time.monotonic() < deadline:
            self.keeper.look_after()
            time.sleep(0.1)
        self.keeper.held_down.discard(former)
        return self.valkey.primary() not in {former, None}


def _answers(url: str) -> bool:
    try:
        return httpx.get(url, timeout=2).status_code == 200
    except httpx.HTTPError:
        return False


@contextmanager
def _machines(folder: Path) -> Iterator[Machines]:
    with postgres_pair(folder, "slowpath_proof_machines") as postgres:
        with postgres.database.as_admin() as connection:
            connection.execute(TRIGGERS)
        add_rows(postgres.database)
        valkey = watched_valkey(folder)
        program = unpacked_packages(["pgbouncer", "libc-ares2", "libevent-2.1-7"], "usr/sbin/pgbouncer")
        pooler = Pooler(program, folder / "pooler", free_port()) if program else None
        web_ports = {f"web-{number}": free_port() for number in range(1, WEBS + 1)}
        address = f"http://127.0.0.1:{free_port()}"
        keeper = _processes(postgres, valkey, pooler, folder, address, web_ports)
        try:
            yield Machines(postgres, valkey, folder, keeper, address, web_ports, pooler)
        finally:
            keeper.stop()


def _processes(  # noqa: PLR0917 - the parts that the processes share
    postgres: PostgresPair,
    valkey: WatchedValkey,
    pooler: Pooler | None,
    folder: Path,
    address: str,
    web_ports: dict[str, int],
) -> WorkerSupervisor:
    commands: dict[str, tuple[str, ...]] = {
        **valkey.commands,
        "proxy": ("proofs.tcp_proxy", str(urlsplit(address).port), *map(str, web_ports.values())),
    }
    settings: dict[str, dict[str, str]] = {}
    environment = stack_environment(postgres.database, folder, address)
    environment |= {"SLOWPATH_LOG_FORMAT": "text", "BROKER_URL": valkey.url}
    if pooler is not None:
        pooler.lead_to(postgres.database)
        commands["pgbouncer"] = pooler.command
        settings["pgbouncer"] = {"LD_LIBRARY_PATH": library_path(pooler.program)}
        environment["DATABASE_URL"] = pooler.url_of(postgres.database)
        environment["DATABASE_DIRECT_URL"] = pooler.url_of(postgres.database, direct=True)
    for name, port in web_ports.items():
        commands[name] = ("slowpath.platform.http.server", "--port", str(port))
    for number in range(1, WORKERS + 1):
        commands[f"worker-{number}"] = ("slowpath_worker",)
        settings[f"worker-{number}"] = {"SLOWPATH_WORKER_QUEUES": QUEUES[number - 1], "SLOWPATH_WORKER_PROCESSES": "1"}
    commands |= {f"relay-{number}": ("slowpath_worker.relay",) for number in range(1, RELAYS + 1)}
    server = s3_server_binary()
    if server is not None:
        port = free_port()
        commands["s3"] = (str(server), f"127.0.0.1:{port}", str(folder / "blobs.bolt"), BUCKET)
        environment |= s3_environment(port)
    return WorkerSupervisor(environment, folder, commands, settings)


def play(machines: Machines, rng: random.Random, seconds: float, *, kills: bool = True) -> list[str]:
    """Kill everything once under load, then upgrade; return what is wrong."""
    if not machines.wait_for(*machines.web_ports):
        return ["the web processes did not become ready"]
    headers = {"Origin": machines.address, "Cookie": f"slowpath={owner_of(machines.postgres.database).owner.cookie}"}
    content = gzip.decompress(PROFILE.read_bytes())
    count = max(12, int(seconds / 2))
    pause_s = seconds / count * 0.8
    count = count if kills else 2
    files = [
        (f"/builds/shop/{COMMIT}/artifacts/cpu.{number:03}.pb.gz", gzip.compress(content, 1, mtime=number + 1))
        for number in range(count + UPGRADE_UPLOADS)
    ]
    load = Load(
        lambda: httpx.Client(base_url=f"{machines.address}/api/v1", headers=headers, timeout=20),
        files,
        pause_s,
        UPGRADE_UPLOADS,
    )
    load.start(readers=2, streams=3)
    played = Round(count, [], 0)
    try:
        if kills:
            _fail_everything(machines, rng, played, seconds)
        load.upgrading.set()
        upgrade = _upgrade(machines, played)
        load.upgraded.set()
        _wait_until_done(machines, load, played)
        load.stop.wait(QUIET_SECONDS)
    finally:
        load.end()
    played.faults += judge_upgrade(upgrade, load.reads, load.acknowledged_at, slowest_p95=SLOWEST_P95_SECONDS)
    _judge(machines, load, played)
    return played.faults


def _fail_everything(machines: Machines, rng: random.Random, played: Round, seconds: float) -> None:
    targets = machines.targets
    rng.shuffle(targets)
    pause = max(0.5, seconds / (2 * len(targets)))
    time.sleep(QUIET_SECONDS)
    for name in targets:
        begun = time.time()
        if not machines.fail(name, rng):
            played.faults.append(f"{name} was not back after {START_SECONDS:.0f} s")
        played.killed.append((begun, name))
        _look_after(machines, pause * rng.uniform(0.5, 1.5))


def _upgrade(machines: Machines, played: Round) -> Upgrade:
    """Migrate the schema, let the former processes go on with it, and restart them: web first, then workers and relays."""
    if not machines.wait_for(*machines.keeper.processes):
        played.faults.append("not every process was ready before the upgrade")
    played.killed.append((time.time(), "migration"))
    upgrade = migrate(machines.postgres.database, machines.folder / "release", machines.keeper.look_after)
    say(f"schema migrated: {upgrade.fault or f'{upgrade.migrated - upgrade.begun:.1f} s'}")
    _look_after(machines, QUIET_SECONDS)
    for name in [*machines.web_ports, *(name for name in machines.targets if name.startswith(("worker-", "relay-")))]:
        begun = time.time()
        if not machines.restart(name):
            played.faults.append(f"{name} did not end, or was not back after its restart")
        played.killed.append((begun, f"restart of {name}"))
        _look_after(machines, 0.5)
    upgrade.ended = time.time()
    return upgrade


def _look_after(machines: Machines, seconds: float) -> None:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        machines.keeper.look_after()
        time.sleep(0.1)


def _wait_until_done(machines: Machines, load: Load, played: Round) -> None:
    deadline = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < deadline:
        _look_after(machines, 0.5)
        with machines.postgres.database.as_admin() as admin:
            left = admin.execute("SELECT count(*) FROM artifact WHERE state NOT IN ('decoded', 'failed')").fetchone()
        if load.uploads_ended.is_set() and left == (0,):
            return
    played.faults.append(f"not all decoded {PATIENCE_SECONDS:.0f} s after the last kill")


def _judge(machines: Machines, load: Load, played: Round) -> None:
    with machines.postgres.database.as_admin() as admin:
        jobs: dict[UUID, UUID] = dict(
            admin.execute("SELECT subject_id, id FROM job WHERE name = 'artifacts.decode'").fetchall()
        )
        journal = Journal.read(admin)
        if len(load.acknowledged) != len(load.begun):
            played.faults.append(f"{len(load.begun) - len(load.acknowledged)} uploads were never acknowledged")
        if set(map(UUID, load.acknowledged.values())) != set(jobs):
            played.faults.append(f"{len(load.acknowledged)} uploads were acknowledged, {len(jobs)} artifacts were made")
        judge(played, journal, admin, jobs)
    _judge_streams(
        load, played, [(artifact, max(journal.times(job, "done"), default=0.0)) for artifact, job in jobs.items()]
    )
    _judge_reads(machines, load, played)
    played.faults += load.faults
    if played.faults:
        for line in timeline(played.killed, journal, sorted(machines.folder.glob("*.log"))):
            say(line, to=sys.stderr)


def _judge_streams(load: Load, played: Round, decoded: Sequence[tuple[UUID, float]]) -> None:
    """Each stream must name each decode, or be stale after it: the page then loads everything again."""
    for number, events in enumerate(load.events):
        for artifact, done_at in decoded:
            if not any(
                (subject == str(artifact) and state == "decoded") or (not subject and at > done_at)
                for at, subject, state in events
            ):
                played.faults.append(f"stream {number} did not learn that {artifact} was decoded")


def _judge_reads(machines: Machines, load: Load, played: Round) -> None:
    outside = [
        read
        for read in load.reads
        if not any(begun <= read.at + read.seconds and read.at <= end for begun, end in machines.unready)
    ]
    played.faults += [f"outside fail-over: {read.failure}" for read in outside if read.failure]
    if len(outside) < FEWEST_READS:
        played.faults.append(f"only {len(outside)} reads outside fail-over")
        return
    p95 = quantiles([read.seconds for read in outside], n=20)[-1]
    say(
        f"{len(load.acknowledged)} uploads, {len(load.reads)} reads ({len(outside)} outside fail-over, p95 {p95:.2f} s), "
        f"streams connected {load.connections} times; went on after {played.recovery}"
    )
    if p95 > SLOWEST_P95_SECONDS:
        played.faults.append(f"p95 of reads outside fail-over is {p95:.2f} s, not at most {SLOWEST_P95_SECONDS:.0f} s")


def main() -> int:
    """Play one round; 0 if nothing was wrong."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 31))
    parser.add_argument("--upgrade-only", action="store_true", help="kill nothing before the upgrade")
    options = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="machines-"))
    try:
        with _machines(folder) as machines:
            missing = {"pgbouncer", "s3"} - set(machines.keeper.processes)
            say(
                f"seed {options.seed}, killed in turn: {', '.join(machines.targets)}; not available: {missing or 'nothing'}"
            )
            rng = random.Random(options.seed)
            faults = play(machines, rng, options.seconds, kills=not options.upgrade_only)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    for fault in faults:
        say(f"  {fault}")
    say(f"{int(not faults)} passed, {int(bool(faults))} failed")
    return int(bool(faults))


if __name__ == "__main__":
    sys.exit(main())
