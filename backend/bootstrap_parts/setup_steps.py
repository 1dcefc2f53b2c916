"""Run setup steps once, in parallel as far as their dependencies allow; steps that are up to date are skipped."""

from __future__ import annotations

import errno
import hashlib
import os
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from pathlib import Path

from bootstrap_parts.child_processes import ProcessMark, clean_environment
from bootstrap_parts.console import ConsoleOutput, StartupError
from bootstrap_parts.orphan_guard import MARK_NAME
from bootstrap_parts.project_paths import ROOT, STAMPS, STEP_LOGS

_NOISE = ("npm notice", "npm warn", "npm error a complete log", "npm error code", "node:internal", "at ")


@dataclass
class SetupContext:
    """Context of a step: runs programs with their output in a log, and kills them when the setup ends."""

    mark: ProcessMark
    _running: set[subprocess.Popen[bytes]] = field(default_factory=set)
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _closed: bool = False

    def run(
        self,
        command: Sequence[str | Path],
        *,
        log: str,
        folder: Path = ROOT,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        """Run a program. Raises `StartupError` with its message if it fails."""
        path = STEP_LOGS / f"{log}.log"
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("ab") as output:
            output.write(f"\n$ {' '.join(map(str, command))}\n".encode())
            output.flush()
            begins_at = output.tell()
            with self._lock:
                if self._closed:
                    raise StartupError("stopped")
                process = subprocess.Popen(
                    [str(part) for part in command],
                    cwd=folder,
                    env={**clean_environment(), "NO_COLOR": "1", **(environment or {}), MARK_NAME: self.mark.text},
                    stdin=subprocess.DEVNULL,
                    stdout=output,
                    stderr=subprocess.STDOUT,
                    start_new_session=True,
                )
                self._running.add(process)
            code = process.wait()
            with self._lock:
                self._running.discard(process)
        if code != 0:
            raise StartupError(_explain_failure(path, begins_at, Path(str(command[0])).name, code))

    def close(self) -> None:
        """Kill the running programs, and reject further ones."""
        with self._lock:
            self._closed = True
            for process in self._running:
                try:
                    os.killpg(process.pid, signal.SIGKILL)
                except OSError:
                    continue


def _explain_failure(log: Path, begins_at: int, program: str, code: int) -> str:
    """Return an error message with the relevant lines of a log."""
    with log.open("rb") as file:
        file.seek(begins_at)
        text = file.read().decode(errors="replace")
    if "No space left on device" in text or "ENOSPC" in text:
        return "The disk is full. Free some space and start again; finished steps are not repeated."
    if "ensurepip is not available" in text:
        return "This Python cannot create environments. Install python3-venv (apt-get install python3-venv) or uv, then start again."
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    relevant = [line for line in lines if not line.lower().startswith(_NOISE)] or lines
    errors = [line for line in relevant if "error" in line.lower()]
    message = " / ".join((errors or relevant[-3:])[:3])[:500]
    return f"{program} failed (exit code {code}): {message or 'no message'}. Full log: {log}"


@dataclass(frozen=True)
class SetupStep:
    """One step: done if `is_there` returns True and, with a `stamp`, the stored stamp is the same."""

    name: str
    label: str
    work: Callable[[SetupContext], str]
    is_there: Callable[[], bool]
    stamp: Callable[[], str] | None = None
    after: tuple[str, ...] = ()

    def is_done(self) -> bool:
        """Return whether the step is up to date."""
        path = STAMPS / self.name
        return self.is_there() and (self.stamp is None or (path.exists() and path.read_text() == self.stamp()))

    def do(self, context: SetupContext) -> tuple[float, str]:
        """Run the step and store its stamp, computed before; return the duration in seconds and a note."""
        started_at = time.monotonic()
        stamp = self.stamp() if self.stamp else ""
        (STAMPS / self.name).unlink(missing_ok=True)
        try:
            note = self.work(context)
        except OSError as error:
            if error.errno == errno.ENOSPC:
                raise StartupError(
                    "The disk is full. Free some space and start again; finished steps are not repeated."
                ) from error
            raise
        STAMPS.mkdir(parents=True, exist_ok=True)
        (STAMPS / self.name).write_text(stamp)
        return time.monotonic() - started_at, note


def run_steps(
    steps: Sequence[SetupStep],
    console: ConsoleOutput,
    mark: ProcessMark,
    meanwhile: Callable[[Collection[str]], None] | None = None,
) -> int:
    """Run the steps that are not done, in parallel; return the number of steps run.

    The first failure stops the others. A step is checked after its dependencies, which may have made it stale.
    `meanwhile` is called in this thread, ten times a second, with the names of the finished steps.
    """
    context = SetupContext(mark)
    names = {step.name for step in steps}
    finished: set[str] = set()
    waiting, running, count = list(steps), dict[Future[tuple[float, str]], SetupStep](), 0
    with ThreadPoolExecutor(max_workers=max(1, len(steps))) as pool:
        try:
            while waiting or running:
                for step in [step for step in waiting if not (set(step.after) & names) - finished]:
                    waiting.remove(step)
                    if step.is_done():
                        finished.add(step.name)
                        continue
                    count += 1
                    running[pool.submit(step.do, context)] = step
                for future in wait(running, timeout=0.1, return_when=FIRST_COMPLETED).done if running else ():
                    step = running.pop(future)
                    seconds, note = future.result()
                    console.step(step.label, seconds, note)
                    finished.add(step.name)
                if meanwhile is not None and running:
                    meanwhile(finished)
        except BaseException:
            context.close()
            raise
    return count


def hash_of(*parts: Path | str, suffixes: Iterable[str] | None = None, without: Sequence[str] = ()) -> str:
    """Hash texts, files and folders (names and contents; of folders only files with one of the suffixes, if given)."""
    digest = hashlib.sha256()
    chosen = tuple(suffixes) if suffixes is not None else None
    for part in parts:
        if isinstance(part, str):
            digest.update(part.encode() + b"\0")
            continue
        for path in _files_of(part, without):
            if chosen is None or path.suffix in chosen or part.is_file():
                digest.update(str(path.relative_to(ROOT)).encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()


def _files_of(part: Path, without: Sequence[str]) -> Iterable[Path]:
    if part.is_file():
        yield part
        return
    for folder, folders, files in os.walk(part):
        folders[:] = sorted(name for name in folders if name not in without)
        yield from (Path(folder) / name for name in sorted(files))
