"""Processes of a run: found by the mark in their environment, however they were started and whoever their parent is now.

Who cleans its environment is found by its session, as long as whoever leads that bears the mark: the keeper of a command does.
"""

import os
import signal
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final
from uuid import UUID

MARK: Final = "SLOWPATH_RUN_ID"
ROLE: Final = "SLOWPATH_ROLE"
"""What a process is to its run: `deploy` or `measure`."""
LOOK_SECONDS: Final = 0.05
STUBBORN_SECONDS: Final = 15.0


class StillRunning(Exception):
    """Processes that cannot be ended; the text names them."""


def find_run_processes(run_id: UUID, role: str | None = None) -> list[int]:
    """Return the ids of this user's processes that belong to a run. Linux only: elsewhere there are none to be seen."""
    wanted = [f"{MARK}={run_id}".encode()] + ([] if role is None else [f"{ROLE}={role}".encode()])
    return [pid for pid in _all() if pid != os.getpid() and _has(pid, wanted)]


def terminate_run(run_id: UUID, grace_seconds: float, role: str | None = None) -> None:
    """End all processes of a run, politely at first; returns when none is left. Raises `StillRunning`."""
    sessions: set[int] = set()
    left = _of(run_id, role, sessions)
    _signalled(left, signal.SIGTERM)
    polite, patient = (time.monotonic() + more for more in (grace_seconds, grace_seconds + STUBBORN_SECONDS))
    while left := _of(run_id, role, sessions):
        now = time.monotonic()
        if now > patient:
            raise StillRunning(f"These processes of the run cannot be ended: {', '.join(map(str, left))}.")
        if now > polite:
            _signalled(left, signal.SIGKILL)
        time.sleep(LOOK_SECONDS)


def _of(run_id: UUID, role: str | None, sessions: set[int]) -> list[int]:
    """Return those that bear the mark, and those in the sessions that they lead or led: these are added to `sessions`."""
    marked = find_run_processes(run_id, role)
    sessions.update(pid for pid in marked if _session(pid) == pid)
    return [*marked, *(pid for pid in _all() if pid not in marked and sessions and _session(pid) in sessions)]


def _session(pid: int) -> int | None:
    """Return the session of a process that is not dead."""
    try:
        told = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
        return None if told[0] in "ZX" else int(told[3])
    except (OSError, IndexError, ValueError):
        return None


def _signalled(pids: list[int], number: signal.Signals) -> None:
    for pid in pids:
        with suppress(ProcessLookupError, PermissionError):
            os.kill(pid, number)


def _all() -> Iterator[int]:
    with suppress(OSError):
        yield from (int(path.name) for path in Path("/proc").iterdir() if path.name.isdecimal())


def _has(pid: int, wanted: list[bytes]) -> bool:
    try:
        told = Path(f"/proc/{pid}/environ").read_bytes()
    except OSError:
        return False  # gone, or another user's
    return set(wanted) <= set(told.split(b"\0"))
