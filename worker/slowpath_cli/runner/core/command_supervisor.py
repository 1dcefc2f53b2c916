"""Stands between the runner and a command it starts, so that the command outlives the runner and is still known afterwards.

Run by its path, with nothing but the standard library: `command_supervisor.py FOLDER ATTEMPT SECONDS -- COMMAND...`. It claims the
attempt (a file that can be made once), starts the command, and writes down how it ended. Where the claim is taken it does
nothing: a command is started once per attempt, whichever process is killed. When the runner has not touched `alive` for
SECONDS it stops the command, so that no abandoned deployment keeps running.
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
TAKEN = 3
LOOK_SECONDS = 1.0
GRACE_SECONDS = 10.0
CAN_NOT_RUN = 127


def main(words: "list[str]") -> int:
    """Supervise one command and return its exit code."""
    folder, attempt, seconds, command = Path(words[0]), words[1], float(words[2]), words[4:]
    if not claim_attempt(folder, attempt):
        return TAKEN
    with suppress(OSError, AttributeError):  # not Linux: processes that leave the group cannot be found
        ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    try:
        child = subprocess.Popen(command, stdin=subprocess.DEVNULL)
    except OSError as error:
        print(f"{command[0]} cannot be run: {error.strerror}", file=sys.stderr, flush=True)
        _write(folder / f"exit-{attempt}", str(CAN_NOT_RUN))
        return CAN_NOT_RUN
    code = _kept(child, folder / "alive", seconds)
    _write(folder / f"exit-{attempt}", str(code))
    return 0


def claim_attempt(folder: Path, attempt: str, words: "str | None" = None) -> bool:
    """Claim an attempt for this process, or block it with `words`; return False if it was claimed before."""
    text = f"{os.getpid()} {process_start_time(os.getpid())}" if words is None else words
    part = folder / f".claim-{attempt}.{os.getpid()}"
    _write(part, text)
    try:
        os.link(part, folder / f"claim-{attempt}")  # whole or not at all, and only once
    except FileExistsError:
        return False
    finally:
        part.unlink()
    return True


def process_start_time(pid: int) -> str:
    """When a process was started, in the kernel's ticks; "" where it runs no more. A number given anew has another start."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
        return "" if fields[0] in "ZX" else fields[19]
    except (OSError, IndexError):
        return ""


def _kept(child: "subprocess.Popen[bytes]", alive: Path, seconds: float) -> int:
    while True:
        with suppress(subprocess.TimeoutExpired):
            return child.wait(timeout=LOOK_SECONDS)
        if _age(alive) > seconds:
            print("the runner has gone: taken down", file=sys.stderr, flush=True)
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
