"""Store the runner's records of its runs, before each step, so that a restarted runner resumes there.

One folder per run: `run.json` (the record), `out/` (files of commands).
"""

import fcntl
import json
import os
import shutil
import socket
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import IO, Any, Final, Literal
from uuid import UUID, uuid4, uuid5

FORMAT: Final = "slowpath.run/1"
Phase = Literal["leased", "deploying", "deployed", "ready", "ending"]
MAX_FINISHED: Final = 500
"""Number of finished runs whose IDs are stored, to prevent starting them again."""


@dataclass
class RunRecord:
    """One run: its lease and its phase."""

    lease: dict[str, Any]
    phase: Phase = "leased"
    """`deploying` is written before the call of the driver, `deployed` after it, with the handle."""
    begun: bool = False
    """Whether the driver may have been called."""
    attempt: int = 1
    dir: str | None = None
    overrides: dict[str, dict[str, str]] = field(default_factory=dict)
    port: int | None = None
    handle: dict[str, Any] | None = None
    windows: int = 0
    """Number of measurements reported to the server."""
    how: str | None = None
    """Outcome."""
    words: str = ""
    """Reason of the outcome."""

    @property
    def run_id(self) -> UUID:
        """Return the ID of the run."""
        return UUID(self.lease["run_id"])

    @property
    def slot(self) -> int:
        """Return the slot of the run."""
        return int(self.lease["slot"])


class WorkDirectoryLocked(Exception):
    """Another runner uses this folder."""


class RunStore:
    """The runner's folder, with one folder per run."""

    def __init__(self, work: Path) -> None:
        self.work = work
        self._runs, self._finished_file = work / "runs", work / "ended.txt"
        self._lock: IO[str] | None = None

    def take(self) -> None:
        """Lock the folder for this process. Raises `WorkDirectoryLocked`."""
        self._runs.mkdir(parents=True, exist_ok=True, mode=0o700)
        self._lock = (self.work / "lock").open("a+", encoding="utf-8")
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            self._lock.seek(0)
            raise WorkDirectoryLocked(
                f"Another runner (process {self._lock.read(20).strip() or 'unknown'}) uses {self.work}. "
                "Stop it, or choose another folder and name ([runner] work and name, or --work-dir and --name)."
            ) from error
        self._lock.truncate(0)
        self._lock.write(f"{os.getpid()}\n")
        self._lock.flush()

    def instance(self) -> str:
        """Return the instance ID of this folder and machine; a copy on another machine has a different one."""
        file = self.work / "instance"
        try:
            stored = UUID(file.read_text(encoding="utf-8").strip())
        except (OSError, ValueError):
            stored = uuid4()
            part = file.with_suffix(".part")
            part.write_text(f"{stored}\n", encoding="utf-8")
            part.replace(file)
        return str(uuid5(stored, socket.gethostname()))

    def folder(self, run_id: UUID) -> Path:
        """Return the folder of a run."""
        return self._runs / str(run_id)

    def keep(self, run: RunRecord) -> None:
        """Store the record of a run atomically."""
        folder = self.folder(run.run_id)
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        part = folder / ".run.json"
        with part.open("w", encoding="utf-8") as file:
            json.dump({"format": FORMAT, **asdict(run)}, file)
            file.flush()
            os.fsync(file.fileno())
        part.replace(folder / "run.json")

    def list_open(self) -> Iterator[RunRecord]:
        """Yield the records of unfinished runs."""
        for path in sorted(self._runs.glob("*/run.json")):
            try:
                record = json.loads(path.read_text(encoding="utf-8"))
                if record.pop("format") != FORMAT:
                    continue
                run = RunRecord(**record)
                assert run.run_id is not None
                yield run
            except (ValueError, KeyError, TypeError):
                continue

    def forget(self, run_id: UUID) -> None:
        """Delete a finished run and store its ID."""
        finished = [*self.ended(), str(run_id)][-MAX_FINISHED:]
        part = self._finished_file.with_suffix(".part")
        part.write_text("\n".join(finished), encoding="utf-8")
        part.replace(self._finished_file)
        shutil.rmtree(self.folder(run_id), ignore_errors=True)

    def ended(self) -> list[str]:
        """Return the IDs of finished runs."""
        try:
            return self._finished_file.read_text(encoding="utf-8").split()
        except OSError:
            return []
