"""A stack-growth log becomes the columns of a profile (its stacks are drawn like any other), and a row of counts."""

from slowpath.analysis.growth.growth_table import GrowthTable
from slowpath.core.ids import ArtifactId
from slowpath.core.sessions import WriteSession
from slowpath.growth import service as growth
from slowpath.profiles import service as profiles
from slowpath_worker.context import Context
from slowpath_worker.decoding import DecodeHelper, Limits
from slowpath_worker.readers.profiles import checked_header
from slowpath_worker.readers.reading import Decoded, Original, mapped


def read_growth(original: Original, helper: DecodeHelper, context: Context) -> Decoded:
    """Decode a stack-growth log of any dialect."""
    out = original.folder / "columns"
    helper.growth(original.path, out, Limits.for_file(original.path, original.encoding, context.settings))
    context.progress("storing", 0.9)
    header = checked_header(out)
    counted = header["growth"]
    GrowthTable.parse(mapped(out))
    key = profiles.columns_key(context.team_id, original.sha256)
    size = out.stat().st_size
    context.blobs.put(key, out)

    def record(session: WriteSession, artifact_id: ArtifactId) -> None:
        profiles.record(session, artifact_id, header, key, size)
        growth.record(session, artifact_id, counted, key)

    return Decoded("growth", growth.summary(counted, header["warnings"]), record)
