"""Request, record and find the assembly of functions."""

import hashlib
from collections.abc import Sequence
from uuid import UUID

from sqlalchemy import select

from slowpath.analysis.comparison.assembly_document import AssemblyDocument
from slowpath.core.db_sessions import ReadSession, WriteSession
from slowpath.core.ids import ArtifactId, AssemblyId, ComparisonId, new_id
from slowpath.core.jobs import JobRow, enqueue
from slowpath.evidence.artifacts.tables import Artifact
from slowpath.evidence.executables import service as executables
from slowpath.evidence.profiles.service import profiles
from slowpath.evidence.profiles.tables import Profile
from slowpath.inventory.catalog.service.get_or_insert import get_or_insert
from slowpath.verdicts.comparisons.rules import Side
from slowpath.verdicts.comparisons.service import comparison_results, comparisons
from slowpath.verdicts.compiler_evidence.errors import AssemblyNotFound, ExecutableNotFound
from slowpath.verdicts.compiler_evidence.jobs import DisassembleFunction
from slowpath.verdicts.compiler_evidence.read_models import AssemblySources
from slowpath.verdicts.compiler_evidence.rules import AssemblyState
from slowpath.verdicts.compiler_evidence.service.side_executables import find_side_executables
from slowpath.verdicts.compiler_evidence.tables import SOURCES_DIGEST, Assembly

MOST_PROFILES = 20
"""Profiles of a side that are read for samples."""
CPU = "cpu"


def request_of_comparison(session: WriteSession, comparison_id: ComparisonId, function: str) -> Assembly:
    """Enqueue the assembly of a function in both builds. Raises `ComparisonNotFound`, `ExecutableNotFound`."""
    found = find_side_executables(session, comparison_id)
    for side in Side:
        if side not in found:
            raise ExecutableNotFound(
                f"No executable of the {side} is stored.", remedy="Upload the Go program that the profiles are of."
            )
    return _request(session, found[Side.CANDIDATE].id, found[Side.BASE].id, comparison_id, function)


def request_of_executable(session: WriteSession, artifact_id: ArtifactId, function: str) -> Assembly:
    """Enqueue the assembly of a function in one executable; again if other profiles are of its build. Raises `NotFound`."""
    executable = executables.get_executable(session, artifact_id)
    return _request(session, executable.id, None, None, function)


def _request(
    session: WriteSession, executable_id: UUID, base_id: UUID | None, comparison_id: UUID | None, function: str
) -> Assembly:
    wanted = select(Assembly).where(
        Assembly.executable_id == executable_id,
        Assembly.base_executable_id.is_not_distinct_from(base_id),
        Assembly.comparison_id.is_not_distinct_from(comparison_id),
        Assembly.function == function,
    )
    new = Assembly(
        team_id=session.team_id,
        id=new_id(),
        executable_id=executable_id,
        base_executable_id=base_id,
        comparison_id=comparison_id,
        function=function,
        state=AssemblyState.WAITING,
        created_by=session.scope.user_id,
    )
    row, made = get_or_insert(session, new, lambda: session.scalar(wanted))
    is_outdated = row.state == AssemblyState.DONE and row.sources_digest() != digest_sources(list_sources(session, row))
    if made or is_outdated or row.state in (AssemblyState.FAILED, AssemblyState.CANCELLED):
        _enqueue(session, row)
    session.flush()  # the response needs the timestamp set by the database
    return row


def _enqueue(session: WriteSession, row: Assembly) -> None:
    row.state, row.problem = AssemblyState.WAITING, None
    row.job_id = enqueue(session, DisassembleFunction(AssemblyId(row.id)))


def get_assembly(session: ReadSession, assembly_id: AssemblyId) -> Assembly:
    """Return an assembly, by primary key. Raises `AssemblyNotFound`."""
    row = session.get(Assembly, (session.team_id, assembly_id))
    if row is None:
        raise AssemblyNotFound("The team has no assembly with this ID.")
    return row


def list_sampled_profiles(session: ReadSession, row: Assembly) -> dict[Side, Sequence[Artifact]]:
    """Return the profiles whose samples are added: CPU profiles of each side, else those of its first kind; at most 20.

    Without a comparison, those of the executable's build, the newest first.
    """
    if row.comparison_id is None:
        build_id = executables.get_executable(session, ArtifactId(row.executable_id)).build_id
        return {Side.BASE: [], Side.CANDIDATE: _list_of_build(session, build_id)}
    listed = comparisons.list_side_artifacts(session, ComparisonId(row.comparison_id))
    stored = select(Profile.id, Profile.kind).where(Profile.id.in_([each.artifact.id for each in listed]))
    kinds = dict(session.execute(stored).all())
    found: dict[Side, Sequence[Artifact]] = {}
    for side in Side:
        of_kinds = [each.artifact for each in listed if each.side == side and each.artifact.id in kinds]
        of_side = [kinds[each.id] for each in of_kinds]
        kind = CPU if CPU in of_side else next(iter(of_side), CPU)
        found[side] = [each for each in of_kinds if kinds[each.id] == kind][:MOST_PROFILES]
    return found


def _list_of_build(session: ReadSession, build_id: str) -> Sequence[Artifact]:
    """Return CPU profiles of a build, else those of the kind of the newest."""
    newest = profiles.list_of_build_id(session, build_id, CPU) or profiles.list_of_build_id(session, build_id)
    return [artifact for artifact, kind in newest if kind == newest[0][1]]


def list_sources(session: ReadSession, row: Assembly) -> AssemblySources:
    """Return what an assembly depends on besides its executables: profiles, and functions that were renamed."""
    sampled = {
        side: tuple(ArtifactId(each.id) for each in found)
        for side, found in list_sampled_profiles(session, row).items()
    }
    return AssemblySources(sampled[Side.BASE], sampled[Side.CANDIDATE], _list_renames(session, row))


def _list_renames(session: ReadSession, row: Assembly) -> tuple[tuple[str, str], ...]:
    """Return the cost shifts of a comparison to and from the function, as its names in base and candidate."""
    if row.comparison_id is None:
        return ()
    document = comparison_results.find_document(comparisons.get_comparison(session, ComparisonId(row.comparison_id)))
    shifts = document.cost_shifts if document is not None else ()
    pairs = [
        (each.from_function, each.to_function)
        for each in shifts
        if row.function in {each.from_function, each.to_function}
    ]
    return tuple(dict.fromkeys(pairs))


def digest_sources(sources: AssemblySources) -> str:
    """Return what identifies the sources of an assembly."""
    return hashlib.sha256(repr(sources).encode()).hexdigest()


def record_document(row: Assembly, document: AssemblyDocument, sources: AssemblySources) -> None:
    """Record the assembly, and what it was made of."""
    row.state = AssemblyState.DONE
    row.document = {**document, SOURCES_DIGEST: digest_sources(sources)}


def mark_assembly_pending(session: WriteSession, job: JobRow) -> None:
    """Mark an assembly whose job runs again as waiting and clear the error of the earlier run."""
    row = session.get(Assembly, (session.team_id, job.subject_id))
    if row is not None and row.state in (AssemblyState.FAILED, AssemblyState.CANCELLED):
        row.state, row.problem = AssemblyState.WAITING, None
