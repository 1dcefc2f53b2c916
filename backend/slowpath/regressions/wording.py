"""What is said of regressions and of builds: values in, sentences out."""

from slowpath.analysis.builds.latency import LatencySubject
from slowpath.analysis.builds.lines import OF_FUNCTIONS
from slowpath.analysis.builds.measures import TOTAL
from slowpath.analysis.builds.proving import Proven
from slowpath.analysis.builds.stories import WITNESSES, Found
from slowpath.analysis.wording import both, function, interval, plural, ratio

SHORT_COMMIT = 7
_VERBS = {
    "profile.category": ("takes more time", "takes less time"),
    "profile.function": ("takes more time", "takes less time"),
    "profile.heap": ("holds more memory", "holds less memory"),
    "profile.allocs": ("allocates more", "allocates less"),
    "profile.mutex": ("waits longer for locks", "waits less for locks"),
    "profile.block": ("is blocked longer", "is blocked less long"),
    "trace.sched_delay": ("waits longer for a processor", "waits less for a processor"),
    "growth.count": ("grows stacks more often", "grows stacks less often"),
    "bench": ("takes longer", "takes less long"),
    "latency": ("is higher", "is lower"),
}


def named(kind: str, subject: str) -> str:
    """How a series is called in a sentence."""
    if subject == TOTAL:
        return "The whole service"
    if kind in OF_FUNCTIONS:
        return function(subject)
    if kind == "profile.category":
        return "The application" if subject == "app" else subject.replace("-", " ").capitalize()
    if kind == "bench":
        return subject.rpartition(" ")[0]
    if kind == "latency":
        said = LatencySubject.read(subject)
        return f"{said.quantile}{f' of {said.route}' if said.route else ''} in {said.environment}"
    return subject


def title(found: Found) -> str:
    """What changed, in few words."""
    more, less = _VERBS.get(found.kind, ("is more", "is less"))
    if found.kind == "bench" and found.unit.endswith("/s"):
        more, less = "does more", "does less"
    words = f"{named(found.kind, found.subject)} {more if found.change.ratio > 1 else less}"
    return f"{words}: {percent(found.change.ratio)}"


def percent(value: float) -> str:
    """A ratio as people say it: +15 %, −3 %, ×3.2."""
    if value >= 3:
        return ratio(value)
    change = 100 * (value - 1)
    sign = "+" if change >= 0 else "−"
    return f"{sign}{abs(change):.0f} %" if abs(change) >= 9.5 else f"{sign}{abs(change):.1f} %"


def sentence(found: Found, commit: str, range_of: tuple[str, str]) -> str:
    """What changed by how much, and since which build."""
    change = found.change
    name = named(found.kind, found.subject)
    more, less = _VERBS.get(found.kind, ("is more", "is less"))
    first, last = (each[:SHORT_COMMIT] for each in range_of)
    since = f"since {commit[:SHORT_COMMIT]}" if first == last else f"since a build from {first} to {last}"
    numbers = both(change.after, change.before, found.unit)
    spread = f"{ratio(change.ratio)}, {interval(change.ratio_low, change.ratio_high)}"
    return f"{name} {more if change.ratio > 1 else less}: {numbers} ({spread}), {since}."


def too_few(builds: int) -> str:
    """Nothing can be said yet."""
    return f"Too little is known of this branch yet: {plural(builds, 'more build')} {'is' if builds == 1 else 'are'} needed."


def nothing_measured() -> str:
    """There is nothing to judge."""
    return "This build has no profile, trace, stack-growth log or benchmark output that was decoded."


def passed(series: int, detectable: float | None) -> str:
    """Nothing changed, and what would have been seen."""
    seen = (
        ""
        if detectable is None
        else f" A change of the whole by {percent(detectable).lstrip('+')} would be seen within 12 builds."
    )
    return f"No change in {plural(series, 'series', 'series')}.{seen}"


def candidate(found: Found, builds: int | None, profiles: int | None) -> str:
    """Something may have changed, and what would make it sure."""
    ways = []
    if builds:
        ways.append(plural(builds, "more build"))
    if profiles:
        ways.append(f"{plural(profiles, 'more profile')} of this build")
    asked = f" To be sure, {' or '.join(ways)} {'is' if ways[0].startswith('1 ') else 'are'} needed." if ways else ""
    alone = " Latency alone says little of the code." if found.kind in WITNESSES else ""
    return f"Perhaps {named(found.kind, found.subject)} changed ({percent(found.change.ratio)}).{alone}{asked}"


def was_none() -> str:
    """A candidate came to nothing."""
    return "What looked like a change was none."


def proven(told: Proven, commit: str) -> str:
    """What a later build proves."""
    against = f"{percent(told.ratio)} against the good build, {interval(told.low, told.high)}"
    words = {"fixed": "Fixed", "improved": "Better than before", "still": "Less slow, but still slower"}
    return f"{words[told.proof]} since {commit[:SHORT_COMMIT]} ({against})."
