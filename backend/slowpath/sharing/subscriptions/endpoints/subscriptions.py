"""HTTP endpoints of the caller's subscriptions and of the schedule of their mails."""

from uuid import UUID

from fastapi import APIRouter

from slowpath.core.errors import InvalidRequest, NotFound
from slowpath.core.ids import ServiceId
from slowpath.platform.accounts.access import MayRead
from slowpath.platform.accounts.service import record_audit_event
from slowpath.platform.http.problems import document_problems
from slowpath.platform.http.request_dependencies import Now, Reading, Writing
from slowpath.sharing.subscriptions.schemas import (
    MailScheduleIn,
    MailScheduleOut,
    OwnSubscriptionList,
    OwnSubscriptionOut,
    SubscriptionIn,
    SubscriptionOut,
)
from slowpath.sharing.subscriptions.service import mail_schedules, service_subscriptions

router = APIRouter(prefix="/api/v1", tags=["subscriptions"])


@router.get(
    "/services/{service_id}/subscription", operation_id="subscriptions:get", responses=document_problems(NotFound)
)
def get_subscription(service_id: UUID, caller: MayRead, session: Reading) -> SubscriptionOut:
    """Return the subscription of the caller that applies to a service."""
    return SubscriptionOut.of(service_subscriptions.get_subscription(session, ServiceId(service_id), caller.user_id))


@router.put(
    "/services/{service_id}/subscription",
    operation_id="subscriptions:create",
    responses=document_problems(NotFound, InvalidRequest),
)
def subscribe(
    service_id: UUID, caller: MayRead, session: Writing, body: SubscriptionIn | None = None
) -> SubscriptionOut:
    """Subscribe the caller to the events of a service, or change the subscription."""
    wanted = body or SubscriptionIn()
    service_subscriptions.subscribe(session, ServiceId(service_id), caller.user_id, wanted.events, wanted.min_severity)
    record_audit_event(session, caller, "subscription.created", "service", service_id, {})
    return SubscriptionOut.of(service_subscriptions.get_subscription(session, ServiceId(service_id), caller.user_id))


@router.delete(
    "/services/{service_id}/subscription",
    operation_id="subscriptions:delete",
    responses=document_problems(NotFound, InvalidRequest),
)
def unsubscribe(service_id: UUID, caller: MayRead, session: Writing) -> SubscriptionOut:
    """End the subscription of the caller to a service."""
    service_subscriptions.unsubscribe(session, ServiceId(service_id), caller.user_id)
    record_audit_event(session, caller, "subscription.deleted", "service", service_id, {})
    return SubscriptionOut.of(service_subscriptions.get_subscription(session, ServiceId(service_id), caller.user_id))


@router.get("/subscriptions", operation_id="subscriptions:list")
def list_subscriptions(caller: MayRead, session: Reading) -> OwnSubscriptionList:
    """List the subscriptions of the caller in the team; a token has none."""
    rows = service_subscriptions.list_subscriptions(session, caller.user_id)
    return OwnSubscriptionList(items=[OwnSubscriptionOut.of(row) for row in rows])


@router.put(
    "/subscriptions/all-services",
    operation_id="subscriptions:create-of-all",
    responses=document_problems(InvalidRequest),
)
def subscribe_to_all(caller: MayRead, session: Writing, body: SubscriptionIn | None = None) -> OwnSubscriptionOut:
    """Subscribe the caller to all services, also later ones, or change the subscription.

    It does not apply to services to which the caller has a subscription.
    """
    wanted = body or SubscriptionIn()
    row = service_subscriptions.subscribe(session, None, caller.user_id, wanted.events, wanted.min_severity)
    record_audit_event(session, caller, "subscription.created", "team", caller.team_id, {})
    return OwnSubscriptionOut.of(row)


@router.delete(
    "/subscriptions/all-services",
    operation_id="subscriptions:delete-of-all",
    status_code=204,
    responses=document_problems(InvalidRequest),
)
def unsubscribe_from_all(caller: MayRead, session: Writing) -> None:
    """End the subscription of the caller to all services; subscriptions to single services stay."""
    service_subscriptions.unsubscribe(session, None, caller.user_id)
    record_audit_event(session, caller, "subscription.deleted", "team", caller.team_id, {})


@router.get("/mail-schedule", operation_id="mail-schedule:get")
def get_mail_schedule(caller: MayRead, session: Reading) -> MailScheduleOut:
    """Return when the caller gets the mails of their subscriptions in the team."""
    return MailScheduleOut.of(mail_schedules.get_mail_times(session, caller.user_id))


@router.put("/mail-schedule", operation_id="mail-schedule:set", responses=document_problems(InvalidRequest))
def set_mail_schedule(body: MailScheduleIn, caller: MayRead, session: Writing, clock: Now) -> MailScheduleOut:
    """Set when the caller gets the mails of their subscriptions. What is held back follows the new schedule."""
    return MailScheduleOut.of(mail_schedules.set_mail_times(session, caller.user_id, body.to_times(), clock.now()))
