"""Stream all data of a team as a zip archive, without storing it in memory or on disk.

Rows are read from one snapshot of the database, original files from the blob store; files deleted meanwhile are listed as
missing. Passwords, secrets, tokens and encrypted credentials are excluded.
"""

import base64
import hashlib
import json
import math
import re
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import date, datetime
from typing import IO, Any, Final, cast
from uuid import UUID

from sqlalchemy import Table

from slowpath.core.errors import NotFound
from slowpath.evidence.artifacts.service.artifact_ingest import original_key
from slowpath.metadata import METADATA
from slowpath.operations.retention.rules import BlobFolder
from slowpath.operations.retention.service import export_contents
from slowpath_worker.job_context import JobContext

FORMAT: Final = "slowpath.team-export/1"
CHUNK_BYTES: Final = 1 << 20
TABLES_SHARE: Final = 0.2
"""Share of the progress: rows are small compared with original files."""

SECRET: Final = re.compile(r"secret|encrypted|password|callback_hash")
"""Columns with these words in their names are excluded."""
EXCLUDED_TABLES: Final = frozenset({"job", "idempotent_request", "team_export"})
"""Tables with operational data."""

README: Final = """All data of one team of Slowpath.

manifest.json      contents: the tables with their columns, rows and SHA-256, and the number of original files
tables/NAME.jsonl  the rows of each table, one JSON object per line; bytes as {"base64": ...}
people.jsonl       names of users by ID
originals/SHA256   every uploaded file as received, named by its SHA-256
originals.jsonl    names and sizes of the original files, and which are missing
reports/           the snapshots of reports, listed in reports.jsonl

Passwords, secrets of tokens and links, and encrypted credentials are not included.
To verify the archive: slowpath admin verify-export FILE
"""


class _ChunkBuffer:
    """A write-only file that buffers written bytes until `take`."""

    def __init__(self) -> None:
        self._pieces: list[bytes] = []
        self.size = 0
        self.total = 0
        self.hash = hashlib.sha256()

    def write(self, content: bytes) -> int:
        self._pieces.append(bytes(content))
        self.size += len(content)
        return len(content)

    def flush(self) -> None:
        """Do nothing."""

    def take(self) -> bytes:
        taken = b"".join(self._pieces)
        self._pieces, self.size = [], 0
        self.total += len(taken)
        self.hash.update(taken)
        return taken


class TeamArchive:
    """The archive of the context's team. `pieces` can be iterated once; the counts are set afterwards."""

    def __init__(self, context: JobContext) -> None:
        """Prepare the archive; nothing is read yet."""
        self._context = context
        self._pipe = _ChunkBuffer()
        self._zip = zipfile.ZipFile(cast("IO[bytes]", self._pipe), "w", zipfile.ZIP_DEFLATED, allowZip64=True)
        self.files = 0
        self.missing = 0

    @property
    def size_bytes(self) -> int:
        """Return the size of the archive."""
        return self._pipe.total

    @property
    def sha256(self) -> str:
        """Return the SHA-256 of the archive."""
        return self._pipe.hash.hexdigest()

    def pieces(self) -> Iterator[bytes]:
        """Yield the archive in chunks. Raises like `JobContext.check`, and `Unavailable`."""
        yield from self._put("README.txt", [README.encode()], {})
        entries: list[dict[str, Any]] = []
        tables = taken_tables()
        with self._context.snapshot() as session:
            team = export_contents.team(session)
            for number, table in enumerate(tables):
                self._context.progress(f"rows of {table.name}", TABLES_SHARE * number / len(tables))
                names = [column.name for column in table.columns if SECRET.search(column.name) is None]
                entry: dict[str, Any] = {"name": table.name, "columns": names}
                lines = (
                    _line(dict(zip(names, row, strict=True))) for row in export_contents.rows(session, table, names)
                )
                yield from self._put(f"tables/{table.name}.jsonl", lines, entry)
                entries.append(entry)
            people: dict[str, Any] = {"name": "people"}
            yield from self._put("people.jsonl", map(_line, export_contents.people(session)), people)
            total = max(export_contents.bytes_of_originals(session), 1)
            originals: dict[str, Any] = {"name": "originals"}
            listed: list[bytes] = []
            for sha256, name, size in export_contents.originals(session):
                yield from self._original(sha256, name, size, total, listed)
        yield from self._put("originals.jsonl", listed, originals)
        reports: dict[str, Any] = {"name": "reports"}
        recorded: list[bytes] = []
        yield from self._reports(recorded)
        yield from self._put("reports.jsonl", recorded, reports)
        manifest = {
            "format": FORMAT,
            "team": team,
            "tables": entries,
            "people": people,
            "originals": {**originals, "files": self.files, "missing": self.missing},
            "reports": reports,
        }
        yield from self._put("manifest.json", [json.dumps(manifest, indent=1).encode()], {})
        self._zip.close()
        yield self._pipe.take()

    def _original(self, sha256: str, name: str, size: int, total: int, listed: list[bytes]) -> Iterator[bytes]:
        done = self._pipe.total / total
        self._context.progress("originals", min(TABLES_SHARE + (1 - TABLES_SHARE) * done, 0.99))
        try:
            content = self._context.blobs.stream(original_key(self._context.team_id, sha256))
        except NotFound:
            self.missing += 1
            listed.append(_line({"sha256": sha256, "name": name, "size_bytes": size, "missing": True}))
            return
        self.files += 1
        listed.append(_line({"sha256": sha256, "name": name, "size_bytes": size}))
        yield from self._put(f"originals/{sha256}", content, {}, packed=False)

    def _reports(self, recorded: list[bytes]) -> Iterator[bytes]:
        """Write the snapshots of reports; bundles of share links are derived from them and are excluded."""
        for page in self._context.blobs.listed(f"{self._context.team_id}/{BlobFolder.REPORTS}"):
            for blob in page:
                name = blob.key.split("/", 1)[1]
                if "/shared/" in name:
                    continue
                self._context.check()
                try:
                    content = self._context.blobs.stream(blob.key)
                except NotFound:
                    continue  # the report was deleted meanwhile
                entry: dict[str, Any] = {}
                yield from self._put(name, content, entry, packed=False)
                recorded.append(_line({"file": name, "sha256": entry["sha256"]}))

    def _put(
        self, name: str, content: Iterable[bytes], entry: dict[str, Any], *, packed: bool = True
    ) -> Iterator[bytes]:
        """Write a member and yield full chunks; set its file name, rows and hash in `entry`."""
        info = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
        info.compress_type = zipfile.ZIP_DEFLATED if packed else zipfile.ZIP_STORED
        digest, lines = hashlib.sha256(), 0
        with self._zip.open(info, "w", force_zip64=True) as member:
            for piece in content:
                member.write(piece)
                digest.update(piece)
                lines += 1
                if self._pipe.size >= CHUNK_BYTES:
                    self._context.check()
                    yield self._pipe.take()
        entry |= {"file": name, "rows": lines, "sha256": digest.hexdigest()}


def taken_tables() -> list[Table]:
    """Return the exported tables, referenced ones first."""
    return [
        table
        for table in METADATA.sorted_tables
        if (table.name == "team" or "team_id" in table.columns) and table.name not in EXCLUDED_TABLES
    ]


def _line(row: Mapping[str, Any]) -> bytes:
    return json.dumps(_plain(row), ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def _plain(value: Any) -> Any:  # noqa: ANN401 - any value of a column
    """Return a value as JSON; non-finite numbers become strings."""
    if isinstance(value, Mapping):
        return {str(name): _plain(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(one) for one in value]
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    known: tuple[tuple[type | tuple[type, ...], Callable[[Any], Any]], ...] = (
        ((bytes, memoryview), lambda given: {"base64": base64.b64encode(bytes(given)).decode()}),
        ((datetime, date), lambda given: given.isoformat()),
        (UUID, str),
    )
    return next((turn(value) for kind, turn in known if isinstance(value, kind)), value)
