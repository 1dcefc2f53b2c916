"""Warn of sides that were sent another mix of requests, or of which one had just started."""

from collections.abc import Iterator

import numpy as np

from slowpath.analysis.findings.findings import Caveat
from slowpath.analysis.findings.wording import format_number, join_list
from slowpath.analysis.kinds.profiles.comparison.explanations import aged, range_of_mix, within_mix
from slowpath.analysis.kinds.profiles.comparison.profile_kind_comparison import TOTAL, ProfileKindComparison
from slowpath.analysis.kinds.profiles.sets.process_age import NEW_SECONDS
from slowpath.analysis.kinds.profiles.sets.request_mix import OTHERS, Key

MOST_ROUTES_NAMED = 3
REMEDY = "Send both sides the same requests, or capture in turns (slowpath collect URL --against URL2)."


def mix_caveats(comparison: ProfileKindComparison) -> Iterator[Caveat]:
    """Warn of another mix of requests, with the shares of the routes that differ most."""
    mix = comparison.request_mix
    if mix is None:
        return
    named = [
        f"{_name(route)} had {_percent(candidate)} of the requests in candidate, {_percent(base)} in base"
        for route, base, candidate in zip(mix.routes, mix.base, mix.candidate, strict=True)
    ][:MOST_ROUTES_NAMED]
    low, high = range_of_mix(comparison)
    reach = _describe_range(low, high)
    total = np.array([comparison.categories.index(TOTAL)])
    could_explain = bool(within_mix(comparison, comparison.categories, total)[0])
    yield Caveat(
        "request-mix",
        f"{join_list(named)}. {reach}; changes within that are not significant. {REMEDY}",
        explains_effect=could_explain and max(high, 1 / low if low else np.inf) - 1 >= comparison.floors[0],
    )


def age_caveats(comparison: ProfileKindComparison) -> Iterator[Caveat]:
    """Warn of a process that started less than a minute before its captures, if that of the other side did not."""
    ages = comparison.process_ages
    if ages is None:
        return
    new, old = ("base", "candidate") if ages.base_is_new else ("candidate", "base")
    seconds = {"base": ages.base, "candidate": ages.candidate}
    total = np.array([comparison.categories.index(TOTAL)])
    trends = bool(aged(comparison, comparison.categories, total)[0])
    meaning = "The cost changes with the age, by as much as the sides differ" if trends else "Its caches may be cold"
    yield Caveat(
        "process-age",
        f"The process of the {new} was {_seconds(seconds[new].min())} to {_seconds(seconds[new].max())} old when its captures "
        f"began, that of the {old} {_seconds(seconds[old].min())} to {_seconds(seconds[old].max())}. {meaning}. "
        f"Start both at the same time, or wait for {_seconds(NEW_SECONDS)} after the start.",
        explains_effect=trends,
    )


def _name(route: Key) -> str:
    if route == OTHERS:
        return "All routes not listed"
    path, method, status_class = route
    words = " ".join(word for word in (method, path, status_class) if word)
    return f"Route {words}" if path else f"The requests {words}"


def _percent(share: float) -> str:
    return f"{100 * float(share):.3g}%"


def _seconds(seconds: float) -> str:
    return f"{float(seconds):,.0f} s"


def _describe_range(low: float, high: float) -> str:
    """Describe by which factors the mix alone may change the cost per request."""
    if not low and not np.isfinite(high):
        return "The mix alone may change the cost per request by any factor"
    if not np.isfinite(high):
        return f"The mix alone may change the cost per request by any factor above ×{format_number(low)}"
    return f"The mix alone may change the cost per request by ×{format_number(low)} to ×{format_number(high)}"
