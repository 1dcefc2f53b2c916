"""HTTP endpoints of saved views and of subscriptions to services."""

from uuid import UUID

from fastapi import APIRouter

from slowpath.core.errors import Conflict, InvalidRequest, LimitExceeded, NotFound
from slowpath.core.ids import ServiceId
from slowpath.platform.accounts.access import MayRead, MayWrite
from slowpath.platform.accounts.service import record_audit_event
from slowpath.platform.http.problems import document_problems
from slowpath.platform.http.request_dependencies import Reading, Writing
from slowpath.sharing.inbox.schemas.inbox_actions import InboxViewIn, InboxViewList, InboxViewOut, SubscriptionOut
from slowpath.sharing.inbox.service import inbox_views, service_subscriptions
from slowpath.sharing.inbox.service.service_subscriptions import SubscriptionState

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


@router.get(
    "/services/{service_id}/subscription", operation_id="subscriptions:get", responses=document_problems(NotFound)
)
def get_subscription(service_id: UUID, caller: MayRead, session: Reading) -> SubscriptionOut:
    """Return whether the caller is subscribed to the events of a service."""
    return _make_out(service_subscriptions.get_subscription(session, ServiceId(service_id), caller.user_id))


@router.put(
    "/services/{service_id}/subscription",
    operation_id="subscriptions:create",
    responses=document_problems(NotFound, InvalidRequest),
)
def subscribe(service_id: UUID, caller: MayRead, session: Writing) -> SubscriptionOut:
    """Subscribe the caller to the events of a service."""
    state = service_subscriptions.subscribe(session, ServiceId(service_id), caller.user_id)
    record_audit_event(session, caller, "subscription.created", "service", service_id, {})
    return _make_out(state)


@router.delete(
    "/services/{service_id}/subscription",
    operation_id="subscriptions:delete",
    responses=document_problems(NotFound, InvalidRequest),
)
def unsubscribe(service_id: UUID, caller: MayRead, session: Writing) -> SubscriptionOut:
    """End the subscription of the caller."""
    state = service_subscriptions.unsubscribe(session, ServiceId(service_id), caller.user_id)
    record_audit_event(session, caller, "subscription.deleted", "service", service_id, {})
    return _make_out(state)


def _make_out(state: SubscriptionState) -> SubscriptionOut:
    return SubscriptionOut(
        service_id=state.service_id, is_subscribed=state.is_subscribed, subscribers=state.subscribers
    )
