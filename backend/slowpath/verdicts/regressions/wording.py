"""What is said of regressions and of builds: values in, sentences out."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from slowpath.analysis.builds.build_measurements import TOTAL
from slowpath.analysis.builds.fix_verification import RecoveryEvidence
from slowpath.analysis.builds.latency_measurements import LatencySubject
from slowpath.analysis.builds.regression_groups import WITNESSES, ChangedSeries
from slowpath.analysis.builds.series_matrix import OF_FUNCTIONS
from slowpath.analysis.findings.findings import Finding
from slowpath.analysis.findings.wording import format_interval, format_pair, format_ratio, function, pluralize
from slowpath.analysis.series.courses import Course

SHORT_COMMIT = 7
RHYTHMS = {"daily": timedelta(days=1), "weekly": timedelta(days=7)}
RHYTHM_TOLERANCE = 0.15
"""A period is called by its rhythm if it is as long within this share."""
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


def name_series(kind: str, subject: str) -> str:
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


def title(kind: str, subject: str, unit: str, ratio_of: float | None, *, location: str | None = None) -> str:
    """Name what changed, by how much, and the function or category in which a comparison located it."""
    more, less = _VERBS.get(kind, ("is more", "is less"))
    if kind == "bench" and unit.endswith("/s"):
        more, less = "does more", "does less"
    words = f"{name_series(kind, subject)} {more if ratio_of is None or ratio_of > 1 else less}"
    size = "" if ratio_of is None else f": {percent(ratio_of)}"
    return f"{words}{size}{f', in {location}' if location else ''}"


def percent(value: float) -> str:
    """A ratio as people say it: +15 %, −3 %, ×3.2."""
    if value >= 3:
        return format_ratio(value)
    change = 100 * (value - 1)
    sign = "+" if change >= 0 else "−"
    return f"{sign}{abs(change):.0f} %" if abs(change) >= 9.5 else f"{sign}{abs(change):.1f} %"


def sentence(found: ChangedSeries, commit: str, range_of: tuple[str, str]) -> str:
    """What changed by how much, and since which build."""
    change = found.change
    name = name_series(found.kind, found.subject)
    more, less = _VERBS.get(found.kind, ("is more", "is less"))
    first, last = (each[:SHORT_COMMIT] for each in range_of)
    since = f"since {commit[:SHORT_COMMIT]}" if first == last else f"since a build from {first} to {last}"
    numbers = format_pair(change.after, change.before, found.unit)
    spread = f"{format_ratio(change.ratio)}, {format_interval(change.ratio_low, change.ratio_high)}"
    return f"{name} {more if change.ratio > 1 else less}: {numbers} ({spread}), {since}."


def too_few(builds: int) -> str:
    """Nothing can be said yet."""
    return f"Too little is known of this branch yet: {pluralize(builds, 'more build')} {'is' if builds == 1 else 'are'} needed."


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
    return f"No change in {pluralize(series, 'series', 'series')}.{seen}"


def candidate(found: ChangedSeries, builds: int | None, profiles: int | None) -> str:
    """Something may have changed, and what would make it sure."""
    ways = []
    if builds:
        ways.append(pluralize(builds, "more build"))
    if profiles:
        ways.append(f"{pluralize(profiles, 'more profile')} of this build")
    asked = f" To be sure, {' or '.join(ways)} {'is' if ways[0].startswith('1 ') else 'are'} needed." if ways else ""
    alone = " Latency alone says little of the code." if found.kind in WITNESSES else ""
    return f"Perhaps {name_series(found.kind, found.subject)} changed ({percent(found.change.ratio)}).{alone}{asked}"


def describe_dismissed() -> str:
    """A candidate came to nothing."""
    return "What looked like a change was none."


def describe_fix(told: RecoveryEvidence, commit: str) -> str:
    """What a later build proves."""
    against = f"{percent(told.ratio)} against the good build, {format_interval(told.low, told.high)}"
    words = {"fixed": "Fixed", "improved": "Better than before", "still-slower": "Less slow, but still slower"}
    return f"{words[told.proof]} since {commit[:SHORT_COMMIT]} ({against})."


def attributed_to(finding: Finding) -> str | None:
    """Name the function to which a runtime cost is attributed; None of a function's own cost."""
    if finding.kind != "profile.category" or not finding.attributed_callers:
        return None
    return function(finding.attributed_callers[0].function)


def course_sentence(course: Course, steps: int, builds: Sequence[tuple[str, datetime]]) -> str:
    """Describe the slow course of a series over builds (commit and time of each), and how many steps it has beside it."""
    beside = f"{pluralize(steps, 'step')} besides" if steps else "no step"
    if course.kind == "season":
        return f"Varies {_rhythm(course.period or 0.0, builds)} by ±{_percent(course.slope)}; {beside}."
    verb = "Rises" if course.slope > 0 else "Falls"
    first, last = (builds[place][0][:SHORT_COMMIT] for place in (course.first, course.last))
    since = f" since {first}" if course.first > 0 else ""
    until = f" until {last}" if course.last < len(builds) - 1 else ""
    return f"{verb} by about {_percent(course.slope)} per build{since}{until}; {beside}."


def _rhythm(period: float, builds: Sequence[tuple[str, datetime]]) -> str:
    span = (builds[-1][1] - builds[0][1]) / max(len(builds) - 1, 1) * period
    for name, length in RHYTHMS.items():
        if abs(span / length - 1) <= RHYTHM_TOLERANCE:
            return name
    return f"about every {period:.0f} builds"


def _percent(share: float) -> str:
    """Format a share: one decimal from 0.1% on, else two digits."""
    size = 100 * abs(share)
    return f"{size:.1f}%" if size >= 0.1 else f"{size:.2g}%"
