"""Starting and ending processes so that none outlives us: own session, parent-death signal, a mark, and a guard."""

from __future__ import annotations

import ctypes
import os
import secrets
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path

from bootstrap_parts import orphan_guard
from bootstrap_parts.console import StartupError
from bootstrap_parts.machine_checks import RunAs
from bootstrap_parts.stop_signals import undisturbed

_PR_SET_PDEATHSIG = 1
_SCRUBBED = (
    "PG",
    "PYTHON",
    "VIRTUAL_ENV",
    "ALEMBIC_",
    "NODE_ENV",
    "NODE_OPTIONS",
    "NODE_PATH",
    "npm_package_",
    "npm_lifecycle_",
)


def clean_environment() -> dict[str, str]:
    """Return our environment without what would steer PostgreSQL's or Python's programs behind our back."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(_SCRUBBED)}
    return {**kept, "PYTHONUNBUFFERED": "1"}


@dataclass(frozen=True)
class ProcessMark:
    """The name of one run, carried by every process it starts, and the guard that knows it."""

    text: str
    guard: subprocess.Popen[bytes]

    @classmethod
    def take(cls, temporary: str | None = None) -> ProcessMark:
        """Draw a mark and set its guard up; a temporary folder is deleted by the guard if we can not."""
        text = secrets.token_hex(8)
        watcher = subprocess.Popen(
            [
                sys.executable,
                "-S",
                "-E",
                str(Path(orphan_guard.__file__).resolve()),
                text,
                *([temporary] if temporary else []),
            ],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            env={name: value for name, value in os.environ.items() if name != orphan_guard.MARK_NAME},
        )
        return cls(text, watcher)

    def release(self) -> None:
        """Kill what was forgotten and send the guard home."""
        orphan_guard.clear_away(self.text, patience_seconds=0.5)
        if self.guard.stdin is not None:
            try:
                self.guard.stdin.write(b"done")
                self.guard.stdin.close()
            except OSError:
                pass  # it has been killed: nothing to send home
        self.guard.wait()


@contextmanager
def marked(temporary: str | None = None) -> Iterator[ProcessMark]:
    """Take a mark; whatever happens, nothing that carries it is left when the block ends."""
    mark = ProcessMark.take(temporary)
    try:
        yield mark
    finally:
        mark.release()


@dataclass
class ChildProcess:
    """A process of ours, with the way it wants to be ended."""

    name: str
    process: subprocess.Popen[bytes]
    log: Path | None
    stop_signal: signal.Signals = signal.SIGTERM
    stop_seconds: float = 8.0

    @property
    def ended(self) -> bool:
        """Tell whether it is gone."""
        return self.process.poll() is not None

    def how_it_ended(self) -> str:
        """Tell how: `exit code 3` or `signal SIGKILL`."""
        code = self.process.returncode
        return f"signal {signal.Signals(-code).name}" if code is not None and code < 0 else f"exit code {code}"

    def last_words(self) -> str:
        """Return the last line of its log that says something, or nothing."""
        return last_line(self.log) if self.log else ""


def last_line(log: Path) -> str:
    """Return the last line of a log that says something, shortened to 300 characters."""
    try:
        with log.open("rb") as file:
            file.seek(max(0, log.stat().st_size - 4096))
            end = file.read().decode(errors="replace")
    except OSError:
        return ""
    if "No space left on device" in end:
        return "the disk is full"
    lines = [line.strip() for line in end.splitlines() if line.strip()]
    return lines[-1][:300].rstrip(".") if lines else ""


def spawn(
    name: str,
    command: Sequence[str],
    *,
    mark: ProcessMark,
    environment: Mapping[str, str],
    log: Path | None,
    folder: Path,
    run_as: RunAs | None = None,
    stop_signal: signal.Signals = signal.SIGTERM,
    stop_seconds: float = 8.0,
    death_signal: signal.Signals | None = None,
    pass_fds: Sequence[int] = (),
    new_session: bool = True,
    standard_input: int | None = subprocess.DEVNULL,
) -> ChildProcess:
    """Start a process that ends when we end. Must be called from the main thread: its end is what the kernel watches.

    Its output goes to the end of `log`; without one it shares ours.
    """
    run_as = run_as or RunAs()
    dying = death_signal or stop_signal
    setpriv = _setpriv()
    wrapper = [setpriv, "--pdeathsig", dying.name.removeprefix("SIG")] if setpriv else []
    before: Callable[[], None] | None = None if setpriv else partial(_die_with_parent, int(dying))
    output = log.open("ab") if log else None
    try:
        with undisturbed():  # born whole, and marked: whoever stops us then finds it
            process = subprocess.Popen(
                [*run_as.prefix, *wrapper, *command],
                cwd=folder,
                env={**environment, orphan_guard.MARK_NAME: mark.text},
                stdin=standard_input,
                stdout=output,
                stderr=subprocess.STDOUT if output else None,
                start_new_session=new_session,
                pass_fds=pass_fds,
                preexec_fn=before,  # noqa: PLW1509 - only where setpriv is missing; it makes one system call
                user=run_as.user,
                group=run_as.user,
                extra_groups=[] if run_as.user is not None else None,
            )
    except OSError as error:
        raise StartupError(f"{name} cannot be started: {error.strerror} ({command[0]}).") from error
    finally:
        if output:
            output.close()
    return ChildProcess(name, process, log, stop_signal, stop_seconds)


@cache
def _setpriv() -> str | None:
    found = shutil.which("setpriv")
    works = (
        found
        and subprocess.run([found, "--pdeathsig", "TERM", "true"], capture_output=True, check=False).returncode == 0
    )
    return found if works else None


def _die_with_parent(signal_number: int) -> None:
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal_number, 0, 0, 0)


def die_with_npm() -> None:
    """End when npm is killed outright: we are its child, and whoever kills `npm start` means us."""
    try:
        parent = Path(f"/proc/{os.getppid()}/cmdline").read_bytes()
    except OSError:
        return
    if parent.startswith(b"npm") or b"/npm" in parent:
        _die_with_parent(signal.SIGTERM)


def stop(children: Sequence[ChildProcess]) -> None:
    """Ask all of them to end, each by its own signal; kill those that outstay their time."""
    for child in children:
        if not child.ended:
            child.process.send_signal(child.stop_signal)
    begun = time.monotonic()
    for child in children:
        try:
            child.process.wait(max(0.05, begun + child.stop_seconds - time.monotonic()))
        except subprocess.TimeoutExpired:
            kill_session(child)


def kill_session(child: ChildProcess) -> None:
    """Kill a process and all that share its process group."""
    try:
        os.killpg(child.process.pid, signal.SIGKILL)
    except OSError:
        child.process.kill()
    child.process.wait()
