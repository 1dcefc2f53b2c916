"""Compare the levels of builds after a search.

A culprit may explain only a part of the difference between the boundaries, and a build between them may be slower than both.
The variance between probes is pooled within builds, so that a third level does not count as noise. Ratios have Fieller's interval.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from slowpath.analysis.bisect.measurement_normalization import linear_means, readings
from slowpath.analysis.bisect.search import compute_state_posterior
from slowpath.analysis.bisect.search_state import SearchState
from slowpath.analysis.bisect.suspects import neighbours
from slowpath.analysis.stats.t_distribution import t_quantile

CONFIDENCE: Final = 0.95
LEAST_REST: Final = 0.9
"""A culprit whose interval ends below this share leaves a rest that is worth a further search."""
LEAST_EXCESS: Final = 0.02
"""Smallest excess of a build over both boundaries that is reported, relative to the higher one."""
SIGNIFICANCE: Final = 0.01
LEAST_FREEDOM: Final = 2
"""Degrees of freedom below which the variance between probes of one build is unknown."""


@dataclass(frozen=True)
class ShareInterval:
    """A share of the difference between the boundaries, with its 95% confidence interval."""

    share: float
    low: float
    high: float


@dataclass(frozen=True)
class ExplainedIncrease:
    """The parts of the difference between the boundaries: of the culprit, of what follows it, and of what precedes it."""

    culprit: ShareInterval
    later: ShareInterval
    earlier: ShareInterval

    @property
    def leaves_rest(self) -> bool:
        """Return whether the culprit certainly leaves a rest."""
        return self.culprit.high < LEAST_REST

    @property
    def has_later_rest(self) -> bool:
        """Return whether a commit after the culprit certainly explains a part."""
        return self.leaves_rest and self.later.low > 0

    @property
    def has_earlier_rest(self) -> bool:
        """Return whether a commit before the culprit certainly explains a part."""
        return self.leaves_rest and self.earlier.low > 0


@dataclass(frozen=True)
class SlowerBuild:
    """A build between the boundaries that is slower than both."""

    build: str
    excess: float
    """Relative to the slower boundary: 0.2 is 20% slower."""


@dataclass(frozen=True)
class _BuildLevels:
    """Means of builds by position, with the variance between probes of one build."""

    values: Mapping[int, Sequence[float]]
    variance: float
    freedom: int

    def mean(self, contrast: Mapping[int, float]) -> float:
        """Return the value of a linear contrast of levels."""
        return float(sum(weight * np.mean(self.values[at]) for at, weight in contrast.items()))

    def covariance(self, one: Mapping[int, float], other: Mapping[int, float]) -> float:
        """Return the covariance of two contrasts."""
        shared = one.keys() & other.keys()
        return self.variance * sum(one[at] * other[at] / len(self.values[at]) for at in shared)


def explain_increase(state: SearchState, culprit: str) -> ExplainedIncrease | None:
    """Return how much of the difference between the boundaries a culprit explains; None if that is not measured."""
    levels = _levels(state)
    at, last = state.line.position(culprit), len(state.line)
    before, _ = neighbours(state, (at,))
    if levels is None or not {0, before, at, last} <= levels.values.keys():
        return None
    difference = _contrast(last, 0)
    parts = [_share(levels, _contrast(*ends), difference) for ends in ((at, before), (last, at), (before, 0))]
    if parts[0] is None or parts[1] is None or parts[2] is None:
        return None
    return ExplainedIncrease(parts[0], parts[1], parts[2])


def find_slower_build(state: SearchState) -> SlowerBuild | None:
    """Return the build that is certainly slower than both boundaries, the slowest of several; None without one.

    One measurement alone may be outlying: a second one of the build, or of the measured build next to it, has to agree.
    """
    levels, last = _levels(state), len(state.line)
    if levels is None or not {0, last} <= levels.values.keys():
        return None
    end = max((0, last), key=lambda one: float(np.mean(levels.values[one])))
    inner = sorted(at for at in levels.values if 0 < at < last)
    excess = {at: _certain_excess(levels, at, end, len(inner)) for at in inner}
    measured: Counter[int] = Counter()
    for one in readings(state):
        measured[one.position] += len(one.values)
    agreeing = [
        at
        for number, at in enumerate(inner)
        if excess[at] > 0
        and (measured[at] > 1 or any(excess[one] > 0 for one in inner[max(number - 1, 0) : number + 2] if one != at))
    ]
    slowest = max(agreeing, key=excess.__getitem__, default=None)
    return None if slowest is None else SlowerBuild(state.line.at(slowest), excess[slowest])


def find_better_build(state: SearchState) -> SlowerBuild | None:
    """Return the build that is certainly better than both boundaries, as `find_slower_build` does; `excess` is relative to the better one."""
    settings = state.settings
    return find_slower_build(replace(state, settings=replace(settings, larger_is_worse=not settings.larger_is_worse)))


def _certain_excess(levels: _BuildLevels, at: int, end: int, compared: int) -> float:
    """Return how much slower a build is than a boundary, relative to it; 0 if that is not certain among all compared."""
    contrast = _contrast(at, end)
    limit = _quantile(1 - 2 * SIGNIFICANCE / compared, levels)
    excess = levels.mean(contrast) / (abs(float(np.mean(levels.values[end]))) or 1.0)
    spread = float(np.sqrt(levels.covariance(contrast, contrast)))
    return excess if excess > LEAST_EXCESS and levels.mean(contrast) > limit * spread else 0.0


def _levels(state: SearchState) -> _BuildLevels | None:
    """Return the levels of all measured builds; None if they have no values, or no build was measured often enough."""
    noise = compute_state_posterior(state).noise
    if noise is None:
        return None
    values: defaultdict[int, list[float]] = defaultdict(list)
    for position, value in linear_means(state, noise):
        values[min(max(position, 0), len(state.line))].append(value)
    freedom = sum(len(some) - 1 for some in values.values())
    if freedom < LEAST_FREEDOM:
        return None
    squares = sum(float(((np.array(some) - np.mean(some)) ** 2).sum()) for some in values.values())
    return _BuildLevels(values, squares / freedom, freedom)


def _quantile(probability: float, levels: _BuildLevels) -> float:
    """Return the t with P(|T| <= t) = `probability`."""
    return float(t_quantile(probability, np.array([float(levels.freedom)]))[0])


def _contrast(plus: int, minus: int) -> dict[int, float]:
    """Return the difference of two levels; empty for one and the same."""
    return {} if plus == minus else {plus: 1.0, minus: -1.0}


def _share(levels: _BuildLevels, part: Mapping[int, float], whole: Mapping[int, float]) -> ShareInterval | None:
    """Return part over whole with Fieller's interval; None if the whole may be zero or negative."""
    up, down = levels.mean(part), levels.mean(whole)
    scale = _quantile(CONFIDENCE, levels) ** 2
    leading = down**2 - scale * levels.covariance(whole, whole)
    if down <= 0 or leading <= 0:
        return None
    middle = (up * down - scale * levels.covariance(part, whole)) / leading
    rest = (up**2 - scale * levels.covariance(part, part)) / leading
    half = float(np.sqrt(max(middle**2 - rest, 0.0)))
    return ShareInterval(up / down, middle - half, middle + half)
