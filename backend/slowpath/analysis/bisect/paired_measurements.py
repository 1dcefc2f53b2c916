"""Decide whether a candidate is slower than its base, from pairs measured one after the other in random order.

*Slower* is a claim with an error of at most `SLOWER_LEVEL` per decision, however often it is checked; *not slower* bounds
the change below the smallest one that matters. Everything else is inconclusive once the pairs are used up.
"""

import hashlib
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Final, Literal

from slowpath.analysis.stats.sign_evidence import lower_bound, upper_bound

SLOWER_LEVEL: Final = 1 / 4000
"""Probability at which an equal candidate is ever called slower: at most 5% that any of 200 equal ones is."""
EQUAL_LEVEL: Final = 0.05
"""Probability at which a change of the smallest size that matters is ever called *not slower*."""
DEFAULT_SMALLEST_CHANGE: Final = 0.05
DEFAULT_PAIRS: Final = 40
FEWEST_PAIRS: Final = 13
"""Fewest pairs that can show a change at `SLOWER_LEVEL`, all with the same sign."""
MOST_PAIRS: Final = 200
SETTLED_WITHIN: Final = 1000
"""More pairs than this are not worth naming."""

PairVerdict = Literal["slower", "not-slower", "inconclusive"]


@dataclass(frozen=True)
class PairSettings:
    """What is decided, and within how many pairs."""

    smallest_change: float = DEFAULT_SMALLEST_CHANGE
    """Relative change that matters: 0.05 is 5% slower."""
    pairs: int = DEFAULT_PAIRS
    larger_is_worse: bool = True


@dataclass(frozen=True)
class PairDecision:
    """The decision on one subject, with ratios of the candidate to the base in terms of cost: above 1 is worse."""

    verdict: PairVerdict | None
    """None: more pairs are needed, and allowed."""
    pairs: int
    ratio: float | None
    low: float
    """Bounds of the ratio; 0 and infinity while they are unknown."""
    high: float
    more_pairs: int | None = None
    """Of an inconclusive decision: how many more would probably decide it; None: too many."""


def is_candidate_first(key: str, pair: int) -> bool:
    """Return the random order of a pair. `key` is random itself, and fixed for all pairs of a measurement."""
    return bool(hashlib.sha256(f"{key}:{pair}".encode()).digest()[0] & 1)


def compare_pair(base: float, candidate: float, *, larger_is_worse: bool) -> float:
    """Return the logarithm of the cost ratio of a pair. Raises `ValueError` unless both values are positive."""
    if not (0 < base < math.inf and 0 < candidate < math.inf):
        raise ValueError("the values of both sides must be positive")
    difference = math.log(candidate / base)
    return difference if larger_is_worse else -difference


def decide_pairs(differences: Sequence[float], settings: PairSettings, *, subjects: int = 1) -> PairDecision:
    """Return the decision on the pairs of one of several subjects, each of which may be called slower."""
    if not differences:
        return PairDecision("inconclusive" if settings.pairs == 0 else None, 0, None, 0.0, math.inf)
    smallest, middle = math.log1p(settings.smallest_change), median(differences)
    low = lower_bound(differences, SLOWER_LEVEL / subjects)
    high = upper_bound(differences, EQUAL_LEVEL)
    verdict: PairVerdict | None = None
    if low > 0 and middle >= smallest:
        verdict = "slower"
    elif high < smallest:
        verdict = "not-slower"
    elif len(differences) >= settings.pairs:
        verdict = "inconclusive"
    more = _pairs_until_decided(differences, smallest, subjects) if verdict == "inconclusive" else None
    return PairDecision(verdict, len(differences), math.exp(middle), math.exp(low), _exp(high), more)


def decide_subjects(differences: Mapping[str, Sequence[float]], settings: PairSettings) -> dict[str, PairDecision]:
    """Return the decision on each subject; the error of *slower* is shared by all of them."""
    return {name: decide_pairs(one, settings, subjects=len(differences)) for name, one in differences.items()}


def combine_decisions(decisions: Mapping[str, PairDecision]) -> PairVerdict | None:
    """Return the verdict on all subjects: slower as soon as one is, not slower if none is; None: continue."""
    verdicts = [one.verdict for one in decisions.values()]
    if "slower" in verdicts:
        return "slower"
    if not verdicts or None in verdicts:
        return None
    return "inconclusive" if "inconclusive" in verdicts else "not-slower"


def _pairs_until_decided(differences: Sequence[float], smallest: float, subjects: int) -> int | None:
    """Return how many more pairs decide if they repeat those that were measured; None if none of `SETTLED_WITHIN` do."""
    middle, settings = median(differences), PairSettings(math.expm1(smallest), SETTLED_WITHIN + 1)
    for times in range(2, SETTLED_WITHIN // len(differences) + 1):
        repeated = list(differences) * times
        found = decide_pairs(repeated, settings, subjects=subjects)
        if found.verdict == "slower" or (found.verdict == "not-slower" and middle < smallest):
            return len(repeated) - len(differences)
    return None


def _exp(value: float) -> float:
    return math.inf if value > 700 else math.exp(value)
