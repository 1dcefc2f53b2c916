"""What a driver writes down about a run before it asks for something that can not be taken back."""

import json
import os
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from uuid import UUID


class Notes:
    """A folder with a file a run: an object of JSON, whole or not there."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def read(self, run_id: UUID | str) -> dict[str, Any] | None:
        """Return what is written of a run, or None."""
        try:
            told = json.loads(self._file(run_id).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return None
        return told if isinstance(told, dict) else None

    def write(self, run_id: UUID | str, told: Mapping[str, Any]) -> None:
        """Write it, to stay written."""
        file = self._file(run_id)
        file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        part = file.with_suffix(".part")
        with part.open("w", encoding="utf-8") as opened:
            json.dump(dict(told), opened)
            opened.flush()
            os.fsync(opened.fileno())
        part.replace(file)

    def forget(self, run_id: UUID | str) -> None:
        """A run is over."""
        shutil.rmtree(self._file(run_id).parent, ignore_errors=True)

    def _file(self, run_id: UUID | str) -> Path:
        return self._folder / str(UUID(str(run_id))) / "note.json"
