"""SELECT statements of webhooks."""

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import Connection, Row, delete, func, select, text, tuple_, update

from slowpath.core.db_sessions import ReadSession, WriteSession
from slowpath.core.ids import HookDeliveryId, HookId
from slowpath.core.jobs import JobRow, JobState, enqueue_unless_pending
from slowpath.inventory.webhooks.jobs import ReconcileDeliveries
from slowpath.inventory.webhooks.tables import Webhook, WebhookDelivery

After = tuple[datetime, UUID] | None
FIND = text("SELECT team_id, kind, encrypted_secret FROM cross_team.find_webhook(:hook)")


def select_webhook_before_auth(cross_team: Connection, hook_id: UUID) -> Row[Any] | None:
    """Return team, kind and encrypted secret of a webhook."""
    return cross_team.execute(FIND, {"hook": hook_id}).one_or_none()


def hooks(session: ReadSession, after: After, limit: int) -> Sequence[Webhook]:
    """Return webhooks newest first, by ix_hook_newest."""
    found = select(Webhook).where(Webhook.team_id == session.team_id)
    found = found.order_by(Webhook.created_at.desc(), Webhook.id.desc()).limit(limit)
    if after is not None:
        found = found.where(tuple_(Webhook.created_at, Webhook.id) < after)
    return session.scalars(found).all()


def hook(session: ReadSession, hook_id: HookId) -> Webhook | None:
    """Return one webhook, by primary key."""
    return session.get(Webhook, (session.team_id, hook_id))


def lock_webhook(session: ReadSession, hook_id: HookId) -> Webhook | None:
    """Return one webhook, by primary key, and lock it."""
    return session.get(Webhook, (session.team_id, hook_id), with_for_update=True, populate_existing=True)


def count(session: ReadSession) -> int:
    """Return the number of the team's webhooks, by ix_hook_newest."""
    return session.scalars(select(func.count()).select_from(Webhook).where(Webhook.team_id == session.team_id)).one()


def delivery(session: ReadSession, delivery_id: HookDeliveryId) -> WebhookDelivery | None:
    """Return one delivery, by primary key."""
    return session.get(WebhookDelivery, (session.team_id, delivery_id))


def lock_delivery(session: ReadSession, delivery_id: HookDeliveryId) -> WebhookDelivery | None:
    """Return one delivery, by primary key, and lock it."""
    return session.get(WebhookDelivery, (session.team_id, delivery_id), with_for_update=True, populate_existing=True)


def deliveries(session: ReadSession, hook_id: HookId, after: After, limit: int) -> Sequence[WebhookDelivery]:
    """Return a webhook's deliveries newest first, by ix_hook_delivery_newest."""
    found = select(WebhookDelivery).where(
        WebhookDelivery.team_id == session.team_id, WebhookDelivery.webhook_id == hook_id
    )
    found = found.order_by(WebhookDelivery.created_at.desc(), WebhookDelivery.id.desc()).limit(limit)
    if after is not None:
        found = found.where(tuple_(WebhookDelivery.created_at, WebhookDelivery.id) < after)
    return session.scalars(found).all()


def known_delivery(
    session: ReadSession, hook_id: HookId, delivery_id: str, event: str, sha256: str
) -> WebhookDelivery | None:
    """Return the delivery with this ID or content, by uq_hook_delivery_id and uq_hook_delivery_content."""
    of_hook = select(WebhookDelivery).where(
        WebhookDelivery.team_id == session.team_id, WebhookDelivery.webhook_id == hook_id
    )
    by_id = session.scalars(of_hook.where(WebhookDelivery.delivery_id == delivery_id)).one_or_none()
    same_words = of_hook.where(WebhookDelivery.event == event, WebhookDelivery.sha256 == sha256)
    return by_id or session.scalars(same_words).one_or_none()


def taken(session: ReadSession, hook_id: HookId, ids: Collection[str]) -> set[str]:
    """Return which of these delivery IDs have arrived, by uq_hook_delivery_id."""
    found = select(WebhookDelivery.delivery_id).where(
        WebhookDelivery.team_id == session.team_id,
        WebhookDelivery.webhook_id == hook_id,
        WebhookDelivery.delivery_id.in_(ids),
    )
    return set(session.scalars(found))


def forget_deliveries(session: WriteSession, hook_id: HookId, before: datetime) -> None:
    """Delete a webhook's old deliveries, by ix_hook_delivery_newest."""
    session.execute(
        delete(WebhookDelivery).where(
            WebhookDelivery.team_id == session.team_id,
            WebhookDelivery.webhook_id == hook_id,
            WebhookDelivery.created_at < before,
        )
    )


def make_reconciliation_due(session: WriteSession, hook_id: HookId) -> None:
    """Make the waiting reconciliation job due now, by ix_job_subject; there is one if all is well."""
    enqueue_unless_pending(session, ReconcileDeliveries(hook_id))
    session.execute(
        update(JobRow)
        .where(
            JobRow.team_id == session.team_id,
            JobRow.subject_kind == ReconcileDeliveries.subject_kind,
            JobRow.subject_id == hook_id,
            JobRow.name == ReconcileDeliveries.name,
            JobRow.state == JobState.WAITING,
        )
        .values(due_at=func.clock_timestamp(), not_before=func.clock_timestamp(), send_count=0)
        .execution_options(synchronize_session=False)
    )
