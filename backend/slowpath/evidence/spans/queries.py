"""SQL queries on span sets and pushed spans."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from uuid import UUID

from sqlalchemy import delete, func, select

from slowpath.core.db_sessions import ReadSession, WriteSession
from slowpath.core.ids import ArtifactId, EnvironmentId
from slowpath.evidence.artifacts.tables import Artifact
from slowpath.evidence.spans.tables import SpanPush, SpanSet


def span_set(session: ReadSession, artifact_id: ArtifactId) -> SpanSet | None:
    """Return one span set, by primary key."""
    return session.get(SpanSet, (session.team_id, artifact_id))


def pushes(session: WriteSession, most_bytes: int, most: int) -> Sequence[SpanPush]:
    """Lock and return the oldest pushes up to a size; pushes locked by another transaction are skipped."""
    sizes = (
        select(
            SpanPush.id, func.sum(SpanPush.size_bytes).over(order_by=(SpanPush.created_at, SpanPush.id)).label("sum")
        )
        .order_by(SpanPush.created_at, SpanPush.id)
        .limit(most)
        .subquery()
    )
    found = (
        select(SpanPush)
        .join(sizes, sizes.c.id == SpanPush.id)
        .where(sizes.c.sum - SpanPush.size_bytes < most_bytes)
        .order_by(SpanPush.created_at, SpanPush.id)
        .with_for_update(of=SpanPush, skip_locked=True)
    )
    return session.scalars(found).all()


def delete_pushes(session: WriteSession, merged: Sequence[SpanPush]) -> None:
    """Delete pushes that were merged into a file."""
    session.execute(delete(SpanPush).where(SpanPush.id.in_([row.id for row in merged])))


def has_pushes(session: ReadSession) -> bool:
    """Return whether a push waits to be merged."""
    return session.scalar(select(SpanPush.id).limit(1)) is not None


def select_merged_before(session: ReadSession, batch: UUID, days: int, limit: int) -> Sequence[Artifact]:
    """Return the oldest artifacts of a batch that are older than `days`, by ix_artifact_batch."""
    before = func.clock_timestamp() - timedelta(days=days)
    found = select(Artifact).where(Artifact.batch == batch, Artifact.created_at < before)
    return session.scalars(found.order_by(Artifact.created_at, Artifact.id).limit(limit)).all()


def sets_between(
    session: ReadSession, environment_id: EnvironmentId, start: datetime, end: datetime, limit: int
) -> Sequence[SpanSet]:
    """Return the newest span sets of an environment that overlap [start, end], by ix_span_set_when."""
    found = (
        select(SpanSet)
        .where(SpanSet.environment_id == environment_id, SpanSet.ended_at >= start, SpanSet.began_at <= end)
        .order_by(SpanSet.ended_at.desc(), SpanSet.id)
        .limit(limit)
    )
    return session.scalars(found).all()
