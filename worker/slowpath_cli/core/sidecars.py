"""Sidecar files: run metadata of a file `F` in `F.metadata.json`, formerly `F.facts.json`."""

from pathlib import Path
from typing import Final

SIDECAR: Final = ".metadata.json"
"""Suffix of the sidecars that are written."""
SIDECARS: Final = (SIDECAR, ".facts.json")
"""Suffixes of the sidecars that are read, preferred first."""


def is_sidecar(name: str) -> bool:
    """Return whether a file name is that of a sidecar."""
    return name.endswith(SIDECARS)


def find_sidecar(path: Path) -> Path | None:
    """Return the sidecar of a file, or None."""
    candidates = (path.with_name(path.name + suffix) for suffix in SIDECARS)
    return next((each for each in candidates if each.is_file()), None)
