"""Keeps a worker and a relay running beside the stores, with the PID of every process that can be killed."""

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

TARGETS = ("worker", "child", "relay", "broker", "PostgreSQL")
WORKSHOP = {"worker": ("slowpath_worker",), "relay": ("slowpath_worker.relay",)}
RESTART_SECONDS = 0.2
STOP_SECONDS = 10.0
END_SECONDS = 2.0


@dataclass
class WorkerSupervisor:
    """Starts the processes, restarts failed ones, kills on request."""

    environment: Mapping[str, str]
    logs: Path
    processes: Mapping[str, tuple[str, ...]] = field(default_factory=lambda: WORKSHOP)
    """Modules with their arguments, by name; a path is a program that is not Python."""
    settings: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """What the environment of one process has besides, by name."""
    running: dict[str, subprocess.Popen[bytes]] = field(default_factory=dict)
    died_at: dict[str, float] = field(default_factory=dict)
    held_down: set[str] = field(default_factory=set)
    """Processes that are not started again for now."""
    ever: set[int] = field(default_factory=set)
    """Every process of ours there ever was: none may be left at the end."""

    def look_after(self) -> None:
        """Start what does not run. To be called often."""
        now = time.monotonic()
        for name in self.processes:
            process = self.running.get(name)
            if process is not None and process.poll() is None:
                self.ever |= {process.pid, *children_of(process.pid)}
            elif process is not None:
                self.died_at[name] = now
                del self.running[name]
            elif name not in self.held_down and now - self.died_at.get(name, 0.0) > RESTART_SECONDS:
                self._start(name)

    def kill(self, target: str, rng: random.Random) -> bool:
        """Kill one process with SIGKILL; return whether there was one. The broker loses its messages."""
        if target in {"broker", "PostgreSQL"}:
            stores = json.loads(Path(self.environment["SLOWPATH_STATE_FILE"]).read_text())
            pids = [stores["Valkey" if target == "broker" else target]]
        elif target == "child":
            worker = self.running.get("worker")
            pids = [rng.choice(found)] if worker and (found := children_of(worker.pid)) else []
        else:
            pids = [self.running[target].pid] if target in self.running else []
        for pid in pids:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        if target == "broker":
            shutil.rmtree(Path(self.environment["SLOWPATH_DATA_DIR"], "valkey"), ignore_errors=True)
        return bool(pids)

    def stop(self) -> list[int]:
        """End everything, and return what would not end: orphans of processes that were killed."""
        for process in self.running.values():
            process.terminate()
        deadline = time.monotonic() + STOP_SECONDS
        while time.monotonic() < deadline and any(process.poll() is None for process in self.running.values()):
            time.sleep(0.1)
        for process in self.running.values():
            process.kill()
            process.wait()
        # Processes end with their parent, but some milliseconds after it.
        deadline = time.monotonic() + END_SECONDS
        while (left := [pid for pid in self.ever if _is_ours(pid)]) and time.monotonic() < deadline:
            time.sleep(0.1)
        for pid in left:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        return left

    def _start(self, name: str) -> None:
        command = self.processes[name]
        with (self.logs / f"{name}.log").open("ab") as log:
            self.running[name] = subprocess.Popen(
                command if command[0].startswith("/") else [sys.executable, "-m", *command],
                env={**self.environment, **self.settings.get(name, {})},
                stdout=log,
                stderr=log,
                stdin=subprocess.DEVNULL,
                start_new_session=True,
            )


def children_of(pid: int) -> list[int]:
    """Return the processes that a process has started and that live."""
    try:
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text()
    except OSError:
        return []
    return [int(child) for child in children.split()]


def _is_ours(pid: int) -> bool:
    try:
        command = Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return False
    return b"slowpath_worker" in command
