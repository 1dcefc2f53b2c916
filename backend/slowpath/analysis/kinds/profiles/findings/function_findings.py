"""Report which functions changed, as few as explain it (see `explanatory_functions`), with their paths.

A cost that merely shifted below a common caller is a cost shift, not a finding.
"""

from dataclasses import dataclass

import numpy as np

from slowpath.analysis.findings import wording
from slowpath.analysis.findings.findings import AttributedCaller, CostShift, Finding
from slowpath.analysis.kinds.profiles.categories.category_advice import FUNCTION, FUNCTION_LESS
from slowpath.analysis.kinds.profiles.comparison.profile_kind_comparison import ProfileKindComparison
from slowpath.analysis.kinds.profiles.comparison.shift_group import ShiftGroup
from slowpath.analysis.kinds.profiles.comparison.significance import (
    WEIGHT_POWER,
    SignificantRows,
    change_of,
    compare_rows,
    profiles_needed,
)
from slowpath.analysis.kinds.profiles.findings.attributed_callers import path_of
from slowpath.analysis.kinds.profiles.findings.explanatory_functions import Cause, select_explanatory_functions
from slowpath.analysis.kinds.profiles.findings.places import place_of
from slowpath.analysis.kinds.profiles.stacks.stack_frames import number_equal, prefix_hashes, taken

FEWEST_COUNTS = 10


@dataclass(frozen=True)
class FunctionFindings:
    """Findings on functions, and cost shifts in groups with common ends."""

    findings: list[Finding]
    shift_groups: list[ShiftGroup]

    @property
    def cost_shifts(self) -> tuple[CostShift, ...]:
        """Return the shifts of all groups."""
        return tuple(shift for group in self.shift_groups for shift in group.shifts)


def function_findings(comparison: ProfileKindComparison, categories: list[Finding]) -> FunctionFindings:
    """Return findings and shifts on user and library functions; the runtime's are reported by category."""
    subjects = comparison.functions
    counts = np.abs(subjects.rows).sum(axis=1) / comparison.quantum
    tested = (counts >= FEWEST_COUNTS) & comparison.tellable
    if not tested.any():
        return FunctionFindings([], [])
    weights = np.power(counts + 1, WEIGHT_POWER)
    significance = compare_rows(comparison, subjects, tested, weights, comparison.thresholds.alpha_functions)
    causes = select_explanatory_functions(comparison, significance.changed, categories)
    return FunctionFindings([_finding(comparison, cause, significance) for cause in causes.found], causes.shift_groups)


def _finding(comparison: ProfileKindComparison, cause: Cause, significance: SignificantRows) -> Finding:
    row = cause.row
    subjects, estimates = comparison.functions, comparison.functions.estimates
    factor, unit = comparison.basis.factor, comparison.basis.unit
    name = comparison.labels[row].name
    change = change_of(comparison, subjects, row)
    base, candidate = float(estimates.base[row]) * factor, float(estimates.candidate[row]) * factor
    callers = _callers(comparison, row, change.difference)
    text = FUNCTION if change.difference > 0 else FUNCTION_LESS
    described = wording.change_sentence(
        wording.function(name), comparison.kind, base=base, candidate=candidate, unit=unit, change=change
    )
    return Finding(
        kind="profile.function",
        profile_kind=comparison.kind,
        subject=name,
        direction="worse" if change.difference > 0 else "better",
        base=base,
        candidate=candidate,
        unit=unit,
        change=change,
        normalization=comparison.basis.id,
        q_value=float(significance.q[row]),
        attributed_callers=callers,
        contributions=(),
        is_significant=comparison.significant,
        profiles_needed=profiles_needed(comparison, subjects, row),
        mechanism=text.mechanism if comparison.kind == "cpu" else "",
        advice=text.advice if comparison.kind == "cpu" else "",
        sentence=f"{described}{place_of(comparison, row, callers[0].path)}.",
        exclusive_difference=cause.exclusive,
    )


def _callers(comparison: ProfileKindComparison, row: int, difference: float) -> tuple[AttributedCaller, ...]:
    """Return the path on which a function changed most.

    A library function is attributed to its first user caller.
    """
    stacks = np.flatnonzero(comparison.occurrences.holding(row))
    frames = taken(comparison.measured.stacks.frames, stacks)
    at = np.flatnonzero(frames.label == row)
    _, outermost = np.unique(frames.owner()[at], return_index=True)  # ascending: the first is the outermost
    ids, _ = number_equal(prefix_hashes(frames)[at[outermost]])
    by_path = np.sign(difference) * np.bincount(ids, weights=comparison.change[stacks])
    on_path = stacks[ids == int(np.argmax(by_path))]
    stack = int(on_path[np.argmax(np.sign(difference) * comparison.change[on_path])])
    path = comparison.measured.stacks.frames.label[
        int(comparison.measured.stacks.frames.start[stack]) : int(comparison.measured.stacks.frames.start[stack + 1])
    ].tolist()
    callers = [label for label in path[: path.index(row) + 1] if comparison.tellable[label]]
    users = [label for label in callers if not comparison.attribution.is_library[label]]
    caller = users[-1] if users else row
    return (AttributedCaller(comparison.labels[caller].name, None, path_of(comparison, stack, last=row), difference),)
