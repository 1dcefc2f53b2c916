"""Take an action on items, one result each, with the requests that restore the former values.

State, assignee, due date and fix of production events and regressions are stored by them; the rest is a triage row.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from slowpath.core.db_sessions import WriteSession
from slowpath.core.errors import SlowpathError
from slowpath.core.ids import BuildId, DeployId, ProductionEventId, RegressionId, ServiceId, UserId
from slowpath.inventory.catalog import service as catalog
from slowpath.sharing.inbox import queries
from slowpath.sharing.inbox.errors import ActionNotSupported, InboxItemNotFound
from slowpath.sharing.inbox.rules import LONGEST_SNOOZE, WITH_STATE, InboxItem, ItemKind
from slowpath.sharing.inbox.service import inbox_items, item_reading
from slowpath.sharing.inbox.tables import InboxTriage
from slowpath.verdicts.production_events.rules.event_ends import StatedFix, TriageUpdate
from slowpath.verdicts.production_events.rules.event_states import ProductionEventState
from slowpath.verdicts.production_events.service import event_views
from slowpath.verdicts.production_events.service import triage as event_triage
from slowpath.verdicts.regressions.service import regression_views
from slowpath.verdicts.regressions.service import triage as regression_triage
from slowpath.verdicts.regressions.tables import Regression

NAMEABLE_COMMIT: Final = re.compile(r"[0-9a-f]{7,64}")
Action = Mapping[str, Any]
"""One member of the union of actions, as validated by its wire shape: `type` and its fields."""


@dataclass(frozen=True)
class ItemResult:
    """The item after the action, or why the action was not taken."""

    kind: str
    id: UUID
    item: InboxItem | None
    problem: dict[str, Any] | None


@dataclass(frozen=True)
class ActionOutcome:
    """The result of each item in order, the items that changed, and the requests that restore them."""

    results: Sequence[ItemResult]
    changed: Sequence[tuple[str, UUID]]
    undo: Sequence[dict[str, Any]]


@dataclass(frozen=True)
class ActionContext:
    """What the verbs of one request share."""

    session: WriteSession
    now: datetime
    user_id: UserId | None
    merging: frozenset[tuple[ItemKind, UUID]] = field(default_factory=frozenset)


def take_action(
    session: WriteSession, items: Sequence[tuple[str, UUID]], action: Action, user_id: UserId | None, now: datetime
) -> ActionOutcome:
    """Take an action on each item; an item on which it fails is unchanged, and has a problem.

    For the user who takes it, the item is read: their own change does not make it unread.
    """
    keys = list(dict.fromkeys((ItemKind(kind), subject_id) for kind, subject_id in items))
    before = inbox_items.get_items(session, keys, user_id, now)
    context = ActionContext(session, now, user_id, frozenset(keys))
    problems: dict[tuple[ItemKind, UUID], dict[str, Any]] = {}
    undo: list[dict[str, Any]] = []
    for key in keys:
        try:
            with session.begin_nested():
                item = before.get(key)
                if item is None:
                    raise InboxItemNotFound("The team has no such item in the inbox.")
                if item.service is not None:
                    catalog.require_own_services(session, [ServiceId(item.service.id)])
                former = VERBS[str(action["type"])](context, item, action)
                session.flush()
        except SlowpathError as error:
            problems[key] = {**error.facts(), "status": 404 if isinstance(error, InboxItemNotFound) else 422}
        else:
            undo.append({"items": [{"kind": key[0], "id": key[1]}], "action": former})
    session.expire_all()
    if user_id is not None:
        item_reading.record_read(session, user_id, [key for key in keys if key not in problems], now)
    after = inbox_items.get_items(session, keys, user_id, now)
    return ActionOutcome(
        [ItemResult(key[0], key[1], after.get(key), problems.get(key)) for key in keys],
        [key for key in keys if key not in problems],
        _combine(undo),
    )


def _combine(undo: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return one request for all items that are restored by the same action."""
    combined: list[dict[str, Any]] = []
    for each in undo:
        same = next((one for one in combined if one["action"] == each["action"]), None)
        if same is None:
            combined.append({"items": list(each["items"]), "action": each["action"]})
        else:
            same["items"] += each["items"]
    return combined


def _assign(context: ActionContext, item: InboxItem, action: Action) -> Action:
    assignee_id = action["assignee_id"]
    if assignee_id is not None and not queries.is_member(context.session, assignee_id):
        raise ActionNotSupported("The assignee is not a member of the team.", remedy="Invite them first.")
    if item.kind in WITH_STATE:
        _update_subject(context, item, {"assignee_id": assignee_id})
    else:
        _lock(context, item).assignee_id = UserId(assignee_id) if assignee_id else None
    return {"type": "assign", "assignee_id": item.assignee.id if item.assignee else None}


def _set_due(context: ActionContext, item: InboxItem, action: Action) -> Action:
    if item.kind in WITH_STATE:
        _update_subject(context, item, {"due_on": action["due_on"]})
    else:
        _lock(context, item).due_on = action["due_on"]
    return {"type": "set-due", "due_on": item.due_on}


def _set_state(context: ActionContext, item: InboxItem, action: Action) -> Action:
    if item.kind not in WITH_STATE:
        raise ActionNotSupported(
            f"A {item.kind} has no state that can be set here.", remedy="Snooze or mute it, or open its page."
        )
    if item.kind is ItemKind.REGRESSION and action["state"] == "closed":
        raise ActionNotSupported("A regression has no state `closed`.", remedy="Use `fixed`, or another state.")
    if item.kind is ItemKind.PRODUCTION_EVENT and action["state"] in ("fixed", "improved"):
        raise ActionNotSupported(
            "Only a proof closes a production event.", remedy="State the fix: the event is closed when it is proven."
        )
    if item.state == "closed" and action["state"] not in ("new", "investigating", "acknowledged"):
        raise ActionNotSupported("The event is closed by proof.", remedy="Reopen it first, if it is not over.")
    _update_subject(context, item, {"state": action["state"]})
    return {"type": "set-state", "state": item.state}


def _snooze(context: ActionContext, item: InboxItem, action: Action) -> Action:
    _require_open(item)
    if action["rule"] == "next-deployment" and item.service is None:
        raise ActionNotSupported(f"A {item.kind} has no deployments.", remedy="Snooze it until a time.")
    until = action["until"]
    if until is not None and not context.now < until <= context.now + LONGEST_SNOOZE:
        raise ActionNotSupported(
            "The end of the snooze is not in the next year.",
            limit=LONGEST_SNOOZE.days,
            actual=round((until - context.now).total_seconds() / 86_400, 1),
            unit="days",
            remedy="Choose a time in the next year, or mute it.",
        )
    row = _lock(context, item)
    row.snooze_rule, row.snooze_until, row.snoozed_at = action["rule"], until, context.now
    return _former_snooze(item)


def _unsnooze(context: ActionContext, item: InboxItem, _action: Action) -> Action:
    row = _lock(context, item)
    row.snooze_rule, row.snooze_until, row.snoozed_at = None, None, None
    return _former_snooze(item)


def _former_snooze(item: InboxItem) -> Action:
    if item.snooze is None:
        return {"type": "unsnooze"}
    return {"type": "snooze", "rule": item.snooze.rule, "until": item.snooze.until}


def _mute(context: ActionContext, item: InboxItem, action: Action) -> Action:
    _require_open(item)
    _lock(context, item).mute_reason = action["reason"]
    return _former_mute(item)


def _unmute(context: ActionContext, item: InboxItem, _action: Action) -> Action:
    _lock(context, item).mute_reason = None
    return _former_mute(item)


def _former_mute(item: InboxItem) -> Action:
    return {"type": "unmute"} if item.mute_reason is None else {"type": "mute", "reason": item.mute_reason}


def _merge(context: ActionContext, item: InboxItem, action: Action) -> Action:
    into_kind, into_id = ItemKind(action["into"]["kind"]), action["into"]["id"]
    if into_kind is not item.kind or item.kind not in WITH_STATE:
        raise ActionNotSupported(
            "Only production events are merged into production events, and regressions into regressions.",
            remedy="Choose an item of the same kind.",
        )
    if into_id == item.id:
        raise ActionNotSupported("An item cannot be merged into itself.", remedy="Leave it out of the selection.")
    target = inbox_items.get_item(context.session, into_kind, into_id, context.user_id, context.now)
    if target.merged_into_id is not None or item.merged:
        raise ActionNotSupported(
            "Merged items are one level deep.", remedy="Merge into the item that the others were merged into."
        )
    _lock(context, item).merged_into_id = into_id
    return _former_merge(item)


def _unmerge(context: ActionContext, item: InboxItem, _action: Action) -> Action:
    _lock(context, item).merged_into_id = None
    return _former_merge(item)


def _former_merge(item: InboxItem) -> Action:
    if item.merged_into_id is None:
        return {"type": "unmerge"}
    return {"type": "merge", "into": {"kind": item.kind, "id": item.merged_into_id}}


def _fixed_by(context: ActionContext, item: InboxItem, action: Action) -> Action:
    fix = StatedFix(action["commit"], action["build_id"], action["deployment_id"])
    if item.kind is ItemKind.PRODUCTION_EVENT:
        if action["state"] is not None:
            raise ActionNotSupported("The proof of the fix decides the state of an event.", remedy="Omit `state`.")
        event = event_views.get_event(context.session, ProductionEventId(item.id))
        former = event_triage.stated_fix(event) or StatedFix()
        update = TriageUpdate(frozenset({"fix"}), fix=fix)
        event_triage.update_events(context.session, [item.id], update, context.now)
        return {"type": "fixed-by", **vars(former)}
    if item.kind is ItemKind.REGRESSION:
        return _fix_regression(context, item, fix, action["state"])
    raise ActionNotSupported(f"A {item.kind} is not fixed by a commit.", remedy="Snooze or mute it.")


def _fix_regression(context: ActionContext, item: InboxItem, fix: StatedFix, state: str | None) -> Action:
    """Set a regression to fixed by a commit: builds after it verify the fix as for any other."""
    row = regression_views.get_regression(context.session, RegressionId(item.id))
    former = _former_fix(row, item)
    build_id, commit = fix.build_id, fix.commit
    if fix.deployment_id is not None:
        deployment = catalog.deploy(context.session, DeployId(fix.deployment_id))
        build_id, commit = deployment.build_id, deployment.commit or None
    if build_id is not None:
        commit = catalog.build(context.session, BuildId(build_id)).commit
    row.fixed_build_id, row.fixed_commit = build_id, commit
    _update_subject(context, item, {"state": state or ("new" if commit is None else "fixed")})
    return former


def _former_fix(row: Regression, item: InboxItem) -> Action:
    """Return the action that restores the commit or build that was named before, and the state."""
    commit = row.fixed_commit if row.fixed_build_id is None else None
    if commit is not None and not NAMEABLE_COMMIT.fullmatch(commit):
        return {"type": "set-state", "state": item.state}  # recorded by a deployment that names no commit of git
    return {"type": "fixed-by", "commit": commit, "build_id": row.fixed_build_id, "state": item.state}


def _update_subject(context: ActionContext, item: InboxItem, fields: Mapping[str, Any]) -> None:
    if item.kind is ItemKind.REGRESSION:
        regression_triage.update_regressions(context.session, [RegressionId(item.id)], fields, context.now)
        return
    state = ProductionEventState(fields["state"]) if fields.get("state") else None
    update = TriageUpdate(
        frozenset(fields), state=state, assignee_id=fields.get("assignee_id"), due_on=fields.get("due_on")
    )
    event_triage.update_events(context.session, [item.id], update, context.now)


def _lock(context: ActionContext, item: InboxItem) -> InboxTriage:
    return queries.lock_triage(context.session, item.kind, item.id)


def _require_open(item: InboxItem) -> None:
    if item.closed is not None:
        raise ActionNotSupported("The item is closed.", remedy="Reopen it first.")


VERBS: Final[Mapping[str, Callable[[ActionContext, InboxItem, Action], Action]]] = {
    "assign": _assign,
    "set-state": _set_state,
    "set-due": _set_due,
    "snooze": _snooze,
    "unsnooze": _unsnooze,
    "mute": _mute,
    "unmute": _unmute,
    "merge": _merge,
    "unmerge": _unmerge,
    "fixed-by": _fixed_by,
}
"""Each takes the action and returns the action that restores the former value."""
