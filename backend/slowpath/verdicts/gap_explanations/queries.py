"""Database queries of gap explanations and of the execution traces that may explain them."""

from collections.abc import Sequence

from sqlalchemy import Select, and_, or_, select

from slowpath.core.db_sessions import ReadSession
from slowpath.core.ids import ArtifactId, ExplanationId
from slowpath.evidence.artifacts.tables import Artifact
from slowpath.evidence.exec_traces.tables import ExecutionTrace
from slowpath.inventory.catalog.tables import Build, Service
from slowpath.verdicts.gap_explanations.rules import GapRef
from slowpath.verdicts.gap_explanations.tables import GapExplanation

Found = tuple[ExecutionTrace, Artifact, str | None]


def select_explanation(session: ReadSession, explanation_id: ExplanationId) -> GapExplanation | None:
    """Return one explanation, by primary key."""
    return session.get(GapExplanation, (session.team_id, explanation_id))


def select_explanation_of_gap(session: ReadSession, artifact_id: ArtifactId, gap: GapRef) -> GapExplanation | None:
    """Return the explanation of a gap, by uq_explanation_gap."""
    found = select(GapExplanation).where(
        GapExplanation.artifact_id == artifact_id,
        GapExplanation.trace_id == gap.trace_id,
        GapExplanation.span_number == gap.span_number,
        GapExplanation.gap_number == gap.gap_number,
    )
    return session.scalar(found)


def select_explanations_of_trace(
    session: ReadSession, artifact_id: ArtifactId, trace_id: str, limit: int
) -> Sequence[GapExplanation]:
    """Return the explanations of a trace, by uq_explanation_gap."""
    found = select(GapExplanation).where(GapExplanation.artifact_id == artifact_id, GapExplanation.trace_id == trace_id)
    return session.scalars(found.order_by(GapExplanation.span_number, GapExplanation.gap_number).limit(limit)).all()


def select_traces_covering(session: ReadSession, from_ns: int, to_ns: int, limit: int) -> Sequence[Found]:
    """Return traces whose wall clock covers [from, to], with the service of their build; newest first."""
    ends = ExecutionTrace.wall_start_ns + ExecutionTrace.duration_ns
    found = _with_service().where(ExecutionTrace.wall_start_ns <= from_ns, ends >= to_ns)
    return _select_newest(session, found, limit)


def select_related_traces(session: ReadSession, artifact: Artifact, slug: str, limit: int) -> Sequence[Found]:
    """Return traces of the same upload or service as these spans, whatever their clock; newest first.

    Those of the same batch or build come first.
    """
    near = or_(
        and_(Artifact.batch.is_not(None), Artifact.batch == artifact.batch),
        and_(Artifact.build_id.is_not(None), Artifact.build_id == artifact.build_id),
    )
    found = _with_service().where(or_(near, Service.slug == slug)).order_by(near.desc())
    return _select_newest(session, found, limit)


def _with_service() -> Select[ExecutionTrace, Artifact, str]:
    return (
        select(ExecutionTrace, Artifact, Service.slug)
        .join(Artifact, Artifact.id == ExecutionTrace.id)
        .outerjoin(Build, Build.id == Artifact.build_id)
        .outerjoin(Service, Service.id == Build.service_id)
    )


def _select_newest(session: ReadSession, found: Select[ExecutionTrace, Artifact, str], limit: int) -> Sequence[Found]:
    rows = session.execute(found.order_by(Artifact.created_at.desc(), Artifact.id).limit(limit))
    return [(trace, artifact, slug) for trace, artifact, slug in rows]
