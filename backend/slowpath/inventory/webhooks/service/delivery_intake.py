"""Verify the signature of a delivery, store it once, and enqueue its job."""

import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Final
from uuid import UUID

from sqlalchemy.dialects.postgresql import insert

from slowpath.core.db_sessions import Database, WriteSession
from slowpath.core.encryption import DecryptionError, SecretEncryptor
from slowpath.core.ids import HookDeliveryId, HookId, TeamId, new_id
from slowpath.core.jobs import enqueue
from slowpath.inventory.webhooks import queries
from slowpath.inventory.webhooks.errors import (
    InvalidWebhookSecret,
    InvalidWebhookSignature,
    MalformedDelivery,
    WebhookNotFound,
)
from slowpath.inventory.webhooks.jobs import ProcessDelivery
from slowpath.inventory.webhooks.rules import HookKind
from slowpath.inventory.webhooks.rules.payload_fields import text
from slowpath.inventory.webhooks.rules.webhook_senders import SENDERS
from slowpath.inventory.webhooks.rules.webhook_signatures import Headers
from slowpath.inventory.webhooks.tables import WebhookDelivery

CHUNK_BYTES: Final = 1 << 20
LONGEST_ID: Final = 200


@dataclass(frozen=True)
class WebhookCandidate:
    """The webhook of an incoming delivery, before authentication."""

    hook_id: HookId
    team_id: TeamId
    secret: str


@dataclass(frozen=True)
class IncomingDelivery:
    """An incoming delivery, spooled to disk."""

    path: Path
    size_bytes: int
    sha256: str
    headers: Headers
    """By lower-case name."""


def find_hook(database: Database, sealer: SecretEncryptor, hook_id: UUID, kind: HookKind) -> WebhookCandidate:
    """Return a webhook of a kind, of any team. Raises `WebhookNotFound`, `InvalidWebhookSecret`."""
    with database.cross_team() as cross_team:
        found = queries.select_webhook_before_auth(cross_team, hook_id)
    if found is None or found.kind != kind:
        raise WebhookNotFound("The webhook does not exist.", remedy="Check its URL in the settings.")
    try:
        return WebhookCandidate(
            HookId(hook_id), TeamId(found.team_id), sealer.unseal(bytes(found.encrypted_secret), found.team_id, hook_id)
        )
    except DecryptionError as error:
        raise InvalidWebhookSecret(
            "The secret of the webhook cannot be decrypted: SLOWPATH_SECRET_KEY has changed.",
            remedy="Create a new secret for the webhook.",
        ) from error


def verify_signature(hook: WebhookCandidate, kind: HookKind, message: IncomingDelivery, now: datetime) -> None:
    """Raise `InvalidWebhookSignature` unless the delivery is signed with the webhook's secret."""
    chunks = _chunks(message.path)
    if not SENDERS[kind].verify(hook.secret, message.headers, chunks, now):
        raise InvalidWebhookSignature(
            "The delivery is not signed with the secret of this webhook.",
            remedy="Enter the webhook's secret at the sender, or create a new secret.",
        )


def store_delivery(
    session: WriteSession, hook: WebhookCandidate, kind: HookKind, message: IncomingDelivery, now: datetime
) -> tuple[WebhookDelivery, bool]:
    """Store a verified delivery and its job; returns it, and whether it is new.

    An earlier delivery with the same ID or content is returned instead; a failed one is processed again.
    Raises `MalformedDelivery`.
    """
    event, delivery_id = _event(kind, message.headers), _delivery_id(kind, message)
    row_id = session.execute(
        insert(WebhookDelivery)
        .values(
            team_id=session.team_id,
            id=new_id(),
            webhook_id=hook.hook_id,
            delivery_id=delivery_id,
            sha256=message.sha256,
            event=event,
            size_bytes=message.size_bytes,
            state="waiting",
            outcome="",
            content=zlib.compress(message.path.read_bytes(), 1),
        )
        .on_conflict_do_nothing()
        .returning(WebhookDelivery.id)
    ).scalar_one_or_none()
    known = queries.known_delivery(session, hook.hook_id, delivery_id, event, message.sha256)
    assert known is not None
    if row_id is None and known.state == "failed" and known.sha256 == message.sha256:
        known.state, known.outcome, known.processed_at = "waiting", "", None
        known.content = zlib.compress(message.path.read_bytes(), 1)
        row_id = known.id
    if row_id is None:
        return known, False
    row = queries.lock_webhook(session, hook.hook_id)
    if row is None:
        raise WebhookNotFound("The webhook does not exist.")
    row.last_delivery_at = now
    row.external_id = text(message.headers.get(SENDERS[kind].hook_header)) or row.external_id
    enqueue(session, ProcessDelivery(HookDeliveryId(known.id)))
    return known, True


def _event(kind: HookKind, headers: Headers) -> str:
    sender = SENDERS[kind]
    event = text(headers.get(sender.event_header))
    if event is None:
        raise MalformedDelivery(
            f"The header {sender.event_header} is missing.", remedy=f"Send the delivery from {sender.name}."
        )
    return event


def _delivery_id(kind: HookKind, message: IncomingDelivery) -> str:
    header_values = (text(message.headers.get(name)) for name in SENDERS[kind].id_headers)
    return next((each for each in header_values if each), message.sha256)[:LONGEST_ID]


def _chunks(path: Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        while chunk := file.read(CHUNK_BYTES):
            yield chunk
