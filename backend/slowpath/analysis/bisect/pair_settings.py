"""What is decided by measuring two commits alternately, and with which errors."""

from dataclasses import dataclass
from typing import Final, Literal

SLOWER_LEVEL: Final = 1 / 4000
"""Probability at which an equal candidate is ever called slower: at most 5% that any of 200 equal ones is."""
EQUAL_LEVEL: Final = 0.05
"""Probability at which a change of the smallest size that matters is ever called *not slower*."""
DEFAULT_SMALLEST_CHANGE: Final = 0.05
DEFAULT_PAIRS: Final = 40
FEWEST_PAIRS: Final = 13
"""Fewest pairs that can show a change at `SLOWER_LEVEL`, all with the same sign."""
MOST_PAIRS: Final = 200

PairVerdict = Literal["slower", "not-slower", "inconclusive"]


@dataclass(frozen=True)
class PairSettings:
    """What is decided, and within how many pairs."""

    smallest_change: float = DEFAULT_SMALLEST_CHANGE
    """Relative change that matters: 0.05 is 5% slower."""
    pairs: int = DEFAULT_PAIRS
    larger_is_worse: bool = True
