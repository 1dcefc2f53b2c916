"""Explain a gap between spans from execution traces of the same process."""

from slowpath.analysis.kinds.spans.gap_explanation import BY_GOROUTINE, ExaminedTrace, GapQuestion, make_explanation
from slowpath.analysis.kinds.spans.gap_explanation_document import GapAnswer
from slowpath.analysis.kinds.spans.span_table import SpanTable
from slowpath.core.db_sessions import WriteSession
from slowpath.core.errors import InvalidRequest
from slowpath.core.ids import ArtifactId, BlobKey
from slowpath.evidence.artifacts.service import artifact_ingest
from slowpath.evidence.spans.service import span_sets as spans
from slowpath.verdicts.gap_explanations.jobs import ExplainGap
from slowpath.verdicts.gap_explanations.rules import ExplanationState, GapRef
from slowpath.verdicts.gap_explanations.service import gap_explanations
from slowpath.verdicts.gap_explanations.service.trace_candidates import CandidateTrace, list_candidate_traces
from slowpath_worker.decode_helper import ArtifactLimitExceeded, DecodeHelper
from slowpath_worker.decode_limits import trace_limits
from slowpath_worker.job_context import Cancelled, JobContext, JobFailure

__all__ = ["ExplainGap", "explain_gap", "record_explanation_failure"]


def explain_gap(job: ExplainGap, context: JobContext) -> None:
    """Examine the traces that may include the gap, until one explains it by goroutine."""
    with context.writing() as session:
        row = gap_explanations.get_explanation(session, job.explanation_id)
        row.state = ExplanationState.RUNNING
        row.problem = None
        artifact_id = ArtifactId(row.artifact_id)
        gap = GapRef(row.trace_id, row.span_number, row.gap_number)
        columns_key = BlobKey(spans.get_span_set(session, artifact_id).columns_key)

    context.progress("reading spans", 0.1)
    question = gap_explanations.build_gap_question(SpanTable.parse(context.blobs.read(columns_key), checked=True), gap)
    with context.reading() as session:
        candidates = list_candidate_traces(session, artifact_id, question)
    answers = []
    for number, candidate in enumerate(candidates):
        context.progress("reading traces", 0.2 + 0.7 * number / len(candidates))
        answers.append(_explain_from_trace(candidate, question, context))
        if answers[-1].answer["basis"] in BY_GOROUTINE:
            break
    content = make_explanation(question, answers)

    with context.finishing() as session:
        row = gap_explanations.get_explanation(session, job.explanation_id)
        gap_explanations.record_document(row, content)


def _explain_from_trace(candidate: CandidateTrace, question: GapQuestion, context: JobContext) -> ExaminedTrace:
    """Explain the gap from one trace; an unreadable trace gives an empty explanation."""
    helper = DecodeHelper(context.settings, context.check)
    try:
        with context.blobs.local(artifact_ingest.original_key(context.team_id, candidate.sha256)) as original:
            limits = trace_limits(original, helper.sniff(original)["encoding"], context.settings)
            answer: GapAnswer = helper.explain(original, question, candidate.wall_start_ns, limits)
    except (InvalidRequest, ArtifactLimitExceeded):
        answer = {"basis": "nothing", "reason": "unreadable"}
    return ExaminedTrace(str(candidate.artifact_id), candidate.name, answer, candidate.partial)


def record_explanation_failure(session: WriteSession, job: ExplainGap, failure: JobFailure) -> None:
    """Record on the explanation why it failed."""
    row = gap_explanations.get_explanation(session, job.explanation_id)
    row.state = ExplanationState.CANCELLED if isinstance(failure.error, Cancelled) else ExplanationState.FAILED
    row.problem = failure.problem
