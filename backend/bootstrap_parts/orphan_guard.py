"""Guard process that cleans up after a start that was killed by SIGKILL.

Run as `python orphan_guard.py MARK [FOLDER]`; the temporary folder is deleted in the end. The guard reads stdin: its end
means that the start has died, unless it wrote `done` before. Processes with the mark in their environment have a few
seconds to end (databases got their parent-death signal), then they are killed.
"""

from __future__ import annotations

import os
import shutil
import signal
import sys
import time
from pathlib import Path

MARK_NAME = "SLOWPATH_RUN"
_GRACE_SECONDS = 8.0


def marked_processes(mark: str) -> list[int]:
    """Return the IDs of running processes with `SLOWPATH_RUN=mark`, except this one."""
    variable = f"{MARK_NAME}={mark}".encode()
    found = []
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit() or int(entry.name) == os.getpid():
            continue
        try:
            if variable in (entry / "environ").read_bytes().split(b"\0"):
                found.append(int(entry.name))
        except OSError:
            continue  # ended meanwhile, or of another user
    return found


def clear_away(mark: str, patience_seconds: float) -> int:
    """Wait until no process has the mark; kill the rest after `patience_seconds`. Returns the number of killed ones."""
    deadline = time.monotonic() + patience_seconds
    while (left := marked_processes(mark)) and time.monotonic() < deadline:
        time.sleep(0.1)
    for process_id in left:
        try:
            os.kill(process_id, signal.SIGKILL)
        except OSError:
            continue
    return len(left)


def main(mark: str, folder: str | None = None) -> None:
    """Wait for the end of stdin, then clean up."""
    for caught in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(caught, signal.SIG_IGN)
    if b"done" in sys.stdin.buffer.read():
        return
    for process_id in marked_processes(mark):
        try:
            os.kill(process_id, signal.SIGINT)  # fast shutdown of PostgreSQL; ends all others
        except OSError:
            continue
    clear_away(mark, _GRACE_SECONDS)
    if folder is not None:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
