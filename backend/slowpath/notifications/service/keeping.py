"""Channels are added, changed and deleted; their secrets go in and are only ever used where they belong."""

import base64
import re
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import urlsplit

from email_validator import EmailNotValidError, validate_email

from slowpath.core.ids import ChannelId, new_id
from slowpath.core.ports import Outside
from slowpath.core.sealing import Broken, Sealer
from slowpath.core.sessions import ReadSession, WriteSession
from slowpath.notifications import queries
from slowpath.notifications.errors import ChannelNotFound, ChannelRefused, TooManyChannels
from slowpath.notifications.queries import After
from slowpath.notifications.rules import (
    CODE_HOSTS,
    MOST_CHANNELS,
    MOST_RECIPIENTS,
    TOLD_OF_BUILDS,
    ChannelKind,
    ChannelState,
    Ending,
    Event,
)
from slowpath.notifications.tables import Channel

GITHUB_API: Final = "https://api.github.com"
GITLAB_API: Final = "https://gitlab.com/api/v4"
REPOSITORY: Final = re.compile(r"[A-Za-z0-9_.-]{1,100}(?:/[A-Za-z0-9_.-]{1,100}){1,9}")
TOKEN: Final = re.compile(r"[\x21-\x7e]{1,1000}")
SECRET_BYTES: Final = 32


@dataclass(frozen=True)
class Added:
    """A channel, and the secret that is shown this once: by it a receiver checks the signature of a webhook."""

    channel: Channel
    secret: str | None


def channels(session: ReadSession, after: After, limit: int) -> Sequence[Channel]:
    """Return channels, newest first."""
    return queries.channels(session, after, limit)


def find(session: ReadSession, channel_id: ChannelId) -> Channel:
    """Return one channel. Raises `ChannelNotFound`."""
    return _there(queries.channel(session, channel_id))


def add(
    session: WriteSession,
    sealer: Sealer,
    outside: Outside,
    ending: Ending,
    *,
    label: str,
    events: Sequence[Event],
    service_ids: Sequence[str] | None,
    mail_is_sent: bool,
) -> Added:
    """Add a channel. Raises `AddressRefused`, `ChannelRefused`, `TooManyChannels`."""
    there = queries.count(session)
    if there >= MOST_CHANNELS:
        raise TooManyChannels(
            "The team has as many channels as it may.", limit=MOST_CHANNELS, actual=there, unit="channels"
        )
    _check_events(ending.kind, events)
    target, secret = _checked(ending, outside, mail_is_sent=mail_is_sent)
    row = Channel(
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
    row.sealed = sealer.seal(secret, row.team_id, row.id) if secret is not None else None
    session.add(row)
    session.flush()  # the database gives the time
    return Added(row, secret if ending.kind is ChannelKind.WEBHOOK else None)


def change(session: WriteSession, channel_id: ChannelId, values: Mapping[str, Any]) -> Channel:
    """Change label, events, services or state (`on` or `off`); whoever turns it on forgets its failures.

    Raises `ChannelNotFound`, `ChannelRefused`.
    """
    row = _there(queries.held(session, channel_id))
    _check_events(ChannelKind(row.kind), values.get("events", ()))
    for name, value in values.items():
        setattr(row, name, value)
    if values.get("state") == ChannelState.ON:
        row.failing_since, row.problem = None, None
    return row


def renew_secret(session: WriteSession, sealer: Sealer, channel_id: ChannelId) -> Added:
    """Give a webhook another signing secret; the old one signs nothing more. Raises `ChannelNotFound`, `ChannelRefused`."""
    row = _there(queries.held(session, channel_id))
    if row.kind != ChannelKind.WEBHOOK:
        raise ChannelRefused("Only webhooks are signed.", remedy="Add the channel anew with its new address or token.")
    secret = _signing_secret()
    row.sealed = sealer.seal(secret, row.team_id, row.id)
    return Added(row, secret)


def delete(session: WriteSession, channel_id: ChannelId) -> Channel:
    """Delete a channel and what is known of its messages. Raises `ChannelNotFound`."""
    row = find(session, channel_id)
    session.delete(row)
    return row


def secret_of(row: Channel, sealer: Sealer) -> str:
    """Return a channel's secret, "" if its kind has none. Raises `ChannelRefused` if the key is no longer the same."""
    if row.sealed is None:
        return ""
    try:
        return sealer.unseal(row.sealed, row.team_id, row.id)
    except Broken as error:
        raise ChannelRefused(
            "The secret of this channel can not be read any more: SLOWPATH_SECRET_KEY is another one.",
            slug="secret-unreadable",
            remedy="Delete the channel and add it anew.",
        ) from error


def _check_events(kind: ChannelKind, events: Sequence[Event]) -> None:
    """Refuse what would be written down as told although nothing is said of it there."""
    if kind in CODE_HOSTS and not TOLD_OF_BUILDS.issuperset(events):
        raise ChannelRefused(
            "A code host is told of builds, and of nothing else.", remedy=f"Choose {Event.JUDGED} alone."
        )


def _checked(ending: Ending, outside: Outside, *, mail_is_sent: bool) -> tuple[dict[str, Any], str | None]:
    """Return what may be shown of where a channel ends, and what is sealed."""
    if ending.kind is ChannelKind.EMAIL:
        return {"to": _recipients(ending.to, mail_is_sent=mail_is_sent)}, None
    if ending.kind in {ChannelKind.SLACK, ChannelKind.WEBHOOK}:
        outside.check(ending.url)
        if ending.kind is ChannelKind.WEBHOOK:
            return {"url": ending.url}, _signing_secret()
        return {"host": urlsplit(ending.url).netloc}, ending.url  # the path of a Slack hook is its password
    if not REPOSITORY.fullmatch(ending.repository) or ".." in ending.repository:
        raise ChannelRefused("The repository is not named.", remedy="Give it as owner/name.")
    if not TOKEN.fullmatch(ending.token):
        raise ChannelRefused("A token is needed: visible characters of ASCII, without spaces.")
    api_url = ending.url or (GITHUB_API if ending.kind is ChannelKind.GITHUB else GITLAB_API)
    outside.check(api_url)
    return {"api_url": api_url, "repository": ending.repository}, ending.token


def _recipients(given: Sequence[str], *, mail_is_sent: bool) -> list[str]:
    if not mail_is_sent:
        raise ChannelRefused(
            "No e-mail is sent from here.", slug="no-mail", remedy="The operator sets SLOWPATH_SMTP_URL."
        )
    if not 1 <= len(given) <= MOST_RECIPIENTS:
        raise ChannelRefused("Name who gets it.", limit=MOST_RECIPIENTS, actual=len(given), unit="addresses")
    try:
        return [validate_email(one, check_deliverability=False).normalized for one in given]
    except EmailNotValidError as error:
        raise ChannelRefused(f"One of the addresses is none: {str(error)[:200]}") from error


def _signing_secret() -> str:
    return "whsec_" + base64.b64encode(secrets.token_bytes(SECRET_BYTES)).decode()


def _there(row: Channel | None) -> Channel:
    if row is None:
        raise ChannelNotFound("There is no such channel in this team.")
    return row
