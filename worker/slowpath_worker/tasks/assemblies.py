"""Disassemble functions of stored executables."""

from contextlib import ExitStack
from pathlib import Path

from slowpath.core.db_sessions import WriteSession
from slowpath.core.ids import ArtifactId
from slowpath.evidence.artifacts.service import artifact_ingest, artifacts
from slowpath.verdicts.compiler_evidence.jobs import DisassembleFunction
from slowpath.verdicts.compiler_evidence.rules import AssemblyState
from slowpath.verdicts.compiler_evidence.service import assemblies
from slowpath_worker.decode_helper import DecodeHelper
from slowpath_worker.job_context import Cancelled, JobContext, JobFailure

__all__ = ["DisassembleFunction", "disassemble_function", "record_assembly_failure"]


def disassemble_function(job: DisassembleFunction, context: JobContext) -> None:
    """Disassemble the function in the uploaded executables, with the samples of the uploaded profiles."""
    with context.writing() as session:
        row = assemblies.get_assembly(session, job.assembly_id)
        row.state, row.problem = AssemblyState.RUNNING, None
        function = row.function
        programs = [
            artifacts.get_artifact(session, ArtifactId(each)).sha256
            for each in (row.executable_id, row.base_executable_id)
            if each is not None
        ]
        sources = assemblies.list_sources(session, row)
        profiles = [
            [each.sha256 for each in artifacts.get_artifacts(session, ids)]
            for ids in (sources.base_profiles, sources.candidate_profiles)
        ]

    context.progress("reading files", 0.1)
    with ExitStack() as stack:

        def original(sha256: str) -> Path:
            return stack.enter_context(context.blobs.local(artifact_ingest.original_key(context.team_id, sha256)))

        candidate, *base = map(original, programs)
        document = DecodeHelper(context.settings, context.check).assembly(
            function,
            (next(iter(base), None), candidate),
            ([original(each) for each in profiles[0]], [original(each) for each in profiles[1]]),
            sources.renames,
        )

    with context.finishing() as session:
        assemblies.record_document(assemblies.get_assembly(session, job.assembly_id), document, sources)


def record_assembly_failure(session: WriteSession, job: DisassembleFunction, failure: JobFailure) -> None:
    """Record on the assembly why it failed."""
    row = assemblies.get_assembly(session, job.assembly_id)
    row.state = AssemblyState.CANCELLED if isinstance(failure.error, Cancelled) else AssemblyState.FAILED
    row.problem = failure.problem
