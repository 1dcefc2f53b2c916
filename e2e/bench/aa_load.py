"""Build and run the programs of `aa_programs` from their modules, in separate folders, with a load generator."""

import contextlib
import json
import os
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import httpx

from bench.aa_programs import Phase, Program
from slowpath_cli.core.collect_errors import CollectError

SOURCES = Path(__file__).resolve().parent / "aa_sources"
READY_SECONDS = 30.0
PROCESS_CPU_CLOCK = 2
"""Clock ID of a process, with the inverted process ID in the upper bits: clock_getcpuclockid(3) on Linux."""


def build_program(go: str, program: Program, out: Path, *, records_mutexes: bool = False) -> None:
    """Build a program from its module at a version, in a temporary module. The binary contains no local path.

    `records_mutexes`: the server of a library records contentions of its mutexes.
    """
    with tempfile.TemporaryDirectory(prefix="slowpath-aa-") as folder:
        Path(folder, "go.mod").write_text("module aa\n\ngo 1.26\n", encoding="ascii")
        package = program.package
        if package is None:
            shutil.copy(SOURCES / (program.source or program.name) / "main.go", folder)
            if records_mutexes:
                shutil.copy(SOURCES / "mutex" / "mutex.go", folder)
            package = "."
        _go(go, folder, "get", f"{program.module}@{program.version}")
        _go(go, folder, "build", "-mod=mod", "-trimpath", "-buildvcs=false", "-o", str(out), package)


def build_load(go: str, out: Path) -> None:
    """Build the load generator."""
    _go(go, str(SOURCES / "load"), "build", "-trimpath", "-buildvcs=false", "-o", str(out), ".")


def _go(go: str, folder: str, *arguments: str) -> None:
    environment = {**os.environ, "CGO_ENABLED": "0", "GOTOOLCHAIN": "local", "GOFLAGS": ""}
    subprocess.run([go, *arguments], cwd=folder, check=True, env=environment)


@dataclass(frozen=True)
class RunningProgram:
    """A program under load."""

    program: Program
    pid: int
    pprof: str
    control: str
    http: httpx.Client

    def cpu_ns(self) -> int:
        """Return the CPU time of all threads of the process since its start."""
        return time.clock_gettime_ns((~self.pid << 3) | PROCESS_CPU_CLOCK)

    def requests(self) -> tuple[int, int]:
        """Return the numbers of answered and failed requests, counted by the load generator."""
        body = self.http.get(f"{self.control}/count").json()
        return int(body["answered"]), int(body["failed"])

    def enter(self, phase: Phase) -> None:
        """Change the load."""
        params = {"rate": self.program.rate * phase.rate, "heavy": phase.heavy}
        self.http.post(f"{self.control}/phase", params=params).raise_for_status()

    def profile(self, seconds: float) -> bytes:
        """Record one CPU profile."""
        answer = self.http.get(f"{self.pprof}/profile", params={"seconds": f"{seconds:g}"}, timeout=seconds + 60)
        return answer.raise_for_status().content


@contextlib.contextmanager
def running(program: Program, binary: Path, load: Path, nice: int) -> Iterator[RunningProgram]:
    """Run a new process of a program in an empty folder, with an idle load generator.

    `nice` is that of their scheduling groups; negative values prevent other work from starving them.
    """
    with tempfile.TemporaryDirectory(prefix="slowpath-aa-") as folder, httpx.Client(trust_env=False) as http:
        listen, admin, control = (f"127.0.0.1:{port}" for port in free_ports(3))
        places = {
            "{listen}": listen,
            "{admin}": admin,
            "{load}": control,
            "{dir}": folder,
            "{listen_port}": listen.rpartition(":")[2],
            "{admin_port}": admin.rpartition(":")[2],
        }
        for name, text in program.files.items():
            Path(folder, name).write_text(_filled(text, places), encoding="utf-8")
        plan = Path(folder, "load.json")
        plan.write_text(json.dumps(_plan(program, places)), encoding="utf-8")
        with _process([str(binary), *(_filled(word, places) for word in program.arguments)], folder, nice) as child:
            _wait_for(http, _filled(program.ready, places), child)
            command = [str(load), "-plan", str(plan), "-listen", control, "-every", f"{program.every_ms}ms"]
            with _process(command, folder, nice) as sender:
                _wait_for(http, f"http://{control}/count", sender)
                yield RunningProgram(program, child.pid, _filled(program.pprof, places), f"http://{control}", http)


@contextlib.contextmanager
def neighbor(load: Path) -> Iterator[None]:
    """Run a process that disturbs the machine."""
    with _process([str(load), "-neighbor"], None, 0):
        yield


def _plan(program: Program, places: dict[str, str]) -> dict[str, object]:
    targets = [asdict(replace(target, url=_filled(target.url, places))) for target in program.targets]
    return {
        "connections": program.connections,
        "keys": program.keys,
        "nats": _filled(program.nats, places),
        "targets": targets,
    }


def _filled(text: str, places: dict[str, str]) -> str:
    for name, place in places.items():
        text = text.replace(name, place)
    return text


@contextlib.contextmanager
def _process(command: list[str], folder: str | None, nice: int) -> Iterator[subprocess.Popen[bytes]]:
    child = subprocess.Popen(
        command, cwd=folder, start_new_session=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        if nice:
            Path(f"/proc/{child.pid}/autogroup").write_text(str(nice), encoding="ascii")
        yield child
    finally:
        child.terminate()
        try:
            child.wait(10)
        except subprocess.TimeoutExpired:
            child.kill()
            child.wait()


def _wait_for(http: httpx.Client, url: str, child: subprocess.Popen[bytes]) -> None:
    until = time.monotonic() + READY_SECONDS
    while time.monotonic() < until and child.poll() is None:
        with contextlib.suppress(httpx.TransportError):
            if http.get(url).is_success:
                return
        time.sleep(0.1)
    ended = "ended" if child.poll() is not None else "does not answer"
    raise CollectError(f"{child.args!r} {ended}: {url}")


def free_ports(count: int) -> list[int]:
    """Return free ports of this machine."""
    with contextlib.ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(count)]
        for each in sockets:
            each.bind(("127.0.0.1", 0))
        return [int(each.getsockname()[1]) for each in sockets]
