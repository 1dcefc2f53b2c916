"""Stacks of one, two and three web and worker processes beside one PostgreSQL and Valkey, and what a piece of work costs them."""

import json
import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import urlsplit

import httpx

from bench.process_cost import cpu_seconds, parents, tree
from bootstrap_parts.machine_checks import free_port
from support.demo_user import DemoUser, sign_up
from tests.support.databases import TestDatabase, made_database
from tests.support.running_stacks import stack_environment
from tests.support.worker_supervisor import WorkerSupervisor

START_SECONDS = 180.0
WAIT_SECONDS = 600.0
POLL_SECONDS = 0.1
CLIENTS = 6
"""Connections at a time, spread evenly over the web processes."""
UNLIMITED = {
    f"SLOWPATH_{name}_PER_MINUTE": "10000000"
    for name in ("TOKEN_REQUESTS", "TOKEN_UPLOADS", "TEAM_REQUESTS", "TEAM_UPLOADS", "USER_REQUESTS")
}
"""Requests are counted in Valkey as usual, but none is refused."""
OPEN_JOBS = "SELECT count(*) FROM job WHERE state = 'running' OR (state = 'waiting' AND not_before <= now())"


@dataclass(frozen=True)
class WorkCost:
    """What a piece of work took: CPU time by part, of web, workers and relay of the stack, PostgreSQL and Valkey."""

    units: float
    seconds: float
    cpu_s_of_parts: Mapping[str, float]

    @property
    def cpu_s(self) -> float:
        """Return the CPU time of all parts."""
        return sum(self.cpu_s_of_parts.values())

    @property
    def per_second(self) -> float:
        """Return the throughput."""
        return self.units / self.seconds

    @property
    def per_cpu_s(self) -> float:
        """Return what one core carries if it does nothing else."""
        return self.units / self.cpu_s


@dataclass(frozen=True)
class ScaledStack:
    """Equal numbers of web and worker processes, one relay, one database."""

    processes: int
    addresses: Sequence[str]
    keeper: WorkerSupervisor
    database: TestDatabase
    user: DemoUser

    def send(self, requests: Sequence[Callable[[httpx.Client], httpx.Response]]) -> list[httpx.Response]:
        """Send requests over `CLIENTS` connections, and return the responses in order. Raises `HTTPStatusError`."""
        found: dict[int, httpx.Response] = {}

        def send_share(client: int) -> None:
            headers = {"Authorization": f"Bearer {self.user.token}"}
            address = f"{self.addresses[client % len(self.addresses)]}/api/v1"
            with httpx.Client(base_url=address, headers=headers, timeout=120) as http:
                for number in range(client, len(requests), CLIENTS):
                    found[number] = requests[number](http).raise_for_status()

        with ThreadPoolExecutor(CLIENTS) as pool:
            list(pool.map(send_share, range(CLIENTS)))
        return [found[number] for number in range(len(requests))]

    def wait_for_jobs(self) -> None:
        """Wait until all jobs that are due have ended."""
        deadline = time.monotonic() + WAIT_SECONDS
        with self.database.as_admin() as admin:
            while admin.execute(OPEN_JOBS).fetchone() != (0,):
                if time.monotonic() > deadline:
                    raise RuntimeError(f"jobs are open after {WAIT_SECONDS:.0f} s")
                time.sleep(POLL_SECONDS)

    def measure(self, work: Callable[[], float]) -> WorkCost:
        """Do work that returns its number of units, with all jobs that it causes."""
        self.wait_for_jobs()
        before, begun = self._cpu_s_of_parts(), time.monotonic()
        units = work()
        self.wait_for_jobs()
        after, seconds = self._cpu_s_of_parts(), time.monotonic() - begun
        return WorkCost(units, seconds, {part: cpu_s - before[part] for part, cpu_s in after.items()})

    def _cpu_s_of_parts(self) -> dict[str, float]:
        stores: dict[str, int] = json.loads(Path(os.environ["SLOWPATH_STATE_FILE"]).read_text())
        roots = [(name.partition("-")[0], process.pid) for name, process in self.keeper.running.items()]
        parent_of, parts = parents(), dict[str, float]()
        for part, pid in [*roots, *((name, stores[name]) for name in ("PostgreSQL", "Valkey"))]:
            parts[part] = parts.get(part, 0.0) + cpu_seconds(tree(pid, parent_of))
        return parts


@contextmanager
def scaled_stacks(numbers: Iterable[int]) -> Iterator[list[ScaledStack]]:
    """Run one stack for each number of processes, all at the same time, so that they can be measured in turn."""
    with ExitStack() as stack:
        yield [stack.enter_context(_scaled_stack(number)) for number in numbers]


@contextmanager
def _scaled_stack(processes: int) -> Iterator[ScaledStack]:
    ports = [free_port() for _ in range(processes)]
    addresses = [f"http://127.0.0.1:{port}" for port in ports]
    with TemporaryDirectory(prefix="scale-") as name, made_database(f"slowpath_scale_{processes}") as database:
        folder = Path(name)
        database.migrate()
        broker = urlsplit(os.environ["BROKER_URL"])._replace(path=f"/{processes}").geturl()
        environment = {
            **stack_environment(database, folder, addresses[0]),
            **UNLIMITED,
            "BROKER_URL": broker,
            "SLOWPATH_WORKER_PROCESSES": "1",
        }
        commands: dict[str, tuple[str, ...]] = {"relay": ("slowpath_worker.relay",)}
        for number, port in enumerate(ports):
            commands[f"web-{number}"] = ("slowpath.platform.http.server", "--port", str(port))
            commands[f"worker-{number}"] = ("slowpath_worker",)
        keeper = WorkerSupervisor(environment, folder, commands)
        try:
            _wait_until_ready(keeper, addresses)
            yield ScaledStack(processes, addresses, keeper, database, sign_up(addresses[0]))
        finally:
            keeper.stop()


def _wait_until_ready(keeper: WorkerSupervisor, addresses: Sequence[str]) -> None:
    deadline = time.monotonic() + START_SECONDS
    waiting = list(addresses)
    while waiting and time.monotonic() < deadline:
        keeper.look_after()
        try:
            if httpx.get(f"{waiting[0]}/readyz", timeout=5).status_code == httpx.codes.OK:
                waiting.pop(0)
        except httpx.HTTPError:
            time.sleep(POLL_SECONDS)
    if waiting:
        raise RuntimeError(f"{waiting[0]} was not ready after {START_SECONDS:.0f} s")
