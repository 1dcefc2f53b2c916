"""Triage of production events: state, assignee, due date and fix."""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from slowpath.core.db_sessions import WriteSession
from slowpath.core.errors import InvalidRequest
from slowpath.core.ids import BuildId, DeployId, UserId
from slowpath.inventory.catalog import service as catalog
from slowpath.verdicts.production_events import queries
from slowpath.verdicts.production_events.errors import (
    InvalidFix,
    ProductionAssigneeNotInTeam,
    ProductionEventNotFound,
)
from slowpath.verdicts.production_events.rules.event_ends import StatedFix, TriageUpdate
from slowpath.verdicts.production_events.rules.event_states import OPEN, SETTABLE, ProductionEventState
from slowpath.verdicts.production_events.service.event_history import record_history
from slowpath.verdicts.production_events.tables import ProductionEvent


def update_events(
    session: WriteSession, event_ids: Sequence[UUID], update: TriageUpdate, now: datetime
) -> Sequence[ProductionEvent]:
    """Update events. Equal values are no change; `closed` restores the state of an event that a proof closed.

    Raises `ProductionEventNotFound`, `ProductionAssigneeNotInTeam`, `InvalidRequest`, `InvalidFix`.
    """
    rows = [row for row in queries.lock_events(session, event_ids) if row.number is not None]
    if len(rows) < len(set(event_ids)):
        raise ProductionEventNotFound("The team has no production event with this ID.")
    if update.assignee_id is not None and not queries.select_members(session, [update.assignee_id]):
        raise ProductionAssigneeNotInTeam("The assignee is not a member of the team.", remedy="Invite them first.")
    proven = update.state is ProductionEventState.CLOSED and all(row.closed_reason for row in rows)
    if "state" in update.fields and update.state not in SETTABLE and not proven:
        raise InvalidRequest(
            f"A user cannot set the state {update.state}.",
            remedy="State what fixes the event: it is closed when a deployment proves it.",
        )
    for row in rows:
        _update(session, row, update, now)
    return rows


def _update(session: WriteSession, row: ProductionEvent, update: TriageUpdate, now: datetime) -> None:
    if "state" in update.fields and update.state is not None and update.state != row.state:
        before, row.state = row.state, update.state
        row.closed_at = None if update.state in OPEN else now
        record_history(session, row, "state", {"from": before, "to": row.state})
    if "assignee_id" in update.fields and update.assignee_id != row.assignee_id:
        details = {"from": _text(row.assignee_id), "to": _text(update.assignee_id)}
        row.assignee_id = UserId(update.assignee_id) if update.assignee_id else None
        record_history(session, row, "assignee", details)
    if "due_on" in update.fields and update.due_on != row.due_on:
        details = {"from": _text(row.due_on), "to": _text(update.due_on)}
        row.due_on = update.due_on
        record_history(session, row, "due", details)
    if "fix" in update.fields:
        _set_fix(session, row, update.fix or StatedFix())


def _set_fix(session: WriteSession, row: ProductionEvent, fix: StatedFix) -> None:
    """Record what a user states to be the fix. Raises `BuildNotFound`, `DeploymentNotFound`, `InvalidFix`."""
    commit = fix.commit
    if fix.build_id is not None:
        build = catalog.build(session, BuildId(fix.build_id))
        _require_service(row, build.service_id, "build")
        commit = build.commit
    if fix.deployment_id is not None:
        deployment = catalog.deploy(session, DeployId(fix.deployment_id))
        _require_service(row, deployment.service_id, "deployment")
        commit = deployment.commit or deployment.label
    if (row.fixed_commit, row.fixed_build_id, row.fixed_deployment_id) == (commit, fix.build_id, fix.deployment_id):
        return
    row.fixed_commit, row.fixed_build_id, row.fixed_deployment_id = commit, fix.build_id, fix.deployment_id
    record_history(session, row, "fix", {"commit": commit, "is_removed": commit is None and fix == StatedFix()})


def _require_service(row: ProductionEvent, service_id: UUID, what: str) -> None:
    if service_id != row.service_id:
        raise InvalidFix(
            f"The {what} is of another service than the event.", remedy=f"Name a {what} of the service that got slower."
        )


def stated_fix(row: ProductionEvent) -> StatedFix | None:
    """Return what a user stated to be the fix."""
    if row.fixed_deployment_id is not None:
        return StatedFix(deployment_id=row.fixed_deployment_id)
    if row.fixed_build_id is not None:
        return StatedFix(build_id=row.fixed_build_id)
    return StatedFix(commit=row.fixed_commit) if row.fixed_commit else None


def is_open(row: ProductionEvent) -> bool:
    """Return whether an event is open."""
    return ProductionEventState(row.state) in OPEN


def _text(value: object) -> str | None:
    return None if value is None else str(value)
