"""Sentences about regressions and builds: values in, text out."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from slowpath.analysis.builds.comparison_answer import ComparisonAnswer
from slowpath.analysis.builds.fix_verification import RecoveryEvidence
from slowpath.analysis.builds.latency_measurements import LatencySubject
from slowpath.analysis.builds.regression_groups import WITNESSES, ChangedSeries
from slowpath.analysis.builds.series_matrix import OF_FUNCTIONS
from slowpath.analysis.findings.build_measurements import TOTAL
from slowpath.analysis.findings.findings import Finding
from slowpath.analysis.findings.wording import (
    describe_interval,
    format_interval,
    format_pair,
    format_ratio,
    function,
    join_list,
    pluralize,
)
from slowpath.analysis.kinds.profiles.categories.category_advice import TEXTS
from slowpath.analysis.kinds.registry import LATENCY, measurement_kind
from slowpath.analysis.series.trends import Trend
from slowpath.commit_names import short_commit

RHYTHMS = {"daily": timedelta(days=1), "weekly": timedelta(days=7)}
RHYTHM_TOLERANCE = 0.15
"""Name a period daily or weekly if its length differs by at most this share."""


def name_series(kind: str, subject: str) -> str:
    """Name a series inside a sentence."""
    if subject == TOTAL:
        return "The whole service"
    if kind in OF_FUNCTIONS:
        return function(subject)
    if kind == "profile.category":
        return TEXTS[subject].title if subject in TEXTS else subject.replace("-", " ").capitalize()
    if measurement_kind(kind).has_units:
        return subject.rpartition(" ")[0]
    if kind == LATENCY:
        latency = LatencySubject.read(subject)
        route = f" of {latency.route}" if latency.route else ""
        return f"{latency.quantile}{route} in {latency.environment}"
    return subject


def format_title(kind: str, subject: str, unit: str, ratio_of: float | None, *, location: str | None = None) -> str:
    """Name what changed, by how much, and the function or category in which a comparison located it."""
    size = "" if ratio_of is None else f": {format_change(ratio_of)}"
    return f"{_name_change(kind, subject, unit, ratio_of)}{size}{f', in {location}' if location else ''}"


def format_comparison_name(kind: str, subject: str, unit: str, ratio_of: float, commits: tuple[str, str]) -> str:
    """Name the comparison of a regression: without the size, because that of all builds differs from that of two."""
    good, bad = (short_commit(each) for each in commits)
    return f"{_name_change(kind, subject, unit, ratio_of)} ({good} → {bad})"


def _name_change(kind: str, subject: str, unit: str, ratio_of: float | None) -> str:
    more, less = measurement_kind(kind).verbs
    if measurement_kind(kind).has_units and unit.endswith("/s"):
        more, less = "does more", "does less"
    return f"{name_series(kind, subject)} {more if ratio_of is None or ratio_of > 1 else less}"


def format_change(value: float) -> str:
    """Format a ratio as a change: +15%, −3%, ×3.2."""
    if value >= 3:
        return format_ratio(value)
    change = 100 * (value - 1)
    sign = "+" if change >= 0 else "−"
    return f"{sign}{abs(change):.0f}%" if abs(change) >= 9.5 else f"{sign}{abs(change):.1f}%"


def describe_change(found: ChangedSeries, commit: str, range_of: tuple[str, str]) -> str:
    """Describe what changed, by how much, and since which build."""
    change = found.change
    name = name_series(found.kind, found.subject)
    more, less = measurement_kind(found.kind).verbs
    first, last = (short_commit(each) for each in range_of)
    since = f"since {short_commit(commit)}" if first == last else f"since a build from {first} to {last}"
    numbers = format_pair(change.after, change.before, found.unit)
    effect = f"{format_ratio(change.ratio)}, {describe_interval(change.ratio_low, change.ratio_high)}"
    return f"{name} {more if change.ratio > 1 else less}: {numbers}, {effect}, {since}."


def describe_missing_builds(builds: int) -> str:
    """Describe a build that needs more builds of its branch before evaluation."""
    return f"Not evaluated yet: {pluralize(builds, 'more build')} needed on this branch."


def describe_unmeasured_build() -> str:
    """Describe a build without measurements."""
    return "Not evaluated: this build has no decoded profile, execution trace, growth log or benchmark output."


def describe_passed(series: int, detectable: float | None) -> str:
    """Describe a build without a change, with the minimum detectable effect as a ratio."""
    effect = (
        ""
        if detectable is None
        else f" A change of the total by {format_change(detectable).lstrip('+')} would be detected within 12 builds."
    )
    return f"No change in {pluralize(series, 'series', 'series')}.{effect}"


def describe_unconfirmed_change(found: ChangedSeries, builds: int | None, profiles: int | None) -> str:
    """Describe an unconfirmed change, with the evidence still required to confirm it."""
    ways = []
    if builds:
        ways.append(pluralize(builds, "more build"))
    if profiles:
        ways.append(f"{pluralize(profiles, 'more profile')} of this build")
    required = f" Required to confirm: {' or '.join(ways)}." if ways else ""
    caveat = " Latency alone is weak evidence of a change in the code." if found.kind in WITNESSES else ""
    name = name_series(found.kind, found.subject)
    return f"Possible change: {name} ({format_change(found.change.ratio)}).{caveat}{required}"


def describe_dismissed() -> str:
    """Describe an unconfirmed change that later builds did not confirm."""
    return "The possible change was not confirmed."


def describe_fix(recovery: RecoveryEvidence, commit: str) -> str:
    """Describe the recovery that a later build shows.

    A fix is proven by an interval that includes the former value, so only a difference is called significant.
    """
    interval = f"95% CI {format_interval(recovery.low, recovery.high)}"
    if recovery.proof != "fixed":
        interval = describe_interval(recovery.low, recovery.high)
    against = f"{format_change(recovery.ratio)} against the good build, {interval}"
    words = {"fixed": "Fixed", "improved": "Improved", "still-slower": "Partly recovered, but still slower"}
    return f"{words[recovery.proof]} since {short_commit(commit)} ({against})."


def attributed_to(finding: Finding) -> str | None:
    """Name the function to which a runtime cost is attributed; None of a function's own cost."""
    if finding.kind != "profile.category" or not finding.attributed_callers:
        return None
    return function(finding.attributed_callers[0].function)


def describe_trend(trend: Trend, steps: int, builds: Sequence[tuple[str, datetime]]) -> str:
    """Describe the trend of a series over builds (commit and time of each).

    `steps`: how many change points the series has in addition.
    """
    changes = pluralize(steps, "change point") if steps else "no change point"
    if trend.kind == "season":
        return f"Varies {_describe_season(trend.period or 0.0, builds)} by ±{_percent(trend.slope)}; {changes}."
    verb = "Rises" if trend.slope > 0 else "Falls"
    first, last = (short_commit(builds[place][0]) for place in (trend.first, trend.last))
    since = f" since {first}" if trend.first > 0 else ""
    until = f" until {last}" if trend.last < len(builds) - 1 else ""
    return f"{verb} by about {_percent(trend.slope)} per build{since}{until}; {changes}."


def _describe_season(period: float, builds: Sequence[tuple[str, datetime]]) -> str:
    span = (builds[-1][1] - builds[0][1]) / max(len(builds) - 1, 1) * period
    for name, length in RHYTHMS.items():
        if abs(span / length - 1) <= RHYTHM_TOLERANCE:
            return name
    return f"about every {period:.0f} builds"


def _percent(share: float) -> str:
    """Format a share: one decimal from 0.1% on, else two digits."""
    size = 100 * abs(share)
    return f"{size:.1f}%" if size >= 0.1 else f"{size:.2g}%"


def describe_pending_comparison(commit: str) -> str:
    """Describe a build whose comparison is not finished."""
    return f"This build is being compared with {short_commit(commit)}."


def describe_comparison(commit: str, answer: ComparisonAnswer, builds: int | None, *, is_merge_base: bool) -> str:
    """Describe what the comparison with an earlier build shows, and what else is required for a conclusive result.

    `builds`: more builds with which the history of the branch can confirm a change.
    """
    earlier = f"{'the merge base ' if is_merge_base else ''}{short_commit(commit)}"
    if answer.state == "changed" and not answer.is_announced:
        ways = [f"{pluralize(answer.profiles_needed, 'more profile')} per build"] if answer.profiles_needed else []
        ways += [pluralize(builds, "more build")] if builds else []
        required = f" Required to confirm: {' or '.join(ways)}." if ways else ""
        return f"Possible change against {earlier}: {answer.reason}{required}"
    word = {"worse": "Regressed", "better": "Improved", "mixed": "Mixed", None: ""}[answer.direction]
    if answer.state != "changed":
        word = "Unchanged" if answer.state == "unchanged" else "Inconclusive"
    return f"{word} against {earlier}: {answer.reason}"


def describe_unknown_conditions(names: Sequence[str]) -> str:
    """Warn of conditions that one of two compared builds does not state; empty without any."""
    if not names:
        return ""
    listed, it = join_list(list(names)), "it may" if len(names) == 1 else "they may"
    return f"Only one of the builds states its {listed}: {it} differ and explain a difference."


def describe_refuted_change(commit: str, excluded: float | None) -> str:
    """Describe a change that the comparison found and that later builds do not show."""
    size = "" if excluded is None else f" by {format_change(excluded).lstrip('+')} or more"
    return (
        f"Not confirmed: the difference from {short_commit(commit)} was not lasting. "
        f"Later builds would show a change of the total{size}, and show none."
    )


def describe_first_build() -> str:
    """Describe the first build with evidence."""
    return "No earlier build has profiles, execution traces, growth logs or benchmark output to compare with. The next build is compared with this one."


def describe_missing_kinds(commit: str) -> str:
    """Describe a build whose earlier builds have no kind of artifact in common with it."""
    return (
        f"Not compared: no earlier build has the same kinds of artifacts; the nearest with evidence is {short_commit(commit)}. "
        "Upload the same kinds for each build."
    )


def describe_other_conditions(commit: str, differences: Sequence[tuple[str, str]]) -> str:
    """Describe a build whose earlier builds ran under other conditions: pairs of the conditions there and here."""
    listed = "; ".join(f"{there or 'unknown'} there, {here or 'unknown'} here" for there, here in differences)
    return (
        f"Not compared: {short_commit(commit)}, the nearest earlier build with the same kinds, ran under other conditions "
        f"({listed}). Upload one more build under these conditions."
    )


def describe_failed_comparison(commit: str, reason: str) -> str:
    """Describe a comparison that failed."""
    return f"The comparison with {short_commit(commit)} failed: {reason}"
