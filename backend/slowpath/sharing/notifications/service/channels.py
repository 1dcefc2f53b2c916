"""Create, update and delete channels. Secrets are stored encrypted and used only for delivery."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from slowpath.core.db_sessions import ReadSession, WriteSession
from slowpath.core.encryption import DecryptionError, SecretEncryptor
from slowpath.core.ids import ChannelId, new_id
from slowpath.core.ports import EgressClient
from slowpath.sharing.notifications import queries
from slowpath.sharing.notifications.errors import ChannelNotFound, InvalidChannel, TooManyChannels
from slowpath.sharing.notifications.queries import After
from slowpath.sharing.notifications.rules import (
    ALERT_SERVICES,
    BUILD_EVENTS,
    CODE_HOSTS,
    INCIDENT_EVENTS,
    ISSUE_EVENTS,
    MOST_CHANNELS,
    PRODUCTION_EVENTS,
    ChannelKind,
    ChannelState,
    ChannelTarget,
    NotificationEvent,
)
from slowpath.sharing.notifications.service.channel_types import CHANNEL_TYPES, make_signing_secret
from slowpath.sharing.notifications.tables import NotificationChannel


@dataclass(frozen=True)
class CreatedChannel:
    """A channel, and its signing secret, shown only once: receivers verify a webhook's signature with it."""

    channel: NotificationChannel
    secret: str | None


def channels(session: ReadSession, after: After, limit: int) -> Sequence[NotificationChannel]:
    """Return channels, newest first."""
    return queries.channels(session, after, limit)


def get_channel(session: ReadSession, channel_id: ChannelId) -> NotificationChannel:
    """Return one channel. Raises `ChannelNotFound`."""
    return _there(queries.channel(session, channel_id))


def create_channel(
    session: WriteSession,
    sealer: SecretEncryptor,
    outside: EgressClient,
    ending: ChannelTarget,
    *,
    label: str,
    events: Sequence[NotificationEvent],
    service_ids: Sequence[str] | None,
    mail_is_sent: bool,
) -> CreatedChannel:
    """Create a channel. Raises `AddressNotAllowed`, `InvalidChannel`, `TooManyChannels`."""
    there = queries.count(session)
    if there >= MOST_CHANNELS:
        raise TooManyChannels(
            "The team has reached its limit of channels.", limit=MOST_CHANNELS, actual=there, unit="channels"
        )
    _check_events(ending.kind, events)
    if ending.kind is ChannelKind.EMAIL and not mail_is_sent:
        raise InvalidChannel("Email is not configured.", slug="no-mail", remedy="An operator sets SLOWPATH_SMTP_URL.")
    channel_type = CHANNEL_TYPES[ending.kind]
    target, secret = channel_type.validate(ending, outside)
    row = NotificationChannel(
        team_id=session.team_id,
        id=new_id(),
        kind=ending.kind,
        label=label,
        target=target,
        events=sorted(events),
        service_ids=list(service_ids) if service_ids is not None else None,
        state=ChannelState.ON,
        created_by=session.scope.user_id,
    )
    row.encrypted_secret = sealer.seal(secret, row.team_id, row.id) if secret is not None else None
    session.add(row)
    session.flush()  # the database sets the time
    return CreatedChannel(row, secret if channel_type.signs_messages else None)


def update_channel(session: WriteSession, channel_id: ChannelId, values: Mapping[str, Any]) -> NotificationChannel:
    """Update label, events, services or state (`on` or `off`); activation resets the failures.

    Raises `ChannelNotFound`, `InvalidChannel`.
    """
    row = _there(queries.lock_channel(session, channel_id))
    _check_events(ChannelKind(row.kind), values.get("events", ()))
    for name, value in values.items():
        setattr(row, name, value)
    if values.get("state") == ChannelState.ON:
        row.failing_since, row.problem = None, None
    return row


def renew_secret(session: WriteSession, sealer: SecretEncryptor, channel_id: ChannelId) -> CreatedChannel:
    """Rotate the signing secret of a webhook. Raises `ChannelNotFound`, `InvalidChannel`."""
    row = _there(queries.lock_channel(session, channel_id))
    if not CHANNEL_TYPES[ChannelKind(row.kind)].signs_messages:
        raise InvalidChannel(
            "Only webhook channels have a signing secret.", remedy="Create a new channel with the new address or token."
        )
    secret = make_signing_secret()
    row.encrypted_secret = sealer.seal(secret, row.team_id, row.id)
    return CreatedChannel(row, secret)


def delete_channel(session: WriteSession, channel_id: ChannelId) -> NotificationChannel:
    """Delete a channel and its notifications. Raises `ChannelNotFound`."""
    row = get_channel(session, channel_id)
    session.delete(row)
    return row


def get_channel_secret(row: NotificationChannel, sealer: SecretEncryptor) -> str:
    """Return a channel's secret, "" if its kind has none. Raises `InvalidChannel` if the key has changed."""
    if row.encrypted_secret is None:
        return ""
    try:
        return sealer.unseal(row.encrypted_secret, row.team_id, row.id)
    except DecryptionError as error:
        raise InvalidChannel(
            "The secret of this channel cannot be decrypted: SLOWPATH_SECRET_KEY has changed.",
            slug="secret-unreadable",
            remedy="Delete the channel and create it again.",
        ) from error


def _check_events(kind: ChannelKind, events: Sequence[NotificationEvent]) -> None:
    """Reject events that the kind of channel cannot show, which would count as delivered."""
    of_code_hosts = BUILD_EVENTS | ISSUE_EVENTS
    if kind in CODE_HOSTS and not of_code_hosts.issuperset(events):
        raise InvalidChannel(
            "A code host receives only events about builds, and the ends of what has an issue.",
            remedy=f"Select only {', '.join(sorted(of_code_hosts))}.",
        )
    if kind is ChannelKind.GRAFANA and not PRODUCTION_EVENTS.issuperset(events):
        raise InvalidChannel(
            "Grafana receives only production events.",
            remedy=f"Select only {', '.join(sorted(PRODUCTION_EVENTS))}.",
        )
    if kind in ALERT_SERVICES and not INCIDENT_EVENTS.issuperset(events):
        raise InvalidChannel(
            "An alert service receives only events with a start and an end.",
            remedy=f"Select only {', '.join(sorted(INCIDENT_EVENTS))}.",
        )


def _there(row: NotificationChannel | None) -> NotificationChannel:
    if row is None:
        raise ChannelNotFound("The team has no such channel.")
    return row
