"""HTTP endpoints of the compiler's evidence."""

from uuid import UUID

from fastapi import APIRouter

from slowpath.analysis.builds.compile_report import CompilerReason, describe_reason
from slowpath.core.errors import NotFound
from slowpath.core.ids import ArtifactId, AssemblyId, ComparisonId
from slowpath.platform.accounts.access import MayRead, MaySend
from slowpath.platform.accounts.service import record_audit_event
from slowpath.platform.http.body_limits import KIB, body_up_to
from slowpath.platform.http.internal_api import FREEZABLE
from slowpath.platform.http.problems import document_problems
from slowpath.platform.http.request_dependencies import Reading, Writing
from slowpath.verdicts.compiler_evidence.read_models import CompilerAbsence
from slowpath.verdicts.compiler_evidence.schemas import (
    AssemblyIn,
    AssemblyOut,
    CompilerAbsenceOut,
    CompileReportIn,
    CompileReportOut,
    CompilerReasonOut,
)
from slowpath.verdicts.compiler_evidence.service import assemblies, compile_reports, compiler_absence

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


@router.post(
    "/compile-reports",
    operation_id="compile-reports:create",
    status_code=201,
    openapi_extra=body_up_to(2048 * KIB, members=20_000),
    responses=document_problems(),
)
def create_compile_report(body: CompileReportIn, caller: MaySend, session: Writing) -> CompileReportOut:
    """Store what the compiler decided differently in two commits; a report of the same package is replaced."""
    reasons = [CompilerReason(**each.model_dump()) for each in body.reasons]
    row = compile_reports.record_report(session, body.package, (body.base_commit, body.candidate_commit), reasons)
    record_audit_event(
        session, caller, "compile-report.created", "compile_report", row.id, {"candidate_commit": body.candidate_commit}
    )
    return CompileReportOut.model_validate(row)


@router.get(
    "/comparisons/{comparison_id}/compiler-reasons",
    operation_id="comparisons:list-compiler-reasons",
    openapi_extra=FREEZABLE,
    responses=document_problems(NotFound),
)
def list_compiler_reasons(comparison_id: UUID, caller: MayRead, session: Reading) -> list[CompilerReasonOut]:
    """List what the compiler decided differently in the commits of both sides, as a compile report states it."""
    return [
        CompilerReasonOut(function=each.function, sentence=describe_reason(each), file=each.file, line=each.line)
        for each in compile_reports.list_reasons(session, ComparisonId(comparison_id))
    ]


@router.get(
    "/comparisons/{comparison_id}/compiler-absence",
    operation_id="comparisons:get-compiler-absence",
    openapi_extra=FREEZABLE,
    responses=document_problems(NotFound),
)
def get_compiler_absence(comparison_id: UUID, caller: MayRead, session: Reading) -> CompilerAbsenceOut:
    """State why a comparison has no part of the compiler: which executable is missing, or does not match its profiles."""
    found = compiler_absence.find_absence(session, ComparisonId(comparison_id)) or CompilerAbsence((), "")
    return CompilerAbsenceOut(
        reasons=list(found.reasons),
        remedy=found.remedy,
        is_changing=found.is_changing,
        can_compute_again=found.can_compute_again,
    )


@router.get("/assemblies/{assembly_id}", operation_id="assemblies:get", responses=document_problems(NotFound))
def get_assembly(assembly_id: UUID, caller: MayRead, session: Reading) -> AssemblyOut:
    """Return one assembly."""
    return AssemblyOut.of(assemblies.get_assembly(session, AssemblyId(assembly_id)))
