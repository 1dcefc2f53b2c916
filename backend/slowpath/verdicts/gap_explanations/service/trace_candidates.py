"""Select the execution traces that may cover a gap: by their clock, or by upload, build and service."""

from dataclasses import dataclass

from slowpath.analysis.kinds.spans.gap_explanation import GapQuestion
from slowpath.core.db_sessions import ReadSession
from slowpath.core.ids import ArtifactId
from slowpath.evidence.artifacts.service import artifacts as uploads
from slowpath.inventory.catalog.rules import make_slug
from slowpath.verdicts.gap_explanations import queries
from slowpath.verdicts.gap_explanations.queries import Found

MOST_COVERING = 4
MOST_BESIDE = 3
SEARCHED = 50
"""How many traces are examined for those of the service."""
MOST_BESIDE_NS = 120_000_000_000
"""The longest trace to read completely when the position of the gap in it is not known."""


@dataclass(frozen=True)
class CandidateTrace:
    """A trace that may cover the gap. `wall_start_ns` is set if its clock covers the gap."""

    artifact_id: ArtifactId
    name: str
    sha256: str
    wall_start_ns: int | None
    partial: bool


def list_candidate_traces(session: ReadSession, spans_id: ArtifactId, question: GapQuestion) -> list[CandidateTrace]:
    """Return the traces to examine: those of the service first, then those of unknown service.

    Traces whose build belongs to another service are left out: they are of another process.
    """
    slug = make_slug(question.service)
    covering = [
        found
        for found in queries.select_traces_covering(session, question.span_start_ns, question.span_end_ns, SEARCHED)
        if found[2] in {None, slug}
    ]
    covering.sort(key=lambda found: found[2] is None)
    chosen = [_candidate(found, by_clock=True) for found in covering[:MOST_COVERING]]
    known = {each.artifact_id for each in chosen}
    if question.span_id is None:
        return chosen
    beside = [
        found
        for found in queries.select_related_traces(session, uploads.get_artifact(session, spans_id), slug, SEARCHED)
        if found[2] in {None, slug} and found[0].id not in known and found[0].duration_ns <= MOST_BESIDE_NS
    ]
    return chosen + [_candidate(found, by_clock=False) for found in beside[:MOST_BESIDE]]


def _candidate(found: Found, *, by_clock: bool) -> CandidateTrace:
    trace, artifact, _ = found
    return CandidateTrace(
        artifact_id=ArtifactId(trace.id),
        name=artifact.name,
        sha256=artifact.sha256,
        wall_start_ns=trace.wall_start_ns if by_clock else None,
        partial=trace.unreadable_range is not None,
    )
