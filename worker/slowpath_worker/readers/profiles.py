"""Reader of pprof files: stores their columns and a row that refers to them."""

from pathlib import Path
from typing import Any

from slowpath.analysis.formats.column_file import ColumnFileError
from slowpath.analysis.kinds.profiles.decoded.largest_labels import sum_largest_labels
from slowpath.analysis.kinds.profiles.decoded.profile_header import ProfileHeader, parse_profile_header
from slowpath.analysis.kinds.profiles.decoded.profile_table import ProfileTable, read_profile_columns
from slowpath.analysis.kinds.registry import PROFILE
from slowpath.core.errors import NotFound
from slowpath.core.ids import BlobKey
from slowpath.evidence.profiles.service import profiles
from slowpath_worker.decode_helper import DecodeHelper
from slowpath_worker.decode_limits import DecodeLimits
from slowpath_worker.job_context import JobContext
from slowpath_worker.readers.reader_types import DecodedArtifact, OriginalFile, mapped


def read_profile(original: OriginalFile, helper: DecodeHelper, context: JobContext) -> DecodedArtifact:
    """Decode a profile of any kind."""
    out = original.folder / "columns"
    helper.profile(
        original.path, original.name, out, DecodeLimits.for_file(original.path, original.encoding, context.settings)
    )
    context.progress("storing", 0.9)
    header, labels = _read_checked(out)
    key = profiles.columns_key(context.team_id, original.sha256)
    size = out.stat().st_size
    context.blobs.put(key, out)
    return _decoded(header, labels, key, size)


def read_already(sha256: str, context: JobContext) -> DecodedArtifact | None:
    """Return the result for a profile with the same bytes that the team decoded before, or None."""
    key = profiles.columns_key(context.team_id, sha256)
    try:
        with context.blobs.local(key) as columns:
            return _decoded(*_read_checked(columns), key, columns.stat().st_size)
    except (NotFound, ColumnFileError):
        return None


def _decoded(header: ProfileHeader, labels: dict[str, Any] | None, key: BlobKey, size: int) -> DecodedArtifact:
    return DecodedArtifact(
        kind=f"{PROFILE.id}.{header.kind}",
        summary=profiles.summary(header, labels),
        record=lambda session, artifact_id: profiles.record(session, artifact_id, header, key, size),
    )


def checked_header(path: Path) -> ProfileHeader:
    """Validate all columns of a decoded profile, which comparisons rely on, and return its header."""
    return _read_checked(path)[0]


def _read_checked(path: Path) -> tuple[ProfileHeader, dict[str, Any] | None]:
    """Validate all columns of a decoded profile; return its header, and the largest labels of a CPU profile."""
    columns = mapped(path)
    table = ProfileTable.parse(columns)
    header = parse_profile_header(read_profile_columns(columns).header)
    return header, sum_largest_labels(table) if header.kind == "cpu" else None
