"""Start and stop processes so that none survives this one: session, parent-death signal, run mark, and guard process."""

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
    """Return the environment without variables that configure PostgreSQL, Python or Node."""
    variables = {name: value for name, value in os.environ.items() if not name.startswith(_SCRUBBED)}
    return {**variables, "PYTHONUNBUFFERED": "1"}


@dataclass(frozen=True)
class ProcessMark:
    """The ID of one run, in the environment of all its processes, and the guard process."""

    text: str
    guard: subprocess.Popen[bytes]

    @classmethod
    def take(cls, temporary: str | None = None) -> ProcessMark:
        """Create a mark and start its guard, which deletes the temporary folder if this process is killed."""
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
        """Kill remaining processes of the run and end the guard."""
        orphan_guard.clear_away(self.text, patience_seconds=0.5)
        if self.guard.stdin is not None:
            try:
                self.guard.stdin.write(b"done")
                self.guard.stdin.close()
            except OSError:
                pass  # the guard was killed
        self.guard.wait()


@contextmanager
def marked(temporary: str | None = None) -> Iterator[ProcessMark]:
    """Create a mark; when the block ends, no process with this mark remains."""
    mark = ProcessMark.take(temporary)
    try:
        yield mark
    finally:
        mark.release()


@dataclass
class ChildProcess:
    """A child process, with the signal that stops it."""

    name: str
    process: subprocess.Popen[bytes]
    log: Path | None
    stop_signal: signal.Signals = signal.SIGTERM
    stop_seconds: float = 8.0

    @property
    def ended(self) -> bool:
        """Return whether the process has ended."""
        return self.process.poll() is not None

    def how_it_ended(self) -> str:
        """Describe how the process ended: `exit code 3` or `signal SIGKILL`."""
        code = self.process.returncode
        return f"signal {signal.Signals(-code).name}" if code is not None and code < 0 else f"exit code {code}"

    def last_words(self) -> str:
        """Return the last non-empty line of its log, or an empty string."""
        return last_line(self.log) if self.log else ""


def last_line(log: Path) -> str:
    """Return the last non-empty line of a log, shortened to 300 characters."""
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
    """Start a process that ends with this one. Call it from the main thread, whose end triggers the signal.

    Its output is appended to `log`; without a log, it inherits stdout and stderr.
    """
    run_as = run_as or RunAs()
    death = death_signal or stop_signal
    setpriv = _setpriv()
    wrapper = [setpriv, "--pdeathsig", death.name.removeprefix("SIG")] if setpriv else []
    preexec: Callable[[], None] | None = None if setpriv else partial(_die_with_parent, int(death))
    output = log.open("ab") if log else None
    try:
        with undisturbed():  # a stop signal must not interrupt Popen between fork and return
            process = subprocess.Popen(
                [*run_as.prefix, *wrapper, *command],
                cwd=folder,
                env={**environment, orphan_guard.MARK_NAME: mark.text},
                stdin=standard_input,
                stdout=output,
                stderr=subprocess.STDOUT if output else None,
                start_new_session=new_session,
                pass_fds=pass_fds,
                preexec_fn=preexec,  # noqa: PLW1509 - only without setpriv; it makes one system call
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
    """End this process when npm, its parent, is killed."""
    try:
        parent = Path(f"/proc/{os.getppid()}/cmdline").read_bytes()
    except OSError:
        return
    if parent.startswith(b"npm") or b"/npm" in parent:
        _die_with_parent(signal.SIGTERM)


def stop(children: Sequence[ChildProcess]) -> None:
    """Send each process its stop signal; kill those that do not end in time."""
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
    """Kill a process and its process group."""
    try:
        os.killpg(child.process.pid, signal.SIGKILL)
    except OSError:
        child.process.kill()
    child.process.wait()
