"""What the hot paths of a profile set need of the stack, by the executable that its profiles are of."""

from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

from slowpath.analysis.comparison.stack_sizes import make_stack_sizes
from slowpath.analysis.formats.document_json import dump_document
from slowpath.core.db_sessions import ReadSession
from slowpath.core.ids import BlobKey, BuildId, ProfileSetId
from slowpath.evidence.executables import service as executables
from slowpath.evidence.profiles.errors import NoExecutable
from slowpath.evidence.profiles.service import profile_sets, profiles
from slowpath_worker.decode_helper import DecodeHelper
from slowpath_worker.job_context import JobContext


def find_set_executable(session: ReadSession, set_id: ProfileSetId) -> BlobKey | None:
    """Return the columns of the executable with a build ID of the profiles, else of one of their builds."""
    rows = profile_sets.list_set_artifacts(session, set_id)
    build_ids = {str(row.run_metadata.get("build_id") or "") for row in rows}
    build_ids |= profiles.list_build_ids(session, [row.id for row in rows])
    builds = [BuildId(row.build_id) for row in rows if row.build_id is not None]
    found = executables.list_by_build_ids(session, build_ids) or executables.list_by_builds(session, builds)
    return BlobKey(found[0].columns_key) if found else None


def write_stack_sizes(
    context: JobContext, executable: BlobKey | None, columns: Sequence[Path], kind: str, out: Path
) -> None:
    """Write the hot paths as JSON. Raises `NoExecutable`."""
    if executable is None:
        raise NoExecutable(
            "The executable of these profiles is not stored.",
            remedy="Upload the program as an artifact of the same build, or one with the build ID of the profiles.",
        )
    with ExitStack() as stack:
        program = stack.enter_context(context.blobs.local(executable))
        report = DecodeHelper(context.settings, context.check).stack_sizes(program, columns, kind)
    out.write_text(dump_document(make_stack_sizes(report)), "utf-8")
