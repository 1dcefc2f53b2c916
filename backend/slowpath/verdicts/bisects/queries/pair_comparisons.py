"""SELECT statement of the comparison of two builds of a bisect."""

from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

from sqlalchemy import ColumnElement, Select, cast, or_, select
from sqlalchemy.dialects.postgresql import JSONB

from slowpath.core.db_sessions import ReadSession
from slowpath.evidence.artifacts.tables import Artifact
from slowpath.inventory.catalog.tables import Build
from slowpath.verdicts.bisects.rules.bisect_states import ProbeState
from slowpath.verdicts.bisects.tables import Bisect, Probe
from slowpath.verdicts.comparisons.rules import ComparisonState, Side
from slowpath.verdicts.comparisons.tables import Comparison, ComparisonArtifact


def select_pair_comparison(
    session: ReadSession,
    bisect: Bisect,
    base: Mapping[str, Any],
    candidate: Mapping[str, Any],
    compiled: Sequence[UUID] = (),
) -> UUID | None:
    """Return the newest finished comparison whose sides have only artifacts of these two builds.

    Those that probes of the bisect uploaded, and without replaced modules those of the commits of the service; `compiled`: the
    executables of base and candidate that the compilation of the culprit uploaded.
    By ix_artifact_batch, ix_artifact_build and ix_comparison_artifact_artifact.
    """
    found = select(Comparison.id).where(Comparison.team_id == session.team_id, Comparison.state == ComparisonState.DONE)
    for number, (side, build) in enumerate(((Side.BASE, base), (Side.CANDIDATE, candidate))):
        is_of_build = or_(_is_of_build(session, bisect, build), Artifact.id.in_(compiled[number : number + 1]))
        found = found.where(
            Comparison.id.in_(_compared(session, side, is_of_build)),
            Comparison.id.not_in(
                _compared(session, side, ~is_of_build).where(ComparisonArtifact.comparison_id == Comparison.id)
            ),
        )
    return session.scalar(found.order_by(Comparison.created_at.desc(), Comparison.id.desc()).limit(1))


def select_build_artifacts(session: ReadSession, bisect: Bisect, build: Mapping[str, Any]) -> Sequence[Artifact]:
    """Return what the probes of a build uploaded, oldest first, by ix_artifact_batch; invalidated probes are left out."""
    runs = _runs_of(session, bisect, build).where(Probe.state != ProbeState.INVALIDATED)
    found = select(Artifact).where(Artifact.team_id == session.team_id, Artifact.batch.in_(runs))
    return session.scalars(found.order_by(Artifact.created_at, Artifact.id)).all()


def _compared(session: ReadSession, side: Side, condition: ColumnElement[bool]) -> Select[UUID]:
    """Select the comparisons with an artifact on a side that meets a condition."""
    is_same = (Artifact.team_id == ComparisonArtifact.team_id) & (Artifact.id == ComparisonArtifact.artifact_id)
    found = select(ComparisonArtifact.comparison_id).join(Artifact, is_same)
    return found.where(ComparisonArtifact.team_id == session.team_id, ComparisonArtifact.side == side, condition)


def _is_of_build(session: ReadSession, bisect: Bisect, build: Mapping[str, Any]) -> ColumnElement[bool]:
    runs = _runs_of(session, bisect, build)
    builds = select(Build.id).where(
        Build.team_id == session.team_id, Build.service_id == bisect.service_id, Build.commit == build["commit"]
    )
    is_of_run = Artifact.batch.is_not(None) & Artifact.batch.in_(runs)
    if build["modules"] or build["versions"]:
        return is_of_run
    return or_(is_of_run, Artifact.build_id.is_not(None) & Artifact.build_id.in_(builds))


def _runs_of(session: ReadSession, bisect: Bisect, build: Mapping[str, Any]) -> Select[UUID]:
    return select(Probe.run_id).where(
        Probe.team_id == session.team_id, Probe.bisect_id == bisect.id, Probe.build == cast(dict(build), JSONB())
    )
