"""Sentences about production events: values in, text out."""

from collections.abc import Mapping
from typing import Any, Final
from uuid import UUID

from slowpath.analysis.kinds.metrics.change_wording import seconds, times
from slowpath.verdicts.production_events.rules import LaterDeployment

SHORT_COMMIT: Final = 7
STATES: Final = {
    "new": "new",
    "investigating": "under investigation",
    "acknowledged": "acknowledged",
    "closed": "closed",
    "not-a-regression": "not a regression",
    "ignored": "ignored",
}
CLOSED_WORDS: Final = {
    "not-a-regression": "Marked as not a regression.",
    "ignored": "Ignored.",
}


def format_title(signal: str, ratio: float, deployment: str | None) -> str:
    """Name what got slower, by how much, and since which deployment."""
    since = f" since deployment {deployment}" if deployment else ""
    return f"{signal} is {times(ratio)} times as high{since}"


def describe_event(
    signal: str, levels: tuple[float, float], interval: tuple[float, float], deployment: str | None, followers: int
) -> str:
    """Return the change with its interval, its cause, and how many services follow it."""
    (before, after), (low, high) = levels, interval
    size = f"{signal} rose from {seconds(before)} to {seconds(after)} ({times(low)} to {times(high)} times, 95% CI)"
    why = (
        f"caused by deployment {deployment}, not by load" if deployment else "not explained by a deployment or by load"
    )
    who = f"; {followers} calling service{'s' if followers > 1 else ''} got slower with it" if followers else ""
    return f"{size}, {why}{who}."


def format_budget_title(signal: str, limit: str, deployment: str | None) -> str:
    """Name which budget is exceeded, and since which deployment."""
    since = f" since deployment {deployment}" if deployment else ""
    return f"{signal} is over its budget of {limit}{since}"


def describe_within_budget(sentence: str) -> str:
    """Return the proof that a budget is not exceeded any more, without its full stop."""
    return sentence.rstrip(".")


def describe_removed_budget() -> str:
    """Return why an event that only budgets opened is closed, without a full stop."""
    return "The budget that it exceeded was removed"


def describe_quiet_budget(sentence: str) -> str:
    """Return that a low latency proves nothing because there are much fewer requests."""
    return f"{sentence} The load is less than half of that when the event was opened, so this proves nothing."


def describe_rollback(commit: str) -> str:
    """Return the proof of a rollback."""
    return f"confirmed by rollback of {commit[:SHORT_COMMIT]}"


def describe_fix(name: str) -> str:
    """Return the proof of a fix."""
    return f"confirmed by deployment of {name}"


def describe_recovery(signal: str, ratio: float) -> str:
    """Return the proof of a recovery without a rollback or a stated fix."""
    return f"{signal} is {times(ratio)} times its level before the event, certainly less than 1.1 times"


def describe_rollback_state(former_commit: str, deployment: LaterDeployment | None) -> str:
    """Return whether the commit from before the event runs again."""
    short = former_commit[:SHORT_COMMIT]
    return f"The former commit {short} runs again." if deployment else f"The former commit {short} does not run again."


def describe_fix_state(commit: str, deployment: LaterDeployment | None) -> str:
    """Return whether the stated fix is deployed."""
    short = commit[:SHORT_COMMIT]
    return f"The stated fix {short} is deployed." if deployment else f"The stated fix {short} is not deployed yet."


def describe_level(signal: str, ratio: float | None, ratio_high: float | None) -> str:
    """Return how the recent latency compares with that before the event."""
    if ratio is None or ratio_high is None:
        return f"There are too few requests to compare {signal} with its level before."
    return f"{signal} is {times(ratio)} times its level before (at most {times(ratio_high)}, 97.5% confidence)."


def describe_load(share: float | None, least: float) -> str:
    """Return how the recent load compares with that before the event."""
    if share is None:
        return "The load cannot be compared with that before."
    return f"The load is {share:.0%} of that before; at less than {least:.0%}, low latency proves nothing."


def describe_history(kind: str, details: Mapping[str, Any], names: Mapping[UUID, str]) -> str:
    """Return an entry of the history as a sentence."""
    to, commit = details.get("to"), details.get("commit")
    sentence = details.get("sentence") or "the change was detected again"
    sentences = {
        "opened": "Opened and announced." if details.get("is_announced") else "Opened without a message.",
        "joined": "Another change point belongs to it.",
        "budget": f"A budget is exceeded: {sentence}",
        "state": f"Set to {STATES.get(str(to), str(to))}.",
        "assignee": f"Assigned to {names.get(UUID(str(to)), 'a former member')}."
        if kind == "assignee" and to
        else "Unassigned.",
        "due": f"Due on {to}." if to else "Due date removed.",
        "fix": f"Fixed by {str(commit)[:SHORT_COMMIT]}, to be proven by its deployment." if commit else "Fix removed.",
        "comparison": "Before and after were compared.",
        "closed": f"Closed: {sentence}.",
        "reopened": f"Reopened: {sentence}.",
    }
    return sentences.get(kind, kind)


def describe_closed(state: str, proof: list[Any] | None) -> str:
    """Return how an event ended: the proof that closed it, or the state that a user set."""
    if state != "closed":
        return CLOSED_WORDS.get(state, state)
    sentences = [str(each["sentence"]) for each in proof or () if each["id"] == "end"]
    return sentences[0] if sentences else "Closed by proof."
