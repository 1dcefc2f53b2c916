"""A pprof file becomes columns, and a row that says where they lie."""

from pathlib import Path
from typing import Any

from slowpath.analysis.columns import ColumnsError, read_columns
from slowpath.analysis.profiles.profile_table import ProfileTable
from slowpath.core.errors import NotFound
from slowpath.core.ids import BlobKey
from slowpath.profiles import service as profiles
from slowpath_worker.context import Context
from slowpath_worker.decoding import DecodeHelper, Limits
from slowpath_worker.readers.reading import Decoded, Original, mapped


def read_profile(original: Original, helper: DecodeHelper, context: Context) -> Decoded:
    """Decode a profile of any kind."""
    out = original.folder / "columns"
    helper.profile(
        original.path, original.name, out, Limits.for_file(original.path, original.encoding, context.settings)
    )
    context.progress("storing", 0.9)
    header = checked_header(out)
    key = profiles.columns_key(context.team_id, original.sha256)
    size = out.stat().st_size
    context.blobs.put(key, out)
    return _decoded(header, key, size)


def read_already(sha256: str, context: Context) -> Decoded | None:
    """Return what was made of the same bytes before, if they are a profile that the team had decoded."""
    key = profiles.columns_key(context.team_id, sha256)
    try:
        with context.blobs.local(key) as columns:
            return _decoded(checked_header(columns), key, columns.stat().st_size)
    except (NotFound, ColumnsError):
        return None


def _decoded(header: dict[str, Any], key: BlobKey, size: int) -> Decoded:
    return Decoded(
        kind=f"profile.{header['kind']}",
        summary=profiles.summary(header),
        record=lambda session, artifact_id: profiles.record(session, artifact_id, header, key, size),
    )


def checked_header(path: Path) -> dict[str, Any]:
    """Return the header of a decoded profile, having looked at all its columns: comparisons then trust them."""
    columns = mapped(path)
    ProfileTable.parse(columns)
    return dict(read_columns(columns, "slowpath.profile").header)
