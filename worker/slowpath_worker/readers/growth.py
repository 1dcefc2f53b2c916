"""Reader of stack-growth logs: stores their stacks as the columns of a profile, and a row of counts."""

from slowpath.analysis.kinds.growth_logs.growth_table import GrowthTable
from slowpath.analysis.kinds.registry import STACK_GROWTH
from slowpath.core.db_sessions import WriteSession
from slowpath.core.ids import ArtifactId
from slowpath.evidence.growth_logs import service as growth
from slowpath.evidence.profiles.service import profiles
from slowpath_worker.decode_helper import DecodeHelper
from slowpath_worker.decode_limits import DecodeLimits
from slowpath_worker.job_context import JobContext
from slowpath_worker.readers.profiles import checked_header
from slowpath_worker.readers.reader_types import DecodedArtifact, OriginalFile, mapped


def read_growth(original: OriginalFile, helper: DecodeHelper, context: JobContext) -> DecodedArtifact:
    """Decode a stack-growth log in any supported format."""
    out = original.folder / "columns"
    helper.decode(
        STACK_GROWTH, original.path, out, DecodeLimits.for_file(original.path, original.encoding, context.settings)
    )
    context.progress("storing", 0.9)
    header = checked_header(out)
    table = GrowthTable.parse(mapped(out))
    key = profiles.columns_key(context.team_id, original.sha256)
    size = out.stat().st_size
    context.blobs.put(key, out)

    def record(session: WriteSession, artifact_id: ArtifactId) -> None:
        profiles.record(session, artifact_id, header, key, size)
        growth.record_growth_log(session, artifact_id, table, key)

    return DecodedArtifact(STACK_GROWTH.id, growth.summary(table), record)
