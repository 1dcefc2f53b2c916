"""Gaps are asked about; a job answers."""

from collections.abc import Sequence
from dataclasses import replace

from slowpath.analysis.spans.explaining import Question, question_of
from slowpath.analysis.spans.span_table import SpanTable
from slowpath.catalog.service.once import made_once
from slowpath.core.ids import ArtifactId, ExplanationId, new_id
from slowpath.core.jobs import JobRow, enqueue
from slowpath.core.ports import BlobStore
from slowpath.core.sessions import ReadSession, WriteSession
from slowpath.explanations import queries
from slowpath.explanations.errors import ExplanationNotFound, GapNotFound
from slowpath.explanations.jobs import ExplainGap
from slowpath.explanations.rules import ExplanationState, Gap, is_final
from slowpath.explanations.tables import Explanation
from slowpath.spans.errors import SpanTraceNotFound
from slowpath.spans.service import reading as spans

MOST_TOLD = 500


def ask(session: WriteSession, blobs: BlobStore, artifact_id: ArtifactId, gap: Gap) -> tuple[Explanation, bool]:
    """Have a gap explained; and whether that was not asked yet, or is asked anew.

    Raises `SpanSetNotFound`, `SpanTraceNotFound`, `GapNotFound`, `Unavailable`.
    """
    table = spans.table(spans.find(session, artifact_id), blobs)
    question(table, gap)
    asked = replace(gap, trace_id=table.trace_id(_trace(table, gap.trace_id)))
    new = Explanation(
        team_id=session.team_id,
        id=new_id(),
        artifact_id=artifact_id,
        trace_id=asked.trace_id,
        span_number=asked.span_number,
        gap_number=asked.gap_number,
        state=ExplanationState.WAITING,
        created_by=session.scope.user_id,
    )
    row, made = made_once(session, new, lambda: queries.of_gap(session, artifact_id, asked))
    anew = made or not is_final(row.state, (row.content or {}).get("basis"))
    if anew:
        row.state, row.problem = ExplanationState.WAITING, None
        row.job_id = enqueue(session, ExplainGap(ExplanationId(row.id)))
    session.flush()  # whoever tells it needs the time the database gave it
    return row, anew


def question(table: SpanTable, gap: Gap) -> Question:
    """Return what is asked of execution traces. Raises `SpanTraceNotFound`, `GapNotFound`."""
    try:
        return question_of(table, _trace(table, gap.trace_id), gap.span_number, gap.gap_number)
    except IndexError:
        raise GapNotFound("The trace has no such span, or the span no such gap.") from None


def _trace(table: SpanTable, trace_id: str) -> int:
    found = table.find(trace_id)
    if found is None:
        raise SpanTraceNotFound("The set of spans has no trace of this id.")
    return found


def find(session: ReadSession, explanation_id: ExplanationId) -> Explanation:
    """Return the explanation. Raises `ExplanationNotFound`."""
    row = queries.explanation(session, explanation_id)
    if row is None:
        raise ExplanationNotFound("There is no such explanation in this team.")
    return row


def of_trace(session: ReadSession, artifact_id: ArtifactId, trace_id: str) -> Sequence[Explanation]:
    """Return what was asked about a trace, at most 500. Raises `SpanSetNotFound`."""
    spans.find(session, artifact_id)
    return queries.of_trace(session, artifact_id, trace_id.lower().rjust(32, "0"), MOST_TOLD)


def wait_again(session: WriteSession, job: JobRow) -> None:
    """Show an explanation whose job is due again as waiting: its old failure must not look like the new one's."""
    row = queries.explanation(session, ExplanationId(job.subject_id))
    if row is not None and row.state in (ExplanationState.FAILED, ExplanationState.CANCELLED):
        row.state = ExplanationState.WAITING
        row.problem = None
