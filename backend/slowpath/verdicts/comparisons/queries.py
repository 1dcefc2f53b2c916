"""Database queries of comparisons, their views and exports."""

from collections.abc import Collection, Sequence
from datetime import datetime
from uuid import UUID

from sqlalchemy import ColumnElement, and_, func, literal_column, or_, select, tuple_
from sqlalchemy.orm import defer

from slowpath.core.db_sessions import ReadSession
from slowpath.core.ids import ArtifactId, BuildId, ComparisonId, EnvironmentId, ServiceId
from slowpath.evidence.artifacts.rules import ArtifactState
from slowpath.evidence.artifacts.service.build_evidence import is_usable, recorded_ms
from slowpath.evidence.artifacts.tables import Artifact
from slowpath.evidence.spans.tables import SpanSet
from slowpath.inventory.catalog.tables import Build, Deployment
from slowpath.platform.accounts.tables import Membership, User
from slowpath.verdicts.comparisons.rules import ComparisonOrigin, Side
from slowpath.verdicts.comparisons.rules.side_sources import SideEvidence
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
    """Return comparisons newest first, without results, by ix_comparison_newest, or by ix_comparison_listed without those of builds."""
    found = select(Comparison).options(defer(Comparison.result, raiseload=True)).limit(limit)
    found = found.order_by(Comparison.created_at.desc(), Comparison.id.desc())
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


def find_member_names(session: ReadSession, user_ids: Collection[UUID]) -> dict[UUID, str]:
    """Return the names of those of these users that are members of the team, in one query."""
    if not user_ids:
        return {}
    found = select(User.id, User.name).join(Membership, Membership.user_id == User.id).where(User.id.in_(user_ids))
    return {row.id: row.name for row in session.execute(found)}


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


def select_exports(session: ReadSession, comparison_id: ComparisonId) -> Sequence[ComparisonExport]:
    """Return the exports of a comparison."""
    return session.scalars(select(ComparisonExport).where(ComparisonExport.comparison_id == comparison_id)).all()


MOST_EVIDENCE = 2_000
"""Artifacts of a source that are read, newest first: ten times as many as a side can have."""


def select_evidence_by_id(session: ReadSession, artifact_ids: Collection[UUID]) -> list[SideEvidence]:
    """Return the usable ones of these artifacts, by primary key."""
    return _select_evidence(session, Artifact.id.in_(artifact_ids))


def select_evidence_of_build(session: ReadSession, build_id: BuildId) -> list[SideEvidence]:
    """Return the usable artifacts of a build, newest first, by ix_artifact_build."""
    return _select_evidence(session, Artifact.build_id == build_id)


def select_evidence_between(
    session: ReadSession, build_ids: Collection[UUID], environment_id: EnvironmentId, begin_ms: int, end_ms: int
) -> list[SideEvidence]:
    """Return the usable artifacts of builds that were recorded in [begin, end), newest first, by ix_artifact_build.

    Spans of another environment are left out; other artifacts do not state theirs.
    """
    other = select(SpanSet.id).where(
        SpanSet.team_id == Artifact.team_id, SpanSet.id == Artifact.id, SpanSet.environment_id != environment_id
    )
    inside = recorded_ms().between(begin_ms, end_ms - 1)
    return _select_evidence(session, and_(Artifact.build_id.in_(build_ids), inside, ~other.exists()))


def _select_evidence(session: ReadSession, condition: ColumnElement[bool]) -> list[SideEvidence]:
    columns = (Artifact.id, Artifact.name, Artifact.kind, Artifact.build_id, Artifact.run_metadata, Artifact.summary)
    at = recorded_ms().label("recorded_ms")
    found = select(*columns, at).where(condition, is_usable()).order_by(at.desc(), Artifact.id).limit(MOST_EVIDENCE)
    return [
        SideEvidence(
            artifact_id=ArtifactId(row.id),
            name=row.name,
            kind=row.kind,
            build_id=BuildId(row.build_id) if row.build_id else None,
            recorded_ms=float(row.recorded_ms),
            run_metadata=row.run_metadata,
            summary=row.summary or {},
        )
        for row in session.execute(found)
    ]


def select_deployments_during(
    session: ReadSession, service_id: ServiceId, environment_id: EnvironmentId, begin: datetime, end: datetime
) -> Sequence[Deployment]:
    """Return the deployments of a service in an environment that ran in [begin, end], by ix_deployment_service."""
    found = select(Deployment).where(
        Deployment.service_id == service_id,
        Deployment.environment_id == environment_id,
        Deployment.started_at < end,
        or_(Deployment.ended_at.is_(None), Deployment.ended_at > begin),
    )
    return session.scalars(found.order_by(Deployment.started_at)).all()


def has_deployments(session: ReadSession, service_id: ServiceId, environment_id: EnvironmentId) -> bool:
    """Return whether any deployment of the service in the environment is known, by ix_deployment_service."""
    found = select(Deployment.id).where(
        Deployment.service_id == service_id, Deployment.environment_id == environment_id
    )
    return session.scalar(found.limit(1)) is not None


def select_builds_recorded_since(session: ReadSession, service_id: ServiceId, since: datetime) -> Sequence[UUID]:
    """Return the builds of a service with an artifact received since a time, by ix_build_service."""
    received = select(Artifact.id).where(
        Artifact.team_id == Build.team_id, Artifact.build_id == Build.id, Artifact.created_at >= since
    )
    return session.scalars(select(Build.id).where(Build.service_id == service_id, received.exists())).all()


def select_newest_build(session: ReadSession, service_id: ServiceId, *, branch: str) -> Build | None:
    """Return the newest build of a branch with decoded evidence, by ix_build_branch."""
    return _newest_with_evidence(session, service_id, Build.branch == branch)


def select_newest_build_of_commit(session: ReadSession, service_id: ServiceId, commit: str) -> Build | None:
    """Return the newest build of a commit with decoded evidence, by uq_build_identity."""
    return _newest_with_evidence(session, service_id, Build.commit == commit)


def has_build_of_branch(session: ReadSession, service_id: ServiceId, branch: str) -> bool:
    """Return whether a build of the branch exists, by ix_build_branch."""
    found = select(Build.id).where(Build.service_id == service_id, Build.branch == branch)
    return session.scalar(found.limit(1)) is not None


def _newest_with_evidence(session: ReadSession, service_id: ServiceId, condition: ColumnElement[bool]) -> Build | None:
    decoded = select(Artifact.id).where(
        Artifact.team_id == Build.team_id,
        Artifact.build_id == Build.id,
        Artifact.state == ArtifactState.DECODED,
        is_usable(),
    )
    found = select(Build).where(Build.service_id == service_id, condition, decoded.exists())
    return session.scalars(found.order_by(Build.created_at.desc(), Build.id.desc()).limit(1)).first()
