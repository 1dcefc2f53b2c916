"""Values that the services of subscriptions return."""

from dataclasses import dataclass

from slowpath.core.ids import ServiceId
from slowpath.sharing.subscriptions.tables import ServiceSubscription


@dataclass(frozen=True)
class SubscriptionState:
    """The subscription of a user that applies to a service, and the number of its subscribers."""

    service_id: ServiceId
    subscription: ServiceSubscription | None
    subscribers: int


@dataclass(frozen=True)
class PreparedMail:
    """A mail to a subscriber."""

    to: str
    subject: str
    text: str
    message_id: str
    thread_id: str
    unsubscribe_url: str


@dataclass(frozen=True)
class UnsubscribePreview:
    """What an unsubscribe link ends."""

    team_name: str
    service_name: str | None
    """None: all services."""
    is_subscribed: bool
