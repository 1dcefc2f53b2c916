"""HTTP endpoints of webhooks: managed by admins, called by code hosts, which authenticate by signature alone."""

import re
from collections.abc import AsyncIterator
from typing import Annotated, Any
from uuid import UUID

from fastapi import APIRouter, Depends, Request, Response

from slowpath.core.db_sessions import TeamScope
from slowpath.core.errors import (
    AddressNotAllowed,
    Conflict,
    InvalidRequest,
    LimitExceeded,
    NotAuthenticated,
    NotFound,
    TooLarge,
    Unavailable,
)
from slowpath.core.ids import HookId
from slowpath.inventory.webhooks.errors import InvalidWebhookSignature, TooManySignatureFailures
from slowpath.inventory.webhooks.rules import MAX_MESSAGE_BYTES, MOST_TRIES, HookKind
from slowpath.inventory.webhooks.rules.webhook_senders import SENDERS
from slowpath.inventory.webhooks.schemas import (
    DeliveryAcceptedOut,
    ProviderApiIn,
    WebhookCreatedOut,
    WebhookDeliveryOut,
    WebhookIn,
    WebhookOut,
    WebhookUpdate,
)
from slowpath.inventory.webhooks.service import delivery_intake, webhooks
from slowpath.inventory.webhooks.service.delivery_intake import IncomingDelivery, WebhookCandidate
from slowpath.inventory.webhooks.service.webhooks import ProviderApi
from slowpath.platform.accounts.access import Anyone, MayManage, MayRead, Throttled, client_address
from slowpath.platform.accounts.service import record_audit_event
from slowpath.platform.http.body_limits import KIB, body_up_to
from slowpath.platform.http.pagination import Page, Paging
from slowpath.platform.http.problems import document_problems
from slowpath.platform.http.request_bodies import SpooledBody, spool_body
from slowpath.platform.http.request_dependencies import Configured, DatabaseOf, Now, Reading, Seals, WayOut, Writing
from slowpath.platform.http.request_dependencies import settings as settings_of

router = APIRouter(prefix="/api/v1/webhooks", tags=["webhooks"])

STREAMED = re.compile(r"POST /api/v1/webhooks/[^/]*/(github|gitlab|bitbucket)")
"""Requests whose bodies are streamed to disk."""
ANY_OBJECT = {"requestBody": {"required": True, "content": {"application/json": {"schema": {"type": "object"}}}}}
KNOWN: dict[int | str, dict[str, Any]] = {
    200: {"model": DeliveryAcceptedOut, "description": "The delivery was already received"}
}


@router.get("", operation_id="webhooks:list", responses=document_problems(InvalidRequest))
def list_hooks(caller: MayRead, session: Reading, settings: Configured, paging: Paging) -> Page[WebhookOut]:
    """List webhooks, newest first."""
    rows = webhooks.hooks(session, paging.after, paging.limit + 1)
    return paging.page(rows, lambda row: WebhookOut.of(row, settings.public_url), lambda row: (row.created_at, row.id))


@router.post(
    "",
    operation_id="webhooks:create",
    openapi_extra=body_up_to(64 * KIB),
    status_code=201,
    responses=document_problems(NotFound, InvalidRequest, AddressNotAllowed, LimitExceeded),
)
def create_hook(
    body: WebhookIn, caller: MayManage, session: Writing, settings: Configured, outside: WayOut, sealer: Seals
) -> WebhookCreatedOut:
    """Create a webhook. Only this response contains its secret."""
    row, secret = webhooks.create_webhook(
        session,
        sealer,
        outside,
        label=body.name,
        kind=body.kind,
        secret=body.secret.get_secret_value() if body.secret else None,
        values=body.model_dump(include={"repository_id", "service_ids", "target"}),
        api=_api(body.api),
    )
    record_audit_event(session, caller, "webhook.created", "webhook", row.id, {"name": row.label, "kind": row.kind})
    return WebhookCreatedOut(webhook=WebhookOut.of(row, settings.public_url), secret=secret)


@router.get("/{webhook_id}", operation_id="webhooks:get", responses=document_problems(NotFound))
def get_hook(webhook_id: UUID, caller: MayRead, session: Reading, settings: Configured) -> WebhookOut:
    """Return one webhook."""
    return WebhookOut.of(webhooks.get_webhook(session, HookId(webhook_id)), settings.public_url)


@router.patch(
    "/{webhook_id}",
    operation_id="webhooks:update",
    openapi_extra=body_up_to(64 * KIB),
    responses=document_problems(NotFound, InvalidRequest, AddressNotAllowed),
)
def change_hook(
    webhook_id: UUID,
    change: WebhookUpdate,
    caller: MayManage,
    session: Writing,
    settings: Configured,
    outside: WayOut,
    sealer: Seals,
) -> WebhookOut:
    """Update a webhook."""
    values = change.values()
    row = webhooks.update_webhook(session, sealer, outside, HookId(webhook_id), values=values, api=_api(change.api))
    facts = change.model_dump(mode="json", exclude_unset=True, exclude={"api"})
    record_audit_event(
        session, caller, "webhook.updated", "webhook", row.id, facts | ({"api": row.api_url} if change.api else {})
    )
    return WebhookOut.of(row, settings.public_url)


@router.post("/{webhook_id}/secret", operation_id="webhooks:rotate-secret", responses=document_problems(NotFound))
def rotate_webhook_secret(
    webhook_id: UUID, caller: MayManage, session: Writing, settings: Configured, sealer: Seals
) -> WebhookCreatedOut:
    """Rotate the secret of a webhook. Only this response contains the new one; the old one is invalid immediately."""
    row, secret = webhooks.rotate_secret(session, sealer, HookId(webhook_id))
    record_audit_event(session, caller, "webhook.secret-rotated", "webhook", row.id, {"name": row.label})
    return WebhookCreatedOut(webhook=WebhookOut.of(row, settings.public_url), secret=secret)


@router.delete("/{webhook_id}", operation_id="webhooks:delete", status_code=204, responses=document_problems(NotFound))
def delete_hook(webhook_id: UUID, caller: MayManage, session: Writing) -> None:
    """Delete a webhook and its deliveries; the builds, commits and deployments they recorded remain."""
    row = webhooks.delete_webhook(session, HookId(webhook_id))
    record_audit_event(session, caller, "webhook.deleted", "webhook", webhook_id, {"name": row.label})


@router.get(
    "/{webhook_id}/deliveries",
    operation_id="webhooks:deliveries",
    responses=document_problems(NotFound, InvalidRequest),
)
def list_deliveries(webhook_id: UUID, caller: MayRead, session: Reading, paging: Paging) -> Page[WebhookDeliveryOut]:
    """List the deliveries of a webhook in the last days, newest first."""
    rows = webhooks.deliveries(session, HookId(webhook_id), paging.after, paging.limit + 1)
    return paging.page(rows, WebhookDeliveryOut.of, lambda row: (row.created_at, row.id))


@router.post(
    "/{webhook_id}/reconcile",
    operation_id="webhooks:reconcile",
    status_code=204,
    responses=document_problems(NotFound, Conflict),
)
def reconcile_hook(webhook_id: UUID, caller: MayManage, session: Writing) -> None:
    """Request missed deliveries from the sender now. This also happens every hour."""
    webhooks.request_reconciliation(session, HookId(webhook_id))


RECEIVED = document_problems(NotFound, NotAuthenticated, InvalidRequest, TooLarge, LimitExceeded, Unavailable)


def _add_receiver(kind: HookKind, signature: str) -> None:
    """Add the endpoint that receives deliveries of a kind of code host."""

    def find(webhook_id: UUID, _anyone: Anyone, database: DatabaseOf, sealer: Seals) -> WebhookCandidate:
        return delivery_intake.find_hook(database, sealer, webhook_id, kind)

    # Find the webhook first: the body of a request to an unknown webhook is not read.
    async def spool(request: Request, _hook: Annotated[WebhookCandidate, Depends(find)]) -> AsyncIterator[SpooledBody]:
        async with spool_body(request, MAX_MESSAGE_BYTES, settings_of(request).scratch_dir) as spooled:
            yield spooled

    @router.post(
        f"/{{webhook_id}}/{kind}",
        operation_id=f"webhooks:receive-{kind}",
        status_code=202,
        summary=f"Receive {SENDERS[kind].name} Delivery",
        description=f"Store a {SENDERS[kind].name} delivery, {signature}, before the response; process it afterwards.",
        responses={**RECEIVED, **KNOWN},
        openapi_extra=ANY_OBJECT,
    )
    def receive(
        request: Request,
        response: Response,
        hook: Annotated[WebhookCandidate, Depends(find)],
        body: Annotated[SpooledBody, Depends(spool)],
        database: DatabaseOf,
        clock: Now,
        throttle: Throttled,
    ) -> DeliveryAcceptedOut:
        return _hear(kind, request, response, hook, body, database, clock, throttle)


_add_receiver("github", "signed in `X-Hub-Signature-256`")
_add_receiver("gitlab", "signed (`webhook-signature`) or with its secret token (`X-Gitlab-Token`)")
_add_receiver("bitbucket", "signed in `X-Hub-Signature`")


def _hear(
    kind: HookKind,
    request: Request,
    response: Response,
    hook: WebhookCandidate,
    body: SpooledBody,
    database: DatabaseOf,
    clock: Now,
    throttle: Throttled,
) -> DeliveryAcceptedOut:
    headers = {name.lower(): value for name, value in request.headers.items()}
    message = IncomingDelivery(body.path, body.size_bytes, body.sha256, headers)
    now = clock.now()
    try:
        delivery_intake.verify_signature(hook, kind, message, now)
    except InvalidWebhookSignature as wrong:
        key = f"hook/{hook.hook_id}/{client_address(request)}"
        if not throttle.hit(key, times=MOST_TRIES, seconds=60):
            raise TooManySignatureFailures("Too many invalid signatures.", limit=MOST_TRIES, unit="a minute") from wrong
        raise
    with database.writing(TeamScope(hook.team_id)) as session:  # committed before the response
        row, new = delivery_intake.store_delivery(session, hook, kind, message, now)
        taken = DeliveryAcceptedOut.model_validate(
            {"delivery_id": row.delivery_id, "state": row.state, "known": not new}
        )
    response.status_code = 202 if new else 200
    return taken


def _api(given: ProviderApiIn | None) -> ProviderApi | None:
    return ProviderApi(given.url, given.token.get_secret_value()) if given else None
