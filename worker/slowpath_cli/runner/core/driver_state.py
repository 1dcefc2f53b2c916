"""State of a run that a driver stores before an irreversible request."""

import json
import os
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from uuid import UUID


class DriverStateStore:
    """A folder with one JSON file per run, written atomically."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def read(self, run_id: UUID | str) -> dict[str, Any] | None:
        """Return the state of a run, or None."""
        try:
            state = json.loads(self._file(run_id).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return None
        return state if isinstance(state, dict) else None

    def write(self, run_id: UUID | str, state: Mapping[str, Any]) -> None:
        """Store the state of a run durably."""
        file = self._file(run_id)
        file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        part = file.with_suffix(".part")
        with part.open("w", encoding="utf-8") as opened:
            json.dump(dict(state), opened)
            opened.flush()
            os.fsync(opened.fileno())
        part.replace(file)

    def forget(self, run_id: UUID | str) -> None:
        """Delete the state of a finished run."""
        shutil.rmtree(self._file(run_id).parent, ignore_errors=True)

    def _file(self, run_id: UUID | str) -> Path:
        return self._folder / str(UUID(str(run_id))) / "note.json"
