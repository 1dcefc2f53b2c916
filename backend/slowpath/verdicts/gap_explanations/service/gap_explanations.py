"""Request, compute and list gap explanations."""

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from pydantic import TypeAdapter

from slowpath.analysis.comparison.page_versions import upgrade_document
from slowpath.analysis.formats.document_json import dump_document
from slowpath.analysis.kinds.spans.gap_explanation import GapQuestion, make_gap_question
from slowpath.analysis.kinds.spans.gap_explanation_document import GapExplanationDocument
from slowpath.analysis.kinds.spans.span_table import SpanTable
from slowpath.core.db_sessions import ReadSession, WriteSession
from slowpath.core.ids import ArtifactId, ExplanationId, new_id
from slowpath.core.jobs import JobRow, enqueue
from slowpath.core.ports import BlobStore
from slowpath.evidence.spans.errors import SpanTraceNotFound
from slowpath.evidence.spans.service import span_sets as spans
from slowpath.inventory.catalog.service.get_or_insert import get_or_insert
from slowpath.verdicts.gap_explanations import queries
from slowpath.verdicts.gap_explanations.errors import ExplanationNotFound, GapNotFound
from slowpath.verdicts.gap_explanations.jobs import ExplainGap
from slowpath.verdicts.gap_explanations.rules import ExplanationState, GapRef, is_final
from slowpath.verdicts.gap_explanations.tables import GapExplanation

MOST_LISTED = 500
_DOCUMENTS: Final = TypeAdapter(GapExplanationDocument)


def find_document(row: GapExplanation) -> GapExplanationDocument | None:
    """Return the document of an explanation; None before it is computed."""
    return None if row.document is None else _DOCUMENTS.validate_python(upgrade_document(row.document))


def record_document(row: GapExplanation, document: GapExplanationDocument) -> None:
    """Record the document of an explanation."""
    row.state = ExplanationState.DONE
    row.document = json.loads(dump_document(document))


def request_explanation(
    session: WriteSession, blobs: BlobStore, artifact_id: ArtifactId, gap: GapRef
) -> tuple[GapExplanation, bool]:
    """Enqueue the explanation of a gap; return it, and whether it is new or was enqueued again.

    Raises `SpanSetNotFound`, `SpanTraceNotFound`, `GapNotFound`, `Unavailable`.
    """
    table = spans.table(spans.get_span_set(session, artifact_id), blobs)
    build_gap_question(table, gap)
    asked = replace(gap, trace_id=table.trace_id(_trace(table, gap.trace_id)))
    new = GapExplanation(
        team_id=session.team_id,
        id=new_id(),
        artifact_id=artifact_id,
        trace_id=asked.trace_id,
        span_number=asked.span_number,
        gap_number=asked.gap_number,
        state=ExplanationState.WAITING,
        created_by=session.scope.user_id,
    )
    row, made = get_or_insert(session, new, lambda: queries.select_explanation_of_gap(session, artifact_id, asked))
    document = find_document(row)
    anew = made or not is_final(row.state, None if document is None else document.basis)
    if anew:
        row.state, row.problem = ExplanationState.WAITING, None
        row.job_id = enqueue(session, ExplainGap(ExplanationId(row.id)))
    session.flush()  # the response needs the timestamp set by the database
    return row, anew


def build_gap_question(table: SpanTable, gap: GapRef) -> GapQuestion:
    """Return the span, time range and process to look for in execution traces.

    Raises `SpanTraceNotFound`, `GapNotFound`.
    """
    try:
        return make_gap_question(table, _trace(table, gap.trace_id), gap.span_number, gap.gap_number)
    except IndexError:
        raise GapNotFound("The trace has no such span, or the span has no such gap.") from None


def _trace(table: SpanTable, trace_id: str) -> int:
    found = table.find(trace_id)
    if found is None:
        raise SpanTraceNotFound("The span set has no trace with this ID.")
    return found


def get_explanation(session: ReadSession, explanation_id: ExplanationId) -> GapExplanation:
    """Return the explanation. Raises `ExplanationNotFound`."""
    row = queries.select_explanation(session, explanation_id)
    if row is None:
        raise ExplanationNotFound("The team has no explanation with this ID.")
    return row


def list_explanations(session: ReadSession, artifact_id: ArtifactId, trace_id: str) -> Sequence[GapExplanation]:
    """Return the explanations of a trace, at most 500. Raises `SpanSetNotFound`."""
    spans.get_span_set(session, artifact_id)
    return queries.select_explanations_of_trace(session, artifact_id, trace_id.lower().rjust(32, "0"), MOST_LISTED)


def mark_explanation_pending(session: WriteSession, job: JobRow) -> None:
    """Mark an explanation whose job runs again as waiting and clear the error of the earlier run."""
    row = queries.select_explanation(session, ExplanationId(job.subject_id))
    if row is not None and row.state in (ExplanationState.FAILED, ExplanationState.CANCELLED):
        row.state = ExplanationState.WAITING
        row.problem = None
