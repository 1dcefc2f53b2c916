"""Subscribe users to the events of one service, or of all services."""

from collections.abc import Sequence

from sqlalchemy.dialects.postgresql import insert

from slowpath.core.db_sessions import ReadSession, WriteSession
from slowpath.core.ids import ServiceId, UserId, new_id
from slowpath.inventory.catalog import service as catalog
from slowpath.sharing.notifications.rules import NotificationEvent
from slowpath.sharing.subscriptions import queries
from slowpath.sharing.subscriptions.errors import SubscriberNotAUser
from slowpath.sharing.subscriptions.read_models import SubscriptionState
from slowpath.sharing.subscriptions.rules import DEFAULT_EVENTS, SeverityName
from slowpath.sharing.subscriptions.tables import ServiceSubscription


def require_user(user_id: UserId | None) -> UserId:
    """Return the user. Raises `SubscriberNotAUser` for a token."""
    if user_id is None:
        raise SubscriberNotAUser("Mails are sent to users, and a token is none.", remedy="Sign in as a user.")
    return user_id


def get_subscription(session: ReadSession, service_id: ServiceId, user_id: UserId | None) -> SubscriptionState:
    """Return the subscription of a user to a service; a token has none. Raises `ServiceNotFound`."""
    catalog.service(session, service_id)
    subscribers = queries.select_subscribers(session, service_id)
    own = next((each.subscription for each in subscribers if each.subscription.user_id == user_id), None)
    return SubscriptionState(service_id, own, len(subscribers))


def list_subscriptions(session: ReadSession, user_id: UserId | None) -> Sequence[ServiceSubscription]:
    """Return the subscriptions of a user, that to all services first; a token has none."""
    return [] if user_id is None else queries.select_subscriptions(session, user_id)


def subscribe(
    session: WriteSession,
    service_id: ServiceId | None,
    user_id: UserId | None,
    events: Sequence[NotificationEvent] | None = None,
    min_severity: SeverityName | None = None,
) -> ServiceSubscription:
    """Subscribe a user, or change the subscription; what is None stays. Raises `ServiceNotFound`, `SubscriberNotAUser`."""
    owner = require_user(user_id)
    if service_id is not None:
        catalog.service(session, service_id)
    values = {
        "team_id": session.team_id,
        "id": new_id(),
        "service_id": service_id,
        "user_id": owner,
        "events": sorted(events or DEFAULT_EVENTS),
        "min_severity": min_severity or "low",
    }
    session.execute(
        insert(ServiceSubscription).values(**values).on_conflict_do_nothing(constraint="uq_service_subscription_once")
    )
    row = queries.find_subscription(session, service_id, owner)
    assert row is not None  # it was there, or was inserted
    row.events = row.events if events is None else sorted(events)
    row.min_severity = min_severity or row.min_severity
    session.flush()
    return row


def unsubscribe(session: WriteSession, service_id: ServiceId | None, user_id: UserId | None) -> None:
    """End a subscription of a user, if there is one. Its mails that are not sent yet are deleted.

    Raises `ServiceNotFound`, `SubscriberNotAUser`.
    """
    owner = require_user(user_id)
    if service_id is not None:
        catalog.service(session, service_id)
    row = queries.find_subscription(session, service_id, owner)
    if row is not None:
        session.delete(row)
        session.flush()
