"""Find all steps of rows: split at the most certain one, again in each part, then prune steps that are not significant.

Greedy binary segmentation (Scott and Knott 1974) with bottom-up pruning; all rows are scanned at once, and only rows with a
sign of a step are processed further.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from slowpath.analysis.series.noise_model import memory_of, noise_across_steps, winsorize
from slowpath.analysis.series.rank_surprise import rank_surprise
from slowpath.analysis.series.series_thresholds import SeriesThresholds
from slowpath.analysis.series.step_measurement import SeriesStep, location, measured
from slowpath.analysis.series.step_scan import StepScan, scan
from slowpath.analysis.series.trends import Trend, TrendFit, best_trend, cost_of_steps, steps_cost

F64 = NDArray[np.float64]
I64 = NDArray[np.int64]

# Splitting requires less than the final test: a step may be hidden by another.
LOOSER = 0.8
# Several steps inflate the residuals of one; differences alone are unaffected, but less precise.
MOST_OVER_DIFFERENCES = 1.2
# Maximum number of builds on each side of a step for the rank test: more would make a slow drift significant.
SIDE = 60
# A difference of Schwarz's criterion that is strong evidence (Kass and Raftery 1995): a trend without steps is
# only reported if one step does not explain the row nearly as well. Otherwise neither is.
STRONG = 6.0


@dataclass(frozen=True)
class SeriesSegmentation:
    """The segments of a row: its steps in order, with a trend if that explains it better than steps alone."""

    steps: list[SeriesStep]
    trend: Trend | None
    slow: F64 | None = None
    """[builds] The values of the trend, around zero."""


def shaped_of(rows: F64, weight: F64, thresholds: SeriesThresholds) -> dict[int, SeriesSegmentation]:
    """Find steps and trends of each row [series, builds] that has any."""
    if rows.shape[1] < thresholds.least_builds:
        return {}
    calm = winsorize(rows, thresholds)
    phi, variance = noise_across_steps(calm.rows)
    bound = MOST_OVER_DIFFERENCES * variance
    score = np.abs(scan(calm.rows, weight, phi, bound, thresholds.least_noise).score)
    least = thresholds.least_side
    best = score[:, least - 1 : score.shape[1] - least + 1].max(axis=1, initial=0.0)
    out = {}
    for row in np.flatnonzero(best >= thresholds.score_whole * LOOSER).tolist():
        one = _SegmentedRow(rows[row], calm.rows[row], weight[row], thresholds, unruly=bool(calm.unruly[row]))
        shaped = _best_model(one, one.places(float(phi[row]), float(bound[row])))
        if shaped.steps or shaped.trend is not None:
            out[row] = shaped
    return out


def _best_model(one: "_SegmentedRow", places: list[int]) -> SeriesSegmentation:
    """Return the cheapest model of a row: steps alone, or a trend with the remaining steps."""
    cheapest, plain, with_trend = cost_of_steps(one.calm, places), places, None
    for tried in [places, []] if places else [places]:
        initial = best_trend(one.calm, tried)
        if initial is None:
            break
        removable = steps_cost(max(len(tried), len(places) - 1), len(one.calm))
        if initial.cost - removable >= cheapest:
            continue
        remaining = one.without_trend(initial.values).found()
        fitted = best_trend(one.calm, remaining)
        replaces = len(remaining) < len(places) or not places  # else steps alone explain as much
        if fitted is not None and replaces and fitted.cost < cheapest:
            cheapest, plain, with_trend = fitted.cost, remaining, fitted
    if with_trend is None:
        return SeriesSegmentation(one.steps(places), None)
    if not plain and not _is_better_than_step(one, with_trend):
        return SeriesSegmentation([], None)
    flat = one.without_trend(with_trend.values)
    plain = flat.pruned(plain)
    return SeriesSegmentation(
        [_at_trend_level(step, float(with_trend.values[step.at])) for step in flat.steps(plain)],
        with_trend.trend,
        with_trend.values,
    )


def _is_better_than_step(one: "_SegmentedRow", trend: TrendFit) -> bool:
    """Return whether a trend explains a row much better than a step at the most likely build."""
    at = one.likeliest()
    return at is None or trend.cost + STRONG < cost_of_steps(one.calm, [at])


def _at_trend_level(step: SeriesStep, by: float) -> SeriesStep:
    """Return a step on top of a trend, with the level of the trend at that build."""
    before, after = step.before + by, step.after + by
    if before <= 0:
        return replace(step, before=before, after=after)
    scale = step.before / before
    low, high = (1 + (one - 1) * scale for one in (step.ratio_low, step.ratio_high))
    return replace(step, before=before, after=after, ratio=after / before, ratio_low=max(low, 0.0), ratio_high=high)


class _SegmentedRow:
    """One row during the search for steps; places are builds before which a step is."""

    def __init__(self, raw: F64, calm: F64, weight: F64, thresholds: SeriesThresholds, *, unruly: bool) -> None:
        self.raw, self.calm, self.weight = raw, calm, weight
        self.unruly = unruly
        self.thresholds = thresholds

    def without_trend(self, trend: F64) -> "_SegmentedRow":
        """Return the row without a trend [builds]."""
        return _SegmentedRow(self.raw - trend, self.calm - trend, self.weight, self.thresholds, unruly=self.unruly)

    def found(self) -> list[int]:
        """Return the places of the steps of the row."""
        phi, variance = noise_across_steps(self.calm[np.newaxis, :])
        return self.places(float(phi[0]), MOST_OVER_DIFFERENCES * float(variance[0]))

    def likeliest(self) -> int | None:
        """Return the build before which a single step is most likely, significant or not."""
        places = self._places(0, len(self.calm))
        if len(places) == 0:
            return None
        score = np.abs(self._scan(0, len(self.calm), *self._noise([])).score[0, places - 1])
        return int(places[np.argmax(score)])

    def places(self, phi: float, bound: float) -> list[int]:
        """Return the places of all significant steps."""
        return self.pruned(self.split(phi, bound))

    def split(self, phi: float, bound: float) -> list[int]:
        """Return the places of all possible steps."""
        required, parts, found = self.thresholds.score_whole * LOOSER, [(0, len(self.calm))], []
        while parts:
            first, last = parts.pop()
            places = self._places(first, last)
            if len(places) == 0:
                continue
            score = np.abs(self._scan(first, last, phi, bound).score[0, places - first - 1])
            at = int(places[np.argmax(score)])
            if score.max() >= required:
                found.append(at)
                parts += [(first, at), (at, last)]
        return sorted(found)

    def pruned(self, places: list[int]) -> list[int]:
        """Drop the least significant step until all remaining ones are significant."""
        while places:
            places, scores = self._refine(places)
            worst = int(np.argmin(scores))
            if scores[worst] > 0:
                return places
            places = [*places[:worst], *places[worst + 1 :]]
        return []

    def steps(self, places: list[int]) -> list[SeriesStep]:
        """Measure the steps at these places."""
        phi, bound = self._noise(places)
        out = []
        for first, at, last in self._between(places):
            scanned = self._scan(first, last, phi, bound)
            score = abs(float(scanned.score[0, at - first - 1]))
            inside = np.arange(1, last - first)
            low, high = location(scanned, 0, inside)
            around = min(low, at - first), max(high, at - first)
            one = measured(
                self.calm[first:last], self.weight[first:last], at - first, score, around, phi=phi,
                confidence=self.thresholds.confidence,
            )  # fmt: skip
            out.append(_shift_builds(one, first))
        return out

    def _refine(self, places: list[int]) -> tuple[list[int], list[float]]:
        """Move each place to the best position between its neighbors.

        Return also the margins above the requirement.
        """
        phi, bound = self._noise(places)
        settled: list[int] = []
        scores: list[float] = []
        for first, _, last in self._between(places):
            begin = settled[-1] if settled else first
            inside = self._places(begin, last)
            if len(inside) == 0:
                settled.append((begin + last) // 2)
                scores.append(-1.0 - self.thresholds.score_whole)
                continue
            scanned = self._scan(begin, last, phi, bound)
            score = np.abs(scanned.score[0, inside - begin - 1])
            at = int(inside[np.argmax(score)])
            settled.append(at)
            scores.append(self._margin(begin, at, last, float(score.max())))
        return settled, scores

    def _margin(self, first: int, at: int, last: int, score: float) -> float:
        """Return by how much a step exceeds the requirement; below zero it is not significant."""
        limits = self.thresholds
        before, after = self.calm[first:at], self.calm[at:last]
        old, new = float(before.mean()), float(after.mean())
        required = limits.score_whole
        if abs(new - old) < limits.least_relative * abs(old):
            return min(score - required, 0.0) - 1.0
        more, fewer = self.raw[max(first, at - SIDE) : at], self.raw[at : min(last, at + SIDE)]
        up = new > old
        if len(more) < len(fewer):
            more, fewer, up = fewer, more, not up
        surprising = rank_surprise(more, fewer, up=up)
        if surprising < (limits.surprise_unruly if self.unruly else limits.surprise):
            return min(score - required, 0.0) - 1.0
        return score - required

    def _noise(self, places: list[int]) -> tuple[float, float]:
        """Return autocorrelation and innovation variance of the residuals without all steps."""
        edges = [0, *places, len(self.calm)]
        levels = np.concatenate(
            [
                np.full(last - first, np.average(self.calm[first:last], weights=self.weight[first:last]))
                for first, last in pairwise(edges)
            ]
        )
        residual = (self.calm - levels)[np.newaxis, :]
        phi = float(memory_of(residual, len(places) + 1)[0])
        innovation = residual[0, 1:] - phi * residual[0, :-1]
        freedom = max(len(innovation) - len(places) - 1, 1)
        return phi, float(np.sum(self.weight[1:] * np.square(innovation))) / freedom

    def _scan(self, first: int, last: int, phi: float, bound: float) -> StepScan:
        part, by = self.calm[np.newaxis, first:last], self.weight[np.newaxis, first:last]
        return scan(part, by, np.array([phi]), np.array([bound]), self.thresholds.least_noise)

    def _places(self, first: int, last: int) -> I64:
        least = self.thresholds.least_side
        if last - first < 2 * least:
            return np.zeros(0, dtype=np.int64)
        return np.arange(first + least, last - least + 1)

    def _between(self, places: Sequence[int]) -> list[tuple[int, int, int]]:
        edges = [0, *places, len(self.calm)]
        return list(zip(edges[:-2], edges[1:-1], edges[2:], strict=True))


def _shift_builds(step: SeriesStep, by: int) -> SeriesStep:
    return SeriesStep(
        step.at + by, step.low + by, step.high + by, step.before, step.after, step.ratio, step.ratio_low, step.ratio_high,
        step.score,
    )  # fmt: skip
