"""Report the net growth of a cost shift.

A function that was renamed and grew is both a shift and a finding. The two functions of a shift are estimated as one.
If the change of their sum is significant and no other finding covers it (usually the caller in which the cost shifted),
it is reported under the name that has the cost now.
"""

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from slowpath.analysis.findings import wording
from slowpath.analysis.findings.findings import Effect, Finding
from slowpath.analysis.kinds.profiles.categories.category_advice import FUNCTION, FUNCTION_LESS
from slowpath.analysis.kinds.profiles.comparison.direction import estimate_stacks, stacks_of
from slowpath.analysis.kinds.profiles.comparison.profile_kind_comparison import ProfileKindComparison, estimate_rows
from slowpath.analysis.kinds.profiles.comparison.shift_group import ShiftGroup

Mask = NDArray[np.bool_]

# The net change is reported if at least this share of it is not covered by other findings, and not compensated by others.
UNCOVERED = 0.4


def shift_findings(
    comparison: ProfileKindComparison, groups: Sequence[ShiftGroup], findings: Sequence[Finding]
) -> list[Finding]:
    """Return a finding for every group of shifts whose net change is significant and not covered by `findings`."""
    covered = stacks_of(comparison, findings)
    net_findings = []
    for group in groups:
        if any(shift.common_caller in {shift.from_function, shift.to_function} for shift in group.shifts):
            continue  # the function and its caller as one are the caller, which was tested
        finding = _net_finding(comparison, group, covered)
        if finding is not None:
            net_findings.append(finding)
            covered |= group.stacks
    return net_findings


def _net_finding(comparison: ProfileKindComparison, group: ShiftGroup, covered: Mask) -> Finding | None:
    stacks = group.stacks
    tested = estimate_stacks(comparison, stacks)
    rows = comparison.measured.by_group(stacks.astype(np.int64), 2)[1:2]
    displayed = estimate_rows(rows, comparison.sets, comparison.basis, comparison.quantum, comparison.thresholds)
    ratio, difference = float(displayed.ratio[0]), float(displayed.difference[0])
    least_relative, least_of_total = comparison.floors
    total_estimates = comparison.categories.estimates
    large = abs(difference) >= least_of_total * max(
        float(total_estimates.base[-1]), float(total_estimates.candidate[-1])
    )
    clear = np.isfinite(ratio) and ratio > 0 and max(ratio, 1 / ratio) - 1 >= least_relative
    agrees = difference * float(tested.difference[0]) > 0
    if not (large and clear and agrees and float(tested.p_value[0]) <= comparison.thresholds.alpha_total):
        return None
    for part in (stacks & ~covered, stacks | group.compensated):
        if float(estimate_stacks(comparison, part).difference[0]) / float(tested.difference[0]) < UNCOVERED:
            return None
    factor, unit = comparison.basis.factor, comparison.basis.unit
    change = Effect(
        ratio,
        difference * factor,
        float(displayed.low[0]),
        float(displayed.high[0]),
        comparison.thresholds.confidence,
        "ratio",
    )
    worse = difference > 0
    base, candidate = float(displayed.base[0]) * factor, float(displayed.candidate[0]) * factor
    subject, title = _named(group)
    described = wording.change_sentence(
        title, comparison.kind, base=base, candidate=candidate, unit=unit, change=change
    )
    text = FUNCTION if worse else FUNCTION_LESS
    return Finding(
        kind="profile.function",
        profile_kind=comparison.kind,
        subject=subject,
        direction="worse" if worse else "better",
        base=base,
        candidate=candidate,
        unit=unit,
        change=change,
        normalization=comparison.basis.id,
        q_value=float(tested.p_value[0]),
        attributed_callers=(),
        contributions=(),
        is_significant=comparison.significant,
        profiles_needed=None,
        mechanism=text.mechanism if comparison.kind == "cpu" else "",
        advice=text.advice if comparison.kind == "cpu" else "",
        sentence=f"{described}.",
    )


def _named(group: ShiftGroup) -> tuple[str, str]:
    """Return the function with most of the net change, and what to call the group.

    That two functions are the same is certain only if they resemble each other.
    """
    after = dict.fromkeys(shift.to_function for shift in group.shifts)
    before = dict.fromkeys(shift.from_function for shift in group.shifts)
    for name, change in group.unassigned.items():
        (after if change > 0 else before)[name] = None
    formerly = "formerly" if group.resembles else "possibly formerly"
    subject = max(after, key=lambda name: group.unassigned.get(name, 0.0))
    return subject, f"{_together(after)}, {formerly} {_together(before)},"


def _together(names: Iterable[str]) -> str:
    first, *others = (wording.function(name) for name in names)
    return first if not others else f"{first} with {wording.join_list(others)}"
