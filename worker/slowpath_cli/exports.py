"""`slowpath admin check-export FILE`: is an export of a team whole? Needs no server, and unpacks nothing to disk."""

import argparse
import hashlib
import json
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

FORMAT = "slowpath.team-export/1"
PIECE_BYTES = 1 << 20
MOST_MANIFEST_BYTES = 16 << 20


class NotWhole(Exception):
    """Something is missing or is not what the manifest says; the text says what."""


def add_arguments(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Declare the command."""
    check = commands.add_parser("check-export", help="check that an export of a team's data is whole")
    check.add_argument("file", type=Path, help="the zip file")
    check.set_defaults(admin=_run)


def _run(options: argparse.Namespace) -> int:
    try:
        tables, rows, originals = check_export(options.file)
    except (NotWhole, zipfile.BadZipFile, OSError, ValueError, KeyError) as error:
        print(f"slowpath: {options.file} is not whole: {error}", file=sys.stderr)
        return 1
    print(f"whole: {tables} tables with {rows} rows, {originals} originals")
    return 0


def check_export(path: Path) -> tuple[int, int, int]:
    """Return how many tables, rows and originals an export holds. Raises `NotWhole`, `BadZipFile`, `ValueError`."""
    with zipfile.ZipFile(path) as archive:
        info = archive.getinfo("manifest.json")
        if info.file_size > MOST_MANIFEST_BYTES:
            raise NotWhole("the manifest is too large")
        manifest: dict[str, Any] = json.loads(archive.read(info))
        if manifest.get("format") != FORMAT:
            raise NotWhole(f"its format is {manifest.get('format')!r}, not {FORMAT}")
        entries = [*manifest["tables"], manifest["people"], manifest["originals"], manifest["reports"]]
        for entry in entries:
            _same(archive, entry["file"], entry["sha256"], entry["rows"])
        found = 0
        for line in _lines(archive, "originals.jsonl"):
            told = json.loads(line)
            if not told.get("missing"):
                _same(archive, f"originals/{told['sha256']}", told["sha256"], None)
                found += 1
        for line in _lines(archive, "reports.jsonl"):
            told = json.loads(line)
            _same(archive, told["file"], told["sha256"], None)
        if found != manifest["originals"]["files"]:
            raise NotWhole(f"{manifest['originals']['files']} originals are told of, {found} are there")
        return len(manifest["tables"]), sum(entry["rows"] for entry in manifest["tables"]), found


def _same(archive: zipfile.ZipFile, name: str, sha256: str, rows: int | None) -> None:
    digest, lines = hashlib.sha256(), 0
    with archive.open(name) as member:
        while piece := member.read(PIECE_BYTES):
            digest.update(piece)
            lines += piece.count(b"\n")
    if digest.hexdigest() != sha256:
        raise NotWhole(f"{name} is not what it was")
    if rows is not None and lines != rows:
        raise NotWhole(f"{name} has {lines} rows, not {rows}")


def _lines(archive: zipfile.ZipFile, name: str) -> Iterator[bytes]:
    with archive.open(name) as member:
        yield from member
