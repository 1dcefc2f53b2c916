"""The first lines of an answer: the verdict as a sentence, its conditions, and what silence is worth."""

from dataclasses import dataclass
from typing import Any

from slowpath.analysis import wording
from slowpath.analysis.findings import Finding, Verdict
from slowpath.analysis.profiles.judging import change_of
from slowpath.analysis.profiles.kind_comparison import TOTAL, KindComparison

VERDICT_WORDS: dict[Verdict, str] = {
    "regressed": "Regressed",
    "improved": "Improved",
    "unchanged": "Unchanged",
    "inconclusive": "Inconclusive",
}


@dataclass(frozen=True)
class Headline:
    """`sentence` says all; `overall` is the total's change; `conditions` are the muted lines beneath."""

    sentence: str
    overall: dict[str, Any] | None
    conditions: tuple[str, ...]
    detectable: str | None


def profile_headline(
    verdict: Verdict, comparison: KindComparison | None, findings: tuple[Finding, ...], detectable: float | None
) -> Headline:
    """The headline from the leading kind of profile (CPU where there is one)."""
    if comparison is None:
        return Headline("Inconclusive: no kind of profile is on both sides.", None, (), None)
    overall = _overall(comparison)
    return Headline(
        sentence=f"{VERDICT_WORDS[verdict]}: {_reason(verdict, findings)}",
        overall=overall,
        conditions=_conditions(comparison),
        detectable=_silence(comparison, detectable),
    )


def _overall(comparison: KindComparison) -> dict[str, Any] | None:
    if comparison.basis.id == "share":
        return None
    subjects = comparison.categories
    row = subjects.index(TOTAL)
    change = change_of(comparison, subjects, row)
    factor = comparison.basis.factor
    return {
        "profile": comparison.kind,
        "base": float(subjects.estimates.base[row]) * factor,
        "candidate": float(subjects.estimates.candidate[row]) * factor,
        "unit": comparison.basis.unit,
        "basis": comparison.basis.id,
        "ratio": change.ratio,
        "low": change.low,
        "high": change.high,
        "of": change.of,
        "confidence": change.confidence,
    }


def _reason(verdict: Verdict, findings: tuple[Finding, ...]) -> str:
    likely = [finding for finding in findings if not finding.certain]
    if verdict in {"regressed", "improved"}:
        leading = next(f for f in findings if f.certain and (f.direction == "worse") == (verdict == "regressed"))
        return lowered(leading.sentence)
    if likely:
        more = max(finding.more_profiles or 0 for finding in likely)
        settled = f"; {wording.plural(more, 'more profile')} a side would settle it." if more else "."
        return f"{wording.plural(len(likely), 'difference is', 'differences are')} likely, none is certain{settled}"
    if verdict == "unchanged":
        return "no change beyond the noise, and a change of 10 % of the total would have been seen."
    return "no change beyond the noise, but a change of 10 % of the total could have been missed."


def lowered(sentence: str) -> str:
    """The sentence to stand after a colon: its first letter small, unless it is a name or an abbreviation."""
    first = sentence.split(" ", 1)[0]
    keep = "." in first or first[1:] != first[1:].lower()
    return sentence if keep else sentence[0].lower() + sentence[1:]


def _conditions(comparison: KindComparison) -> tuple[str, ...]:
    overall = _overall(comparison)
    counts = comparison.sets.replicates()
    unit = "run" if comparison.sets.by_run else "profile"
    lines = []
    if overall is not None and overall["ratio"] is not None and overall["of"] == "ratio":
        cost = "CPU in all" if comparison.kind == "cpu" else f"{comparison.kind} in all"
        said = wording.both(overall["candidate"], overall["base"], overall["unit"])
        lines.append(
            f"{cost}: {said} ({wording.ratio(overall['ratio'])}, {wording.interval(overall['low'], overall['high'])})."
        )
    lines.append(
        f"Base {wording.plural(counts[0], unit)}, candidate {wording.plural(counts[1], unit)}; "
        f"intervals at {wording.number(100 * comparison.thresholds.confidence)} %."
    )
    return tuple(lines)


def _silence(comparison: KindComparison, detectable: float | None) -> str | None:
    if comparison.basis.id == "share":
        return None
    if detectable is None:
        return "With so little data no change of the total could have been found."
    return f"A change of the total by {wording.number(100 * (detectable - 1))} % or more would have been found."
