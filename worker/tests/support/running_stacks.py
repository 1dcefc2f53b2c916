"""A whole Slowpath of real processes on a database of its own, for tests that must not share one."""

import json
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import httpx

from bootstrap_parts.machine_checks import free_port
from slowpath.adapters.postgres import create_postgres_engine
from slowpath.adapters.system_clock import SystemClock
from slowpath.core.db_sessions import Database
from tests.factories.accounts import AccountsFactory, SomeTeam
from tests.support.app_under_test import built, settings_for
from tests.support.databases import TestDatabase
from tests.support.worker_supervisor import WORKSHOP, WorkerSupervisor

READY_SECONDS = 60.0


@dataclass(frozen=True)
class RunningStack:
    """Where it is reached, and its processes."""

    address: str
    keeper: WorkerSupervisor
    database: TestDatabase
    folder: Path

    def signed_up(self) -> httpx.Client:
        """Return the client of a person who owns a team, created through the services because sign-up over HTTP is rate-limited."""
        headers = {"Origin": self.address, "Cookie": f"slowpath={owner_of(self.database).owner.cookie}"}
        return httpx.Client(base_url=f"{self.address}/api/v1", headers=headers, timeout=60)

    def pid(self, name: str) -> int:
        """Return the process of that name."""
        return self.keeper.running[name].pid


def owner_of(database: TestDatabase) -> SomeTeam:
    """Make a team in a database with an owner who signs in now: sensitive changes need a recent sign-in."""
    settings = settings_for(database.app_url)
    engine = create_postgres_engine(settings)
    app = built(Database(engine), settings)
    app.clock.at = SystemClock().now()
    team = AccountsFactory(app).team()
    engine.dispose()
    return team


def stack_environment(database: TestDatabase, folder: Path, address: str) -> dict[str, str]:
    """Return the environment of the processes; the broker is shared, so each test process has its own number."""
    worker = os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw")
    broker = urlsplit(os.environ["BROKER_URL"])._replace(path=f"/{int(worker) % 14 + 1}").geturl()
    environment = {
        **os.environ,
        "DATABASE_URL": database.app_url,
        "BROKER_URL": broker,
        "BLOB_URL": (folder / "blobs").as_uri(),
        "SLOWPATH_SCRATCH_DIR": str(folder / "scratch"),
        "SLOWPATH_PUBLIC_URL": address,
        "SLOWPATH_LOG_FORMAT": "json",
    }
    environment.pop("SLOWPATH_FRONTEND_DIST", None)
    return environment


@contextmanager
def running_stack(
    database: TestDatabase, folder: Path, *, web_only: bool = False, web_processes: int = 1, **settings: str
) -> Iterator[RunningStack]:
    """Bring up web, worker and relay on a database."""
    address = f"http://127.0.0.1:{free_port()}"
    environment = {**stack_environment(database, folder, address), **settings}
    port = str(urlsplit(address).port)
    web = ("slowpath.platform.http.server", "--port", port, "--workers", str(web_processes))
    keeper = WorkerSupervisor(environment, folder, {**({} if web_only else WORKSHOP), "web": web})
    try:
        _wait_until_ready(keeper, address)
        yield RunningStack(address, keeper, database, folder)
    finally:
        keeper.stop()


def _wait_until_ready(keeper: WorkerSupervisor, address: str) -> None:
    deadline = time.monotonic() + READY_SECONDS
    while time.monotonic() < deadline:
        keeper.look_after()
        try:
            if httpx.get(f"{address}/readyz", timeout=5).status_code == 200:
                return
        except httpx.HTTPError:
            time.sleep(0.2)
    raise RuntimeError(f"not ready: {sorted(keeper.logs.glob('*.log'))}")


def reported_faults(folder: Path) -> list[str]:
    """Return the lines of the logs in which something failed that should not."""
    lines = [line for log in folder.glob("*.log") for line in log.read_text(errors="replace").splitlines()]
    return [line for line in lines if line.startswith("{") and json.loads(line).get("level") in {"error", "critical"}]


def resident_bytes(pid: int, *, peak: bool = False) -> int:
    """Return the memory of a process: now, or the most since it was last forgotten."""
    expected = "VmHWM:" if peak else "VmRSS:"
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith(expected):
            return int(line.split()[1]) * 1024
    return 0


def forget_peak(pid: int) -> None:
    """Begin to measure the peak anew."""
    Path(f"/proc/{pid}/clear_refs").write_text("5")
