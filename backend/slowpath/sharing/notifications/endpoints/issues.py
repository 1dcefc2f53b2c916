"""HTTP endpoints of issues at code hosts."""

from uuid import UUID

from fastapi import APIRouter

from slowpath.core.db_sessions import ReadSession
from slowpath.core.errors import InvalidRequest, NotFound
from slowpath.core.ids import ChannelId
from slowpath.core.settings import Settings
from slowpath.platform.accounts.access import MayRead, MayWrite
from slowpath.platform.accounts.service import record_audit_event
from slowpath.platform.http.problems import document_problems
from slowpath.platform.http.request_dependencies import Configured, Reading, Writing
from slowpath.sharing.notifications.schemas import LinkedIssueIn, LinkedIssueOut
from slowpath.sharing.notifications.service import issues
from slowpath.sharing.notifications.service.issues import IssueSubject

router = APIRouter(tags=["notifications"])


@router.get(
    "/linked-issues/{kind}/{subject_id}",
    operation_id="linked-issues:get",
    responses=document_problems(NotFound, InvalidRequest),
)
def get_linked_issue(
    kind: IssueSubject, subject_id: UUID, caller: MayRead, session: Reading, settings: Configured
) -> LinkedIssueOut:
    """Return the issue of a production event or regression, and the repositories where one can be created."""
    return _make_out(session, settings, kind, subject_id)


@router.post(
    "/linked-issues/{kind}/{subject_id}",
    operation_id="linked-issues:create",
    status_code=202,
    responses=document_problems(NotFound, InvalidRequest),
)
def create_linked_issue(
    kind: IssueSubject,
    subject_id: UUID,
    body: LinkedIssueIn,
    caller: MayWrite,
    session: Writing,
    settings: Configured,
) -> LinkedIssueOut:
    """Create an issue with the token of a channel. If there is one, it is returned and no other is created."""
    content = issues.compose_issue(session, kind, subject_id, settings.public_url)
    channel_id = ChannelId(body.channel_id)
    _row, is_new = issues.request_issue(session, kind, subject_id, channel_id, content.service_id)
    if is_new:
        record_audit_event(session, caller, "issue.requested", kind, subject_id, {"channel_id": str(channel_id)})
    return _make_out(session, settings, kind, subject_id)


def _make_out(session: ReadSession, settings: Settings, kind: IssueSubject, subject_id: UUID) -> LinkedIssueOut:
    content = issues.compose_issue(session, kind, subject_id, settings.public_url)
    trackers = issues.list_trackers(session, content.service_id)
    return LinkedIssueOut.of(issues.find_issue(session, kind, subject_id), trackers)
