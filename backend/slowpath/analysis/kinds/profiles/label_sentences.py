"""Write what changed in a value of a label, and that nothing else did."""

from collections.abc import Sequence

from slowpath.analysis.findings import wording
from slowpath.analysis.findings.findings import Effect, Finding
from slowpath.analysis.kinds.profiles.label_values import LabelMatcher

LABEL_MECHANISM = (
    "The samples with this label take a different amount of CPU time, and the others do not change by the same ratio. The "
    "change is in code that only such requests run, in their data, or in their number."
)
LABEL_ADVICE = (
    "Compare the two sides with only this label: the functions that changed there are not diluted by other requests. "
    "Check also whether there were more of these requests."
)
PER = {"request": " per request", "op": " per operation", "s": " per second"}


def label_sentence(
    finding: Finding,
    matchers: Sequence[LabelMatcher],
    others: Sequence[LabelMatcher],
    elsewhere: Effect,
    *,
    changed: bool,
) -> str:
    """Return `+38% CPU per request in endpoint POST /checkout of tenant acme (95% CI 30–47%); no change elsewhere ...`.

    `others`: more changed values of the key; `elsewhere`: the change of all other samples, and whether it `changed`.
    """
    where = " of ".join(f"{each.key} {each.value}" for each in matchers)
    per = PER.get(finding.unit.rpartition("/")[2], "")
    amounts = wording.format_pair(finding.candidate, finding.base, finding.unit)
    change = finding.change
    if change.ratio is None or change.ci_of != "ratio" or change.ratio <= 0:
        described = f"{'More' if change.difference > 0 else 'Less'} CPU{per} in {where}: {amounts}"
    else:
        interval = wording.format_interval(change.ci_low, change.ci_high)
        described = f"{_percent(change.ratio)} CPU{per} in {where}: {amounts} ({wording.format_ratio(change.ratio)}, {interval})"
    if others:
        named = wording.join_list([each.value or "" for each in others[:2]])
        more = f" and {len(others) - 2} more" if len(others) > 2 else ""
        described += f"; also in {named}{more}"
    return f"{described}; {_elsewhere(elsewhere, changed=changed)}."


def _elsewhere(effect: Effect, *, changed: bool) -> str:
    if changed and effect.ratio is not None:
        return f"elsewhere {_percent(effect.ratio)}"
    if effect.ci_of == "ratio" and effect.ci_low > 0:
        bound = max(effect.ci_high, 1 / effect.ci_low)
        return f"no change elsewhere larger than {100 * (bound - 1):.2g}%"
    return "no change elsewhere"


def _percent(ratio: float) -> str:
    """`+38%`, `−12%`; a multiple from ×3 on."""
    if ratio >= 3:
        return wording.format_ratio(ratio)
    size = 100 * abs(ratio - 1)
    return f"{'+' if ratio > 1 else '−'}{size:.{0 if size >= 9.5 else 1}f}%"
