"""HTTP endpoints of the compiler's evidence."""

from uuid import UUID

from fastapi import APIRouter

from slowpath.core.errors import NotFound
from slowpath.core.ids import ArtifactId, AssemblyId, ComparisonId
from slowpath.platform.accounts.access import MayRead
from slowpath.platform.http.problems import document_problems
from slowpath.platform.http.request_dependencies import Reading, Writing
from slowpath.verdicts.compiler_evidence.schemas import AssemblyIn, AssemblyOut
from slowpath.verdicts.compiler_evidence.service import assemblies

router = APIRouter(prefix="/api/v1", tags=["compiler evidence"])


@router.post(
    "/comparisons/{comparison_id}/assemblies",
    operation_id="comparisons:create-assembly",
    status_code=202,
    responses=document_problems(NotFound),
)
def compare_assembly(comparison_id: UUID, body: AssemblyIn, caller: MayRead, session: Writing) -> AssemblyOut:
    """Disassemble a function in the executables of both sides, with the samples of their profiles.

    Repeated requests return the same assembly.
    """
    return AssemblyOut.of(assemblies.request_of_comparison(session, ComparisonId(comparison_id), body.function))


@router.post(
    "/executables/{artifact_id}/assemblies",
    operation_id="executables:create-assembly",
    status_code=202,
    responses=document_problems(NotFound),
)
def disassemble(artifact_id: UUID, body: AssemblyIn, caller: MayRead, session: Writing) -> AssemblyOut:
    """Disassemble a function of one executable. Repeated requests return the same assembly."""
    return AssemblyOut.of(assemblies.request_of_executable(session, ArtifactId(artifact_id), body.function))


@router.get("/assemblies/{assembly_id}", operation_id="assemblies:get", responses=document_problems(NotFound))
def get_assembly(assembly_id: UUID, caller: MayRead, session: Reading) -> AssemblyOut:
    """Return one assembly."""
    return AssemblyOut.of(assemblies.get_assembly(session, AssemblyId(assembly_id)))
