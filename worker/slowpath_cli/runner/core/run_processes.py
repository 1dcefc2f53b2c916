"""Find and terminate the processes of a run by a variable in their environment, independent of their parents.

A process that clears its environment is found by its session, if the session leader has the variable. The supervisor of a
command has it.
"""

import os
import signal
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final
from uuid import UUID

RUN_VARIABLE: Final = "SLOWPATH_RUN_ID"
ROLE: Final = "SLOWPATH_ROLE"
"""Variable with the role of a process: `deploy` or `measure`."""
POLL_SECONDS: Final = 0.05
KILL_WAIT_SECONDS: Final = 15.0


class StillRunning(Exception):
    """Processes could not be terminated; the message lists them."""


def find_run_processes(run_id: UUID, role: str | None = None) -> list[int]:
    """Return the IDs of this user's processes that belong to a run. Linux only: empty on other systems."""
    variables = [f"{RUN_VARIABLE}={run_id}".encode()] + ([] if role is None else [f"{ROLE}={role}".encode()])
    return [pid for pid in _all() if pid != os.getpid() and _has_variables(pid, variables)]


def terminate_run(run_id: UUID, grace_seconds: float, role: str | None = None) -> None:
    """Terminate all processes of a run and wait: SIGTERM, then SIGKILL after `grace_seconds`. Raises `StillRunning`."""
    sessions: set[int] = set()
    left = _find_with_sessions(run_id, role, sessions)
    _signal_all(left, signal.SIGTERM)
    kill_at, fail_at = (time.monotonic() + more for more in (grace_seconds, grace_seconds + KILL_WAIT_SECONDS))
    while left := _find_with_sessions(run_id, role, sessions):
        now = time.monotonic()
        if now > fail_at:
            raise StillRunning(f"These processes of the run cannot be terminated: {', '.join(map(str, left))}.")
        if now > kill_at:
            _signal_all(left, signal.SIGKILL)
        time.sleep(POLL_SECONDS)


def _find_with_sessions(run_id: UUID, role: str | None, sessions: set[int]) -> list[int]:
    """Return the processes with the variable and those of the sessions they lead; add these to `sessions`."""
    marked = find_run_processes(run_id, role)
    sessions.update(pid for pid in marked if _session(pid) == pid)
    return [*marked, *(pid for pid in _all() if pid not in marked and sessions and _session(pid) in sessions)]


def _session(pid: int) -> int | None:
    """Return the session of a process; None if it has ended."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
        return None if stat[0] in "ZX" else int(stat[3])
    except (OSError, IndexError, ValueError):
        return None


def _signal_all(pids: list[int], number: signal.Signals) -> None:
    for pid in pids:
        with suppress(ProcessLookupError, PermissionError):
            os.kill(pid, number)


def _all() -> Iterator[int]:
    with suppress(OSError):
        yield from (int(path.name) for path in Path("/proc").iterdir() if path.name.isdecimal())


def _has_variables(pid: int, variables: list[bytes]) -> bool:
    try:
        environ = Path(f"/proc/{pid}/environ").read_bytes()
    except OSError:
        return False  # ended, or of another user
    return set(variables) <= set(environ.split(b"\0"))
