"""Put cost shifts with a common end into one group."""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from slowpath.analysis.kinds.profiles.comparison.profile_kind_comparison import ProfileKindComparison
from slowpath.analysis.kinds.profiles.comparison.shift_group import ShiftGroup
from slowpath.analysis.kinds.profiles.findings.cost_shifts import FoundShift, describe_cost_shift

Mask = NDArray[np.bool_]

# A shift is part of another one if more than this share of the change at one of its ends is.
SAME_SHIFT = 0.5


@dataclass
class ShiftGroups:
    """All groups so far, and the stacks on which they were found."""

    comparison: ProfileKindComparison
    groups: list[ShiftGroup] = field(default_factory=list)

    def add(self, shift: FoundShift) -> None:
        """Add a shift: as a new group, or to the one that it has an end in common with."""
        group = self._group_of(shift)
        if group is None:
            described = describe_cost_shift(self.comparison, shift)
            compensated = shift.own_stacks | shift.compensating_stacks
            self.groups.append(ShiftGroup([described], self._ends(shift), compensated, shift.resembles))
            return
        if not self._is_mostly(shift.own_stacks, group.stacks):
            self._add_further_end(group, shift)
            group.resembles &= shift.resembles
        group.stacks |= self._ends(shift)
        group.compensated |= group.stacks

    def _group_of(self, shift: FoundShift) -> ShiftGroup | None:
        """Return the group in which most of what one end of a shift lost or gained was found already."""
        for group in self.groups:
            if any(self._is_mostly(end, group.stacks) for end in (shift.own_stacks, shift.other_stacks)):
                return group
        return None

    def _add_further_end(self, group: ShiftGroup, shift: FoundShift) -> None:
        """Add what is left at the end that both have in common as a shift; the rest of the change stays unassigned."""
        if shift.counterpart is None:
            return
        labels, amount = self.comparison.labels, abs(shift.amount)
        lost = abs(float(self.comparison.change[shift.other_stacks].sum()))
        left = min(amount, max(0.0, lost - group.assigned(labels[shift.counterpart].name)))
        if left >= SAME_SHIFT * amount:
            group.shifts.append(describe_cost_shift(self.comparison, shift, left))
        else:
            group.unassigned[labels[shift.row].name] = float(np.sign(shift.amount)) * (amount - left)

    def _is_mostly(self, end: Mask, stacks: Mask) -> bool:
        amount = np.abs(self.comparison.change)
        return float(amount[end & stacks].sum()) > SAME_SHIFT * float(amount[end].sum())

    def _ends(self, shift: FoundShift) -> Mask:
        if shift.counterpart is None:
            return shift.own_stacks
        ends: Mask = shift.own_stacks | self.comparison.occurrences.holding(shift.counterpart)
        return ends
