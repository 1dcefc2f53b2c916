"""Sentences of the inbox: values in, text out."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from slowpath.commit_names import short_commit
from slowpath.core.local_times import find_zone, format_local_time
from slowpath.sharing.inbox.rules import InboxItem

CLOSED_REGRESSIONS = {
    "fixed": "Fixed",
    "improved": "Improved beyond its former level",
    "not-a-regression": "Marked as not a regression",
    "ignored": "Ignored",
}


def describe_closed_regression(state: str, fixed_commit: str | None) -> str:
    """Return how a regression ended."""
    by = f" by {short_commit(fixed_commit)}" if fixed_commit and state in ("fixed", "improved") else ""
    return f"{CLOSED_REGRESSIONS.get(state, state.capitalize())}{by}."


def describe_failing_source(
    last_check: Mapping[str, Any] | None, last_import: Mapping[str, Any] | None
) -> tuple[int | None, str | None]:
    """Return since when (milliseconds since 1970) and why a metric source fails; both are None if it does not."""
    if last_check and last_check.get("detail"):
        at = last_check.get("at_ms")
        return (at if isinstance(at, int) else None), f"The last check failed: {last_check['detail']}"
    if last_import and last_import.get("state") == "failed":
        at = last_import.get("to_ms")
        return (
            at if isinstance(at, int) else None
        ), f"The last import failed: {last_import.get('detail') or ''}".strip()
    return None, None


def describe_inbox(open_items: int, high: int, first: InboxItem | None) -> str:
    """Return the headline: how much needs an action, and the first item."""
    if first is None:
        return "Nothing needs an action."
    number = "1 item needs an action" if open_items == 1 else f"{open_items:,} items need an action"
    severe = f", {high:,} of high severity" if high else ""
    place = f"{first.service.name}: " if first.service and first.service.name else ""
    return f"{number}{severe}. First: {place}{first.title}."


SLACK_ASSIGNED = "It is assigned to you."
SLACK_UNAVAILABLE = "Slack did not say who you are, so nothing changed. Try again, or open the message in Slowpath."
SLACK_WITHOUT_ADDRESS = "Nothing changed: Slack names no confirmed e-mail address of yours, or you are a guest. Open the message in Slowpath."


def describe_unknown_address(email: str) -> str:
    """Return why a person in Slack may not act: their address is of no member."""
    return f"Nothing changed: no member of the team has the address {_for_slack(email)}. Ask an admin to invite you."


def describe_missing_role(role: str) -> str:
    """Return why a member may not act."""
    return f"Nothing changed: your role in the team is {role}, and this requires member. Ask an admin of the team."


def describe_problem(problem: Mapping[str, Any]) -> str:
    """Return why an action was not taken."""
    return _for_slack(f"Nothing changed: {problem.get('detail', '')} {problem.get('resolution', '')}".strip())


def describe_snooze(until: datetime, zone_name: str) -> str:
    """Return until when an item is hidden, in the zone of the person."""
    return f"Snoozed until {until.astimezone(find_zone(zone_name)):%A}, {format_local_time(until, zone_name)}."


def _for_slack(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
