"""Sentences about bisects: values in, text out."""

from collections.abc import Mapping
from typing import Any

from slowpath.analysis.bisect.boundary_difference import BoundaryDifference
from slowpath.analysis.bisect.range_levels import ExplainedIncrease, ShareInterval
from slowpath.analysis.findings.certainty import describe_probability, format_share_interval
from slowpath.analysis.findings.wording import format_number, format_quantity, format_with_error, pluralize
from slowpath.commit_names import short_commit
from slowpath.verdicts.bisects.rules.bisect_states import OPEN, BisectState
from slowpath.verdicts.bisects.rules.toolchain_levels import GO_LEVELS
from slowpath.verdicts.regressions.wording import format_change

MEASURING_BOUNDARIES = "Building and measuring both ends, before the first candidate."
_NO_LABELS: Mapping[str, str] = {}


def describe_commit(culprit: Mapping[str, Any]) -> str:
    """Describe a commit by short SHA, repository and title."""
    if culprit["repository"] in GO_LEVELS.values():
        is_default = "=" in culprit["sha"]
        return (
            f"{culprit['title']} (the default that {culprit['sha']} restores)" if is_default else str(culprit["title"])
        )
    title = f" ({culprit['title']})" if culprit.get("title") else ""
    return f"{short_commit(culprit['sha'])} in {culprit['repository']}{title}"


def describe_baseline(value: float, unit: str, files: int) -> str:
    """Describe the production baseline of a boundary by its value and number of files."""
    return f"{format_number(value)} {unit}".rstrip() + f" in {pluralize(files, 'file')}"


def describe_state(
    state: str, summary: Mapping[str, Any] | None, outcome: Mapping[str, Any] | None, reason: str
) -> str:
    """Describe the state of a bisect.

    `summary`: the summary that the list shows; `reason`: why it is paused or failed.
    """
    summary, outcome = summary or {}, outcome or {}
    culprit = summary.get("culprit")
    facts = {
        "deploys": pluralize(int(summary.get("deploys", 0)), "deployment"),
        "posterior": describe_probability(float(outcome.get("belief", summary.get("belief", 0.0)))),
        "likeliest": "; ".join(
            f"{short_commit(one['sha'])}, {describe_probability(float(one['belief']))}"
            for one in outcome.get("likeliest", ())
        ),
        "left": pluralize(len(outcome.get("suspects", ())), "commit"),
        "who": describe_commit(culprit) if culprit is not None else "",
        "reason": reason,
    }
    if state in {BisectState.SEARCHING, BisectState.FOUND} and culprit is None:
        levels = int(summary.get("levels", 1))
        depth = f" {levels} levels deep" if levels > 1 else ""
        return f"Searching{depth}: no suspect yet after {facts['deploys']}."
    explained = str(outcome.get("explained", ""))
    bare = state in {BisectState.PAUSED, BisectState.FAILED} and not reason
    sentence = f"{state.capitalize()}." if bare else _SENTENCES[BisectState(state)].format_map(facts)
    return f"{sentence} {explained}" if explained and state not in OPEN else sentence


def describe_explained(found: ExplainedIncrease) -> str:
    """Describe how much of the increase a culprit explains, and what explains the rest."""
    if not found.leaves_rest:
        return f"It explains {describe_share(found.culprit)} of the increase."
    where = [word for word, has in (("earlier", found.has_earlier_rest), ("later", found.has_later_rest)) if has]
    rest = f" Something {' and something '.join(where)} explains the rest." if where else ""
    return f"It explains only {describe_share(found.culprit)} of the increase.{rest}"


def describe_slower_build(sha: str, excess: float) -> str:
    """Describe a build between the boundaries that is slower than both; `excess` is relative to the slower one."""
    return f"{short_commit(sha)} is {100 * excess:.0f}% worse than both boundaries. If it is fixed since, search with it as the bad commit."


def format_measured(value: float, error: float | None, unit: str) -> str:
    """Format a value with its standard error or deviation: `3.28 ± 1.8 µs per request`."""
    return " ".join(format_quantity(value, unit)).strip() if error is None else format_with_error(value, error, unit)


def describe_share(share: ShareInterval) -> str:
    """Describe a share with its interval."""
    return format_share_interval(share.share, share.low, share.high)


def describe_boundary_difference(found: BoundaryDifference, probes: float) -> str:
    """Describe how much the boundaries differ against the noise, and what follows; `probes`: still expected."""
    change = "" if found.change is None else format_change(1 + found.change)
    size = f": {change} from good to bad{_against_noise(found)}" if change else ""
    match found.relation:
        case "differ":
            return f"The ends differ{size}. About {pluralize(max(round(probes), 1), 'more probe')} find the commit."
        case "unknown":
            return f"The noise is not known from one measurement of each end{size}. Measure both ends again."
        case "reversed":
            return f"The bad end is better than the good one{size}. Exchange the ends, or choose other ones."
        case "equal":
            return f"The ends do not differ beyond the noise{size}. Measure more, or choose other ends or another criterion."


def describe_measured_boundaries(sentence: str, *, is_discarded: bool) -> str:
    """Describe a bisect that has measured both boundaries, by what follows from their difference."""
    return f"Discarded, because it was not continued in time. {sentence}".rstrip() if is_discarded else sentence


def describe_failed_boundary(name: str, state: str, line: str) -> str:
    """Describe why a boundary has no measurement; `line` is the last one of its output."""
    how = {
        "unbuildable": "could not be built",
        "unhealthy": "did not become healthy",
        "lost": "lost its runner",
    }.get(state, "could not be measured")
    return f"The {name} end {how}{f': {line}' if line else '.'}"


def _against_noise(found: BoundaryDifference) -> str:
    if found.low is None or found.high is None or found.standard_errors is None:
        return ""
    errors = f"{abs(found.standard_errors):.1f} standard errors"
    interval = f"95% CI {format_change(1 + found.low)} to {format_change(1 + found.high)}"
    limits = {
        "windows": ", from repeated measurements of one deployment each",
        "service": ", with the noise between earlier deployments of the service",
        "deployments": ", from several deployments of each",
        "unknown": "",
    }
    return f" ({interval}, {errors}{limits[found.noise]})"


def explain_waiting(queued: int, *, hours: bool, runner: bool, labels: Mapping[str, str] = _NO_LABELS) -> str | None:
    """Explain why queued probes do not start: outside of the allowed hours, or no runner with the labels.

    `queued` counts them. Return None if nothing blocks them.
    """
    if not queued or (hours and runner):
        return None
    waiting = f"{pluralize(queued, 'deployment')} {'waits' if queued == 1 else 'wait'}"
    if not hours:
        return f"{waiting} for the allowed hours."
    required = f" with {', '.join(f'{name}: {value}' for name, value in labels.items())}" if labels else ""
    return f"{waiting} for a runner{required}: none has connected recently."


_SENTENCES: Mapping[BisectState, str] = {
    BisectState.PLANNED: "Finding the commits between good and bad.",
    BisectState.WAITING: "Waiting for approval of the next deployments.",
    BisectState.SEARCHING: "Top suspect {who}: {posterior} after {deploys}.",
    BisectState.PAUSED: "Paused: {reason}",
    BisectState.FOUND: "{who} caused the regression: {posterior} after {deploys}.",
    BisectState.NOT_IN_RANGE: "The culprit is not in this range: {posterior} after {deploys}.",
    BisectState.NOT_SEPARABLE: "{left} cannot be distinguished after {deploys}. That it is one of them is {posterior}.",
    BisectState.STOPPED: "Inconclusive at the limit of {deploys}: {left} remain. That it is one of them is {posterior}. "
    "Most likely: {likeliest}. Raise the limit to continue.",
    BisectState.CANCELLED: "Cancelled after {deploys}.",
    BisectState.FAILED: "Failed: {reason}",
}


_EVENTS = {
    "started": "Started",
    "started-automatically": "Started automatically for a confirmed regression",
    "planned": "Found {candidates} candidates in {commits} commits",
    "resumed": "Resumed",
    "retried": "Retried",
    "waiting": "Waiting for approval of round {round}",
    "approved": "Approved up to round {round}",
    "paused": "Paused: {reason}",
    "boundaries-measured": "Both boundaries measured: {reason}",
    "baselines-used": "Production baselines used for both boundaries: {good} and {bad}, no deployments",
    "baselines-unavailable": "Production baselines no longer available: both boundaries are deployed",
    "baselines-invalidated": "Production baselines invalidated: {reason}",
    "measurements-used": "Measurements of {probes} probes of bisect #{number} used, no deployments",
    "queued": "Queued probe #{number}",
    "leased": "Probe #{number} leased by {runner}, slot {slot}",
    "measured": "Probe #{number} measured",
    "received": "Probe #{number}: measurement received",
    "ended": "Probe #{number} ended: {how}",
    "lost": "Probe #{number} lost: its runner stopped responding",
    "overridden": "Candidate overridden as {verdict}: {reason}",
    "probe-requested": "Queued another probe of a candidate",
    "invalidated": "Probe #{number} invalidated: {reason}",
    "updated": "Settings changed",
    "expanding": "Expanding a suspect",
    "expanded": "Expanded {title}: {candidates} candidates in {repository}",
    "expansion-failed": "Could not expand a suspect: {detail}",
    "measurement-extended": "Too few requests per measurement window: extended from {before:g} to {seconds:g} s",
    "drifted": "The environment drifted between measurements; turn on the control to correct for it",
    "found": "Culprit found",
    "not-in-range": "The culprit is not in this range",
    "not-separable": "The remaining candidates cannot be distinguished",
    "stopped": "Inconclusive at the limit of deployments",
    "continued": "Continued with a limit of {limit} deployments",
    "cancelled": "Cancelled",
    "expired": "Discarded, because it was not continued in time. An equal request uses its measurements for as many days again",
    "too-old": "Its measurements are too old to be used by another request",
    "failed": "Failed: {detail}",
    "compile-queued": "Queued the compilation of the culprit and the build before it",
    "compiled": "Compiled the culprit and the build before it: {reasons} decisions differ",
    "pair-compared": "Comparing the culprit with the build before it. {missing}",
    "pair-not-compared": "The culprit was not compared with the build before it. {missing}",
}


def describe_event(kind: str, facts: Mapping[str, Any]) -> str:
    """Describe one event of a bisect; leave out what the details do not hold."""
    no_value = kind == "measured" and "value" in facts and facts["value"] is None and facts.get("verdict") is None
    pattern = _EVENTS.get("received" if no_value else kind, kind)
    try:
        sentence = pattern.format_map(facts)
    except (KeyError, IndexError, ValueError):
        return pattern.partition(":")[0].partition("{")[0].rstrip(" #")
    return sentence.rstrip(": ")
