"""Cost shifts that share a function: a cost that went to several functions, or came from several.

The net change of such costs is that of all the functions together: a function whose cost went to two new ones, each with
half of it, neither fell nor grew.
"""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from slowpath.analysis.findings.findings import CostShift

Mask = NDArray[np.bool_]


@dataclass
class ShiftGroup:
    """Shifts with common ends, the largest part of the explanation first.

    `stacks` are those of all functions at their ends, `compensated` also those of what fell or grew beside them below their
    callers. `unassigned` has the functions that gained (or lost) more than was left at the other end, and how much more.
    `resembles`: whether more than size and place shows that the functions are the same code.
    """

    shifts: list[CostShift]
    stacks: Mask
    compensated: Mask
    resembles: bool
    unassigned: dict[str, float] = field(default_factory=dict)

    @property
    def names(self) -> set[str]:
        """Return the functions at the ends."""
        return {name for each in self.shifts for name in (each.from_function, each.to_function)} | set(self.unassigned)

    def assigned(self, name: str) -> float:
        """Return how much of the change of a function the shifts explain."""
        return sum(each.amount for each in self.shifts if name in {each.from_function, each.to_function})
