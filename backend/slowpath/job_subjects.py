"""Where the subjects of jobs have their names, by kind. An object without one has that of what it belongs to."""

from collections.abc import Mapping
from typing import Final

from sqlalchemy import ColumnElement, String, case, cast, literal, select

from slowpath.evidence.artifacts.tables import Artifact
from slowpath.evidence.exec_traces.tables import TraceExcerpt
from slowpath.evidence.metric_sources.tables import MetricSource
from slowpath.evidence.profiles.tables import ProfileExport, ProfileSet, ProfileSetArtifact
from slowpath.inventory.catalog.tables import Service
from slowpath.inventory.repositories.tables import Repository
from slowpath.platform.jobs.service import NamedColumns
from slowpath.sharing.notifications.tables import LinkedIssue, Notification, NotificationChannel
from slowpath.sharing.reports.tables import Report
from slowpath.verdicts.bisects.tables import Bisect
from slowpath.verdicts.comparisons.tables import Comparison, ComparisonExport
from slowpath.verdicts.compiler_evidence.tables import Assembly
from slowpath.verdicts.gap_explanations.tables import GapExplanation


def _of_comparison(owner: type[ComparisonExport]) -> ColumnElement[str]:
    found = select(Comparison.name).where(Comparison.team_id == owner.team_id, Comparison.id == owner.comparison_id)
    return found.scalar_subquery()


def _of_channel(owner: type[Notification | LinkedIssue]) -> ColumnElement[str]:
    found = select(NotificationChannel.label).where(
        NotificationChannel.team_id == owner.team_id, NotificationChannel.id == owner.channel_id
    )
    return found.scalar_subquery()


def _of_artifact(owner: type[GapExplanation | TraceExcerpt]) -> ColumnElement[str]:
    return (
        select(Artifact.name)
        .where(Artifact.team_id == owner.team_id, Artifact.id == owner.artifact_id)
        .scalar_subquery()
    )


def _of_profile_set(owner: type[ProfileSet | ProfileExport]) -> ColumnElement[str]:
    """Return the name of its first artifact and the number of the others."""
    set_id = owner.id if owner is ProfileSet else ProfileExport.set_id
    others = ProfileSet.artifact_count - 1
    name = case(
        (others > 0, Artifact.name + literal(" and ") + cast(others, String) + literal(" more")), else_=Artifact.name
    )
    found = (
        select(name)
        .select_from(ProfileSetArtifact)
        .join(
            Artifact, (Artifact.team_id == ProfileSetArtifact.team_id) & (Artifact.id == ProfileSetArtifact.artifact_id)
        )
    )
    if owner is ProfileExport:
        found = found.join(
            ProfileSet,
            (ProfileSet.team_id == ProfileSetArtifact.team_id) & (ProfileSet.id == ProfileSetArtifact.set_id),
        )
    found = found.where(ProfileSetArtifact.team_id == owner.team_id, ProfileSetArtifact.set_id == set_id)
    return found.order_by(ProfileSetArtifact.position).limit(1).scalar_subquery()


NAMED_SUBJECTS: Final[Mapping[str, NamedColumns]] = {
    "artifact": (Artifact.id, Artifact.name),
    "assembly": (Assembly.id, Assembly.function),
    "bisect": (Bisect.id, Bisect.title),
    "comparison": (Comparison.id, Comparison.name),
    "explanation": (GapExplanation.id, _of_artifact(GapExplanation)),
    "export": (ComparisonExport.id, _of_comparison(ComparisonExport)),
    "linked_issue": (LinkedIssue.id, _of_channel(LinkedIssue)),
    "metric_source": (MetricSource.id, MetricSource.label),
    "notification": (Notification.id, _of_channel(Notification)),
    "profile_export": (ProfileExport.id, _of_profile_set(ProfileExport)),
    "profile_set": (ProfileSet.id, _of_profile_set(ProfileSet)),
    "report": (Report.id, Report.title),
    "repository": (Repository.id, Repository.label),
    "service": (Service.id, Service.name),
    "trace_excerpt": (TraceExcerpt.id, _of_artifact(TraceExcerpt)),
}
