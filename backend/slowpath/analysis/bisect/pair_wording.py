"""Describe the decision on pairs of measurements in a sentence."""

import math
from collections.abc import Mapping
from typing import Final

from slowpath.analysis.bisect.pair_settings import PairSettings
from slowpath.analysis.bisect.paired_measurements import PairDecision, combine_decisions
from slowpath.analysis.findings.wording import format_factor, format_ratio, pluralize

EQUAL_BUILDS: Final = "Not measured: both commits build from the same inputs."
MOST_NAMED: Final = 5
"""Most subjects named in one sentence."""


def describe_decision(decision: PairDecision, settings: PairSettings) -> str:
    """Return a decision as a sentence: the ratio of costs with its bounds, and what would settle an open one."""
    pairs = pluralize(decision.pairs, "pair")
    if decision.verdict == "slower":
        return f"Slower: {_ratio(decision)} in {pairs}."
    if decision.verdict == "not-slower":
        return f"No increase larger than {format_change(settings.smallest_change)}: {_ratio(decision)} in {pairs}."
    if decision.ratio is None:
        return "Nothing was measured."
    if decision.verdict is None:
        return f"Undecided: {_ratio(decision)} in {pairs}."
    return f"Inconclusive after {pairs}: {_ratio(decision)}. {_what_settles(decision)}"


def describe_decisions(decisions: Mapping[str, PairDecision], settings: PairSettings) -> str:
    """Return the decision on all subjects in one line: those that are slower, else those that are open, else the worst."""
    if len(decisions) == 1:
        return describe_decision(next(iter(decisions.values())), settings)
    verdict = combine_decisions(decisions)
    named = sorted(
        (name for name, one in decisions.items() if one.verdict == verdict),
        key=lambda name: -(decisions[name].ratio or 0),
    )
    if verdict in {"slower", "inconclusive"}:
        more = len(named) - MOST_NAMED
        listed = "; ".join(f"{name}: {describe_decision(decisions[name], settings)}" for name in named[:MOST_NAMED])
        return f"{listed} {pluralize(more, 'more subject')}." if more > 0 else listed
    if verdict == "not-slower":
        return f"No increase larger than {format_change(settings.smallest_change)} of any of {len(decisions)} subjects."
    return f"Undecided: {len(decisions)} subjects."


def format_change(change: float) -> str:
    """Format a relative change as a percentage."""
    return f"{100 * change:.3g}%"


def _ratio(decision: PairDecision) -> str:
    assert decision.ratio is not None
    if decision.low == 0 and math.isinf(decision.high):
        return f"{format_ratio(decision.ratio)}"
    if math.isinf(decision.high):
        return f"{format_ratio(decision.ratio)} (at least {format_factor(decision.low)})"
    if decision.low == 0:
        return f"{format_ratio(decision.ratio)} (at most {format_factor(decision.high)})"
    return f"{format_ratio(decision.ratio)} ({format_factor(decision.low)} to {format_factor(decision.high)})"


def _what_settles(decision: PairDecision) -> str:
    if decision.more_pairs is None:
        return "The measurements vary too much: longer ones, or a quieter machine, would settle it."
    return f"About {pluralize(decision.more_pairs, 'more pair')} would settle it."
