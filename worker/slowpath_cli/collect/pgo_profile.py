"""Find the PGO profile that a Go program was built with: its build information has only the path.

The path is an input as any other: only a regular file is read, and only to compute its digest.
"""

import hashlib
import json
import mmap
import stat
from dataclasses import replace
from pathlib import Path
from typing import Final

from slowpath.analysis.findings.run_metadata import RunMetadata

INFORMATION_BEGINS: Final = bytes.fromhex("3077af0c9274080241e1c107e6d618e6")
INFORMATION_ENDS: Final = bytes.fromhex("f932433186182072008242104116d8f2")
"""What Go's linker writes around the build information of a program."""
SETTING: Final = "build\t-pgo="
MAGIC: Final = b"\x7fELF"
MOST_INFORMATION_BYTES: Final = 16 << 20
MOST_PROFILE_BYTES: Final = 256 << 20


def add_pgo_profile(facts: RunMetadata, executable: Path) -> RunMetadata:
    """Return the run metadata of a file, with the digest of its PGO profile if it is a program whose profile can be read."""
    if facts.pgo_sha256 is not None:
        return facts
    return replace(facts, pgo_sha256=find_pgo_sha256(executable))


def find_pgo_sha256(executable: Path) -> str | None:
    """Return the SHA-256 of the PGO profile that a program was built with, in hex.

    None if it had none, if its path does not lead to a file on this machine (`-trimpath` leaves only the name), or if
    that file is newer than the program: then it may be another one.
    """
    try:
        built_at_ns = executable.stat().st_mtime_ns
        named = _find_path(executable)
        if named is None or not named.is_absolute():
            return None
        found = named.stat()
        if not stat.S_ISREG(found.st_mode) or found.st_size > MOST_PROFILE_BYTES or found.st_mtime_ns > built_at_ns:
            return None
        with named.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except (OSError, ValueError):
        return None


def _find_path(executable: Path) -> Path | None:
    """Return the path in the build setting `-pgo` of a program; None without one, and for other files."""
    with executable.open("rb") as file:
        if file.read(len(MAGIC)) != MAGIC:
            return None
        with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
            begin = content.find(INFORMATION_BEGINS) + len(INFORMATION_BEGINS)
            if begin < len(INFORMATION_BEGINS):
                return None
            end = content.find(INFORMATION_ENDS, begin, begin + MOST_INFORMATION_BYTES)
            text = content[begin:end].decode("utf-8") if end >= 0 else ""
    value = next((line.removeprefix(SETTING) for line in text.split("\n") if line.startswith(SETTING)), "")
    return Path(json.loads(value) if value.startswith('"') else value) if value else None
