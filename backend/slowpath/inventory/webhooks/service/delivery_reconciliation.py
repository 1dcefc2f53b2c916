"""Choose the API client for a webhook's reconciliation, and record the result."""

import re
from datetime import datetime, timedelta
from typing import Any, Final

from slowpath.core.db_sessions import ReadSession, WriteSession
from slowpath.core.encryption import SecretEncryptor
from slowpath.core.github_app import JSON_HEADERS, is_app_credential, make_app_headers
from slowpath.core.ids import HookId
from slowpath.core.jobs import enqueue_unless_pending
from slowpath.inventory.webhooks import queries
from slowpath.inventory.webhooks.jobs import ReconcileDeliveries
from slowpath.inventory.webhooks.rules import RETENTION_DAYS, gitlab_missed_deliveries
from slowpath.inventory.webhooks.rules.github_missed_deliveries import SENDS_AGAIN_AFTER_S
from slowpath.inventory.webhooks.service import webhooks
from slowpath.inventory.webhooks.service.provider_clients import DeliveryProvider, GitHubDeliveries, GitLabDeliveries

TARGET: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9-]{0,99}/[A-Za-z0-9._-]{1,100}")
PROJECT: Final = re.compile(r"\w[\w.-]{0,254}(/\w[\w.-]{0,254}){1,20}")
"""GitLab groups can be nested."""
NUMBER: Final = re.compile(r"[0-9]{1,20}")


def get_provider(
    session: ReadSession, hook_id: HookId, sealer: SecretEncryptor, now: datetime
) -> DeliveryProvider | None:
    """Return the client of a webhook; None without an API. Raises `WebhookNotFound`, `InvalidWebhookSecret`."""
    row = webhooks.get_webhook(session, hook_id)
    if row.api_url is None or row.provider_target is None:
        return None
    if row.kind == "gitlab":
        if not PROJECT.fullmatch(row.provider_target):
            return None
        token = webhooks.api_token(row, sealer)
        # a webhook that was configured with the former path still posts to it
        address_paths = (f"/api/v1/webhooks/{row.id}/gitlab", f"/api/v1/hooks/{row.id}/gitlab")
        return GitLabDeliveries(
            row.api_url, row.provider_target, address_paths, {"PRIVATE-TOKEN": token}, row.reconciled_at
        )
    if not TARGET.fullmatch(row.provider_target) or not NUMBER.fullmatch(row.external_id or ""):
        return None
    token = webhooks.api_token(row, sealer)
    if is_app_credential(token):  # the webhook is that of the app
        return GitHubDeliveries(row.api_url, "/app/hook/deliveries", make_app_headers(token, now))
    headers = {"Authorization": f"Bearer {token}", **JSON_HEADERS}
    return GitHubDeliveries(row.api_url, f"/repos/{row.provider_target}/hooks/{row.external_id}/deliveries", headers)


def list_received_ids(session: ReadSession, hook_id: HookId, ids: list[str]) -> set[str]:
    """Return which deliveries have arrived."""
    return queries.taken(session, hook_id, ids)


def record_reconciliation(  # noqa: PLR0917 - how it ended
    session: WriteSession,
    hook_id: HookId,
    asked: bool,
    missed: int,
    problem: dict[str, Any] | None,
    now: datetime,
    more: bool = False,
) -> None:
    """Record a reconciliation, delete old deliveries, and schedule the next one while the webhook has an API.

    With `more` to request, the next one runs soon and covers the same time range again.
    """
    row = queries.lock_webhook(session, hook_id)
    if row is None:
        return
    queries.forget_deliveries(session, hook_id, now - timedelta(days=RETENTION_DAYS))
    if asked:
        row.missed_count = missed
        if not more:
            row.reconciled_at = now
    row.problem = problem
    wait_s = gitlab_missed_deliveries.SENDS_AGAIN_AFTER_S if more else SENDS_AGAIN_AFTER_S
    enqueue_unless_pending(session, ReconcileDeliveries(hook_id), after_s=wait_s)
