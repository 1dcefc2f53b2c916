"""Links in mails that end a subscription without sign-in (RFC 8058).

A token names one subscription of one team, or, in a mail of several subscriptions, all of one user. It is signed, so it
can neither be guessed nor be turned into that of another subscription. It does nothing else, and needs no end: a
subscription that was created again has another ID.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from slowpath.core.db_sessions import ReadSession, TeamScope, WriteSession
from slowpath.core.ids import ServiceId, TeamId, UserId
from slowpath.core.link_signatures import InvalidLinkSignature, LinkSigner
from slowpath.inventory.catalog import service as catalog
from slowpath.platform.accounts.service import get_team
from slowpath.sharing.subscriptions import queries
from slowpath.sharing.subscriptions.errors import InvalidUnsubscribeLink
from slowpath.sharing.subscriptions.read_models import UnsubscribePreview
from slowpath.sharing.subscriptions.tables import ServiceSubscription

PURPOSE: Final = "unsubscribe"
UUID_BYTES: Final = 16
OF_ONE, OF_USER = b"1", b"u"


@dataclass(frozen=True)
class UnsubscribeTarget:
    """What a link ends: one subscription, or all of a user in a team."""

    team_id: TeamId
    subscription_id: UUID | None
    user_id: UserId | None

    @property
    def scope(self) -> TeamScope:
        """Return the scope of the team."""
        return TeamScope(self.team_id)


def make_unsubscribe_url(
    public_url: str, signer: LinkSigner, team_id: TeamId, user_id: UserId, subscription_ids: Sequence[UUID]
) -> str:
    """Return the link that ends the subscriptions of a mail: that one, or all of the user if they are several."""
    of_one = len(subscription_ids) == 1
    kind, subject_id = (OF_ONE, subscription_ids[0]) if of_one else (OF_USER, user_id)
    token = signer.sign(PURPOSE, kind + team_id.bytes + subject_id.bytes)
    return f"{public_url}/unsubscribe/{token}"


def parse_unsubscribe_token(signer: LinkSigner, token: str) -> UnsubscribeTarget:
    """Return what a token names. Raises `InvalidUnsubscribeLink`."""
    try:
        value = signer.verify(PURPOSE, token)
    except InvalidLinkSignature as error:
        raise InvalidUnsubscribeLink(
            "The link is not one of this server, or is incomplete.",
            remedy="Copy the whole link from the mail, or sign in and change your subscriptions.",
        ) from error
    kind, team, subject = value[:1], value[1 : 1 + UUID_BYTES], UUID(bytes=value[1 + UUID_BYTES :])
    team_id = TeamId(UUID(bytes=team))
    return (
        UnsubscribeTarget(team_id, subject, None)
        if kind == OF_ONE
        else UnsubscribeTarget(team_id, None, UserId(subject))
    )


def preview_unsubscribe(session: ReadSession, target: UnsubscribeTarget) -> UnsubscribePreview:
    """Return what a link ends. A subscription that has ended is not one: its service is not named."""
    rows = _select(session, target)
    service_ids = {row.service_id for row in rows}
    (service_id,) = service_ids if len(service_ids) == 1 else (None,)
    name = catalog.service(session, ServiceId(service_id)).name if service_id is not None else None
    return UnsubscribePreview(get_team(session).name if rows else "", name, bool(rows))


def end_subscriptions(session: WriteSession, target: UnsubscribeTarget) -> list[ServiceSubscription]:
    """End what a link names; return the subscriptions that ended. A repetition ends nothing."""
    rows = _select(session, target)
    for row in rows:
        session.delete(row)
    return rows


def _select(session: ReadSession, target: UnsubscribeTarget) -> list[ServiceSubscription]:
    if target.user_id is not None:
        return list(queries.select_subscriptions(session, target.user_id))
    row = session.get(ServiceSubscription, (session.team_id, target.subscription_id))
    return [] if row is None else [row]
