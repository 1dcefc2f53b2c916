"""Create, update and delete webhooks. Their secrets are returned only once."""

import secrets
from base64 import b64encode
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from slowpath.core.db_sessions import ReadSession, WriteSession
from slowpath.core.encryption import DecryptionError, SecretEncryptor
from slowpath.core.github_app import check_app_credential, is_app_credential
from slowpath.core.ids import HookId, RepositoryId, ServiceId, new_id
from slowpath.core.jobs import enqueue_unless_pending
from slowpath.core.ports import EgressClient
from slowpath.inventory.catalog import service as catalog
from slowpath.inventory.repositories.service import repositories
from slowpath.inventory.webhooks import queries
from slowpath.inventory.webhooks.errors import (
    InvalidWebhookSecret,
    ReconciliationNotConfigured,
    TooManyWebhooks,
    WebhookNotFound,
)
from slowpath.inventory.webhooks.jobs import ReconcileDeliveries
from slowpath.inventory.webhooks.queries import After
from slowpath.inventory.webhooks.rules import MOST_HOOKS, HookKind
from slowpath.inventory.webhooks.rules.webhook_signatures import PREFIX, USABLE
from slowpath.inventory.webhooks.tables import Webhook, WebhookDelivery

SECRET_BYTES: Final = 32


@dataclass(frozen=True)
class ProviderApi:
    """The sender's API for reconciliation, and its token."""

    url: str
    token: str


def hooks(session: ReadSession, after: After, limit: int) -> Sequence[Webhook]:
    """Return webhooks, newest first."""
    return queries.hooks(session, after, limit)


def get_webhook(session: ReadSession, hook_id: HookId) -> Webhook:
    """Return one webhook. Raises `WebhookNotFound`."""
    row = queries.hook(session, hook_id)
    if row is None:
        raise WebhookNotFound("The team has no such webhook.")
    return row


def create_webhook(
    session: WriteSession,
    sealer: SecretEncryptor,
    outside: EgressClient,
    *,
    label: str,
    kind: HookKind,
    secret: str | None,
    values: dict[str, Any],
    api: ProviderApi | None,
) -> tuple[Webhook, str]:
    """Create a webhook; returns it with its secret, which is returned only once.

    `values`: repository_id, service_ids, target. Raises `TooManyWebhooks`, `InvalidWebhookSecret`, `AddressNotAllowed`,
    `RepositoryNotFound`, `ServiceNotFound`, `ReconciliationNotConfigured`.
    """
    there = queries.count(session)
    if there >= MOST_HOOKS:
        raise TooManyWebhooks(
            "The team has reached its limit of webhooks.", limit=MOST_HOOKS, actual=there, unit="hooks"
        )
    new_value = (
        new_secret() if secret is None else _usable(secret, noun="secret", remedy="Omit it to generate a secret.")
    )
    hook_id = new_id()
    sealed = sealer.seal(new_value, session.team_id, hook_id)
    row = Webhook(team_id=session.team_id, id=hook_id, label=label, kind=kind, encrypted_secret=sealed, service_ids=[])
    _point(session, row, values)
    if api is not None:
        _ask_at(row, sealer, outside, api)
    session.add(row)
    session.flush()  # the database sets the time
    enqueue_unless_pending(session, ReconcileDeliveries(HookId(row.id)))
    return row, new_value


def update_webhook(
    session: WriteSession,
    sealer: SecretEncryptor,
    outside: EgressClient,
    hook_id: HookId,
    *,
    values: dict[str, Any],
    api: ProviderApi | None,
) -> Webhook:
    """Update label, repository, services, target or API. Raises as `create_webhook` does, and `WebhookNotFound`."""
    row = _held(session, hook_id)
    if "label" in values:
        row.label = values["label"]
    _point(session, row, values)
    if api is not None:
        _ask_at(row, sealer, outside, api)
        queries.make_reconciliation_due(session, hook_id)
    return row


def rotate_secret(session: WriteSession, sealer: SecretEncryptor, hook_id: HookId) -> tuple[Webhook, str]:
    """Rotate the secret of a webhook, which is returned only once; the old one is invalid immediately."""
    row, new_value = _held(session, hook_id), new_secret()
    row.encrypted_secret = sealer.seal(new_value, row.team_id, row.id)
    return row, new_value


def delete_webhook(session: WriteSession, hook_id: HookId) -> Webhook:
    """Delete a webhook and its deliveries; their results remain. Raises `WebhookNotFound`."""
    row = get_webhook(session, hook_id)
    session.delete(row)
    return row


def deliveries(session: ReadSession, hook_id: HookId, after: After, limit: int) -> Sequence[WebhookDelivery]:
    """Return a webhook's deliveries, newest first. Raises `WebhookNotFound`."""
    get_webhook(session, hook_id)
    return queries.deliveries(session, hook_id, after, limit)


def request_reconciliation(session: WriteSession, hook_id: HookId) -> None:
    """Enqueue a reconciliation now. Raises `WebhookNotFound`, `ReconciliationNotConfigured`."""
    row = _held(session, hook_id)
    if row.api_url is None or row.provider_target is None or (row.kind == "github" and row.external_id is None):
        raise ReconciliationNotConfigured(
            "Reconciliation is not possible yet: the API URL, the repository or the webhook ID is unknown.",
            remedy="Set the API URL and a token; the first delivery provides the rest.",
        )
    queries.make_reconciliation_due(session, hook_id)


def api_token(row: Webhook, sealer: SecretEncryptor) -> str:
    """Return the token of the sender's API. Raises `InvalidWebhookSecret` if the key has changed."""
    assert row.encrypted_api_token is not None
    try:
        return sealer.unseal(row.encrypted_api_token, row.team_id, row.id, row.id)
    except DecryptionError as error:
        raise InvalidWebhookSecret(
            "The token cannot be decrypted: SLOWPATH_SECRET_KEY has changed.", remedy="Enter the token again."
        ) from error


def new_secret() -> str:
    """Return a 256-bit secret in the format of Standard Webhooks; its text also works for other signatures."""
    return PREFIX + b64encode(secrets.token_bytes(SECRET_BYTES)).decode()


def _usable(text: str, *, noun: str, remedy: str) -> str:
    if USABLE.fullmatch(text) is None:
        raise InvalidWebhookSecret(f"A {noun} needs 16 to 200 visible ASCII characters without spaces.", remedy=remedy)
    return text


def _point(session: WriteSession, row: Webhook, values: dict[str, Any]) -> None:
    if "repository_id" in values:
        repository_id = values["repository_id"]
        if repository_id is not None:
            repositories.get_repository(session, RepositoryId(repository_id))
        row.repository_id = repository_id
    if "service_ids" in values:
        ids = list(dict.fromkeys(values["service_ids"]))
        for service_id in ids:
            catalog.service(session, ServiceId(service_id))
        row.service_ids = [str(service_id) for service_id in ids]
    if "target" in values:
        row.provider_target = values["target"]


def _ask_at(row: Webhook, sealer: SecretEncryptor, outside: EgressClient, api: ProviderApi) -> None:
    if row.kind == "bitbucket":
        raise ReconciliationNotConfigured(
            "Bitbucket lists no deliveries, so missed ones cannot be requested again.",
            remedy="Leave out the API: Bitbucket repeats a failed delivery twice.",
        )
    outside.check(api.url)
    row.api_url = api.url.rstrip("/")
    token = api.token
    if is_app_credential(token) and row.kind == "github":
        check_app_credential(token)
    else:
        _usable(token, noun="token", remedy="Enter it as the code host shows it.")
    row.encrypted_api_token = sealer.seal(token, row.team_id, row.id, row.id)
    row.problem = None


def _held(session: WriteSession, hook_id: HookId) -> Webhook:
    row = queries.lock_webhook(session, hook_id)
    if row is None:
        raise WebhookNotFound("The team has no such webhook.")
    return row
