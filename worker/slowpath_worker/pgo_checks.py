"""Check an exported PGO profile against stored executables: its hot paths, and what an earlier PGO profile did to them."""

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from slowpath.analysis.comparison.compiler_report import CompilerReport
from slowpath.analysis.comparison.pgo_export_check import CheckedProgram, make_pgo_check
from slowpath.analysis.formats.document_json import dump_document
from slowpath.core.db_sessions import ReadSession
from slowpath.core.ids import ArtifactId, BlobKey, BuildId, ProfileSetId
from slowpath.evidence.artifacts.tables import Artifact
from slowpath.evidence.executables import service as executables
from slowpath.evidence.executables.tables import Executable
from slowpath.evidence.profiles.service import profile_sets
from slowpath_worker.decode_helper import DecodeHelper, InvalidArtifact
from slowpath_worker.job_context import JobContext
from slowpath_worker.profile_stack_sizes import SetExecutable, find_set_executable
from slowpath_worker.recorded_profiles import open_recorded

MOST_OF_A_BUILD: Final = 6
"""Most executables of the checked one's build that are read for one with another PGO profile."""
EVERY_FUNCTION: Final[Sequence[str]] = ()


@dataclass(frozen=True)
class StoredProgram:
    """An executable of a build: its name and the blob key of its columns."""

    name: str
    columns: BlobKey


@dataclass(frozen=True)
class PgoCheckInputs:
    """The executable to check against, if one is stored, and the others of its build, newest first."""

    set_id: ProfileSetId
    name: str
    executable: SetExecutable | None
    is_of_profiles: bool
    others: tuple[StoredProgram, ...]


def find_check_inputs(session: ReadSession, set_id: ProfileSetId) -> PgoCheckInputs:
    """Return what an export of a set is checked against: the executable of its profiles, else the newest of their service."""
    own = find_set_executable(session, set_id)
    rows = profile_sets.list_set_artifacts(session, set_id)
    builds = [BuildId(row.build_id) for row in rows if row.build_id is not None]
    if own is not None:
        found = _find_by_columns(session, own, builds)
    else:
        found = next(iter(executables.list_of_services(session, builds, 1)), None)
    if found is None:
        return PgoCheckInputs(set_id, "", None, is_of_profiles=False, others=())
    ids = tuple(ArtifactId(row.id) for row in rows)
    artifact = session.get(Artifact, (session.team_id, found.id))
    build_id = artifact.build_id if artifact is not None else None
    of_build = executables.list_by_builds(session, [BuildId(build_id)]) if build_id is not None else ()
    others = tuple(
        StoredProgram(_name_of(session, each), BlobKey(each.columns_key))
        for each in of_build[:MOST_OF_A_BUILD]
        if each.columns_key != found.columns_key and each.arch == found.arch
    )
    executable = SetExecutable(BlobKey(found.columns_key), found.build_id, ids)
    return PgoCheckInputs(set_id, _name_of(session, found), executable, is_of_profiles=own is not None, others=others)


def _find_by_columns(session: ReadSession, own: SetExecutable, builds: Sequence[BuildId]) -> Executable | None:
    found = [*executables.list_by_build_ids(session, [own.build_id]), *executables.list_by_builds(session, builds)]
    return next((each for each in found if each.columns_key == own.columns), None)


def _name_of(session: ReadSession, executable: Executable) -> str:
    artifact = session.get(Artifact, (session.team_id, executable.id))
    return artifact.name if artifact is not None else "an executable"


def write_pgo_check(
    context: JobContext, inputs: PgoCheckInputs | None, columns: Sequence[Path], kind: str, out: Path
) -> None:
    """Write the check of an export as JSON; one without an executable states that nothing was checked."""
    checked = report = earlier = None
    assert inputs is not None
    if inputs.executable is not None:
        helper = DecodeHelper(context.settings, context.check)
        with ExitStack() as stack:
            program = stack.enter_context(context.blobs.local(inputs.executable.columns))
            artifact_ids = inputs.executable.artifact_ids if inputs.is_of_profiles else ()
            recorded = open_recorded(context, stack, inputs.executable.build_id, kind, artifact_ids)
            report = helper.stack_sizes(program, columns, kind, recorded)
            build = report["build"]
            checked = CheckedProgram(
                inputs.name, build["go"], build["arch"], build["build_id"], build["pgo"], inputs.is_of_profiles
            )
            others = [(each, stack.enter_context(context.blobs.local(each.columns))) for each in inputs.others]
            earlier = _compare_earlier(helper, (program, build["pgo"]), [path for _, path in others], columns, kind)
    server = context.settings.public_url
    check = make_pgo_check(checked, report, earlier, set_id=str(inputs.set_id), server=server)
    out.write_text(dump_document(check), "utf-8")


def _compare_earlier(
    helper: DecodeHelper, program: tuple[Path, str | None], others: Sequence[Path], columns: Sequence[Path], kind: str
) -> CompilerReport | None:
    """Compare the program with the newest of its build that differs only in PGO; the base is the one without a profile."""
    path, pgo = program
    for other in others:
        pair = (path, other) if pgo is None else (other, path)
        try:
            report = helper.compare_binaries(pair, (columns, columns), kind, EVERY_FUNCTION)
        except InvalidArtifact:
            continue
        if report["only_pgo"] and report["base"]["pgo"] is None and report["candidate"]["pgo"] is not None:
            return report
    return None
