"""What the runner knows of its runs, on disk before it is acted upon: who is killed goes on from there.

One folder a run: `run.json` (what is known), `out/` (what commands leave).
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
MOST_OLD: Final = 500
"""Finished runs whose ids are kept: none of them is begun again."""


@dataclass
class Run:
    """One run: a lease, and how far it is."""

    lease: dict[str, Any]
    phase: Phase = "leased"
    """`deploying` is written before the driver is asked, `deployed` with its handle after."""
    begun: bool = False
    """Whether the driver may have been asked to deploy it."""
    attempt: int = 1
    dir: str | None = None
    overrides: dict[str, dict[str, str]] = field(default_factory=dict)
    port: int | None = None
    handle: dict[str, Any] | None = None
    windows: int = 0
    """Taken and told to the server."""
    how: str | None = None
    """How it ends."""
    words: str = ""
    """Why it ends so."""

    @property
    def run_id(self) -> UUID:
        """The id of the run."""
        return UUID(self.lease["run_id"])

    @property
    def slot(self) -> int:
        """Its slot."""
        return int(self.lease["slot"])


class Busy(Exception):
    """Another runner works in this folder."""


class Files:
    """The runner's folder."""

    def __init__(self, work: Path) -> None:
        self.work = work
        self._runs, self._old = work / "runs", work / "ended.txt"
        self._lock: IO[str] | None = None

    def take(self) -> None:
        """Take the folder for this process. Raises `Busy`."""
        self._runs.mkdir(parents=True, exist_ok=True, mode=0o700)
        self._lock = (self.work / "lock").open("a+", encoding="utf-8")
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            self._lock.seek(0)
            raise Busy(
                f"Another runner (process {self._lock.read(20).strip() or 'unknown'}) works in {self.work}. "
                "Stop it, or give this one a folder and a name of its own ([runner] work and name, or --work and --name)."
            ) from error
        self._lock.truncate(0)
        self._lock.write(f"{os.getpid()}\n")
        self._lock.flush()

    def instance(self) -> str:
        """Return what names whoever works in this folder: kept in it; a copy of it on another machine has another name."""
        file = self.work / "instance"
        try:
            made = UUID(file.read_text(encoding="utf-8").strip())
        except (OSError, ValueError):
            made = uuid4()
            part = file.with_suffix(".part")
            part.write_text(f"{made}\n", encoding="utf-8")
            part.replace(file)
        return str(uuid5(made, socket.gethostname()))

    def folder(self, run_id: UUID) -> Path:
        """Return the folder of a run."""
        return self._runs / str(run_id)

    def keep(self, run: Run) -> None:
        """Write down what is known of a run, whole or not at all."""
        folder = self.folder(run.run_id)
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        part = folder / ".run.json"
        with part.open("w", encoding="utf-8") as file:
            json.dump({"format": FORMAT, **asdict(run)}, file)
            file.flush()
            os.fsync(file.fileno())
        part.replace(folder / "run.json")

    def kept(self) -> Iterator[Run]:
        """Yield the runs that have not ended."""
        for path in sorted(self._runs.glob("*/run.json")):
            try:
                told = json.loads(path.read_text(encoding="utf-8"))
                if told.pop("format") != FORMAT:
                    continue
                run = Run(**told)
                assert run.run_id is not None
                yield run
            except (ValueError, KeyError, TypeError):
                continue

    def forget(self, run_id: UUID) -> None:
        """Remember only that a run has ended."""
        old = [*self.ended(), str(run_id)][-MOST_OLD:]
        part = self._old.with_suffix(".part")
        part.write_text("\n".join(old), encoding="utf-8")
        part.replace(self._old)
        shutil.rmtree(self.folder(run_id), ignore_errors=True)

    def ended(self) -> list[str]:
        """Return the runs that have ended."""
        try:
            return self._old.read_text(encoding="utf-8").split()
        except OSError:
            return []
