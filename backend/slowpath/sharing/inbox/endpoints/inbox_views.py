"""HTTP endpoints of saved views."""

from uuid import UUID

from fastapi import APIRouter

from slowpath.core.errors import Conflict, InvalidRequest, LimitExceeded, NotFound
from slowpath.platform.accounts.access import MayRead, MayWrite
from slowpath.platform.accounts.service import record_audit_event
from slowpath.platform.http.problems import document_problems
from slowpath.platform.http.request_dependencies import Reading, Writing
from slowpath.sharing.inbox.schemas.inbox_actions import InboxViewIn, InboxViewList, InboxViewOut
from slowpath.sharing.inbox.service import inbox_views

router = APIRouter(prefix="/api/v1", tags=["inbox"])


@router.get("/inbox/views", operation_id="inbox-views:list", responses=document_problems(InvalidRequest))
def list_views(caller: MayRead, session: Reading) -> InboxViewList:
    """List the saved views of the caller, and those that others share, by name."""
    rows = inbox_views.list_views(session, caller.user_id)
    return InboxViewList(items=[InboxViewOut.of(row, caller.user_id) for row in rows])


@router.post(
    "/inbox/views",
    operation_id="inbox-views:create",
    status_code=201,
    responses=document_problems(Conflict, InvalidRequest, LimitExceeded),
)
def create_view(body: InboxViewIn, caller: MayWrite, session: Writing) -> InboxViewOut:
    """Save the filters of the page under a name."""
    row = inbox_views.create_view(session, caller.user_id, body.name, body.filters, is_shared=body.is_shared)
    record_audit_event(session, caller, "inbox-view.created", "inbox-view", row.id, {"name": row.name})
    return InboxViewOut.of(row, caller.user_id)


@router.delete(
    "/inbox/views/{inbox_view_id}",
    operation_id="inbox-views:delete",
    status_code=204,
    responses=document_problems(NotFound, InvalidRequest),
)
def delete_view(inbox_view_id: UUID, caller: MayWrite, session: Writing) -> None:
    """Delete a saved view of the caller, or one that is shared."""
    row = inbox_views.delete_view(session, caller.user_id, inbox_view_id)
    record_audit_event(session, caller, "inbox-view.deleted", "inbox-view", inbox_view_id, {"name": row.name})
