"""HTTP endpoints of notification channels and notifications."""

from urllib.parse import urlsplit
from uuid import UUID

from fastapi import APIRouter

from slowpath.core.errors import AddressNotAllowed, Conflict, InvalidRequest, LimitExceeded, NotFound
from slowpath.core.ids import ChannelId, MessageId, ServiceId, new_id
from slowpath.core.settings import Settings
from slowpath.inventory.catalog import service as catalog
from slowpath.platform.accounts.access import MayManage, MayRead
from slowpath.platform.accounts.rules.roles import Role
from slowpath.platform.accounts.service import record_audit_event
from slowpath.platform.http.body_limits import KIB, body_up_to
from slowpath.platform.http.pagination import Page, Paging
from slowpath.platform.http.problems import document_problems
from slowpath.platform.http.request_dependencies import Configured, Reading, Seals, WayOut, Writing
from slowpath.sharing.notifications.rules import USUAL_EVENTS, ChannelKind, NotificationContent, NotificationEvent
from slowpath.sharing.notifications.schemas import (
    ChannelCreatedOut,
    ChannelIn,
    ChannelOut,
    ChannelUpdate,
    NotificationOut,
)
from slowpath.sharing.notifications.service import channels, notifications, slack_links
from slowpath.sharing.notifications.tables import NotificationChannel

router = APIRouter(tags=["notifications"])


@router.get(
    "/notification-channels", operation_id="notification-channels:list", responses=document_problems(InvalidRequest)
)
def list_channels(caller: MayRead, session: Reading, settings: Configured, paging: Paging) -> Page[ChannelOut]:
    """List channels, newest first. Only admins see whole addresses of webhooks: their paths may be secrets."""
    sees_addresses = caller.role.reaches(Role.ADMIN)
    rows = channels.channels(session, paging.after, paging.limit + 1)
    return paging.page(
        rows, lambda row: _make_out(row, settings, sees_addresses=sees_addresses), lambda row: (row.created_at, row.id)
    )


@router.post(
    "/notification-channels",
    operation_id="notification-channels:create",
    openapi_extra=body_up_to(256 * KIB, members=3_000),
    status_code=201,
    responses=document_problems(NotFound, InvalidRequest, AddressNotAllowed, LimitExceeded),
)
def create_channel(
    body: ChannelIn,
    caller: MayManage,
    session: Writing,
    settings: Configured,
    outside: WayOut,
    sealer: Seals,
) -> ChannelCreatedOut:
    """Create a channel. Nothing is sent yet; only this response contains a webhook's signing secret."""
    for service_id in body.service_ids or []:
        catalog.service(session, ServiceId(service_id))
    added = channels.create_channel(
        session,
        sealer,
        outside,
        body.ending(),
        label=body.name,
        events=body.events or sorted(USUAL_EVENTS[body.kind]),
        service_ids=None if body.service_ids is None else [str(one) for one in body.service_ids],
        mail_is_sent=settings.sends_mail,
    )
    facts = {"name": added.channel.label, "kind": added.channel.kind, "target": added.channel.target}
    record_audit_event(session, caller, "notification-channel.created", "notification_channel", added.channel.id, facts)
    return ChannelCreatedOut(channel=_make_out(added.channel, settings), secret=added.secret)


@router.patch(
    "/notification-channels/{channel_id}",
    operation_id="notification-channels:update",
    openapi_extra=body_up_to(256 * KIB, members=3_000),
    responses=document_problems(NotFound, InvalidRequest),
)
def change_channel(
    channel_id: UUID, change: ChannelUpdate, caller: MayManage, session: Writing, settings: Configured
) -> ChannelOut:
    """Update a channel: its name, events, services or state."""
    for service_id in change.service_ids or []:
        catalog.service(session, ServiceId(service_id))
    row = channels.update_channel(session, ChannelId(channel_id), change.values())
    record_audit_event(
        session, caller, "notification-channel.updated", "notification_channel", channel_id, change.values()
    )
    return _make_out(row, settings)


@router.delete(
    "/notification-channels/{channel_id}",
    operation_id="notification-channels:delete",
    status_code=204,
    responses=document_problems(NotFound),
)
def delete_channel(channel_id: UUID, caller: MayManage, session: Writing) -> None:
    """Delete a channel and its notifications."""
    row = channels.delete_channel(session, ChannelId(channel_id))
    record_audit_event(
        session, caller, "notification-channel.deleted", "notification_channel", channel_id, {"name": row.label}
    )


@router.post(
    "/notification-channels/{channel_id}/secret",
    operation_id="notification-channels:rotate-secret",
    responses=document_problems(NotFound, InvalidRequest),
)
def renew_secret(
    channel_id: UUID, caller: MayManage, session: Writing, settings: Configured, sealer: Seals
) -> ChannelCreatedOut:
    """Rotate the signing secret of a webhook. The old secret is invalid immediately."""
    added = channels.renew_secret(session, sealer, ChannelId(channel_id))
    record_audit_event(
        session,
        caller,
        "notification-channel.secret-rotated",
        "notification_channel",
        channel_id,
        {"name": added.channel.label},
    )
    return ChannelCreatedOut(channel=_make_out(added.channel, settings), secret=added.secret)


@router.post(
    "/notification-channels/{channel_id}/test",
    operation_id="notification-channels:test",
    status_code=202,
    responses=document_problems(NotFound, Conflict),
)
def send_test_notification(
    channel_id: UUID, caller: MayManage, session: Writing, settings: Configured
) -> NotificationOut:
    """Send a test notification; the channel's notifications show its delivery."""
    content = NotificationContent(NotificationEvent.TEST, new_id(), None, settings.public_url)
    message = notifications.send_test_notification(session, ChannelId(channel_id), content)
    record_audit_event(session, caller, "notification-channel.tested", "notification_channel", channel_id, {})
    return NotificationOut.of(message)


@router.get(
    "/notification-channels/{channel_id}/notifications",
    operation_id="notifications:list",
    responses=document_problems(NotFound, InvalidRequest),
)
def list_notifications(channel_id: UUID, caller: MayRead, session: Reading, paging: Paging) -> Page[NotificationOut]:
    """List the notifications of a channel, newest first."""
    rows = notifications.messages(session, ChannelId(channel_id), paging.after, paging.limit + 1)
    return paging.page(rows, NotificationOut.of, lambda row: (row.created_at, row.id))


@router.post(
    "/notifications/{notification_id}/redeliver",
    operation_id="notifications:redeliver",
    status_code=202,
    responses=document_problems(NotFound, Conflict),
)
def redeliver_notification(notification_id: UUID, caller: MayManage, session: Writing) -> NotificationOut:
    """Send a notification again, unchanged."""
    row = notifications.redeliver_notification(session, MessageId(notification_id))
    record_audit_event(
        session, caller, "notification.redelivered", "notification", notification_id, {"event": row.event}
    )
    return NotificationOut.of(row)


def _make_out(row: NotificationChannel, settings: Settings, *, sees_addresses: bool = True) -> ChannelOut:
    is_app = row.kind == ChannelKind.SLACK_APP
    out = ChannelOut.of(row, slack_links.make_interactivity_url(row, settings) if is_app else None)
    if not sees_addresses and (url := out.target.pop("url", None)):
        out.target["host"] = urlsplit(url).netloc
    return out
