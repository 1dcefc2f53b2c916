"""The stored state of an experiment: its question, its builds, and the runs so far."""

import json
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Final

from slowpath.analysis.experiments.variant_effects import Block

FORMAT: Final = "slowpath.experiment-session/1"


@dataclass
class ExperimentSession:
    """One experiment."""

    question: dict[str, Any]
    seed: int
    runs: dict[str, dict[str, float]] = field(default_factory=dict)
    """Values by measure of each run, by `BLOCK/BUILD`."""
    failures: dict[str, str] = field(default_factory=dict)
    """Why a build was not measured, by its name; it is not run again."""
    larger_is_better: list[str] = field(default_factory=list)
    seconds: float = 0.0

    def is_done(self, block: int, build: str) -> bool:
        """Return whether a build needs no further run in a block."""
        return build in self.failures or _key(block, build) in self.runs

    def record(self, block: int, build: str, values: Mapping[str, float], larger_is_better: frozenset[str]) -> None:
        """Record a run."""
        self.runs[_key(block, build)] = dict(values)
        self.larger_is_better = sorted({*self.larger_is_better, *larger_is_better})

    def blocks(self, count: int, builds: list[str]) -> list[Block]:
        """Return the first blocks, without builds that failed."""
        return [
            {
                build: self.runs[_key(block, build)]
                for build in builds
                if build not in self.failures and _key(block, build) in self.runs
            }
            for block in range(count)
        ]

    def measures(self) -> list[str]:
        """Return all measures in the order of their first appearance."""
        return list(dict.fromkeys(measure for values in self.runs.values() for measure in values))


def _key(block: int, build: str) -> str:
    return f"{block}/{build}"


def save_session(session: ExperimentSession, folder: Path) -> None:
    """Store a session atomically."""
    new = folder / f"session.{os.getpid()}"
    with new.open("w", encoding="utf-8") as file:
        json.dump({"format": FORMAT, **asdict(session)}, file)
        file.flush()
        os.fsync(file.fileno())
    new.replace(folder / "session.json")


def resume_session(folder: Path, question: dict[str, Any]) -> ExperimentSession | None:
    """Return the stored session of the same question, or None."""
    try:
        document = json.loads((folder / "session.json").read_text(encoding="utf-8"))
        if document.pop("format") != FORMAT or document["question"] != question:
            return None
        return ExperimentSession(**document)
    except (OSError, ValueError, KeyError, TypeError):
        return None
