"""Every SELECT about explanations of gaps, and about the traces that may tell them."""

from collections.abc import Sequence

from sqlalchemy import Select, and_, or_, select

from slowpath.catalog.tables import Build, Service
from slowpath.core.ids import ArtifactId, ExplanationId
from slowpath.core.sessions import ReadSession
from slowpath.explanations.rules import Gap
from slowpath.explanations.tables import Explanation
from slowpath.traces.tables import Trace
from slowpath.uploads.tables import Artifact

Found = tuple[Trace, Artifact, str | None]


def explanation(session: ReadSession, explanation_id: ExplanationId) -> Explanation | None:
    """Return one explanation, by primary key."""
    return session.get(Explanation, (session.team_id, explanation_id))


def of_gap(session: ReadSession, artifact_id: ArtifactId, gap: Gap) -> Explanation | None:
    """Return what was asked about a gap, by uq_explanation_gap."""
    found = select(Explanation).where(
        Explanation.artifact_id == artifact_id,
        Explanation.trace_id == gap.trace_id,
        Explanation.span_number == gap.span_number,
        Explanation.gap_number == gap.gap_number,
    )
    return session.scalar(found)


def of_trace(session: ReadSession, artifact_id: ArtifactId, trace_id: str, limit: int) -> Sequence[Explanation]:
    """Return what was asked about a trace, by uq_explanation_gap."""
    found = select(Explanation).where(Explanation.artifact_id == artifact_id, Explanation.trace_id == trace_id)
    return session.scalars(found.order_by(Explanation.span_number, Explanation.gap_number).limit(limit)).all()


def covering(session: ReadSession, from_ns: int, to_ns: int, limit: int) -> Sequence[Found]:
    """Return traces whose wall clock says that they hold [from, to], with the service of their build; newest first."""
    ends = Trace.wall_start_ns + Trace.duration_ns
    found = _with_service().where(Trace.wall_start_ns <= from_ns, ends >= to_ns)
    return _told(session, found, limit)


def beside(session: ReadSession, artifact: Artifact, slug: str, limit: int) -> Sequence[Found]:
    """Return traces that came with these spans, or are of this service, whatever their clock says; newest first.

    Those of the same batch or build come first.
    """
    near = or_(
        and_(Artifact.batch.is_not(None), Artifact.batch == artifact.batch),
        and_(Artifact.build_id.is_not(None), Artifact.build_id == artifact.build_id),
    )
    found = _with_service().where(or_(near, Service.slug == slug)).order_by(near.desc())
    return _told(session, found, limit)


def _with_service() -> Select[Trace, Artifact, str]:
    return (
        select(Trace, Artifact, Service.slug)
        .join(Artifact, Artifact.id == Trace.id)
        .outerjoin(Build, Build.id == Artifact.build_id)
        .outerjoin(Service, Service.id == Build.service_id)
    )


def _told(session: ReadSession, found: Select[Trace, Artifact, str], limit: int) -> Sequence[Found]:
    rows = session.execute(found.order_by(Artifact.created_at.desc(), Artifact.id).limit(limit))
    return [(trace, artifact, slug) for trace, artifact, slug in rows]
