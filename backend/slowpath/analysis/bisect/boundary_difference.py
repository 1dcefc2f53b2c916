"""Compare both boundaries of a search before its first candidate: by how much they differ, against the noise."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np

from slowpath.analysis.bisect.level_fit import LEAST_SPREAD
from slowpath.analysis.bisect.likelihood import ProbeReadings
from slowpath.analysis.bisect.measurement_normalization import is_logarithmic, readings
from slowpath.analysis.bisect.search_state import ProbeRecord, SearchState
from slowpath.analysis.stats.t_distribution import t_quantile

CONFIDENCE: Final = 0.95
NoiseSource = Literal["deployments", "service", "windows", "unknown"]
"""How the noise is known: from several deployments of a boundary, from the ratio that earlier bisects of the service measured,
from the measurements of one deployment only, or not at all."""
BoundaryRelation = Literal["differ", "equal", "reversed", "unknown"]
"""Whether bad is certainly worse than good, not certainly different, certainly better, or without known noise."""


@dataclass(frozen=True)
class BoundaryLevel:
    """What the deployments of a boundary measured, in the original unit."""

    mean: float | None
    """None if only verdicts were given."""
    deviation: float | None
    """Standard deviation between its measurements; None with fewer than two."""
    values: int
    deployments: int


@dataclass(frozen=True)
class BoundaryDifference:
    """The difference of both boundaries: relative to the good one, with its 95% confidence interval."""

    good: BoundaryLevel
    bad: BoundaryLevel
    relation: BoundaryRelation
    noise: NoiseSource
    change: float | None = None
    """0.1: the value of bad is 10% above that of good."""
    low: float | None = None
    high: float | None = None
    standard_errors: float | None = None
    """Of the difference; negative if bad is better."""


def describe_level(state: SearchState, position: int) -> BoundaryLevel | None:
    """Return what the deployments at a position of the candidate sequence measured; None before the first result."""
    probes = _probes(state, position)
    if not probes:
        return None
    values = np.array([window.value for one in probes for window in one.windows])
    mean = float(values.mean()) if len(values) else None
    deviation = float(values.std(ddof=1)) if len(values) > 1 else None
    return BoundaryLevel(mean, deviation, len(values), len(probes))


def compare_boundaries(state: SearchState) -> BoundaryDifference | None:
    """Return the difference of both boundaries; None before both have a result."""
    last = len(state.line)
    good, bad = describe_level(state, 0), describe_level(state, last)
    if good is None or bad is None:
        return None
    sides = [[one for one in readings(state) if one.position == at and one.values] for at in (0, last)]
    if not sides[0] or not sides[1]:
        return BoundaryDifference(good, bad, _relation_of_verdicts(state), "unknown")
    means = [float(np.mean([np.mean(one.values) for one in side])) for side in sides]
    difference = means[1] - means[0]
    error, freedom, noise = _standard_error(state, sides)
    if error is None:
        change = _relative(state, means[0], difference)
        return BoundaryDifference(good, bad, "unknown", noise, change)
    half = float(t_quantile(CONFIDENCE, np.array([float(freedom)]))[0]) * error
    ends = sorted(
        one for one in (_relative(state, means[0], difference + off) for off in (-half, half)) if one is not None
    )
    low, high = ends if len(ends) == 2 else (None, None)
    relation: BoundaryRelation = "equal"
    if difference - half > 0:
        relation = "differ"
    elif difference + half < 0:
        relation = "reversed"
    change = _relative(state, means[0], difference)
    return BoundaryDifference(good, bad, relation, noise, change, low, high, difference / error)


def _probes(state: SearchState, position: int) -> list[ProbeRecord]:
    return [one for one in state.deploys if one.is_measured and state.line.position(one.build) == position]


def _relation_of_verdicts(state: SearchState) -> BoundaryRelation:
    good, bad = _probes(state, 0), _probes(state, len(state.line))
    votes = [sum(one.bad - one.good for one in side) for side in (good, bad)]
    if votes[0] < 0 < votes[1]:
        return "differ"
    return "reversed" if votes[1] < 0 < votes[0] else "equal"


def _standard_error(
    state: SearchState, sides: Sequence[Sequence[ProbeReadings]]
) -> tuple[float | None, int, NoiseSource]:
    """Return the standard error of the difference of both means, with its degrees of freedom; None if the noise is unknown."""
    probes = [one for side in sides for one in side]
    within = sum(len(one.values) - 1 for one in probes)
    squares = sum(float(((np.array(one.values) - np.mean(one.values)) ** 2).sum()) for one in probes)
    window = max(squares / within, LEAST_SPREAD**2) if within else None
    ratio = state.settings.between
    if window is not None and ratio is not None:
        variances = [sum(window * (ratio**2 + 1 / len(one.values)) for one in side) / len(side) ** 2 for side in sides]
        return float(np.sqrt(sum(variances))), within, "service"
    between = sum(len(side) - 1 for side in sides)
    if between:
        means = [np.array([np.mean(one.values) for one in side]) for side in sides]
        pooled = sum(float(((one - one.mean()) ** 2).sum()) for one in means) / between
        variance = max(pooled, LEAST_SPREAD**2)
        return float(np.sqrt(variance * sum(1 / len(side) for side in sides))), between, "deployments"
    if window is None:
        return None, 0, "unknown"
    return float(np.sqrt(window * sum(1 / sum(len(one.values) for one in side) for side in sides))), within, "windows"


def _relative(state: SearchState, good: float, difference: float) -> float | None:
    """Return a difference of normalized values as a change relative to the good value; None if that is zero."""
    sign = 1.0 if state.settings.larger_is_worse else -1.0
    if is_logarithmic(state):
        return float(np.expm1(sign * difference))
    return sign * difference / abs(good) if good else None
