"""Sentences about production events: values in, text out."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

from slowpath.analysis.findings.certainty import name_certainty
from slowpath.analysis.findings.wording import format_factor, format_seconds
from slowpath.analysis.kinds.metrics.changes.change_wording import amount
from slowpath.commit_names import short_commit
from slowpath.verdicts.production_events.rules.event_ends import LaterDeployment

STATES: Final = {
    "new": "new",
    "investigating": "under investigation",
    "acknowledged": "acknowledged",
    "closed": "closed",
    "not-a-regression": "not a regression",
    "ignored": "ignored",
}
SIGNAL_WORDS: Final = {"qps": "load"}
CHOSEN_BY: Final = {
    "slow-deployment": "slow deployments",
    "load": "changes of load",
    "gauge": "changes of gauges",
}
CLOSED_WORDS: Final = {
    "not-a-regression": "Marked as not a regression.",
    "ignored": "Ignored.",
}


@dataclass(frozen=True)
class SignalChange:
    """The size of a change: its levels before and after in the unit of its signal, the ratio and its interval."""

    signal: str
    gauge: str
    levels: tuple[float, float]
    ratio: float
    interval: tuple[float, float]

    @property
    def name(self) -> str:
        """Return what changed."""
        return self.gauge or SIGNAL_WORDS.get(self.signal, self.signal)

    def describe_levels(self) -> str:
        """Return both levels: from 84 ms to 2.1 s."""
        before, after = self.levels
        if self.gauge:
            return f"from {amount(before)} to {amount(after)}"
        if self.signal == "qps":
            return f"from {amount(before)} to {amount(after)} requests/s"
        return f"from {format_seconds(before)} to {format_seconds(after)}"


def format_title(change: SignalChange, deployment: str | None) -> str:
    """Name what changed, by how much, and since which deployment."""
    since = f" since deployment {deployment}" if deployment else ""
    if change.gauge:
        return f"{change.name} rose {change.describe_levels()}{since}"
    if change.ratio < 1:
        return f"{change.name} fell to {format_factor(change.ratio)} times its level{since}"
    return f"{change.name} is {format_factor(change.ratio)} times as high{since}"


def describe_event(change: SignalChange, deployment: str | None, followers: int) -> str:
    """Return the change with its interval, its cause, and how many services follow it."""
    low, high = change.interval
    added = ", of both plus one" if change.gauge and change.levels[0] < 1 else ""
    verb, certainty = "fell" if change.ratio < 1 else "rose", name_certainty(low, high)
    size = f"{change.name} {verb} {change.describe_levels()}, {certainty} ({format_factor(low)} to {format_factor(high)} times, 95% CI{added})"
    is_load = change.signal == "qps"
    if deployment:
        why = f"caused by deployment {deployment}{'' if is_load else ', not by load'}"
    else:
        why = f"not explained by a deployment or by {'another service' if is_load else 'load'}"
    services = f"service{'s' if followers > 1 else ''}"
    who = (
        f"the load of {followers} other {services} changed" if is_load else f"{followers} calling {services} got slower"
    )
    return f"{size}, {why}{f'; {who} with it' if followers else ''}."


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
    return f"confirmed by rollback of {short_commit(commit)}"


def describe_fix(name: str) -> str:
    """Return the proof of a fix."""
    return f"confirmed by deployment of {name}"


def describe_recovery(signal: str, ratio: float) -> str:
    """Return the proof of a recovery without a rollback or a stated fix."""
    return f"{signal} is {format_factor(ratio)} times its level before the event, certainly less than 1.1 times"


def describe_level_recovery(name: str, ratio: float) -> str:
    """Return the proof that load or a gauge recovered, without a full stop."""
    return (
        f"{name} is {format_factor(ratio)} times its level before the event, certainly nearer to it than to that after"
    )


def describe_settled() -> str:
    """Return why an event of load is closed though the load did not change back, without a full stop."""
    return "the load has lasted for a day: it is the new level of the service"


def describe_joined(number: int) -> str:
    """Return why an event of load or of a gauge is closed, without a full stop."""
    return f"part of event {number}: the latency of the service changed together with it"


def describe_level_now(name: str, ratio: float | None, interval: tuple[float | None, float | None]) -> str:
    """Return how the recent load or gauge compares with that before the event."""
    low, high = interval
    if ratio is None or low is None or high is None:
        return f"There are too few samples to compare {name} with its level before."
    return f"{name} is {format_factor(ratio)} times its level before, certainly {format_factor(low)} to {format_factor(high)} times (95% CI)."


def describe_rollback_state(former_commit: str, deployment: LaterDeployment | None) -> str:
    """Return whether the commit from before the event runs again."""
    short = short_commit(former_commit)
    return f"The former commit {short} runs again." if deployment else f"The former commit {short} does not run again."


def describe_fix_state(commit: str, deployment: LaterDeployment | None) -> str:
    """Return whether the stated fix is deployed."""
    short = short_commit(commit)
    return f"The stated fix {short} is deployed." if deployment else f"The stated fix {short} is not deployed yet."


def describe_level(signal: str, ratio: float | None, ratio_high: float | None) -> str:
    """Return how the recent latency compares with that before the event."""
    if ratio is None or ratio_high is None:
        return f"There are too few requests to compare {signal} with its level before."
    return f"{signal} is {format_factor(ratio)} times its level before, certainly at most {format_factor(ratio_high)} times (97.5% confidence)."


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
        "opened": _describe_opening(details),
        "returned": "A change back towards the former level belongs to it.",
        "joined": "Another change point belongs to it.",
        "budget": f"A budget is exceeded: {sentence}",
        "state": f"Set to {STATES.get(str(to), str(to))}.",
        "assignee": f"Assigned to {names.get(UUID(str(to)), 'a former member')}."
        if kind == "assignee" and to
        else "Unassigned.",
        "due": f"Due on {to}." if to else "Due date removed.",
        "fix": f"Fixed by {short_commit(str(commit))}, to be proven by its deployment." if commit else "Fix removed.",
        "comparison": "Before and after were compared.",
        "closed": f"Closed: {sentence}.",
        "reopened": f"Reopened: {sentence}.",
    }
    return sentences.get(kind, kind)


def _describe_opening(details: Mapping[str, Any]) -> str:
    """Return whether an event was announced, and to which channels."""
    if not details.get("is_announced"):
        return "Opened without a message."
    chosen = CHOSEN_BY.get(str(details.get("event_kind")))
    return f"Opened; announced to channels that choose {chosen}." if chosen else "Opened and announced."


def describe_closed(state: str, proof: list[Any] | None) -> str:
    """Return how an event ended: the proof that closed it, or the state that a user set."""
    if state != "closed":
        return CLOSED_WORDS.get(state, state)
    sentences = [str(each["sentence"]) for each in proof or () if each["id"] == "end"]
    return sentences[0] if sentences else "Closed by proof."
