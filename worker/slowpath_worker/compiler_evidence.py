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
from slowpath.analysis.kinds.registry import PROFILE
from slowpath.core.ids import ArtifactId, BlobKey, ComparisonId
from slowpath.evidence.executables.service import find_pgo_sha256
from slowpath.verdicts.comparisons.rules import Side
from slowpath.verdicts.compiler_evidence.service.side_executables import find_side_executables
from slowpath_worker.comparison_inputs import StoredSides
from slowpath_worker.decode_helper import DecodeHelper, InvalidArtifact
from slowpath_worker.job_context import JobContext
from slowpath_worker.recorded_profiles import open_recorded


def compare_stored_binaries(
    context: JobContext,
    comparison_id: ComparisonId,
    stored: StoredSides,
    document: ComparisonDocument,
) -> CompilerSection | None:
    """Compare the executables of both sides on the stacks of their profiles; None without both, or if they cannot be."""
    with context.reading() as session:
        found = find_side_executables(session, comparison_id)
        programs = {side: BlobKey(executable.columns_key) for side, executable in found.items()}
        build_ids = {side: executable.build_id for side, executable in found.items()}
        pgo = {side: find_pgo_sha256(session, ArtifactId(executable.id)) for side, executable in found.items()}
    profiles = stored.columns.get(PROFILE.id, ())
    with ExitStack() as stack:
        binaries = {side: stack.enter_context(context.blobs.local(key)) for side, key in programs.items()}
        if len(binaries) < len(Side) or not profiles:
            return None
        context.progress("comparing executables", 0.6)
        paths: dict[Side, list[Path]] = {side: [] for side in Side}
        for each in profiles:
            paths[each.side].append(stack.enter_context(context.blobs.local(each.key)))
        kind = profile_kind_of(document.findings, [each.kind for each in document.profile_kinds])
        recorded: dict[Side, list[Path]] = {}
        for side, build_id in build_ids.items():
            of_side = [each.artifact_id for each in profiles if each.side == side]
            recorded[side] = open_recorded(context, stack, build_id, kind, of_side)
        helper = DecodeHelper(context.settings, context.check)
        try:
            report = helper.compare_binaries(
                (binaries[Side.BASE], binaries[Side.CANDIDATE]),
                (paths[Side.BASE], paths[Side.CANDIDATE]),
                kind,
                regressed_functions(document.findings),
                (recorded[Side.BASE], recorded[Side.CANDIDATE]),
                pgo_sha256=(pgo[Side.BASE], pgo[Side.CANDIDATE]),
            )
        except InvalidArtifact:
            return None  # for different architectures: the conditions of the comparison state that
    return make_compiler_section(report, document.findings)
