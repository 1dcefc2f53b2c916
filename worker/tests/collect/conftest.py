"""The real example program, built once per test process and started by the tests that need it."""

import os
import re
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest

from tests.collect.pprof_servers import Answering, Handler

EXAMPLE = Path(__file__).resolve().parents[2] / "example" / "ingester"


@dataclass
class Running:
    """An ingester that is fed, at an address."""

    address: str
    process: "subprocess.Popen[bytes]"


@dataclass(frozen=True)
class Programs:
    """The two programs of the example."""

    ingester: Path
    feeder: Path


def go_command() -> str:
    """Return the Go that the project uses."""
    tools = Path(__file__).resolve().parents[3] / ".slowpath" / "tools" / "bin" / "go"
    for place in (shutil.which("go"), "/usr/local/go/bin/go", str(tools)):
        if place and Path(place).exists():
            return place
    pytest.fail("these tests build the example: no go found on PATH, in /usr/local/go or in the project's tools")


@pytest.fixture(scope="session")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Programs:
    """Build the example."""
    folder = tmp_path_factory.mktemp("example")
    for package, name in ((".", "ingester"), ("./cmd/feeder", "feeder")):
        command = [
            go_command(),
            "build",
            "-trimpath",
            "-buildvcs=false",
            "-tags",
            "helper",
            "-o",
            str(folder / name),
            package,
        ]
        subprocess.run(command, cwd=EXAMPLE, check=True, env={**os.environ, "CGO_ENABLED": "0"}, timeout=300)
    return Programs(folder / "ingester", folder / "feeder")


def free_port() -> int:
    """Return a port that was free a moment ago."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def start(command: list[str], stack: ExitStack, procs: str) -> "subprocess.Popen[bytes]":
    """Start a program that ends with the test."""
    child = subprocess.Popen(command, env={"GOMAXPROCS": procs}, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def end() -> None:
        child.send_signal(signal.SIGKILL)
        child.wait(10)

    stack.callback(end)
    return child


@pytest.fixture
def start_ingester(programs: Programs) -> Iterator[Callable[..., Running]]:
    """Return a function that starts ingesters with traffic, optionally on a given port."""
    with ExitStack() as stack:

        def starter(port: int | None = None) -> Running:
            address = f"127.0.0.1:{port or free_port()}"
            process = start([str(programs.ingester), "-listen", address], stack, "2")
            for _ in range(200):
                try:
                    httpx.get(f"http://{address}/healthz")
                    break
                except httpx.TransportError:
                    time.sleep(0.05)
            feeder = [str(programs.feeder), "-url", f"http://{address}/write", "-rate", "5000"]
            start(feeder, stack, "1")
            wait_until(lambda: _requests(address) > 0)
            return Running(address, process)

        yield starter


def wait_until(holds: Callable[[], bool], seconds: float = 20.0) -> None:
    """Wait until something holds."""
    deadline = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < deadline, f"does not hold after {seconds} s"
        time.sleep(0.02)


def _requests(address: str) -> int:
    text = httpx.get(f"http://{address}/metrics").text
    found = re.search(r'^ingester_write_requests_total\{outcome="written"\} (\d+)$', text, re.MULTILINE)
    return int(found[1]) if found else 0


@pytest.fixture
def serve() -> Iterator[Callable[[Handler], Answering]]:
    """Return a function that starts servers with a given handler."""
    with ExitStack() as stack:

        def starter(handler: Handler) -> Answering:
            return stack.enter_context(Answering(handler))

        yield starter
