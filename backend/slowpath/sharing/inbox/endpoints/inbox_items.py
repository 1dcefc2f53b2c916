"""HTTP endpoints of the list and of its actions."""

import base64
import binascii
import json
from typing import Annotated, Literal
from uuid import UUID

from fastapi import APIRouter, Query

from slowpath.core.db_sessions import ReadSession
from slowpath.core.errors import Conflict, InvalidRequest, NotFound
from slowpath.platform.accounts.access import Caller, MayRead, MayWrite
from slowpath.platform.accounts.rules.roles import Role, TokenScope
from slowpath.platform.accounts.service import record_audit_event
from slowpath.platform.http.body_limits import KIB, body_up_to
from slowpath.platform.http.internal_api import FREEZABLE
from slowpath.platform.http.problems import document_problems
from slowpath.platform.http.request_dependencies import Now, Reading, Writing
from slowpath.sharing.inbox.rules import InboxFilter, ItemKind, KindName, SeverityName, StateName, ViewName
from slowpath.sharing.inbox.schemas.inbox_actions import (
    InboxActionIn,
    InboxActionOut,
    InboxActionResult,
    InboxReadingIn,
)
from slowpath.sharing.inbox.schemas.inbox_items import InboxItemOut, InboxOut
from slowpath.sharing.inbox.service import inbox_actions, inbox_items, item_reading
from slowpath.sharing.inbox.service.inbox_actions import ActionOutcome
from slowpath.sharing.inbox.service.inbox_views import require_user

router = APIRouter(prefix="/api/v1", tags=["inbox"])

Search = Annotated[str, Query(max_length=200, pattern=r"^[^\x00]*$")]
Cursor = Annotated[str | None, Query(max_length=500, description="next_cursor of the previous page")]


def may_write(caller: Caller) -> bool:
    """Return whether the caller may take actions."""
    if caller.token_id is not None:
        return TokenScope.WRITE in caller.scopes
    return caller.role.reaches(Role.MEMBER)


@router.get(
    "/inbox",
    operation_id="inbox:list",
    openapi_extra=FREEZABLE,
    responses=document_problems(InvalidRequest),
)
def list_inbox(
    caller: MayRead,
    session: Reading,
    clock: Now,
    view: ViewName = "needs-action",
    service_id: UUID | None = None,
    kind: Annotated[list[KindName] | None, Query()] = None,
    state: Annotated[list[StateName] | None, Query()] = None,
    assignee_id: UUID | Literal["me", "unassigned"] | None = None,
    severity: Annotated[list[SeverityName] | None, Query()] = None,
    unread: Annotated[bool, Query(description="only items that the caller has not read")] = False,
    q: Search = "",
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
    cursor: Cursor = None,
) -> InboxOut:
    """List what needs an action, the most severe first; closed items newest first.

    The counts are of all items of a view, whatever the other filters.
    """
    filters = InboxFilter(
        view=view,
        user_id=caller.user_id,
        service_id=service_id,
        kinds=kind or (),
        states=state or (),
        severities=severity or (),
        assignee_id=caller.user_id if assignee_id == "me" else assignee_id if isinstance(assignee_id, UUID) else None,
        unassigned=assignee_id == "unassigned",
        unread=unread,
        search=q,
    )
    after = _parse_cursor(cursor) if cursor else None
    page = inbox_items.list_inbox(session, filters, clock.now(), after=after, limit=limit)
    return InboxOut.of(page, _format_cursor(page.next_key), may_write=may_write(caller))


@router.get(
    "/inbox/items/{kind}/{item_id}",
    operation_id="inbox:get",
    openapi_extra=FREEZABLE,
    responses=document_problems(NotFound),
)
def get_inbox_item(kind: KindName, item_id: UUID, caller: MayRead, session: Reading, clock: Now) -> InboxItemOut:
    """Return one item: of a subject, whether it is listed or not."""
    item = inbox_items.get_item(session, ItemKind(kind), item_id, caller.user_id, clock.now())
    return InboxItemOut.of(item, may_write=may_write(caller))


@router.post(
    "/inbox/actions",
    operation_id="inbox:act",
    openapi_extra=body_up_to(128 * KIB),
    responses=document_problems(NotFound, Conflict, InvalidRequest),
)
def act_on_inbox(body: InboxActionIn, caller: MayWrite, session: Writing, clock: Now) -> InboxActionOut:
    """Take one action on several items. Each item has its own result; one that fails does not stop the others.

    `undo` are the requests that restore the former values, to be sent in order.
    """
    items = [(each.kind, each.id) for each in body.items]
    outcome = inbox_actions.take_action(session, items, body.action.model_dump(), caller.user_id, clock.now())
    for kind, subject_id in outcome.changed:
        details = body.action.model_dump(mode="json")
        record_audit_event(session, caller, "inbox-item.updated", kind, subject_id, details)
    return _make_outcome_out(session, outcome, caller)


@router.post(
    "/inbox/reading",
    operation_id="inbox:mark-read",
    status_code=204,
    openapi_extra=body_up_to(128 * KIB),
    responses=document_problems(InvalidRequest),
)
def mark_inbox_items(body: InboxReadingIn, caller: MayRead, session: Writing, clock: Now) -> None:
    """Mark items as read or as unread for the caller, a user. Items that do not exist or are closed are left out.

    An item becomes unread again when its state or severity changes, when it occurs again, when another user comments
    on it, and when a snooze ends.
    """
    user_id = require_user(caller.user_id)
    keys = [(ItemKind(each.kind), each.id) for each in body.items]
    if body.is_read:
        item_reading.record_read(session, user_id, keys, clock.now())
    else:
        item_reading.record_unread(session, user_id, keys)


def _make_outcome_out(_session: ReadSession, outcome: ActionOutcome, caller: Caller) -> InboxActionOut:
    return InboxActionOut(
        results=[
            InboxActionResult.model_validate(
                {
                    "kind": each.kind,
                    "id": each.id,
                    "item": InboxItemOut.of(each.item, may_write=may_write(caller)) if each.item else None,
                    "problem": each.problem,
                }
            )
            for each in outcome.results
        ],
        undo=[InboxActionIn.model_validate(each) for each in outcome.undo],
    )


def _format_cursor(key: tuple[str, ...] | None) -> str | None:
    return None if key is None else base64.urlsafe_b64encode(json.dumps(key).encode()).decode().rstrip("=")


def _parse_cursor(cursor: str) -> tuple[str, ...]:
    try:
        found = json.loads(base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)))
    except (ValueError, binascii.Error):
        found = None
    if not isinstance(found, list) or not all(isinstance(each, str) for each in found):
        raise InvalidRequest("The cursor is invalid.", remedy="Start again without a cursor.")
    return tuple(found)
