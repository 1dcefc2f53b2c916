"""Write what changed in a value of a label, and that nothing else did."""

from collections.abc import Sequence
from dataclasses import dataclass

from slowpath.analysis.findings import wording
from slowpath.analysis.findings.findings import Effect, Finding
from slowpath.analysis.kinds.profiles.decoded.label_values import LabelMatcher

PER = {"request": " per request", "op": " per operation", "s": " per second"}


@dataclass(frozen=True)
class LabelWording:
    """What the sentence of a finding states besides its numbers.

    `others`: more changed values of the key; `elsewhere`: the change of all other samples, and whether it is one. The cost is per
    request of `route`; None for per request of the service.
    """

    matchers: Sequence[LabelMatcher]
    others: Sequence[LabelMatcher]
    elsewhere: Effect
    is_elsewhere: bool
    route: LabelMatcher | None


def label_mechanism(*, has_own_requests: bool) -> str:
    """Return what happens: in requests of a known number, or possibly in their number."""
    return (
        "The samples with this label take a different amount of CPU time, and the others do not change by the same ratio. The "
        "change is in code that only such requests run"
        + (
            " or in their data: their number is accounted for."
            if has_own_requests
            else ", in their data, or in their number."
        )
    )


def label_advice(*, has_own_requests: bool) -> str:
    """Return how to check a larger cost."""
    return (
        "Compare the two sides with only this label: the functions that changed there are not diluted by other requests."
        + ("" if has_own_requests else " Check also whether there were more of these requests.")
    )


def label_sentence(finding: Finding, wording_: LabelWording) -> str:
    """Return `+38% CPU per request in endpoint POST /checkout of tenant acme (95% CI 30–47%); no change elsewhere ...`.

    If the requests of the route are known, it is `per request of endpoint POST /checkout`.
    """
    per = PER.get(finding.unit.rpartition("/")[2], "")
    place = f"{per}{_place(wording_)}"
    others = wording_.others
    amounts = wording.format_pair(finding.candidate, finding.base, finding.unit)
    change = finding.change
    if change.ratio is None or change.ci_of != "ratio" or change.ratio <= 0:
        described = f"{'More' if change.difference > 0 else 'Less'} CPU{place}: {amounts}"
    else:
        interval = wording.format_interval(change.ci_low, change.ci_high)
        described = f"{_percent(change.ratio)} CPU{place}: {amounts} ({wording.format_ratio(change.ratio)}, {interval})"
    if others:
        named = wording.join_list([each.value or "" for each in others[:2]])
        more = f" and {len(others) - 2} more" if len(others) > 2 else ""
        described += f"; also in {named}{more}"
    return f"{described}; {_elsewhere(wording_.elsewhere, changed=wording_.is_elsewhere)}."


def _place(wording_: LabelWording) -> str:
    """Return ` in endpoint /a of tenant acme`, or ` of endpoint /a in tenant acme` if only requests of /a are counted."""
    inside = [each for each in wording_.matchers if each != wording_.route]
    where = " of ".join(f"{each.key} {each.value}" for each in inside)
    of_route = f" of {wording_.route.key} {wording_.route.value}" if wording_.route else ""
    return of_route + (f" in {where}" if inside else "")


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
