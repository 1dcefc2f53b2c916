"""Where a team wants to be told, and what became of each message."""

from uuid import UUID

from fastapi import APIRouter

from slowpath.accounts.access import MayManage, MayRead
from slowpath.accounts.service import audit
from slowpath.catalog import service as catalog
from slowpath.core.errors import AddressRefused, Conflict, NotFound, Refused, TooMany
from slowpath.core.ids import ChannelId, MessageId, ServiceId, new_id
from slowpath.notifications.rules import USUAL_EVENTS, Event, Told
from slowpath.notifications.schemas import ChannelAdded, ChannelChange, ChannelIn, ChannelOut, MessageOut
from slowpath.notifications.service import keeping, telling
from slowpath.web.body_limits import KIB, body_up_to
from slowpath.web.paging import Page, Paging
from slowpath.web.problems import problems
from slowpath.web.sessions import Configured, Reading, Seals, WayOut, Writing

router = APIRouter(prefix="/api/v1", tags=["notifications"])


@router.get("/channels", operation_id="channels:list", responses=problems(Refused))
def list_channels(caller: MayRead, session: Reading, paging: Paging) -> Page[ChannelOut]:
    """List channels, newest first."""
    rows = keeping.channels(session, paging.after, paging.limit + 1)
    return paging.page(rows, ChannelOut.of, lambda row: (row.created_at, row.id))


@router.post(
    "/channels",
    operation_id="channels:create",
    openapi_extra=body_up_to(256 * KIB, members=3_000),
    status_code=201,
    responses=problems(NotFound, Refused, AddressRefused, TooMany),
)
def create_channel(
    wanted: ChannelIn,
    caller: MayManage,
    session: Writing,
    settings: Configured,
    outside: WayOut,
    sealer: Seals,
) -> ChannelAdded:
    """Add a channel. Nothing is sent there yet; a webhook's signing secret is in this answer and in no other."""
    for service_id in wanted.service_ids or []:
        catalog.service(session, ServiceId(service_id))
    added = keeping.add(
        session,
        sealer,
        outside,
        wanted.ending(),
        label=wanted.name,
        events=wanted.events or sorted(USUAL_EVENTS[wanted.kind]),
        service_ids=None if wanted.service_ids is None else [str(one) for one in wanted.service_ids],
        mail_is_sent=settings.sends_mail,
    )
    facts = {"name": added.channel.label, "kind": added.channel.kind, "target": added.channel.target}
    audit(session, caller, "channel.created", "channel", added.channel.id, facts)
    return ChannelAdded(channel=ChannelOut.of(added.channel), secret=added.secret)


@router.patch(
    "/channels/{channel_id}",
    operation_id="channels:change",
    openapi_extra=body_up_to(256 * KIB, members=3_000),
    responses=problems(NotFound, Refused),
)
def change_channel(channel_id: UUID, change: ChannelChange, caller: MayManage, session: Writing) -> ChannelOut:
    """Change what is told through a channel, or turn it on or off."""
    for service_id in change.service_ids or []:
        catalog.service(session, ServiceId(service_id))
    row = keeping.change(session, ChannelId(channel_id), change.values())
    audit(session, caller, "channel.changed", "channel", channel_id, change.values())
    return ChannelOut.of(row)


@router.delete("/channels/{channel_id}", operation_id="channels:delete", status_code=204, responses=problems(NotFound))
def delete_channel(channel_id: UUID, caller: MayManage, session: Writing) -> None:
    """Delete a channel and what is known of its messages."""
    row = keeping.delete(session, ChannelId(channel_id))
    audit(session, caller, "channel.deleted", "channel", channel_id, {"name": row.label})


@router.post(
    "/channels/{channel_id}/secret", operation_id="channels:renew-secret", responses=problems(NotFound, Refused)
)
def renew_secret(channel_id: UUID, caller: MayManage, session: Writing, sealer: Seals) -> ChannelAdded:
    """Give a webhook another signing secret. The old one signs nothing more."""
    added = keeping.renew_secret(session, sealer, ChannelId(channel_id))
    audit(session, caller, "channel.secret-renewed", "channel", channel_id, {"name": added.channel.label})
    return ChannelAdded(channel=ChannelOut.of(added.channel), secret=added.secret)


@router.post(
    "/channels/{channel_id}/test",
    operation_id="channels:test",
    status_code=202,
    responses=problems(NotFound, Conflict),
)
def test_channel(channel_id: UUID, caller: MayManage, session: Writing, settings: Configured) -> MessageOut:
    """Send a word of trial; what became of it stands among the channel's messages."""
    told = Told(Event.TEST, new_id(), None, settings.public_url)
    message = telling.test(session, ChannelId(channel_id), told)
    audit(session, caller, "channel.tested", "channel", channel_id, {})
    return MessageOut.of(message)


@router.get(
    "/channels/{channel_id}/messages", operation_id="channels:list-messages", responses=problems(NotFound, Refused)
)
def list_messages(channel_id: UUID, caller: MayRead, session: Reading, paging: Paging) -> Page[MessageOut]:
    """List what was told through a channel, newest first."""
    rows = telling.messages(session, ChannelId(channel_id), paging.after, paging.limit + 1)
    return paging.page(rows, MessageOut.of, lambda row: (row.created_at, row.id))


@router.post(
    "/messages/{message_id}/again",
    operation_id="messages:tell-again",
    status_code=202,
    responses=problems(NotFound, Conflict),
)
def tell_again(message_id: UUID, caller: MayManage, session: Writing) -> MessageOut:
    """Send a message once more, as it was."""
    row = telling.tell_again(session, MessageId(message_id))
    audit(session, caller, "message.told-again", "message", message_id, {"event": row.event})
    return MessageOut.of(row)
