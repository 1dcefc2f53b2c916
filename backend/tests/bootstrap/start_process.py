"""A `bootstrap.py up` as a person would start it, with a data folder and a port of its own."""

import json
import os
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from dataclasses import dataclass
from pathlib import Path

from bootstrap_parts import orphan_guard
from bootstrap_parts.machine_checks import free_port
from bootstrap_parts.project_paths import BACKEND
from bootstrap_parts.stack import PACKAGES_VARIABLE

BOOTSTRAP = [sys.executable, str(BACKEND / "bootstrap.py")]
READY_SECONDS = 90.0


def environment_of(data: Path, port: int, **more: str) -> dict[str, str]:
    """Return our environment without the services of this test run, which a start would take for its own."""
    hidden = (
        "DATABASE_URL",
        "MIGRATE_DATABASE_URL",
        "ADMIN_DATABASE_URL",
        "BROKER_URL",
        "BLOB_URL",
        orphan_guard.MARK_NAME,
    )
    stored = {
        name: value for name, value in os.environ.items() if name not in hidden and not name.startswith("SLOWPATH_")
    }
    unused = str(data / "packages")  # so that no start builds the command line beside the tests
    return {**stored, "DATA_DIR": str(data), "PORT": str(port), PACKAGES_VARIABLE: unused, **more}


def processes_of(data: Path) -> list[str]:
    """Return the commands of living processes that stand in the data folder, name it, or were started for it."""
    found = []
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit() or int(entry.name) == os.getpid():
            continue
        try:
            command = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
            environ = (entry / "environ").read_bytes()
            runs_there = (entry / "cwd").readlink().is_relative_to(data)
        except OSError:
            continue
        if runs_there or str(data) in command or str(data).encode() in environ:
            found.append(f"{entry.name} {command}")
    return found


def wait_until_gone(data: Path, seconds: float) -> list[str]:
    """Wait until no process belongs to the data folder; return those that still do."""
    deadline = time.monotonic() + seconds
    while (left := processes_of(data)) and time.monotonic() < deadline:
        time.sleep(0.1)
    return left


def answers(address: str) -> bool:
    """Tell whether web answers there."""
    try:
        with urllib.request.urlopen(f"{address}/healthz", timeout=2) as response:
            return bool(response.status == 200)
    except (urllib.error.URLError, OSError):
        return False


@dataclass
class Start:
    """A start under way."""

    data: Path
    port: int
    process: subprocess.Popen[str]
    output: Path

    @classmethod
    def begin(
        cls, data: Path, *arguments: str, port: int | None = None, with_example: bool = False, **environment: str
    ) -> "Start":
        port = port or free_port()
        output = data.with_suffix(f".{time.monotonic_ns()}.out")
        with output.open("w") as file:
            process = subprocess.Popen(
                [*BOOTSTRAP, "up", *([] if with_example else ["--empty"]), *arguments],
                env=environment_of(data, port, **environment),
                stdin=subprocess.DEVNULL,
                stdout=file,
                stderr=subprocess.STDOUT,
                text=True,
                start_new_session=True,
            )
        return cls(data, port, process, output)

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def lines(self) -> list[str]:
        return self.output.read_text().splitlines()

    def wait_until_ready(self, seconds: float = READY_SECONDS) -> None:
        deadline = time.monotonic() + seconds
        while not (self.lines and self.lines[-1].endswith(self.address)):
            assert self.process.poll() is None, "\n".join(self.lines)
            assert time.monotonic() < deadline, "\n".join(self.lines)
            time.sleep(0.05)

    def child(self, name: str) -> int | None:
        """Return the process id of a child."""
        found: dict[str, int] = json.loads((self.data / "processes.json").read_text())
        return found.get(name)

    def stop(self, how: signal.Signals = signal.SIGINT) -> int:
        self.process.send_signal(how)
        return self.process.wait(40)
