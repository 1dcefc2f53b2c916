"""Make the syncs of running processes slow, as a slow disk does: strace holds each call up before it returns.

A commit of PostgreSQL returns only when its write-ahead log was synced. strace is the machine's, or that of Debian's package.
Processes that this user may not trace cannot be made slow.
"""

import os
import shutil
import subprocess
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from support.debian_packages import library_path, unpacked_packages
from tests.support.worker_supervisor import children_of

CALLS = "fsync,fdatasync"
DELAY_SECONDS = 0.3
ATTACH_SECONDS, DETACH_SECONDS = 10.0, 10.0
DELAYED = "(DELAYED)"


@dataclass
class SlowCalls:
    """The syncs of a process and its descendants, also of later ones."""

    program: Path
    folder: Path
    """For the logs of strace."""
    settings: Mapping[str, str] = field(default_factory=dict)
    """Additional environment of strace."""
    tracers: list[subprocess.Popen[bytes]] = field(default_factory=list)
    attached: int = 0
    """How many strace were started so far."""

    def begin(self, process_id: int) -> bool:
        """Make syncs slow; return whether this user may. Children begun while strace attaches need one more."""
        deadline = time.monotonic() + ATTACH_SECONDS
        while missed := [pid for pid in _family(process_id) if _tracer_of(pid) == 0]:
            self._attach(missed)
            while any(_tracer_of(pid) == 0 for pid in missed):
                if self.tracers[-1].poll() is not None or time.monotonic() > deadline:
                    self.end(process_id)
                    return False
                time.sleep(0.02)
        return True

    def end(self, process_id: int) -> list[str]:
        """Detach; return what is wrong: processes that are still traced, or that nothing was slow."""
        for tracer in self.tracers:
            tracer.terminate()
        for tracer in self.tracers:
            try:
                tracer.wait(DETACH_SECONDS)
            except subprocess.TimeoutExpired:
                tracer.kill()  # the kernel detaches what it traced
                tracer.wait()
        self.tracers = []
        logs = list(self.folder.glob("strace.*"))
        delayed = sum(log.read_text(errors="replace").count(DELAYED) for log in logs)
        for log in logs:
            log.unlink()
        traced = [pid for pid in _family(process_id) if _tracer_of(pid)]
        return [
            *([f"processes {traced} are still traced"] if traced else []),
            *([] if delayed else ["no sync was slow"]),
        ]

    def _attach(self, processes: Sequence[int]) -> None:
        self.attached += 1
        delay = f"inject={CALLS}:delay_exit={int(DELAY_SECONDS * 1e6)}"
        log = self.folder / f"strace.{self.attached}"
        options = ["-f", "-qq", "-o", str(log), "-e", f"trace={CALLS}", "-e", delay]
        self.tracers.append(
            subprocess.Popen(
                [str(self.program), *options, *(part for pid in processes for part in ("-p", str(pid)))],
                env={**os.environ, **self.settings},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
        )


def find_slow_calls(folder: Path) -> SlowCalls | None:
    """Return what makes syncs slow, None if strace cannot be had."""
    if found := shutil.which("strace"):
        return SlowCalls(Path(found), folder)
    unpacked = unpacked_packages(["strace", "libunwind8"], "usr/bin/strace")
    return SlowCalls(unpacked, folder, {"LD_LIBRARY_PATH": library_path(unpacked)}) if unpacked else None


def _family(process_id: int) -> list[int]:
    """Return a process and all its descendants."""
    return [process_id, *(pid for child in children_of(process_id) for pid in _family(child))]


def _tracer_of(process_id: int) -> int | None:
    """Return the process that traces another, 0 without one; None if the process has ended."""
    with suppress(OSError):
        for line in Path(f"/proc/{process_id}/status").read_text().splitlines():
            if line.startswith("TracerPid:"):
                return int(line.split()[1])
    return None
