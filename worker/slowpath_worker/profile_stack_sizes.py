"""What the hot paths of a profile set need of the stack, by the executable that its profiles are of."""

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from slowpath.analysis.comparison.stack_sizes import make_stack_sizes
from slowpath.analysis.formats.document_json import dump_document
from slowpath.core.db_sessions import ReadSession
from slowpath.core.ids import ArtifactId, BlobKey, BuildId, ProfileSetId
from slowpath.evidence.executables import service as executables
from slowpath.evidence.profiles.errors import NoExecutable
from slowpath.evidence.profiles.service import profile_sets, profiles
from slowpath_worker.decode_helper import DecodeHelper
from slowpath_worker.job_context import JobContext
from slowpath_worker.recorded_profiles import open_recorded


@dataclass(frozen=True)
class SetExecutable:
    """The executable of a profile set: its columns and build ID, and the set's artifacts."""

    columns: BlobKey
    build_id: str
    artifact_ids: tuple[ArtifactId, ...]


def find_set_executable(session: ReadSession, set_id: ProfileSetId) -> SetExecutable | None:
    """Return the executable with a build ID of the profiles, else of one of their builds."""
    rows = profile_sets.list_set_artifacts(session, set_id)
    build_ids = {str(row.run_metadata.get("build_id") or "") for row in rows}
    build_ids |= profiles.list_build_ids(session, [row.id for row in rows])
    builds = [BuildId(row.build_id) for row in rows if row.build_id is not None]
    found = executables.list_by_build_ids(session, build_ids) or executables.list_by_builds(session, builds)
    ids = tuple(ArtifactId(row.id) for row in rows)
    return SetExecutable(BlobKey(found[0].columns_key), found[0].build_id, ids) if found else None


def write_stack_sizes(
    context: JobContext,
    executable: SetExecutable | None,
    columns: Sequence[Path],
    kind: str,
    out: Path,
) -> None:
    """Write the hot paths as JSON, with the addresses of profiles of the executable. Raises `NoExecutable`."""
    if executable is None:
        raise NoExecutable(
            "The executable of these profiles is not stored.",
            remedy="Upload the program as an artifact of the same build, or one with the build ID of the profiles.",
        )
    with ExitStack() as stack:
        program = stack.enter_context(context.blobs.local(executable.columns))
        recorded = open_recorded(context, stack, executable.build_id, kind, executable.artifact_ids)
        report = DecodeHelper(context.settings, context.check).stack_sizes(program, columns, kind, recorded)
    out.write_text(dump_document(make_stack_sizes(report)), "utf-8")
