"""Subscriptions of users to the events of services."""

from dataclasses import dataclass

from sqlalchemy.dialects.postgresql import insert

from slowpath.core.db_sessions import ReadSession, WriteSession
from slowpath.core.ids import ServiceId, UserId, new_id
from slowpath.inventory.catalog import service as catalog
from slowpath.sharing.inbox import queries
from slowpath.sharing.inbox.service.inbox_views import require_user
from slowpath.sharing.inbox.tables import ServiceSubscription


@dataclass(frozen=True)
class SubscriptionState:
    """Whether a user is subscribed to a service, and the number of its subscribers."""

    service_id: ServiceId
    is_subscribed: bool
    subscribers: int


def get_subscription(session: ReadSession, service_id: ServiceId, user_id: UserId | None) -> SubscriptionState:
    """Return the subscription of a user; a token has none. Raises `ServiceNotFound`."""
    catalog.service(session, service_id)
    found = queries.select_subscribers(session, service_id)
    return SubscriptionState(service_id, user_id in found, len(found))


def subscribe(session: WriteSession, service_id: ServiceId, user_id: UserId | None) -> SubscriptionState:
    """Subscribe a user, once. Raises `ServiceNotFound`, `NotAUser`."""
    catalog.service(session, service_id)
    values = {
        "team_id": session.team_id,
        "id": new_id(),
        "service_id": service_id,
        "user_id": require_user(user_id),
    }
    session.execute(
        insert(ServiceSubscription).values(**values).on_conflict_do_nothing(constraint="uq_service_subscription_once")
    )
    return get_subscription(session, service_id, user_id)


def unsubscribe(session: WriteSession, service_id: ServiceId, user_id: UserId | None) -> SubscriptionState:
    """End the subscription of a user, if there is one. Raises `ServiceNotFound`, `NotAUser`."""
    catalog.service(session, service_id)
    row = queries.find_subscription(session, service_id, require_user(user_id))
    if row is not None:
        session.delete(row)
        session.flush()
    return get_subscription(session, service_id, user_id)
