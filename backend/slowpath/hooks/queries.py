"""Every SELECT of hooks."""

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import Connection, Row, delete, func, select, text, tuple_, update

from slowpath.core.ids import HookDeliveryId, HookId
from slowpath.core.jobs import JobRow, JobState, enqueue_once
from slowpath.core.sessions import ReadSession, WriteSession
from slowpath.hooks.jobs import ReconcileHook
from slowpath.hooks.tables import Hook, HookDelivery

After = tuple[datetime, UUID] | None
FIND = text("SELECT team_id, kind, sealed FROM door.find_hook(:hook)")


def found_at_the_door(door: Connection, hook_id: UUID) -> Row[Any] | None:
    """Return whose hook this is, of what kind, and its sealed secret."""
    return door.execute(FIND, {"hook": hook_id}).one_or_none()


def hooks(session: ReadSession, after: After, limit: int) -> Sequence[Hook]:
    """Return hooks newest first, by ix_hook_newest."""
    found = select(Hook).where(Hook.team_id == session.team_id)
    found = found.order_by(Hook.created_at.desc(), Hook.id.desc()).limit(limit)
    if after is not None:
        found = found.where(tuple_(Hook.created_at, Hook.id) < after)
    return session.scalars(found).all()


def hook(session: ReadSession, hook_id: HookId) -> Hook | None:
    """Return one hook, by primary key."""
    return session.get(Hook, (session.team_id, hook_id))


def held(session: ReadSession, hook_id: HookId) -> Hook | None:
    """Return one hook that nobody else changes until the transaction ends, by primary key."""
    return session.get(Hook, (session.team_id, hook_id), with_for_update=True, populate_existing=True)


def count(session: ReadSession) -> int:
    """Return how many hooks the team has, by ix_hook_newest."""
    return session.scalars(select(func.count()).select_from(Hook).where(Hook.team_id == session.team_id)).one()


def delivery(session: ReadSession, delivery_id: HookDeliveryId) -> HookDelivery | None:
    """Return one message, by primary key."""
    return session.get(HookDelivery, (session.team_id, delivery_id))


def held_delivery(session: ReadSession, delivery_id: HookDeliveryId) -> HookDelivery | None:
    """Return one message that nobody else takes until the transaction ends, by primary key."""
    return session.get(HookDelivery, (session.team_id, delivery_id), with_for_update=True, populate_existing=True)


def deliveries(session: ReadSession, hook_id: HookId, after: After, limit: int) -> Sequence[HookDelivery]:
    """Return a hook's messages newest first, by ix_hook_delivery_newest."""
    found = select(HookDelivery).where(HookDelivery.team_id == session.team_id, HookDelivery.hook_id == hook_id)
    found = found.order_by(HookDelivery.created_at.desc(), HookDelivery.id.desc()).limit(limit)
    if after is not None:
        found = found.where(tuple_(HookDelivery.created_at, HookDelivery.id) < after)
    return session.scalars(found).all()


def known_delivery(
    session: ReadSession, hook_id: HookId, delivery_id: str, event: str, sha256: str
) -> HookDelivery | None:
    """Return the message of this id, or of the same words, by uq_hook_delivery_id and uq_hook_delivery_content."""
    of_hook = select(HookDelivery).where(HookDelivery.team_id == session.team_id, HookDelivery.hook_id == hook_id)
    by_id = session.scalars(of_hook.where(HookDelivery.delivery_id == delivery_id)).one_or_none()
    same_words = of_hook.where(HookDelivery.event == event, HookDelivery.sha256 == sha256)
    return by_id or session.scalars(same_words).one_or_none()


def taken(session: ReadSession, hook_id: HookId, ids: Collection[str]) -> set[str]:
    """Return which of these ids of messages have arrived, by uq_hook_delivery_id."""
    found = select(HookDelivery.delivery_id).where(
        HookDelivery.team_id == session.team_id, HookDelivery.hook_id == hook_id, HookDelivery.delivery_id.in_(ids)
    )
    return set(session.scalars(found))


def forget_deliveries(session: WriteSession, hook_id: HookId, before: datetime) -> None:
    """Delete what a hook's old messages said, by ix_hook_delivery_newest."""
    session.execute(
        delete(HookDelivery).where(
            HookDelivery.team_id == session.team_id, HookDelivery.hook_id == hook_id, HookDelivery.created_at < before
        )
    )


def hurry_reconciling(session: WriteSession, hook_id: HookId) -> None:
    """Make due now the job that waits to ask what did not arrive, by ix_job_subject; there is one if all is well."""
    enqueue_once(session, ReconcileHook(hook_id))
    session.execute(
        update(JobRow)
        .where(
            JobRow.team_id == session.team_id,
            JobRow.subject_kind == ReconcileHook.subject_kind,
            JobRow.subject_id == hook_id,
            JobRow.name == ReconcileHook.name,
            JobRow.state == JobState.WAITING,
        )
        .values(due_at=func.clock_timestamp(), not_before=func.clock_timestamp(), sends=0)
        .execution_options(synchronize_session=False)
    )
