"""Issues at GitHub and GitLab that users create of production events and regressions: at most one of each."""

from collections.abc import Mapping, Sequence
from typing import Any, Final, Literal
from uuid import UUID

from sqlalchemy.dialects.postgresql import insert

from slowpath.core.db_sessions import ReadSession, WriteSession
from slowpath.core.ids import ChannelId, IssueId, ProductionEventId, RegressionId, new_id
from slowpath.core.jobs import enqueue
from slowpath.sharing.notifications import queries
from slowpath.sharing.notifications.errors import ChannelNotFound, IssueTrackerMissing
from slowpath.sharing.notifications.jobs import CreateIssue
from slowpath.sharing.notifications.rules import CODE_HOSTS, ChannelKind, IssueState, NotificationContent
from slowpath.sharing.notifications.service import channels, notification_content, production_event_content
from slowpath.sharing.notifications.service.code_hosts import CreatedIssue
from slowpath.sharing.notifications.tables import LinkedIssue, NotificationChannel

IssueSubject = Literal["production-event", "regression"]
COMPOSERS: Final = {
    "production-event": lambda session, subject_id, url: production_event_content.compose_event_now(
        session, ProductionEventId(subject_id), url
    ),
    "regression": lambda session, subject_id, url: notification_content.compose_regression_now(
        session, RegressionId(subject_id), url
    ),
}


def compose_issue(session: ReadSession, kind: IssueSubject, subject_id: UUID, public_url: str) -> NotificationContent:
    """Return the content of an issue. Raises `ProductionEventNotFound`, `RegressionNotFound`."""
    return COMPOSERS[kind](session, subject_id, public_url)


def find_issue(session: ReadSession, kind: IssueSubject, subject_id: UUID) -> LinkedIssue | None:
    """Return the issue of a subject."""
    return queries.find_linked_issue(session, kind, subject_id)


def find_issue_number(session: ReadSession, channel_id: ChannelId, content: NotificationContent) -> int | None:
    """Return the number of the issue of an event's subject that was created with a channel."""
    kind = "production-event" if content.production_event is not None else "regression"
    row = queries.find_linked_issue(session, kind, content.subject_id)
    return row.number if row is not None and row.channel_id == channel_id else None


def list_trackers(session: ReadSession, service_id: UUID | None) -> Sequence[NotificationChannel]:
    """Return the channels whose repository can have issues of a service."""
    return [
        row
        for row in queries.open_channels(session)
        if ChannelKind(row.kind) in CODE_HOSTS and (row.service_ids is None or str(service_id) in row.service_ids)
    ]


def request_issue(
    session: WriteSession, kind: IssueSubject, subject_id: UUID, channel_id: ChannelId, service_id: UUID | None
) -> tuple[LinkedIssue, bool]:
    """Enqueue the creation of an issue; one that exists or is being created is returned, one that failed is retried.

    Returns the issue, and whether it was requested now. Raises `ChannelNotFound`, `IssueTrackerMissing`.
    """
    channel = channels.get_channel(session, channel_id)
    if channel.id not in {row.id for row in list_trackers(session, service_id)}:
        raise IssueTrackerMissing(
            "The channel is not an active one of GitHub or GitLab for this service.",
            remedy="Choose another repository, or change the channel in the settings.",
        )
    values = {"team_id": session.team_id, "id": new_id(), "kind": kind, "subject_id": subject_id}
    once = insert(LinkedIssue).values(**values, channel_id=channel.id, state=IssueState.FAILED)
    session.execute(once.on_conflict_do_nothing(constraint="uq_linked_issue_subject"))
    row = queries.lock_linked_issue(session, kind, subject_id)
    if row.state != IssueState.FAILED:
        return row, False
    row.state, row.problem, row.channel_id = IssueState.CREATING, None, channel.id
    session.flush()
    enqueue(session, CreateIssue(IssueId(row.id)))
    return row, True


def get_issue(session: ReadSession, issue_id: IssueId) -> LinkedIssue | None:
    """Return an issue, None if it was deleted."""
    return session.get(LinkedIssue, (session.team_id, issue_id))


def get_tracker(session: ReadSession, issue: LinkedIssue) -> NotificationChannel:
    """Return the channel of an issue. Raises `ChannelNotFound`."""
    if issue.channel_id is None:
        raise ChannelNotFound("The channel was deleted.", remedy="Choose another repository.")
    return channels.get_channel(session, ChannelId(issue.channel_id))


def record_created(session: WriteSession, issue_id: IssueId, created: CreatedIssue) -> None:
    """Record the number and the link of an issue."""
    row = get_issue(session, issue_id)
    if row is not None:
        row.state, row.number, row.url, row.problem = IssueState.CREATED, created.number, created.url, None


def record_failed(session: WriteSession, issue_id: IssueId, problem: Mapping[str, Any]) -> None:
    """Record why an issue was not created."""
    row = get_issue(session, issue_id)
    if row is not None and row.state == IssueState.CREATING:
        row.state, row.problem = IssueState.FAILED, dict(problem)
