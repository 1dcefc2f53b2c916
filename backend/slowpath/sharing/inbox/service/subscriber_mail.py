"""Mail the announced events of a service to its subscribers."""

from dataclasses import dataclass

from slowpath.core.db_sessions import ReadSession, WriteSession
from slowpath.core.ids import ServiceId, SubscriptionId, TeamEventId
from slowpath.core.jobs import enqueue
from slowpath.platform.accounts.service import get_team
from slowpath.sharing.inbox import queries, wording
from slowpath.sharing.inbox.jobs import MailSubscriber
from slowpath.sharing.notifications.rules import USUAL_EVENTS, ChannelKind, NotificationContent
from slowpath.sharing.notifications.service import event_log


@dataclass(frozen=True)
class SubscriberMail:
    """A mail to one subscriber."""

    to: str
    subject: str
    text: str


def enqueue_subscriber_mails(
    session: WriteSession, content: NotificationContent, event_id: TeamEventId | None, *, mail_is_sent: bool
) -> None:
    """Enqueue a mail of a new event to each subscriber of its service, if channels for e-mail get such events."""
    is_mailed = content.event in USUAL_EVENTS[ChannelKind.EMAIL] and content.is_announced
    if event_id is None or content.service_id is None or not mail_is_sent or not is_mailed:
        return
    for subscription_id in queries.select_subscription_ids(session, ServiceId(content.service_id)):
        enqueue(session, MailSubscriber(SubscriptionId(subscription_id), event_id))


def prepare_subscriber_mail(
    session: ReadSession, subscription_id: SubscriptionId, event_id: TeamEventId, public_url: str
) -> SubscriberMail | None:
    """Return the mail; None if the subscription, the membership or the event has ended."""
    subscriber = queries.find_subscriber_address(session, subscription_id)
    event = event_log.find_event(session, event_id)
    if subscriber is None or event is None:
        return None
    service_id, address = subscriber
    page = f"{public_url}/t/{get_team(session).slug}/services/{service_id}"
    subject, text = wording.subscriber_mail(NotificationContent.from_json(event.content), page)
    return SubscriberMail(address, subject, text)
