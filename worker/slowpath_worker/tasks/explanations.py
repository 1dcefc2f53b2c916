"""Explain a gap between spans from execution traces of the same process."""

from typing import Any

from slowpath.analysis.spans.explaining import BY_GOROUTINE, Looked, Question, explanation
from slowpath.analysis.spans.span_table import SpanTable
from slowpath.core.errors import Refused, SlowpathError
from slowpath.core.ids import ArtifactId, BlobKey
from slowpath.core.sessions import WriteSession
from slowpath.explanations.jobs import ExplainGap
from slowpath.explanations.rules import ExplanationState, Gap
from slowpath.explanations.service import asking
from slowpath.explanations.service.choosing import Candidate, candidates
from slowpath.spans.service import reading as spans
from slowpath.uploads.service import receiving
from slowpath_worker.context import Cancelled, Context
from slowpath_worker.decoding import ArtifactTooCostly, DecodeHelper, trace_limits

__all__ = ["ExplainGap", "explain_ended_badly", "explain_gap"]


def explain_gap(job: ExplainGap, context: Context) -> None:
    """Look into the traces that may hold the gap, until one knows whose it was."""
    with context.writing() as session:
        row = asking.find(session, job.explanation_id)
        row.state = ExplanationState.RUNNING
        row.problem = None
        artifact_id = ArtifactId(row.artifact_id)
        gap = Gap(row.trace_id, row.span_number, row.gap_number)
        columns_key = BlobKey(spans.find(session, artifact_id).columns_key)

    context.progress("reading spans", 0.1)
    question = asking.question(SpanTable.parse(context.blobs.read(columns_key), checked=True), gap)
    with context.reading() as session:
        found = candidates(session, artifact_id, question)
    looked = []
    for number, candidate in enumerate(found):
        context.progress("reading traces", 0.2 + 0.7 * number / len(found))
        looked.append(_look(candidate, question, context))
        if looked[-1].answer["basis"] in BY_GOROUTINE:
            break
    content = explanation(question, looked)

    with context.finishing() as session:
        row = asking.find(session, job.explanation_id)
        row.state = ExplanationState.DONE
        row.content = content


def _look(candidate: Candidate, question: Question, context: Context) -> Looked:
    """Ask one trace. One that can not be read any more says nothing; the others may."""
    helper = DecodeHelper(context.settings, context.check)
    try:
        with context.blobs.local(receiving.original_key(context.team_id, candidate.sha256)) as original:
            limits = trace_limits(original, helper.sniff(original)["encoding"], context.settings)
            answer = helper.explain(original, question, candidate.wall_start_ns, limits)
    except (Refused, ArtifactTooCostly):
        answer = {"basis": "nothing", "why": "unreadable"}
    return Looked(str(candidate.artifact_id), candidate.name, answer, candidate.partial)


def explain_ended_badly(
    session: WriteSession, job: ExplainGap, error: SlowpathError | Cancelled, problem: dict[str, Any]
) -> None:
    """Write on the explanation why there is none."""
    row = asking.find(session, job.explanation_id)
    row.state = ExplanationState.CANCELLED if isinstance(error, Cancelled) else ExplanationState.FAILED
    row.problem = problem
