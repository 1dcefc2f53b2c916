"""SELECT statements to search sources of comparisons and to suggest pairs."""

from collections.abc import Collection, Sequence
from datetime import datetime
from uuid import UUID

from sqlalchemy import ColumnElement, Row, and_, func, or_, select, tuple_
from sqlalchemy.orm import defer

from slowpath.core.db_sessions import ReadSession
from slowpath.core.ids import ArtifactId, BlobKey, EnvironmentId, ServiceId, UserId
from slowpath.evidence.artifacts.rules import ArtifactState
from slowpath.evidence.artifacts.service.build_evidence import is_usable, recorded_ms
from slowpath.evidence.artifacts.tables import Artifact
from slowpath.evidence.benchmarks.tables import BenchmarkOutput
from slowpath.evidence.profiles.tables import Profile
from slowpath.inventory.catalog.tables import Build, Deployment, Environment, Service
from slowpath.verdicts.comparisons.tables import Comparison, ComparisonArtifact


def has_evidence() -> ColumnElement[bool]:
    """Return the condition for builds with decoded evidence, by ix_artifact_build."""
    decoded = select(Artifact.id).where(
        Artifact.team_id == Build.team_id,
        Artifact.build_id == Build.id,
        Artifact.state == ArtifactState.DECODED,
        is_usable(),
    )
    return decoded.exists()


def select_branches(
    session: ReadSession, service_id: ServiceId | None, text: str, limit: int
) -> Sequence[Row[UUID, str, datetime]]:
    """Return (service_id, branch, time of its newest build) of builds, the newest first, by ix_build_branch."""
    newest = func.max(Build.created_at)
    found = select(Build.service_id, Build.branch, newest).where(Build.team_id == session.team_id, Build.branch != "")
    if service_id is not None:
        found = found.where(Build.service_id == service_id)
    if text:
        found = found.where(Build.branch.icontains(text, autoescape=True))
    found = found.group_by(Build.service_id, Build.branch).order_by(newest.desc(), Build.branch)
    return session.execute(found.limit(limit)).all()  # type: ignore[return-value]  # the branch is not null


def select_newest_builds_of_branches(session: ReadSession, branches: Collection[tuple[UUID, str]]) -> Sequence[Build]:
    """Return the newest build with evidence of each (service, branch), by ix_build_branch."""
    chosen = (
        select(Build.service_id, Build.branch)
        .where(Build.team_id == session.team_id, tuple_(Build.service_id, Build.branch).in_(branches))
        .distinct()
        .subquery()
    )
    newest = (
        select(Build.id)
        .where(
            Build.team_id == session.team_id,
            Build.service_id == chosen.c.service_id,
            Build.branch == chosen.c.branch,
            has_evidence(),
        )
        .order_by(Build.created_at.desc(), Build.id.desc())
        .limit(1)
        .lateral()
    )
    ids = select(newest.c.id).select_from(chosen.join(newest, onclause=newest.c.id.is_not(None)))
    return session.scalars(select(Build).where(Build.id.in_(ids))).all()


def select_builds_of_commits(session: ReadSession, pairs: Collection[tuple[UUID, str]]) -> Sequence[Build]:
    """Return the builds of (service, commit), oldest first, by uq_build_identity."""
    found = select(Build).where(tuple_(Build.service_id, Build.commit).in_(pairs))
    return session.scalars(found.order_by(Build.created_at, Build.id)).all()


def select_deployments(
    session: ReadSession, service_id: ServiceId | None, text: str, limit: int
) -> Sequence[Row[Deployment, str, str, str]]:
    """Return deployments with the names of service and environment and the branch of the build, the newest first.

    By ix_deployment_started, or ix_deployment_service.
    """
    found = (
        select(Deployment, Service.name, Environment.name, Build.branch)
        .join(Service, and_(Service.team_id == Deployment.team_id, Service.id == Deployment.service_id))
        .join(Environment, and_(Environment.team_id == Deployment.team_id, Environment.id == Deployment.environment_id))
        .outerjoin(Build, and_(Build.team_id == Deployment.team_id, Build.id == Deployment.build_id))
        .order_by(Deployment.started_at.desc(), Deployment.id.desc())
        .limit(limit)
    )
    if service_id is not None:
        found = found.where(Deployment.service_id == service_id)
    if text:
        parts = (Deployment.label, Service.name, Environment.name, Build.branch, Build.title)
        starts = Deployment.commit.startswith(text.lower(), autoescape=True)
        found = found.where(or_(starts, *(part.icontains(text, autoescape=True) for part in parts)))
    return session.execute(found).all()  # type: ignore[return-value]  # a build may be absent


def count_evidence_of_deployments(
    session: ReadSession, deployment_ids: Collection[UUID], now: datetime
) -> Sequence[Row[UUID, str, int]]:
    """Count the decoded artifacts of the builds of deployments, recorded while each ran, by ix_artifact_build."""
    at = func.to_timestamp(recorded_ms() / 1000.0)
    found = (
        select(Deployment.id, Artifact.kind, func.count())
        .join(Artifact, and_(Artifact.team_id == Deployment.team_id, Artifact.build_id == Deployment.build_id))
        .where(
            Deployment.id.in_(deployment_ids),
            Artifact.state == ArtifactState.DECODED,
            is_usable(),
            at >= Deployment.started_at,
            at < func.coalesce(Deployment.ended_at, now),
        )
        .group_by(Deployment.id, Artifact.kind)
    )
    return session.execute(found).all()  # type: ignore[return-value]  # decoded artifacts have a kind


def select_newest_deployments(
    session: ReadSession, service_id: ServiceId, environment_id: EnvironmentId | None, limit: int
) -> Sequence[Deployment]:
    """Return the newest deployments of a service, by ix_deployment_service."""
    found = select(Deployment).where(Deployment.service_id == service_id)
    if environment_id is not None:
        found = found.where(Deployment.environment_id == environment_id)
    return session.scalars(found.order_by(Deployment.started_at.desc(), Deployment.id.desc()).limit(limit)).all()


def select_newest_builds(session: ReadSession, service_id: ServiceId, limit: int) -> Sequence[Build]:
    """Return the newest builds of a service with evidence, by ix_build_service."""
    found = select(Build).where(Build.service_id == service_id, has_evidence())
    return session.scalars(found.order_by(Build.created_at.desc(), Build.id.desc()).limit(limit)).all()


def select_recent_comparisons(session: ReadSession, user_id: UserId, limit: int) -> Sequence[Comparison]:
    """Return the newest comparisons that a user created, without results, by ix_comparison_created_by."""
    found = select(Comparison).options(defer(Comparison.result, raiseload=True)).where(Comparison.created_by == user_id)
    return session.scalars(found.order_by(Comparison.created_at.desc(), Comparison.id.desc()).limit(limit)).all()


def select_listed_artifacts(
    session: ReadSession, comparison_ids: Collection[UUID]
) -> dict[tuple[UUID, str], list[ArtifactId]]:
    """Return the artifacts by comparison and side in their order, by uq_comparison_artifact_once."""
    found = select(ComparisonArtifact).where(ComparisonArtifact.comparison_id.in_(comparison_ids))
    listed: dict[tuple[UUID, str], list[ArtifactId]] = {}
    for row in session.scalars(found.order_by(ComparisonArtifact.position)):
        listed.setdefault((row.comparison_id, row.side), []).append(ArtifactId(row.artifact_id))
    return listed


def select_binaries(session: ReadSession, artifact_ids: Collection[UUID]) -> dict[UUID, tuple[str, ...]]:
    """Return the build ids of profiles, the program's first, by primary key."""
    rows = session.execute(select(Profile.id, Profile.mappings).where(Profile.id.in_(artifact_ids)))
    return {
        artifact_id: tuple(str(each["build_id"]) for each in mappings if each.get("build_id"))
        for artifact_id, mappings in rows
    }


def select_columns(session: ReadSession, artifact_ids: Collection[UUID]) -> dict[UUID, tuple[BlobKey, int]]:
    """Return blob key and size of the columns of profiles and benchmarks, by primary key."""
    return {
        artifact_id: (BlobKey(key), size)
        for table in (Profile, BenchmarkOutput)
        for artifact_id, key, size in session.execute(
            select(table.id, table.columns_key, table.columns_bytes).where(table.id.in_(artifact_ids))
        )
    }
