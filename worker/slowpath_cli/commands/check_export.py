"""`slowpath admin verify-export FILE`: verify that a team export is complete. Needs no server and no disk space."""

import argparse
import hashlib
import json
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from slowpath_cli.core.renamed_options import warn_renamed

FORMAT = "slowpath.team-export/1"
PIECE_BYTES = 1 << 20
MAX_MANIFEST_BYTES = 16 << 20


class IncompleteExport(Exception):
    """A file is missing or differs from the manifest."""


def add_arguments(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Declare the command."""
    verify = commands.add_parser("verify-export", help="verify that a team export is complete")
    former = commands.add_parser("check-export")
    for parser, run in ((verify, _run), (former, _run_former)):
        parser.add_argument("file", type=Path, help="the zip file")
        parser.set_defaults(admin=run)


def _run_former(options: argparse.Namespace) -> int:
    warn_renamed("admin check-export", "admin verify-export")
    return _run(options)


def _run(options: argparse.Namespace) -> int:
    try:
        tables, rows, originals = verify_export(options.file)
    except (IncompleteExport, zipfile.BadZipFile, OSError, ValueError, KeyError) as error:
        print(f"slowpath: {options.file} is incomplete: {error}", file=sys.stderr)
        return 1
    print(f"complete: {tables} tables with {rows} rows, {originals} originals")
    return 0


def verify_export(path: Path) -> tuple[int, int, int]:
    """Verify an export and return its numbers of tables, rows and originals.

    Raises `IncompleteExport`, `BadZipFile`, `ValueError`.
    """
    with zipfile.ZipFile(path) as archive:
        info = archive.getinfo("manifest.json")
        if info.file_size > MAX_MANIFEST_BYTES:
            raise IncompleteExport(f"the manifest has {info.file_size:,} bytes, the limit is {MAX_MANIFEST_BYTES:,}")
        manifest: dict[str, Any] = json.loads(archive.read(info))
        if manifest.get("format") != FORMAT:
            raise IncompleteExport(f"the format is {manifest.get('format')!r}, not {FORMAT}")
        entries = [*manifest["tables"], manifest["people"], manifest["originals"], manifest["reports"]]
        for entry in entries:
            _require_content(archive, entry["file"], entry["sha256"], entry["rows"])
        found = 0
        for line in _lines(archive, "originals.jsonl"):
            row = json.loads(line)
            if not row.get("missing"):
                _require_content(archive, f"originals/{row['sha256']}", row["sha256"], None)
                found += 1
        for line in _lines(archive, "reports.jsonl"):
            row = json.loads(line)
            _require_content(archive, row["file"], row["sha256"], None)
        if found != manifest["originals"]["files"]:
            raise IncompleteExport(f"{manifest['originals']['files']} originals are listed, {found} are present")
        return len(manifest["tables"]), sum(entry["rows"] for entry in manifest["tables"]), found


def _require_content(archive: zipfile.ZipFile, name: str, sha256: str, rows: int | None) -> None:
    digest, lines = hashlib.sha256(), 0
    with archive.open(name) as member:
        while piece := member.read(PIECE_BYTES):
            digest.update(piece)
            lines += piece.count(b"\n")
    if digest.hexdigest() != sha256:
        raise IncompleteExport(f"{name} does not match its checksum")
    if rows is not None and lines != rows:
        raise IncompleteExport(f"{name} has {lines} rows, not {rows}")


def _lines(archive: zipfile.ZipFile, name: str) -> Iterator[bytes]:
    with archive.open(name) as member:
        yield from member
