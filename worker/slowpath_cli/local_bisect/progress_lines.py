"""Lines that `slowpath bisect` prints while it searches."""

import re
from typing import Final

from slowpath.analysis.bisect import cost_forecast, search
from slowpath.analysis.bisect.limits import probe_limit
from slowpath.analysis.bisect.search_state import SearchState
from slowpath.analysis.findings.wording import pluralize
from slowpath_cli.local_bisect.script_runner import ScriptResult

PREFIXES: Final = (
    (1e12, "T"),
    (1e9, "G"),
    (1e6, "M"),
    (1e3, "k"),
    (1.0, ""),
    (1e-3, "m"),
    (1e-6, "\u00b5"),
    (1e-9, "n"),
)
PLAIN: Final = (0.01, 10_000.0)
"""Sizes that are written without a prefix."""
VARIABLE: Final = re.compile(r"[0-9a-f]{7,}|\d+")
"""Parts that differ between two messages of one kind: ids and numbers."""
NONE_AT: Final = 0.5
"""Probability that no candidate is the culprit, above which none is called the top suspect."""
WORDS: Final = {"good": "good", "bad": "bad", "unbuildable": "does not build", "nothing": "no result"}


def format_si(value: float) -> str:
    """Format four significant digits with an SI prefix: `5.62 \u00b5`, `1.32 M`; without one from 0.01 to 10,000."""
    size = abs(value)
    if size == 0 or PLAIN[0] <= size < PLAIN[1]:
        return f"{value:.4g}"
    step, prefix = next((one for one in PREFIXES if size >= one[0]), PREFIXES[-1])
    return f"{value / step:.4g} {prefix}".rstrip()


def describe_result(result: ScriptResult, log: str, seen: set[str]) -> str:
    """Describe a result. A failed build has the last line of its output, the first time, and its log; `seen` is updated."""
    if result.number is not None:
        return format_si(result.number)
    words = WORDS[result.kind]
    if result.kind != "unbuildable":
        return words
    kind = VARIABLE.sub("#", result.reason)
    is_new = bool(result.reason) and kind not in seen
    seen.add(kind)
    return f"{words}: {result.reason} (log: {log})" if is_new else f"{words} (log: {log})"


def describe_budget(state: SearchState) -> str:
    """Describe how many measurements are expected and allowed."""
    expected = cost_forecast.forecast_remaining_probes(state)
    return (
        f"about {pluralize(max(round(expected.mean), 1), 'measurement')} expected, at most {measurement_limit(state)}"
    )


def measurement_limit(state: SearchState) -> int:
    """Return how many measurements a search may take: one per probe, and one of the control beside it."""
    return probe_limit(state) * (1 + state.settings.control)


def describe_remaining(state: SearchState, seconds: float) -> str:
    """Describe the measurements and minutes that are still expected, within the limit; `seconds` is the time so far."""
    expected = round(cost_forecast.forecast_remaining_probes(state).mean)
    left = max(min(expected, probe_limit(state) - state.started), 0)
    if not left or not state.started:
        return ""
    minutes = left * seconds / state.started / 60
    return f"about {pluralize(left, 'more measurement')}, {format_minutes(minutes)}"


def format_minutes(minutes: float) -> str:
    """Format a duration in minutes."""
    return "less than a minute" if minutes < 1 else f"{minutes:.0f} min"


def find_top_suspect(state: SearchState) -> tuple[str | None, float]:
    """Return the candidate with the highest posterior, and its posterior.

    None with the probability that no candidate is the culprit, if that is more probable than all of them together.
    """
    belief = search.compute_state_posterior(state)
    if belief.probability_of_none > NONE_AT:
        return None, belief.probability_of_none
    index = int(belief.candidate_probabilities.argmax())
    return state.line.ids[index], float(belief.candidate_probabilities[index])
