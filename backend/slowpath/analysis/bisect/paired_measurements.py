"""Decide whether a candidate is slower than its base, from pairs measured one after the other in random order.

*Slower* is a claim with an error of at most `SLOWER_LEVEL` per decision, however often it is checked; *not slower* bounds
the change below the smallest one that matters. Everything else is inconclusive once the pairs are used up.
"""

import hashlib
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Final

import numpy as np
from numpy.typing import NDArray

from slowpath.analysis.bisect.pair_settings import EQUAL_LEVEL, SLOWER_LEVEL, PairSettings, PairVerdict
from slowpath.analysis.stats.paired_evidence import log_evidence_path, lower_bound, upper_bound

SETTLED_WITHIN: Final = 1000
"""More pairs than this are not worth naming."""


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
    """Return the decision on the pairs of one of several subjects, in order of time; each may be called slower."""
    if not differences:
        return PairDecision("inconclusive" if settings.pairs == 0 else None, 0, None, 0.0, math.inf)
    verdict = find_verdict(differences, settings, subjects=subjects)
    low = lower_bound(differences, SLOWER_LEVEL / subjects)
    high = upper_bound(differences, EQUAL_LEVEL)
    if verdict == "slower":
        low = max(low, 0.0)
    elif verdict == "not-slower":
        high = min(high, math.log1p(settings.smallest_change))
    more = _pairs_until_decided(differences, settings, subjects) if verdict == "inconclusive" else None
    ratio = math.exp(median(differences))
    return PairDecision(verdict, len(differences), ratio, math.exp(low), _exp(high), more)


def find_verdict(differences: Sequence[float], settings: PairSettings, *, subjects: int = 1) -> PairVerdict | None:
    """Return the verdict on pairs, in order of time; None: more are needed, and allowed.

    *Slower* if the shift exceeds 0 with certainty, and the median difference is one that matters; *not slower* if the shift
    is certainly below the smallest one that matters.
    """
    verdict, evidence, required = _follow_evidence(differences, median(differences), settings, subjects)
    if evidence[-1] >= required:
        return verdict
    return "inconclusive" if len(differences) >= settings.pairs else None


def _follow_evidence(
    differences: Sequence[float], middle: float, settings: PairSettings, subjects: int
) -> tuple[PairVerdict, NDArray[np.float64], float]:
    """Return the verdict that is possible with this median, the evidence for it after each pair, and what it requires."""
    smallest = math.log1p(settings.smallest_change)
    if middle >= smallest:
        return "slower", log_evidence_path(differences, 0.0), math.log(subjects / SLOWER_LEVEL)
    return "not-slower", log_evidence_path([-one for one in differences], -smallest), math.log(1 / EQUAL_LEVEL)


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


def _pairs_until_decided(differences: Sequence[float], settings: PairSettings, subjects: int) -> int | None:
    """Return how many more pairs decide if they repeat those that were measured; None if none of `SETTLED_WITHIN` do."""
    count = len(differences)
    repeated = list(differences) * (SETTLED_WITHIN // count)
    _, evidence, required = _follow_evidence(repeated, median(differences), settings, subjects)
    enough = np.flatnonzero(evidence[2 * count - 1 :: count] >= required)
    return int(enough[0] + 1) * count if enough.size else None


def _exp(value: float) -> float:
    return math.inf if value > 700 else math.exp(value)
