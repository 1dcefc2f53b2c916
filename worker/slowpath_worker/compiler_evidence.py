"""What the compiler did differently in the two builds of a comparison, if executables of both are stored."""

from contextlib import ExitStack
from pathlib import Path

from slowpath.analysis.comparison.comparison_document import ComparisonDocument
from slowpath.analysis.comparison.compiler_findings import (
    CompilerSection,
    make_compiler_section,
    profile_kind_of,
    regressed_functions,
)
from slowpath.analysis.kinds.comparison_sides import ComparisonSide
from slowpath.analysis.kinds.registry import BINARY, PROFILE
from slowpath.core.db_sessions import ReadSession
from slowpath.core.ids import ArtifactId, BlobKey, ComparisonId
from slowpath.evidence.executables import service as executables
from slowpath.evidence.kind_registry import columns_keys
from slowpath.verdicts.comparisons.rules import Side
from slowpath.verdicts.comparisons.service import comparisons
from slowpath_worker.comparison_inputs import LoadedSides, StoredSides
from slowpath_worker.decode_helper import DecodeHelper, InvalidArtifact
from slowpath_worker.job_context import JobContext


def compare_stored_binaries(
    context: JobContext,
    comparison_id: ComparisonId,
    stored: StoredSides,
    sides: LoadedSides,
    document: ComparisonDocument,
) -> CompilerSection | None:
    """Compare the executables of both sides on the stacks of their profiles; None without both, or if they cannot be."""
    with context.reading() as session:
        programs = {
            Side.BASE: _find_executable(session, comparison_id, Side.BASE, sides.base),
            Side.CANDIDATE: _find_executable(session, comparison_id, Side.CANDIDATE, sides.candidate),
        }
    profiles = stored.columns.get(PROFILE.id, ())
    with ExitStack() as stack:
        binaries = {side: stack.enter_context(context.blobs.local(key)) for side, key in programs.items() if key}
        if len(binaries) < len(Side) or not profiles:
            return None
        context.progress("comparing executables", 0.6)
        paths: dict[Side, list[Path]] = {side: [] for side in Side}
        for each in profiles:
            paths[each.side].append(stack.enter_context(context.blobs.local(each.key)))
        kind = profile_kind_of(document.findings, [each.kind for each in document.profile_kinds])
        helper = DecodeHelper(context.settings, context.check)
        try:
            report = helper.compare_binaries(
                (binaries[Side.BASE], binaries[Side.CANDIDATE]),
                (paths[Side.BASE], paths[Side.CANDIDATE]),
                kind,
                regressed_functions(document.findings),
            )
        except InvalidArtifact:
            return None  # for different architectures: the conditions of the comparison state that
    return make_compiler_section(report, document.findings)


def _find_executable(
    session: ReadSession, comparison_id: ComparisonId, side: Side, loaded: ComparisonSide
) -> BlobKey | None:
    """Return the columns of the executable with a build ID of the profiles, else of one among the artifacts of the side."""
    build_ids = {profile.facts.build_id or "" for profile in loaded.profiles}
    build_ids |= {build_id for profile in loaded.profiles for build_id in profile.table.build_ids[:1]}
    matched = executables.list_by_build_ids(session, build_ids)
    if matched:
        return BlobKey(matched[0].columns_key)
    artifacts = [
        ArtifactId(each.artifact.id)
        for each in comparisons.list_side_artifacts(session, comparison_id)
        if each.side == side
    ]
    keys = columns_keys(session, artifacts)
    return next((key for each in artifacts for kind, key in keys[each] if kind is BINARY), None)
