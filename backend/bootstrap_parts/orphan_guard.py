"""Stands by a start and cleans up after it when it is killed outright (kill -9), which no process can do for itself.

Run as `python guard.py MARK [FOLDER]`; the folder is a temporary one and is deleted in the end. It reads standard input, which nobody writes to: the end of it means that the start is
gone. `done` before the end means that the start has cleaned up itself. What carries the mark in its environment is
given a few seconds (databases have been told to close by their parent-death signal), then killed.
"""

from __future__ import annotations

import os
import shutil
import signal
import sys
import time
from pathlib import Path

MARK_NAME = "SLOWPATH_RUN"
_PATIENCE_SECONDS = 8.0


def marked_processes(mark: str) -> list[int]:
    """Return the ids of living processes started with `SLOWPATH_RUN=mark`, ourselves left out."""
    wanted = f"{MARK_NAME}={mark}".encode()
    found = []
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit() or int(entry.name) == os.getpid():
            continue
        try:
            if wanted in (entry / "environ").read_bytes().split(b"\0"):
                found.append(int(entry.name))
        except OSError:
            continue  # gone meanwhile, or another user's
    return found


def clear_away(mark: str, patience_seconds: float) -> int:
    """Wait until nothing carries the mark; kill what still does after `patience_seconds`. Returns how many were killed."""
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
    """Wait for the end of standard input, then clear away."""
    for caught in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(caught, signal.SIG_IGN)
    if b"done" in sys.stdin.buffer.read():
        return
    for process_id in marked_processes(mark):
        try:
            os.kill(process_id, signal.SIGINT)  # PostgreSQL closes fast on it; all others end on it
        except OSError:
            continue
    clear_away(mark, _PATIENCE_SECONDS)
    if folder is not None:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
