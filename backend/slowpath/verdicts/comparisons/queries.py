"""Database queries of comparisons, their views and exports."""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from sqlalchemy import func, literal_column, or_, select, tuple_

from slowpath.core.db_sessions import ReadSession
from slowpath.core.ids import ComparisonId, ExportId
from slowpath.verdicts.comparisons.rules import ComparisonOrigin, Side
from slowpath.verdicts.comparisons.tables import Comparison, ComparisonArtifact, ComparisonExport, DiffView


def select_comparison(session: ReadSession, comparison_id: ComparisonId) -> Comparison | None:
    """Return one comparison, by primary key."""
    return session.get(Comparison, (session.team_id, comparison_id))


def lock_comparison(session: ReadSession, comparison_id: ComparisonId) -> bool:
    """Lock a comparison until the transaction ends, against deletion or its job.

    Return False if it was deleted.
    """
    found = select(Comparison.id).where(Comparison.id == comparison_id).with_for_update()
    return session.scalar(found) is not None


def select_comparisons(
    session: ReadSession,
    *,
    after: tuple[datetime, UUID] | None,
    limit: int,
    states: Sequence[str],
    origins: Sequence[str],
    search: str | None,
) -> Sequence[Comparison]:
    """Return comparisons newest first, by ix_comparison_newest, or by ix_comparison_listed without those of builds."""
    found = select(Comparison).order_by(Comparison.created_at.desc(), Comparison.id.desc()).limit(limit)
    found = found.where(Comparison.origin.in_(origins))
    if ComparisonOrigin.BUILD not in origins:
        found = found.where(Comparison.origin != literal_column("'build'"))  # as the index has it
    if states:
        found = found.where(Comparison.state.in_(states))
    if search:
        texts = (Comparison.name, Comparison.base_label, Comparison.candidate_label, Comparison.headline)
        found = found.where(or_(*(text.icontains(search, autoescape=True) for text in texts)))
    if after is not None:
        found = found.where(tuple_(Comparison.created_at, Comparison.id) < after)
    return session.scalars(found).all()


def count_artifacts(session: ReadSession, comparison_ids: Sequence[UUID]) -> dict[tuple[UUID, str], int]:
    """Count the artifacts on each side of these comparisons, in one query."""
    if not comparison_ids:
        return {}
    rows = session.execute(
        select(ComparisonArtifact.comparison_id, ComparisonArtifact.side, func.count())
        .where(ComparisonArtifact.comparison_id.in_(comparison_ids))
        .group_by(ComparisonArtifact.comparison_id, ComparisonArtifact.side)
    )
    return {(comparison_id, side): count for comparison_id, side, count in rows}


def select_side_artifacts(session: ReadSession, comparison_id: ComparisonId) -> Sequence[ComparisonArtifact]:
    """Return the artifacts of both sides in order, by the unique constraint."""
    return session.scalars(
        select(ComparisonArtifact)
        .where(ComparisonArtifact.comparison_id == comparison_id)
        .order_by(ComparisonArtifact.side, ComparisonArtifact.position)
    ).all()


def select_build_comparisons_without_artifacts(session: ReadSession, limit: int) -> Sequence[UUID]:
    """Return comparisons of builds none of whose artifacts is left on the candidate side."""
    left = select(ComparisonArtifact.id).where(
        ComparisonArtifact.team_id == Comparison.team_id,
        ComparisonArtifact.comparison_id == Comparison.id,
        ComparisonArtifact.side == Side.CANDIDATE,
    )
    found = select(Comparison.id).where(Comparison.origin == ComparisonOrigin.BUILD, ~left.exists())
    return session.scalars(found.order_by(Comparison.created_at).limit(limit)).all()


def select_views(session: ReadSession, comparison_ids: Sequence[UUID]) -> Sequence[DiffView]:
    """Return the views of these comparisons in their order, by the unique constraint."""
    if not comparison_ids:
        return []
    return session.scalars(
        select(DiffView)
        .where(DiffView.comparison_id.in_(comparison_ids))
        .order_by(DiffView.comparison_id, DiffView.position, DiffView.created_at)
    ).all()


def select_view(session: ReadSession, comparison_id: ComparisonId, view_id: UUID) -> DiffView | None:
    """Return one view of a comparison, by primary key."""
    row = session.get(DiffView, (session.team_id, view_id))
    return row if row is not None and row.comparison_id == comparison_id else None


def select_view_by_key(
    session: ReadSession, comparison_id: ComparisonId, kind: str, sample_type: str, granularity: str
) -> DiffView | None:
    """Return the view of this kind, sample type and granularity, by the unique constraint."""
    return session.scalars(
        select(DiffView).where(
            DiffView.comparison_id == comparison_id,
            DiffView.kind == kind,
            DiffView.sample_type == sample_type,
            DiffView.granularity == granularity,
        )
    ).one_or_none()


def select_export(session: ReadSession, export_id: ExportId) -> ComparisonExport | None:
    """Return one export, by primary key."""
    return session.get(ComparisonExport, (session.team_id, export_id))


def select_exports(session: ReadSession, comparison_id: ComparisonId) -> Sequence[ComparisonExport]:
    """Return the exports of a comparison."""
    return session.scalars(select(ComparisonExport).where(ComparisonExport.comparison_id == comparison_id)).all()
