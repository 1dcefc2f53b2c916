"""The headline of a comparison of profiles: its verdict, its conditions, and the minimum detectable effect.

There are three kinds of answers: changed by X; no change larger than X; inconclusive because of Y, and what settles it.
"""

from dataclasses import dataclass
from math import ceil, isfinite, log
from statistics import NormalDist
from typing import Literal

from slowpath.analysis.findings import wording
from slowpath.analysis.findings.combined_verdict import VERDICT_OF
from slowpath.analysis.findings.findings import Finding, Verdict
from slowpath.analysis.kinds.profiles.categories.category_advice import TEXTS
from slowpath.analysis.kinds.profiles.comparison.direction import KindDecision, total_direction
from slowpath.analysis.kinds.profiles.comparison.profile_kind_comparison import (
    TOTAL,
    WAITING_KINDS,
    ProfileKindComparison,
)
from slowpath.analysis.kinds.profiles.comparison.significance import change_of

VERDICT_WORDS: dict[Verdict, str] = {
    "regressed": "Regressed",
    "improved": "Improved",
    "mixed": "Mixed",
    "unchanged": "Unchanged",
    "inconclusive": "Inconclusive",
}
NAMES = {"cpu": "CPU"}
NOUNS = {"cpu": "CPU", "heap": "memory in use", "allocs": "allocated memory", "mutex": "lock waiting"}
"""What a kind of profile adds up, after "more" or "less"."""
MULTIPLE = 3.0
"""From this ratio on a change is given as a multiple: ×3.2 reads better than 220%."""
NEARLY_ALL, MOST_OF_ALL = 0.9, 1.1
"""Share of the total's change above which a finding is nearly all of it, and above which it is more than that."""
PER = {"request": " per request", "op": " per operation", "s": " per second"}
MOST_MORE_PROFILES = 1_000
NORMAL = NormalDist()


@dataclass(frozen=True)
class TotalChange:
    """The change of a kind's total, in `unit`; `ci_of` names what `ci_low` and `ci_high` bound."""

    profile_kind: str
    base: float
    candidate: float
    unit: str
    normalization: str
    ratio: float | None
    ci_low: float
    ci_high: float
    ci_of: Literal["ratio", "difference"]
    confidence_level: float


@dataclass(frozen=True)
class ProfileHeadline:
    """The verdict as a sentence.

    `total` is None where only shares are known; `conditions` are lines below the sentence. The sentence
    `minimum_detectable_effect` is None where the total changed.
    """

    sentence: str
    total: TotalChange | None
    conditions: tuple[str, ...]
    minimum_detectable_effect: str | None


def profile_headline(
    comparison: ProfileKindComparison, ruling: KindDecision, findings: tuple[Finding, ...], detectable: float | None
) -> ProfileHeadline:
    """Write the headline of the kind of profile that decides (CPU where there is one)."""
    return ProfileHeadline(
        sentence=f"{VERDICT_WORDS[ruling.verdict]}: {reason_of(comparison, ruling, findings)}",
        total=_total(comparison),
        conditions=conditions_of(comparison),
        minimum_detectable_effect=_minimum_detectable_effect(comparison, detectable),
    )


def reason_of(comparison: ProfileKindComparison, ruling: KindDecision, findings: tuple[Finding, ...]) -> str:
    """Return the reason of the verdict of one kind, as a sentence to follow a colon."""
    if ruling.verdict == "mixed":
        return mixed_reason(findings)
    if ruling.verdict in {"regressed", "improved"}:
        leading = leading_finding(findings, ruling.verdict)
        if total_direction(comparison) is None:
            return lowered(leading.sentence) if leading else "the total changed."
        return f"{_total_change(comparison)}{_contribution(comparison, leading)}."
    if ruling.verdict == "unchanged" and ruling.bound is not None:
        return f"{_limit(comparison, ruling.bound)}."
    return _why_inconclusive(comparison, ruling, findings)


def leading_finding(findings: tuple[Finding, ...], verdict: Verdict) -> Finding | None:
    """Return the first significant finding in the direction of the verdict."""
    return next((f for f in findings if f.is_significant and VERDICT_OF[f.direction] == verdict), None)


def mixed_reason(findings: tuple[Finding, ...]) -> str:
    """Name the largest significant cost in each direction: `a.F +2.1 µs per request, a.G −1.9 µs per request`."""
    parts = []
    for direction in ("worse", "better"):
        mine = [f for f in findings if f.is_significant and f.direction == direction]
        if mine:
            parts.append(_amount(max(mine, key=lambda f: abs(f.difference_of_whole))))
    return f"{', '.join(parts)}." if parts else "significant costs moved both ways."


def _amount(finding: Finding) -> str:
    """`a.F +2.1 µs per request`; findings that are no cost of a profile are given as a ratio where they have one."""
    name = _name(finding)
    if not finding.kind.startswith("profile.") and finding.change.ratio is not None:
        return f"{name} {wording.format_ratio(finding.change.ratio)}"
    amount, words = wording.format_quantity(abs(finding.change.difference), finding.unit)
    return f"{name} {'+' if finding.change.difference > 0 else '−'}{amount} {words}"


def _total_change(comparison: ProfileKindComparison) -> str:
    """`32% more CPU per request (95% CI 28–36%)`; a multiple from ×3 on, an amount where the base has none."""
    total = change_of(comparison, comparison.categories, comparison.categories.index(TOTAL))
    noun = f"{NOUNS.get(comparison.kind, comparison.kind)}{_per(comparison)}"
    more = "more" if total.difference > 0 else "less"
    if total.ratio is None or total.ci_of != "ratio":
        amount, words = wording.format_quantity(abs(total.difference), comparison.basis.unit)
        return f"{amount} {words} {more} {NOUNS.get(comparison.kind, comparison.kind)}"
    confidence = f"{wording.format_number(100 * total.confidence_level).removesuffix('.0')}% CI"
    if total.ratio >= MULTIPLE:
        return f"{wording.format_ratio(total.ratio)} {noun} ({confidence} {wording.format_interval(total.ci_low, total.ci_high)})"
    ends = sorted(
        100 * abs(each - 1) * (1 if (each > 1) == (total.ratio > 1) else -1) for each in (total.ci_low, total.ci_high)
    )
    low, high = (f"{each:.0f}".replace("-", "−") for each in ends)
    percent = 100 * abs(total.ratio - 1)
    return f"{percent:.{0 if percent >= 9.5 else 1}f}% {more} {noun} ({confidence} {low}–{high}%)"


def _contribution(comparison: ProfileKindComparison, leading: Finding | None) -> str:
    """`; nearly all of it is stack growth (morestack), attributed to ident.(*Pool).Clone`, with the row's own numbers."""
    if leading is None or leading.subject == TOTAL:
        return ""
    total = change_of(comparison, comparison.categories, comparison.categories.index(TOTAL))
    share = leading.difference_of_whole / total.difference
    name = _name(leading)
    if leading.kind == "profile.category":
        name += (
            f", attributed to {wording.function(leading.attributed_callers[0].function)}"
            if leading.attributed_callers
            else ""
        )
    if share > MOST_OF_ALL:
        amount, words = wording.format_quantity(abs(leading.difference_of_whole), leading.unit)
        return f"; {name} alone {'adds' if leading.difference_of_whole > 0 else 'saves'} {amount} {words}"
    return f"; {'nearly all' if share > NEARLY_ALL else f'{100 * share:.0f}%'} of it is {name}"


def _name(finding: Finding) -> str:
    """Return a function in short form, the title of a category, or a label with its value."""
    if finding.kind == "profile.category" and finding.subject in TEXTS:
        return lowered(TEXTS[finding.subject].title)
    if finding.kind == "profile.label":
        return finding.subject
    return wording.function(finding.subject.partition("|")[0])


def _per(comparison: ProfileKindComparison) -> str:
    return PER.get(comparison.basis.unit.rpartition("/")[2], "")


def _limit(comparison: ProfileKindComparison, bound: float) -> str:
    """`no change of CPU per request larger than 7%`, of the total."""
    return f"no change of {NAMES.get(comparison.kind, comparison.kind)}{_per(comparison)} larger than {_percent(bound)}"


def _percent(ratio: float) -> str:
    return f"{wording.format_number(100 * (ratio - 1)).removesuffix('.0')}%"


def _why_inconclusive(comparison: ProfileKindComparison, ruling: KindDecision, findings: tuple[Finding, ...]) -> str:
    """Return why there is no verdict and what data would give one, with a bound on the change if known."""
    if ruling.contradicted:
        return _contradiction(comparison, ruling.contradicted[0])
    likely = [finding for finding in findings if not finding.is_significant]
    if likely:
        more = max(finding.profiles_needed or 0 for finding in likely)
        count = wording.pluralize(len(likely), "difference is", "differences are")
        if comparison.same_binary:
            return f"{count} likely, but both sides are the same binary: the machine or the load differs."
        return f"{count} likely, none is significant{_to_settle(comparison, more)}"
    if comparison.certain and ruling.bound is not None:
        allowed = comparison.thresholds.unchanged_within
        return (
            f"{_limit(comparison, ruling.bound)}, but the limit for unchanged is {_percent(allowed)}"
            f"{_to_settle(comparison, _more_for_bound(comparison))}"
        )
    return _what_lacks(comparison)


def more_replicates(
    comparison: ProfileKindComparison, ruling: KindDecision, findings: tuple[Finding, ...]
) -> int | None:
    """Return how many more profiles (or runs) per side give an inconclusive kind a verdict; None if they would not."""
    if ruling.verdict != "inconclusive" or comparison.kind in WAITING_KINDS or comparison.same_binary:
        return None
    likely = [finding for finding in findings if not finding.is_significant]
    if likely:
        return max(finding.profiles_needed or 0 for finding in likely) or None
    if not comparison.certain:
        return _more_for_certainty(comparison)
    return _more_for_bound(comparison) or None


def _more_for_certainty(comparison: ProfileKindComparison) -> int:
    """Return how many more replicates a side with too few needs for any verdict."""
    missing = comparison.fewest_replicates - min(comparison.sets.replicates())
    return max(missing, _more_for_bound(comparison), 1)


def _what_lacks(comparison: ProfileKindComparison) -> str:
    """Return which data a verdict requires."""
    kind = NAMES.get(comparison.kind, comparison.kind)
    if comparison.kind in WAITING_KINDS:
        return f"{kind} profiles show what waits, not what a request costs; compare CPU profiles or execution traces."
    if not comparison.certain:
        few = wording.pluralize(min(comparison.sets.replicates()), comparison.sets.replicate_name)
        return f"only {few} per side ({kind}){_to_settle(comparison, _more_for_certainty(comparison))}"
    if comparison.basis.id == "share":
        return (
            f"no function changed its share of {kind}, but the load is unknown, so the total cannot be compared; "
            "capture request counts with the profiles."
        )
    return f"one side has no {kind} samples to compare."


def _contradiction(comparison: ProfileKindComparison, finding: Finding) -> str:
    total = _total(comparison)
    did = "did not rise" if finding.direction == "worse" else "did not fall"
    by = (
        f" ({wording.format_ratio(total.ratio)}, {wording.format_interval(total.ci_low, total.ci_high)})"
        if total is not None and total.ratio is not None and total.ci_of == "ratio"
        else ""
    )
    return (
        f"{lowered(finding.sentence).rstrip('.')}, but the total {did}{by}: the cost may have moved elsewhere; "
        "record more profiles per side for a conclusive result."
    )


def _to_settle(comparison: ProfileKindComparison, more: int) -> str:
    if not more:
        return "."
    needed = wording.pluralize(more, f"more {comparison.sets.replicate_name}")
    if comparison.sets.replicate_name == "run":
        needed = f"profiles of {needed}"
    return f"; record {needed} per side for a conclusive result."


def _more_for_bound(comparison: ProfileKindComparison) -> int:
    """Return how many more replicates make the total conclusive: its interval narrows with the root of their number.

    The interval must be within the limit for unchanged, or the change significant, whichever needs fewer.
    """
    estimates, thresholds = comparison.categories.estimates, comparison.thresholds
    low, high = float(estimates.low[-1]), float(estimates.high[-1])
    here = min(comparison.sets.replicates())
    if not (isfinite(low) and isfinite(high) and low > 0):
        return 0
    half, middle = (log(high) - log(low)) / 2, abs(log(high) + log(low)) / 2
    stricter = NORMAL.inv_cdf(1 - thresholds.alpha_total / 2) / NORMAL.inv_cdf(0.5 + thresholds.confidence / 2)
    target = max(log(thresholds.unchanged_within) - middle, middle / stricter)
    return max(0, min(ceil(here * (half / target) ** 2) - here, MOST_MORE_PROFILES))


def _total(comparison: ProfileKindComparison) -> TotalChange | None:
    if comparison.basis.id == "share":
        return None
    subjects = comparison.categories
    row = subjects.index(TOTAL)
    change = change_of(comparison, subjects, row)
    factor = comparison.basis.factor
    return TotalChange(
        profile_kind=comparison.kind,
        base=float(subjects.estimates.base[row]) * factor,
        candidate=float(subjects.estimates.candidate[row]) * factor,
        unit=comparison.basis.unit,
        normalization=comparison.basis.id,
        ratio=change.ratio,
        ci_low=change.ci_low,
        ci_high=change.ci_high,
        ci_of=change.ci_of,
        confidence_level=change.confidence_level,
    )


def lowered(sentence: str) -> str:
    """Return the sentence to follow a colon: its first letter in lower case, unless it is a name or an abbreviation."""
    first = sentence.split(" ", 1)[0]
    keep = "." in first or first[1:] != first[1:].lower()
    return sentence if keep else sentence[0].lower() + sentence[1:]


def conditions_of(comparison: ProfileKindComparison) -> tuple[str, ...]:
    """Return the change of the total and the number of compared replicates."""
    total = _total(comparison)
    counts = comparison.sets.replicates()
    unit = "run" if comparison.sets.by_run else comparison.sets.replicate_name
    lines = []
    if total is not None and total.ratio is not None and total.ci_of == "ratio":
        cost = "Total CPU" if comparison.kind == "cpu" else f"Total {comparison.kind}"
        amounts = wording.format_pair(total.candidate, total.base, total.unit)
        lines.append(
            f"{cost}: {amounts} ({wording.format_ratio(total.ratio)}, {wording.format_interval(total.ci_low, total.ci_high)})."
        )
    lines.append(
        f"Base {wording.pluralize(counts[0], unit)}, candidate {wording.pluralize(counts[1], unit)}; "
        f"intervals at {wording.format_number(100 * comparison.thresholds.confidence)}%."
    )
    return tuple(lines)


def _minimum_detectable_effect(comparison: ProfileKindComparison, detectable: float | None) -> str | None:
    """Return the minimum detectable change of the total; None if the total changed."""
    if comparison.basis.id == "share" or total_direction(comparison) is not None:
        return None
    if detectable is None:
        return "Too little data to detect any change of the total."
    return f"Minimum detectable change of the total: {_percent(detectable)}."
