"""Input and output types of readers."""

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
"""Records the decoded artifact in the transaction that ends the job."""


@dataclass(frozen=True)
class OriginalFile:
    """The original file on this machine, and a folder for decoded files."""

    path: Path
    name: str
    sha256: str
    encoding: str
    facts: dict[str, Any]
    folder: Path


@dataclass(frozen=True)
class DecodedArtifact:
    """Result of a reader: the artifact's kind and summary, and the function that records it."""

    kind: str
    summary: dict[str, Any]
    record: Record
    build: Mapping[str, Any] = field(default_factory=dict)
    """Build information of the file, as values of build columns."""
    keeps_original: bool = True
    """Whether the original file is stored after decoding."""
    stored_hashes: tuple[str, ...] = ()
    """Hashes of further files whose bytes were stored, to be deleted if the artifact is not recorded."""


Reader = Callable[[OriginalFile, DecodeHelper, JobContext], DecodedArtifact]
"""Decodes and validates a file and stores its blobs; `Record` writes to the database later."""


def mapped(path: Path) -> memoryview:
    """Map a file into memory."""
    with path.open("rb") as file:
        return memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
