"""Sentences of the inbox: values in, text out."""

from collections.abc import Mapping
from typing import Any

from slowpath.sharing.inbox.rules import InboxItem

CLOSED_REGRESSIONS = {
    "fixed": "Fixed",
    "improved": "Improved beyond its former level",
    "not-a-regression": "Marked as not a regression",
    "ignored": "Ignored",
}
SHORT_COMMIT = 7


def describe_closed_regression(state: str, fixed_commit: str | None) -> str:
    """Return how a regression ended."""
    by = f" by {fixed_commit[:SHORT_COMMIT]}" if fixed_commit and state in ("fixed", "improved") else ""
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
