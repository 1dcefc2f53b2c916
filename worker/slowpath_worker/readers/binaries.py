"""Reader of Go programs: stores their build information and functions."""

from datetime import datetime
from typing import Any

from slowpath.analysis.formats.column_file import read_columns
from slowpath.analysis.formats.executable_header import EXECUTABLE_FORMAT, parse_executable_header
from slowpath.analysis.kinds.registry import BINARY
from slowpath.core.db_sessions import WriteSession
from slowpath.core.ids import ArtifactId
from slowpath.evidence.executables import service as executables
from slowpath_worker.decode_helper import DecodeHelper, InvalidArtifact
from slowpath_worker.decode_limits import DecodeLimits
from slowpath_worker.job_context import JobContext
from slowpath_worker.readers.reader_types import DecodedArtifact, OriginalFile, Record

FLAGS = ("-race", "-tags", "-gcflags", "GOEXPERIMENT")
"""Settings that change the binary built from the same sources."""


def read_binary(original: OriginalFile, helper: DecodeHelper, context: JobContext) -> DecodedArtifact:
    """Read Go version, modules, settings and build IDs, and decode the functions of a Linux executable."""
    if original.encoding != "plain":
        raise InvalidArtifact(
            "Compressed programs are not supported.", slug="packed-binary", remedy="Decompress the program first."
        )
    built = helper.buildinfo(original.path)
    record, functions, unread = _store_functions(original, helper, context)
    settings = built["settings"]
    summary = {name: built[name] for name in ("go_version", "path", "module", "version", "go_build_id", "gnu_build_id")}
    summary |= {
        "modules": len(built["modules"]) + built["modules_cut"],
        "settings": settings,
        "functions": functions,
        "warnings": [*_warnings(built), *unread],
    }
    build = {
        "go_version": built["go_version"],
        "goos": settings.get("GOOS", ""),
        "goarch": settings.get("GOARCH", ""),
        "flags": " ".join(f"{flag}={settings[flag]}" for flag in FLAGS if settings.get(flag))[:200],
        "dependencies": built["modules"],
        "committed_at": _time(settings.get("vcs.time")),
    }
    return DecodedArtifact(BINARY.id, summary, record, build)


def _store_functions(
    original: OriginalFile, helper: DecodeHelper, context: JobContext
) -> tuple[Record, int | None, list[str]]:
    """Store functions, inline trees and calls; of other formats and versions of Go, return a warning instead."""
    out = original.folder / "columns"
    limits = DecodeLimits.for_file(original.path, original.encoding, context.settings)
    try:
        helper.decode(BINARY, original.path, out, limits)
    except InvalidArtifact as error:
        return lambda _session, _artifact_id: None, None, [f"Its functions are not read. {error.detail}"]
    context.progress("storing", 0.9)
    header = parse_executable_header(read_columns(out.read_bytes(), EXECUTABLE_FORMAT).header)
    key = executables.columns_key(context.team_id, original.sha256)
    size = out.stat().st_size
    context.blobs.put(key, out)

    def record(session: WriteSession, artifact_id: ArtifactId) -> None:
        executables.record(session, artifact_id, header, key, size)

    damaged = [f"The tables of {header.damaged} functions are damaged."] if header.damaged else []
    return record, header.functions, damaged


def _warnings(built: dict[str, Any]) -> list[str]:
    warnings = []
    if built["settings"].get("vcs.modified") == "true":
        warnings.append("The program was built with uncommitted changes.")
    if built["modules_cut"]:
        warnings.append(f"{built['modules_cut']} of its modules are omitted.")
    return warnings


def _time(text: str | None) -> datetime | None:
    try:
        when = datetime.fromisoformat(text) if text else None
    except ValueError:
        return None
    return when if when is not None and when.tzinfo is not None and 1970 <= when.year < 2200 else None
