"""Where a set goes: a folder, or a server."""

import json
import os
import uuid
from pathlib import Path
from typing import Protocol

from slowpath.analysis.facts import Facts
from slowpath_cli.collecting.errors import BadRequest, CollectError, WouldOverwrite
from slowpath_cli.collecting.server import Server

SIDECAR = ".facts.json"


class Sink(Protocol):
    """Takes the files of a set as they come; each is safe once `put` has returned."""

    def prepare(self, names: list[str]) -> None:
        """Find out now what would stop us later. Raises the errors of this package."""

    def put(self, name: str, body: bytes, facts: Facts) -> None:
        """Keep one file with its facts."""

    def where(self) -> str:
        """Where the set is, in words for a person."""


class FolderSink:
    """Writes files and their facts side by side; never over what is there."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def prepare(self, names: list[str]) -> None:
        """Make the folder. Refuses when any of the names is taken."""
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise BadRequest(f"{self._folder} cannot be made: {error.strerror}.") from error
        taken = [name for name in names for path in (name, name + SIDECAR) if (self._folder / path).exists()]
        if taken:
            more = f" (and {len(set(taken)) - 1} more)" if len(set(taken)) > 1 else ""
            raise WouldOverwrite(
                f"{self._folder / taken[0]} exists{more}: nothing is overwritten. Choose another --out."
            )

    def put(self, name: str, body: bytes, facts: Facts) -> None:
        """Write the facts first, then the file: a file that is there has its facts."""
        text = json.dumps(facts.to_json(), indent=2, ensure_ascii=False) + "\n"
        self._write(name + SIDECAR, text.encode())
        self._write(name, body)

    def where(self) -> str:
        """The folder."""
        return str(self._folder)

    def _write(self, name: str, body: bytes) -> None:
        """Write whole or not at all: a broken-off write leaves a hidden file, which nothing reads."""
        path, part = self._folder / name, self._folder / f".{name}.part"
        try:
            part.write_bytes(body)
            os.link(part, path)  # unlike a rename, this fails when the name is taken
        except FileExistsError as error:
            raise WouldOverwrite(f"{path} exists meanwhile: it stays as it is.") from error
        except OSError as error:
            raise CollectError(f"{path} cannot be written: {error.strerror}.") from error
        finally:
            part.unlink(missing_ok=True)


class ServerSink:
    """Sends each file to a server as soon as it is there; all of one set share a batch."""

    def __init__(self, server: Server, build_id: str | None = None) -> None:
        self._server = server
        self._build_id = build_id
        self._batch = str(uuid.uuid4())
        self.artifact_ids: list[str] = []

    def prepare(self, names: list[str]) -> None:
        """Ask the server whether it would take our files, before minutes are spent on recording."""
        del names
        self._server.check()

    def put(self, name: str, body: bytes, facts: Facts) -> None:
        """Upload one file."""
        self.artifact_ids.append(
            self._server.put(name, body, facts.to_json(), batch=self._batch, build_id=self._build_id)
        )

    def where(self) -> str:
        """The server and the batch."""
        return f"{self._server.origin} (batch {self._batch})"
