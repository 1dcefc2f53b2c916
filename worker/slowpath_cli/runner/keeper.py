"""Stands between the runner and a command it starts, so that the command outlives the runner and is still known afterwards.

Run by its path, with nothing but the standard library: `keeper.py FOLDER ATTEMPT SECONDS -- COMMAND...`. It claims the
attempt (a file that can be made once), starts the command, and writes down how it ended. Where the claim is taken it does
nothing: a command is started once for an attempt, whoever is killed whenever. When the runner has not touched `alive` for
SECONDS it takes the command down: nothing stays running that nobody looks after.
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
    """Keep one command; returns the exit code that nobody may be there to read."""
    folder, attempt, seconds, command = Path(words[0]), words[1], float(words[2]), words[4:]
    if not claimed(folder, attempt):
        return TAKEN
    with suppress(OSError, AttributeError):  # not Linux: processes that leave the group are not ours to see
        ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    try:
        child = subprocess.Popen(command, stdin=subprocess.DEVNULL)
    except OSError as error:
        print(f"{command[0]} can not be run: {error.strerror}", file=sys.stderr, flush=True)
        _write(folder / f"exit-{attempt}", str(CAN_NOT_RUN))
        return CAN_NOT_RUN
    code = _kept(child, folder / "alive", seconds)
    _write(folder / f"exit-{attempt}", str(code))
    return 0


def claimed(folder: Path, attempt: str, words: "str | None" = None) -> bool:
    """Take an attempt for this process (or, with `words`, for nobody); False where it was taken before."""
    text = f"{os.getpid()} {started(os.getpid())}" if words is None else words
    part = folder / f".claim-{attempt}.{os.getpid()}"
    _write(part, text)
    try:
        os.link(part, folder / f"claim-{attempt}")  # whole or not at all, and only once
    except FileExistsError:
        return False
    finally:
        part.unlink()
    return True


def started(pid: int) -> str:
    """When a process was started, in the kernel's ticks; "" where it runs no more. A number given anew has another start."""
    try:
        told = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
        return "" if told[0] in "ZX" else told[19]
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
            os.killpg(0, signal.SIGKILL)  # ourselves too: the claim stays, and says that it was begun


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
