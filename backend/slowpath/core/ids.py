"""ID types, one per kind of object, so that type checks detect mixed-up IDs."""

from typing import NewType
from uuid import UUID, uuid4

TeamId = NewType("TeamId", UUID)
UserId = NewType("UserId", UUID)
JobId = NewType("JobId", UUID)
ServiceId = NewType("ServiceId", UUID)
EnvironmentId = NewType("EnvironmentId", UUID)
BuildId = NewType("BuildId", UUID)
ArtifactId = NewType("ArtifactId", UUID)
UploadId = NewType("UploadId", UUID)
ProfileSetId = NewType("ProfileSetId", UUID)
ProfileViewId = NewType("ProfileViewId", UUID)
ProfileExportId = NewType("ProfileExportId", UUID)
ComparisonId = NewType("ComparisonId", UUID)
ExportId = NewType("ExportId", UUID)
TraceCutId = NewType("TraceCutId", UUID)
AssemblyId = NewType("AssemblyId", UUID)
ExplanationId = NewType("ExplanationId", UUID)
DeployId = NewType("DeployId", UUID)
AnnotationId = NewType("AnnotationId", UUID)
MetricSourceId = NewType("MetricSourceId", UUID)
RepositoryId = NewType("RepositoryId", UUID)
CommitId = NewType("CommitId", UUID)
ChannelId = NewType("ChannelId", UUID)
MessageId = NewType("MessageId", UUID)
IssueId = NewType("IssueId", UUID)
TeamEventId = NewType("TeamEventId", UUID)
SubscriptionId = NewType("SubscriptionId", UUID)
SubscriberMailId = NewType("SubscriberMailId", UUID)
RegressionId = NewType("RegressionId", UUID)
BudgetId = NewType("BudgetId", UUID)
ProductionEventId = NewType("ProductionEventId", UUID)
HookId = NewType("HookId", UUID)
HookDeliveryId = NewType("HookDeliveryId", UUID)
DiscussionId = NewType("DiscussionId", UUID)
CommentId = NewType("CommentId", UUID)
ReportId = NewType("ReportId", UUID)
ShareLinkId = NewType("ShareLinkId", UUID)
EmbeddedPanelId = NewType("EmbeddedPanelId", UUID)
BisectId = NewType("BisectId", UUID)
BisectPreflightId = NewType("BisectPreflightId", UUID)
ProbeId = NewType("ProbeId", UUID)
ProbeWindowId = NewType("ProbeWindowId", UUID)
ExampleDataId = NewType("ExampleDataId", UUID)

BlobKey = NewType("BlobKey", str)
"""Key in the blob store; begins with the team's ID."""


def new_id() -> UUID:
    """Return a new random ID."""
    return uuid4()
