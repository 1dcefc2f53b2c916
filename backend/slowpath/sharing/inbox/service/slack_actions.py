"""Actions from buttons in Slack: who pressed which, whether they may, and the action of the inbox."""

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from typing import Any, Final
from urllib.parse import parse_qs
from uuid import UUID

from sqlalchemy.dialects.postgresql import insert

from slowpath.core.db_sessions import ReadSession, WriteSession
from slowpath.core.ids import ChannelId, new_id
from slowpath.core.local_times import find_zone
from slowpath.platform.accounts.rules.account_names import normalize_email
from slowpath.platform.accounts.rules.roles import Caller, Role
from slowpath.platform.accounts.service import record_audit_event
from slowpath.sharing.inbox import queries, wording
from slowpath.sharing.inbox.errors import MalformedSlackInteraction, SlackInteractionRepeated
from slowpath.sharing.inbox.rules import ItemKind
from slowpath.sharing.inbox.service import inbox_actions
from slowpath.sharing.notifications.service.slack_app import SlackUser
from slowpath.sharing.notifications.tables import SlackInteraction
from slowpath.sharing.notifications.wording import SLACK_BUTTONS

USER: Final = re.compile(r"[UW][A-Z0-9]{2,30}")
CONVERSATION: Final = re.compile(r"[CDG][A-Z0-9]{2,30}")
VALUE: Final = re.compile(r"(production-event|regression):([0-9a-f-]{36})")
MORNING: Final = time(9)
"""When a snooze until tomorrow ends, in the time zone of the person in Slack."""


@dataclass(frozen=True)
class PressedButton:
    """A button that a person pressed."""

    user: str
    conversation: str
    action: str
    kind: ItemKind
    subject_id: UUID


def record_interaction(session: WriteSession, channel_id: ChannelId, timestamp: str, body: bytes) -> None:
    """Record a signed request once. Raises `SlackInteractionRepeated`."""
    digest = hashlib.sha256(timestamp.encode() + b":" + body).hexdigest()
    values = {"team_id": session.team_id, "id": new_id(), "channel_id": channel_id, "digest": digest}
    once = insert(SlackInteraction).values(**values)
    once = once.on_conflict_do_nothing(constraint="uq_slack_interaction_once")
    if session.execute(once.returning(SlackInteraction.id)).scalar() is None:
        raise SlackInteractionRepeated("This request was received before.")


def parse_interaction(body: bytes) -> PressedButton:
    """Return the button of a request. Raises `MalformedSlackInteraction`."""
    try:
        pressed = _read_button(json.loads(parse_qs(body.decode(), max_num_fields=10)["payload"][0]))
    except (KeyError, ValueError, TypeError, RecursionError):
        pressed = None
    if pressed is None:
        raise MalformedSlackInteraction(
            "The request is not a button of a message of Slowpath.", remedy="Use the app for Slowpath only."
        )
    return pressed


def _read_button(payload: Mapping[str, Any]) -> PressedButton | None:
    (action,) = payload["actions"]
    user, conversation = str(payload["user"]["id"]), str(payload["container"]["channel_id"])
    value = VALUE.fullmatch(str(action["value"]))
    is_known = payload["type"] == "block_actions" and action["action_id"] in SLACK_BUTTONS
    if not is_known or value is None or not USER.fullmatch(user) or not CONVERSATION.fullmatch(conversation):
        return None
    return PressedButton(user, conversation, action["action_id"], ItemKind(value[1]), UUID(value[2]))


def find_member(session: ReadSession, user: SlackUser) -> tuple[Caller | None, str]:
    """Return the member with the address of a person in Slack, or why there is none who may act."""
    if user.email is None:
        return None, wording.SLACK_WITHOUT_ADDRESS
    found = queries.find_member_by_email(session, normalize_email(user.email))
    if found is None:
        return None, wording.describe_unknown_address(user.email)
    user_id, role = found
    if not Role(role).reaches(Role.MEMBER):
        return None, wording.describe_missing_role(role)
    return Caller(session.team_id, user_id, None, Role(role), frozenset()), ""


def press_button(session: WriteSession, caller: Caller, pressed: PressedButton, zone: str, now: datetime) -> str:
    """Take the action of a button, and return what the person reads about it."""
    until = find_tomorrow(zone, now)
    is_assignment = pressed.action == "slowpath-assign"
    action: Mapping[str, Any] = (
        {"type": "assign", "assignee_id": caller.user_id}
        if is_assignment
        else {"type": "snooze", "rule": "time", "until": until}
    )
    (result,) = inbox_actions.take_action(
        session, [(pressed.kind, pressed.subject_id)], action, caller.user_id, now
    ).results
    if result.problem is not None:
        return wording.describe_problem(result.problem)
    details = {"type": action["type"], "by": "slack"} | ({} if is_assignment else {"until": until.isoformat()})
    record_audit_event(session, caller, "inbox-item.updated", pressed.kind, pressed.subject_id, details)
    return wording.SLACK_ASSIGNED if is_assignment else wording.describe_snooze(until, zone)


def find_tomorrow(zone: str, now: datetime) -> datetime:
    """Return tomorrow at nine in a time zone; in UTC if the zone is unknown."""
    local = now.astimezone(find_zone(zone))
    return datetime.combine(local.date() + timedelta(days=1), MORNING, local.tzinfo).astimezone(UTC)
