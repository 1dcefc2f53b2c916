"""Destinations of collected artifacts: a folder or a server."""

import json
import os
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from slowpath.analysis.findings.run_metadata import RunMetadata
from slowpath_cli.collect.upload_client import UploadClient
from slowpath_cli.core.collect_errors import CollectError, FileExists, InvalidArgument
from slowpath_cli.core.sidecars import SIDECAR, SIDECARS


class Sink(Protocol):
    """Receives artifacts one by one; each is stored once `put` has returned."""

    def prepare(self, names: list[str]) -> None:
        """Check that `put` will work before recording starts. Raises `CollectError`."""

    def put(self, name: str, body: bytes, facts: RunMetadata) -> None:
        """Store one artifact with its run metadata."""

    def where(self) -> str:
        """Return the destination, for messages."""


class FolderSink:
    """Writes artifacts and their sidecars into a folder; never overwrites a file."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def prepare(self, names: list[str]) -> None:
        """Create the folder. Raises `FileExists` if one of the names exists."""
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InvalidArgument(f"{self._folder} cannot be created: {error.strerror}.") from error
        existing = [
            name
            for name in names
            for path in (name, *(name + suffix for suffix in SIDECARS))
            if (self._folder / path).exists()
        ]
        if existing:
            more = f" (and {len(set(existing)) - 1} more)" if len(set(existing)) > 1 else ""
            raise FileExists(
                f"{self._folder / existing[0]} exists{more}; existing files are not overwritten. Choose another folder with --out."
            )

    def put(self, name: str, body: bytes, facts: RunMetadata) -> None:
        """Write the sidecar first, then the artifact: an artifact always has its sidecar."""
        text = json.dumps(facts.to_json(), indent=2, ensure_ascii=False) + "\n"
        self._write(name + SIDECAR, text.encode())
        self._write(name, body)

    def where(self) -> str:
        """Return the folder."""
        return str(self._folder)

    def _write(self, name: str, body: bytes) -> None:
        """Write a file atomically; an interrupted write leaves a hidden file that is not read."""
        path, part = self._folder / name, self._folder / f".{name}.part"
        try:
            part.write_bytes(body)
            os.link(part, path)  # unlike a rename, this fails when the name is taken
        except FileExistsError as error:
            raise FileExists(f"{path} was created by another process and was not overwritten.") from error
        except OSError as error:
            raise CollectError(f"{path} cannot be written: {error.strerror}.") from error
        finally:
            part.unlink(missing_ok=True)


class ServerSink:
    """Uploads each artifact as soon as it is recorded; all of one set share a batch."""

    def __init__(self, server: UploadClient, find_build: Callable[[], str | None]) -> None:
        self._server = server
        self._find_build = find_build
        self._build_id: str | None = None
        self._batch = str(uuid.uuid4())
        self.artifact_ids: list[str] = []

    def prepare(self, names: list[str]) -> None:
        """Check that the server accepts uploads, and find the build of the files, before recording starts."""
        del names
        self._server.check()
        self._build_id = self._find_build()

    def put(self, name: str, body: bytes, facts: RunMetadata) -> None:
        """Upload one artifact."""
        self.artifact_ids.append(
            self._server.put(name, body, facts.to_json(), batch=self._batch, build_id=self._build_id)
        )

    def where(self) -> str:
        """Return the server and the batch."""
        return f"{self._server.origin} (batch {self._batch})"
