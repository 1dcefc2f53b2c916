"""The processes of the proof of faults, the proxies between them, their disks and their clock: all that can have a fault."""

import json
import os
import random
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import SplitResult, urlsplit

import psycopg

from bootstrap_parts.machine_checks import free_port
from bootstrap_parts.project_paths import E2E
from proofs.bisect_runs import BisectRuns
from proofs.faulty_proxy import Fault, FaultyProxy
from proofs.slow_calls import DELAY_SECONDS, SlowCalls, find_slow_calls
from support.demo_user import DemoUser
from support.go_programs import built_program
from support.s3_server import BUCKET, s3_environment, s3_server_binary
from tests.support.worker_supervisor import WorkerSupervisor

SCRATCH_MIB = 8
JUMP_SECONDS = 3600
MOUNTED_SECONDS = 10.0
SLOW_DISK = E2E / "support" / "slow_disk"
NETWORK = {
    "PostgreSQL": (Fault.REFUSED, Fault.SILENT, Fault.SLOW),
    "Valkey": (Fault.REFUSED, Fault.SILENT),
    "S3": (Fault.REFUSED, Fault.SILENT, Fault.SLOW, Fault.HTTP_500, Fault.HTTP_503),
    "runner": (Fault.REFUSED, Fault.SILENT, Fault.SLOW),
}
"""The runner's connections are those to web, the others those of web, worker and relay."""
FULL_DISK, SLOW_SCRATCH, SLOW_LOG, CLOCK = "full disk", "slow scratch disk", "slow write-ahead log", "clock"
SLOW = f"{DELAY_SECONDS:g} s"


@dataclass
class Disk:
    """The scratch folder of web and worker, on a disk that can be full and slow if this machine allows it."""

    folder: Path
    is_small: bool = False
    is_full: bool = False
    server: subprocess.Popen[bytes] | None = None
    """What makes the disk slow."""

    @property
    def scratch(self) -> Path:
        """Return the folder as web and worker see it."""
        return self.folder / "scratch" if self.server else self.stored

    @property
    def stored(self) -> Path:
        """Return the folder behind it."""
        return self.folder / "disk"

    @property
    def delay(self) -> Path:
        """Return the file that says how slow it is."""
        return self.folder / "scratch.delay"

    def mount(self) -> None:
        """Mount what can be mounted."""
        self.stored.mkdir()
        size = f"size={SCRATCH_MIB}m,mode=1777"
        command = ["mount", "-t", "tmpfs", "-o", size, "tmpfs", str(self.stored)]
        with suppress(FileNotFoundError):
            self.is_small = subprocess.run(command, capture_output=True, check=False).returncode == 0
        mount_point = self.folder / "scratch"
        mount_point.mkdir()
        self.slow_down(0)
        if (program := built_program(SLOW_DISK)) is None:
            return
        command = [str(program), str(self.stored), str(mount_point), str(self.delay)]
        with (self.folder / "disk.log").open("wb") as log:
            server = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        deadline = time.monotonic() + MOUNTED_SECONDS
        while server.poll() is None and time.monotonic() < deadline:
            if mount_point.is_mount():
                self.server = server
                return
            time.sleep(0.05)
        server.kill()
        server.wait()

    def fill(self) -> None:
        """Take all space, if the disk is to be full: again and again, because files that are deleted make room."""
        if self.is_full:
            with (self.stored / "filler").open("ab", buffering=0) as file, suppress(OSError):
                while True:
                    file.write(bytes(4096))

    def slow_down(self, seconds: float) -> None:
        """Make each operation take longer, or not any more."""
        fresh = self.delay.with_suffix(".new")
        fresh.write_text(f"{seconds:g}")
        fresh.replace(self.delay)

    def slowed(self) -> int:
        """Return how many operations took longer, and forget them."""
        counted = Path(f"{self.delay}.slowed")
        count = counted.stat().st_size if counted.exists() else 0
        counted.unlink(missing_ok=True)
        return count

    def unmount(self) -> None:
        """Unmount what was mounted."""
        if self.server is not None:
            subprocess.run(["umount", "--lazy", str(self.folder / "scratch")], check=False)
            self.server.kill()
            self.server.wait()
        if self.is_small:
            subprocess.run(["umount", "--lazy", str(self.stored)], check=False)


@dataclass
class Stack:
    """The processes, the proxies between them, and what else can have a fault."""

    folder: Path
    url: str
    environment: dict[str, str]
    commands: dict[str, tuple[str, ...]]
    keeper: WorkerSupervisor
    proxies: dict[str, FaultyProxy]
    disk: Disk
    runs: BisectRuns
    slow_calls: SlowCalls | None = None
    skipped: list[str] = field(default_factory=list)
    """What cannot be caused here, and why."""
    recovery_s: dict[str, float] = field(default_factory=dict)

    @property
    def faults(self) -> list[tuple[str, str]]:
        """Return all faults that can be caused here."""
        network = [(name, fault.value) for name in self.proxies for fault in NETWORK[name]]
        disks = [
            *([(FULL_DISK, "no space left")] if self.disk.is_small else []),
            *([(SLOW_SCRATCH, SLOW)] if self.disk.server else []),
            *([(SLOW_LOG, SLOW)] if self.slow_calls else []),
        ]
        return [*network, *disks, (CLOCK, f"+{JUMP_SECONDS}"), (CLOCK, f"-{JUMP_SECONDS}")]

    def begin(self, where: str, what: str) -> list[str]:
        """Begin a fault; return why it could not."""
        if where == FULL_DISK:
            self.disk.is_full = True
        elif where == SLOW_SCRATCH:
            self.disk.slow_down(DELAY_SECONDS)
        elif where == SLOW_LOG:
            assert self.slow_calls is not None
            if not self.slow_calls.begin(postgres_process()):
                return ["strace could not attach to PostgreSQL"]
        elif where == CLOCK:
            (self.folder / "clock").write_text(what)
        else:
            self.proxies[where].begin(Fault(what))
        return []

    def end(self, where: str) -> list[str]:
        """End a fault; return what was wrong with it."""
        if where == FULL_DISK:
            self.disk.is_full = False
            (self.disk.stored / "filler").unlink()
        elif where == SLOW_SCRATCH:
            self.disk.slow_down(0)
            return [] if self.disk.slowed() else ["no operation of the scratch disk was slow"]
        elif where == SLOW_LOG:
            assert self.slow_calls is not None
            return self.slow_calls.end(postgres_process())
        elif where == CLOCK:
            (self.folder / "clock").write_text("0")
        else:
            self.proxies[where].begin(Fault.NONE)
        return []

    def start_runner(self, person: DemoUser) -> None:
        """Start the runner of the bisects; it reaches web through a proxy."""
        self.runs.prepare()
        self.environment |= self.runs.register(person, f"http://127.0.0.1:{self.proxies['runner'].port}")
        self.commands["runner"] = self.runs.runner
        self.keeper.look_after()

    def look_after(self, seconds: float) -> None:
        """Restart what ended, for a time."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            self.disk.fill()
            self.keeper.look_after()
            time.sleep(0.1)


@contextmanager
def running_stack(folder: Path, rng: random.Random) -> Iterator[Stack]:
    """Run the processes, without a runner at first."""
    url = f"http://127.0.0.1:{free_port()}"
    port = urlsplit(url).port or 0
    disk, runs = Disk(folder), BisectRuns(folder, rng, slots=2)
    disk.mount()
    clock = folder / "clock"
    clock.write_text("0")
    proxies, environment = {"runner": FaultyProxy(free_port(), port)}, {**os.environ, **runs.environment}
    for name, setting in (("PostgreSQL", "DATABASE_URL"), ("Valkey", "BROKER_URL")):
        parts = urlsplit(environment[setting])
        proxies[name] = FaultyProxy(free_port(), parts.port or 0)
        environment[setting] = _with_port(parts, proxies[name].port)
    commands: dict[str, tuple[str, ...]] = {}
    if (server := s3_server_binary()) is not None:
        store = free_port()
        commands["s3"] = (str(server), f"127.0.0.1:{store}", str(folder / "blobs.bolt"), BUCKET)
        proxies["S3"] = FaultyProxy(free_port(), store)
        environment |= s3_environment(proxies["S3"].port)
    environment |= {
        "SLOWPATH_PUBLIC_URL": url,
        "SLOWPATH_SIGN_UP": "open",
        "SLOWPATH_LOG_FORMAT": "text",
        "SLOWPATH_SCRATCH_DIR": str(disk.scratch),
        "SLOWPATH_WORKER_PROCESSES": "2",
    }
    shifted = ("proofs.shifted_clock", str(clock))
    commands |= {
        "web": (*shifted, "slowpath.platform.http.server", "--port", str(port)),
        "worker": (*shifted, "slowpath_worker"),
        "relay": (*shifted, "slowpath_worker.relay"),
    }
    for proxy in proxies.values():
        proxy.start()
    keeper = WorkerSupervisor(environment, folder, commands)
    stack = Stack(folder, url, environment, commands, keeper, proxies, disk, runs)
    try:
        stack.skipped += [] if disk.is_small else ["the full disk: mounting a small one needs root"]
        stack.skipped += [] if disk.server else ["the slow scratch disk: mounting one needs root, FUSE and Go"]
        stack.skipped += [] if server else ["S3: its server cannot be built here"]
        stack.skipped += _slow_log(stack)
        yield stack
    finally:
        keeper.stop()
        runs.clear()
        if stack.slow_calls is not None:
            stack.slow_calls.end(postgres_process())
        disk.unmount()


def _with_port(parts: SplitResult, port: int) -> str:
    return parts._replace(netloc=parts.netloc.rpartition(":")[0] + f":{port}").geturl()


def _slow_log(stack: Stack) -> list[str]:
    """Make a commit slow; return why that is impossible here."""
    calls, process_id = find_slow_calls(stack.folder), postgres_process()
    with psycopg.connect(admin_url(), autocommit=True) as admin:
        if admin.execute("SHOW fsync").fetchone() != ("on",):
            return [f"the {SLOW_LOG}: PostgreSQL was started without --durable"]
        if calls is None:
            return [f"the {SLOW_LOG}: strace cannot be had"]
        if not calls.begin(process_id):
            return [f"the {SLOW_LOG}: PostgreSQL's processes may not be traced"]
        begun = time.monotonic()
        admin.execute("SELECT pg_current_xact_id()")
        took = time.monotonic() - begun
        if calls.end(process_id) or took < DELAY_SECONDS:
            return [f"the {SLOW_LOG}: strace does not delay calls here"]
    stack.slow_calls = calls
    return []


def postgres_process() -> int:
    """Return the process ID of PostgreSQL."""
    stores = json.loads(Path(os.environ["SLOWPATH_STATE_FILE"]).read_text())
    return int(stores["PostgreSQL"])


def admin_url() -> str:
    """Return the URL of the database for its superuser."""
    database = urlsplit(os.environ["DATABASE_URL"]).path
    return urlsplit(os.environ["ADMIN_DATABASE_URL"])._replace(path=database).geturl()
