"""What is said of bisects: values in, sentences out."""

from collections.abc import Mapping
from typing import Any

from slowpath.analysis.findings.wording import format_number, pluralize
from slowpath.verdicts.bisects.rules.bisect_states import BisectState

SHORT_COMMIT = 7
_NO_LABELS: Mapping[str, str] = {}


def percent(belief: float) -> str:
    """A belief as people say it; never quite sure."""
    shown = min(max(100 * belief, 0.0), 99.9)
    return f"{shown:.1f} %" if shown > 99 else f"{shown:.0f} %"


def commit(culprit: Mapping[str, Any]) -> str:
    """How a commit is called."""
    title = f" ({culprit['title']})" if culprit.get("title") else ""
    return f"{culprit['sha'][:SHORT_COMMIT]} in {culprit['repository']}{title}"


def describe_baseline(value: float, unit: str, files: int) -> str:
    """What files of production measured of an end."""
    return f"{format_number(value)} {unit}".rstrip() + f" in {pluralize(files, 'file')}"


def sentence(state: str, seen: Mapping[str, Any] | None, outcome: Mapping[str, Any] | None, why: str) -> str:
    """How a bisect stands. `seen` is what a row of the list shows, `why` the reason of a pause or of a failure."""
    seen, outcome = seen or {}, outcome or {}
    culprit = seen.get("culprit")
    facts = {
        "deploys": pluralize(int(seen.get("deploys", 0)), "deploy"),
        "sure": percent(float(outcome.get("belief", seen.get("belief", 0.0)))),
        "likeliest": ", ".join(
            f"{one['sha'][:SHORT_COMMIT]} ({percent(float(one['belief']))})" for one in outcome.get("likeliest", ())
        ),
        "left": pluralize(len(outcome.get("suspects", ())), "commit"),
        "who": commit(culprit) if culprit is not None else "",
        "why": why,
    }
    if state in {BisectState.SEARCHING, BisectState.FOUND} and culprit is None:
        deep = int(seen.get("levels", 1))
        where = f" {deep} levels deep; nobody is suspected there" if deep > 1 else "; nobody is suspected"
        return f"Searches{where} yet after {facts['deploys']}."
    bare = state in {BisectState.PAUSED, BisectState.FAILED} and not why
    return f"{state.capitalize()}." if bare else _SENTENCES[BisectState(state)].format_map(facts)


def explain_waiting(asked: int, *, hours: bool, runner: bool, labels: Mapping[str, str] = _NO_LABELS) -> str | None:
    """Why nothing moves though deploys are asked for: outside of the allowed hours, or without a runner of the labels."""
    if not asked or (hours and runner):
        return None
    wanted = pluralize(asked, "deploy")
    if not hours:
        return f"{wanted} wait{'s' if asked == 1 else ''} for the allowed hours."
    such = f" with {', '.join(f'{name}: {value}' for name, value in labels.items())}" if labels else ""
    return f"{wanted} wait{'s' if asked == 1 else ''} for a runner{such}: none has been seen lately."


_SENTENCES: Mapping[BisectState, str] = {
    BisectState.PLANNED: "Finds the commits between good and bad.",
    BisectState.WAITING: "Waits until somebody approves the next deploys.",
    BisectState.SEARCHING: "Suspects {who}: {sure} after {deploys}.",
    BisectState.PAUSED: "Paused: {why}",
    BisectState.FOUND: "{who} made it slower: {sure} sure after {deploys}.",
    BisectState.NOT_IN_RANGE: "No commit of this range made it slower: {sure} sure after {deploys}.",
    BisectState.NOT_SEPARABLE: "{left} can not be told apart after {deploys}; together {sure} sure.",
    BisectState.STOPPED: "Undecided at the limit of {deploys}: {left} remain, together {sure}. Most likely: {likeliest}. "
    "Allow further deploys to continue.",
    BisectState.CANCELLED: "Cancelled after {deploys}.",
    BisectState.FAILED: "Failed: {why}",
}


_EVENTS = {
    "started": "Started",
    "planned": "Found {candidates} candidates among {commits} commits",
    "resumed": "Resumed",
    "retried": "Tried again",
    "waiting": "Waits for approval of round {round}",
    "approved": "Approved up to round {round}",
    "paused": "Paused: {reason}",
    "known": "Begins with what production measured of both ends: {good} and {bad}, no deploys",
    "unknown": "What production measured of both ends is gone: they are deployed",
    "disowned": "What production measured of both ends does not count: {reason}",
    "asked": "Asks for deploy #{number}",
    "leased": "#{number} goes to {runner}, slot {slot}",
    "measured": "#{number} measured",
    "unmeasured": "#{number}: a window told nothing",
    "ended": "#{number} has ended: {how}",
    "lost": "#{number} is lost: its runner is silent",
    "marked": "Marked as {verdict}: {reason}",
    "remeasured": "Measures a candidate once more",
    "annulled": "#{number} does not count: {reason}",
    "changed": "Settings changed",
    "opening": "Looks into a suspect",
    "opened": "Looked into {title}: {candidates} candidates in {repository}",
    "not-opened": "A suspect can not be looked into: {detail}",
    "lengthened": "Windows were too short for the requests that come: from {before:g} to {seconds:g} s",
    "drifts": "The environment drifted while it was measured; a control beside every round takes that off",
    "found": "Found",
    "not-in-range": "It is not in this range",
    "not-separable": "What is left can not be told apart",
    "stopped": "Undecided at the limit of deploys",
    "continued": "Continued with a limit of {limit} deploys",
    "cancelled": "Cancelled",
    "failed": "Failed: {detail}",
}


def event(kind: str, facts: Mapping[str, Any]) -> str:
    """What a line of the history says; of what the facts do not hold nothing is said."""
    told_nothing = kind == "measured" and "value" in facts and facts["value"] is None and facts.get("verdict") is None
    pattern = _EVENTS.get("unmeasured" if told_nothing else kind, kind)
    try:
        said = pattern.format_map(facts)
    except (KeyError, IndexError, ValueError):
        return pattern.partition(":")[0].partition("{")[0].rstrip(" #")
    return said.rstrip(": ")
