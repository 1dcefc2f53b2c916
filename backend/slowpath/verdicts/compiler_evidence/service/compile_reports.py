"""Store reports of the compiler's decisions, and find those on the commits of a comparison."""

from collections.abc import Sequence

from pydantic import TypeAdapter
from sqlalchemy import select

from slowpath.analysis.builds.compile_report import CompilerReason
from slowpath.core.db_sessions import ReadSession, WriteSession
from slowpath.core.ids import ComparisonId, new_id
from slowpath.inventory.catalog.service.get_or_insert import get_or_insert
from slowpath.verdicts.comparisons.rules import Side
from slowpath.verdicts.compiler_evidence.tables import CompileReport
from slowpath.verdicts.function_sources.service import side_commits

_REASONS = TypeAdapter(tuple[CompilerReason, ...])


def record_report(
    session: WriteSession, package: str, commits: tuple[str, str], reasons: Sequence[CompilerReason]
) -> CompileReport:
    """Store what the compiler decided differently in two commits; a report of the same package is replaced."""
    base, candidate = commits
    wanted = select(CompileReport).where(
        CompileReport.base_commit == base,
        CompileReport.candidate_commit == candidate,
        CompileReport.package == package,
    )
    new = CompileReport(
        team_id=session.team_id,
        id=new_id(),
        base_commit=base,
        candidate_commit=candidate,
        package=package,
        document={},
        created_by=session.scope.user_id,
    )
    row, _ = get_or_insert(session, new, lambda: session.scalar(wanted))
    row.document = {"reasons": _REASONS.dump_python(tuple(reasons), mode="json")}
    session.flush()  # the response needs the timestamp set by the database
    return row


def list_reasons(session: ReadSession, comparison_id: ComparisonId) -> Sequence[CompilerReason]:
    """Return the decisions that differ between the commits of a comparison. Raises `ComparisonNotFound`."""
    sides = side_commits.get_side_commits(session, comparison_id)
    reports = select(CompileReport.document).where(
        CompileReport.base_commit == sides[Side.BASE].commit,
        CompileReport.candidate_commit == sides[Side.CANDIDATE].commit,
    )
    found = session.scalars(reports.order_by(CompileReport.package)).all()
    return [each for document in found for each in _REASONS.validate_python(document["reasons"])]
