"""What a reader is given, and what it gives back."""

import mmap
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from slowpath.core.db_sessions import WriteSession
from slowpath.core.ids import ArtifactId
from slowpath_worker.decode_helper import DecodeHelper
from slowpath_worker.job_context import JobContext

Record = Callable[[WriteSession, ArtifactId], object]
"""Write down what was read, in the transaction that ends the job."""


@dataclass(frozen=True)
class OriginalFile:
    """The file as it came, on this machine, and a folder for what is made of it."""

    path: Path
    name: str
    sha256: str
    encoding: str
    facts: dict[str, Any]
    folder: Path


@dataclass(frozen=True)
class DecodedArtifact:
    """What a file turned out to be: the artifact's kind and summary, and what is to be written down."""

    kind: str
    summary: dict[str, Any]
    record: Record
    build: Mapping[str, Any] = field(default_factory=dict)
    """Build information of the file, as values of build columns."""
    keeps_original: bool = True
    """Whether the bytes are worth their room once they were read."""


Reader = Callable[[OriginalFile, DecodeHelper, JobContext], DecodedArtifact]
"""Decode, check, store the blobs; nothing is written to the database yet."""


def mapped(path: Path) -> memoryview:
    """Return a file's bytes without reading them all."""
    with path.open("rb") as file:
        return memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
