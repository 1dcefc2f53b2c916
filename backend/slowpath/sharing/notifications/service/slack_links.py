"""The address that Slack calls when a button is pressed: it names one channel, and is signed so that none can be found."""

from dataclasses import dataclass
from typing import Final
from uuid import UUID

from slowpath.core.ids import ChannelId, TeamId
from slowpath.core.link_signatures import InvalidLinkSignature, create_link_signer
from slowpath.core.settings import Settings
from slowpath.sharing.notifications.errors import ChannelNotFound
from slowpath.sharing.notifications.tables import NotificationChannel

PURPOSE: Final = "slack-interactions"
PATH: Final = "/api/v1/slack-interactions/"
UUID_BYTES: Final = 16


@dataclass(frozen=True)
class SlackLink:
    """The channel of an address."""

    team_id: TeamId
    channel_id: ChannelId


def make_interactivity_url(row: NotificationChannel, settings: Settings) -> str:
    """Return the Request URL of a channel."""
    token = create_link_signer(settings).sign(PURPOSE, row.team_id.bytes + row.id.bytes)
    return f"{settings.public_url}{PATH}{token}"


def parse_slack_token(settings: Settings, token: str) -> SlackLink:
    """Return what the last part of an address names. Raises `ChannelNotFound`."""
    try:
        value = create_link_signer(settings).verify(PURPOSE, token)
    except InvalidLinkSignature as error:
        raise ChannelNotFound(
            "The address is not one of this server.", remedy="Copy the Request URL of the channel into the Slack app."
        ) from error
    team, channel = UUID(bytes=value[:UUID_BYTES]), UUID(bytes=value[UUID_BYTES:])
    return SlackLink(TeamId(team), ChannelId(channel))
