"""Supervise a command for the runner: the command survives a restart of the runner, which can still find it.

Run by path, with only the standard library: `command_supervisor.py FOLDER ATTEMPT SECONDS -- COMMAND...`. The supervisor
claims the attempt (a file that can be created once), starts the command, and writes its exit code to a file. It does
nothing if the attempt is claimed: a command is started once per attempt, whichever process is killed. If the runner has
not touched `alive` for SECONDS, the supervisor stops the command, to leave no abandoned deployment.
"""

import ctypes
import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

PR_SET_CHILD_SUBREAPER = 36
ALREADY_CLAIMED = 3
POLL_SECONDS = 1.0
GRACE_SECONDS = 10.0
CANNOT_RUN = 127


def main(arguments: "list[str]") -> int:
    """Supervise one command and return the supervisor's exit code."""
    folder, attempt, seconds, command = Path(arguments[0]), arguments[1], float(arguments[2]), arguments[4:]
    if not claim_attempt(folder, attempt):
        return ALREADY_CLAIMED
    with suppress(OSError, AttributeError):  # Linux only: elsewhere, processes that leave the group cannot be found
        ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    try:
        child = subprocess.Popen(command, stdin=subprocess.DEVNULL)
    except OSError as error:
        print(f"{command[0]} cannot be run: {error.strerror}", file=sys.stderr, flush=True)
        _write(folder / f"exit-{attempt}", str(CANNOT_RUN))
        return CANNOT_RUN
    code = _wait_or_terminate(child, folder / "alive", seconds)
    _write(folder / f"exit-{attempt}", str(code))
    return 0


def claim_attempt(folder: Path, attempt: str, words: "str | None" = None) -> bool:
    """Claim an attempt for this process, or block it with `words`; return False if it was claimed before."""
    text = f"{os.getpid()} {process_start_time(os.getpid())}" if words is None else words
    part = folder / f".claim-{attempt}.{os.getpid()}"
    _write(part, text)
    try:
        os.link(part, folder / f"claim-{attempt}")  # atomic, and only once
    except FileExistsError:
        return False
    finally:
        part.unlink()
    return True


def process_start_time(pid: int) -> str:
    """Return the start time of a process in kernel ticks, "" if it has ended; detects reused process IDs."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
        return "" if fields[0] in "ZX" else fields[19]
    except (OSError, IndexError):
        return ""


def _wait_or_terminate(child: "subprocess.Popen[bytes]", alive: Path, seconds: float) -> int:
    while True:
        with suppress(subprocess.TimeoutExpired):
            return child.wait(timeout=POLL_SECONDS)
        if _age(alive) > seconds:
            print("stopped: the runner is gone", file=sys.stderr, flush=True)
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            os.killpg(0, signal.SIGTERM)
            with suppress(subprocess.TimeoutExpired):
                child.wait(timeout=GRACE_SECONDS)
            os.killpg(0, signal.SIGKILL)  # this process too: the claim file stays and records the start


def _age(path: Path) -> float:
    try:
        return time.time() - path.stat().st_mtime
    except OSError:
        return 0.0


def _write(path: Path, text: str) -> None:
    part = path.with_name(f"{path.name}.part")
    with part.open("w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    part.replace(path)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
