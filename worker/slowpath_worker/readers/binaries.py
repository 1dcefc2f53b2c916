"""Reader of Go programs: stores their build information, not their bytes."""

from datetime import datetime
from typing import Any

from slowpath.analysis.kinds.registry import BINARY
from slowpath_worker.decode_helper import DecodeHelper, InvalidArtifact
from slowpath_worker.job_context import JobContext
from slowpath_worker.readers.reader_types import DecodedArtifact, OriginalFile

FLAGS = ("-race", "-tags", "-gcflags", "GOEXPERIMENT")
"""Settings that change the binary built from the same sources."""


def read_binary(original: OriginalFile, helper: DecodeHelper, _context: JobContext) -> DecodedArtifact:
    """Read Go version, modules, settings and build IDs."""
    if original.encoding != "plain":
        raise InvalidArtifact(
            "Compressed programs are not supported.", slug="packed-binary", remedy="Decompress the program first."
        )
    built = helper.buildinfo(original.path)
    settings = built["settings"]
    summary = {name: built[name] for name in ("go_version", "path", "module", "version", "go_build_id", "gnu_build_id")}
    summary |= {
        "modules": len(built["modules"]) + built["modules_cut"],
        "settings": settings,
        "warnings": _warnings(built),
    }
    build = {
        "go_version": built["go_version"],
        "goos": settings.get("GOOS", ""),
        "goarch": settings.get("GOARCH", ""),
        "flags": " ".join(f"{flag}={settings[flag]}" for flag in FLAGS if settings.get(flag))[:200],
        "dependencies": built["modules"],
        "committed_at": _time(settings.get("vcs.time")),
    }
    return DecodedArtifact(BINARY.id, summary, lambda _session, _artifact_id: None, build, keeps_original=False)


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
