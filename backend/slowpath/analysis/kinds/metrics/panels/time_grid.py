"""The common time grid of all panels: at most 720 points at multiples of a round step."""

from dataclasses import dataclass
from typing import Final

import numpy as np

from slowpath.analysis.kinds.metrics.rates.rate_windows import Mask
from slowpath.analysis.kinds.metrics.samples.series_data import SeriesData, Times

POINTS_MAX: Final = 720
# Seconds, minutes and hours that divide a day evenly; above half a day none is needed for the longest range (90 days).
STEPS_MS: Final = tuple(
    1000 * s for s in (1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10_800, 21_600, 43_200)
)
DAY_MS: Final = 86_400_000
COMPLETE_WITHIN: Final = 1.1  # intervals between a sample and the end of a window up to which rate() extrapolates
SCRAPES_A_WINDOW: Final = 4  # with fewer, one lost scrape leaves a gap; the same as Grafana's $__rate_interval


@dataclass(frozen=True, slots=True)
class TimeGrid:
    """`points` times from_ms, from_ms + step_ms, ...; each a multiple of step_ms."""

    from_ms: int
    step_ms: int
    points: int

    @property
    def to_ms(self) -> int:
        """Return the last time of the grid."""
        return self.from_ms + (self.points - 1) * self.step_ms

    def times(self) -> Times:
        """[points] Return all times in milliseconds."""
        return self.from_ms + np.arange(self.points, dtype=np.int64) * self.step_ms

    def shifted(self, by_ms: int) -> "TimeGrid":
        """Return the same grid shifted by this time (earlier if negative)."""
        return TimeGrid(self.from_ms + by_ms, self.step_ms, self.points)


def grid_of(from_ms: int, to_ms: int, step_ms: int) -> TimeGrid:
    """Return the grid of a step over (from_ms, to_ms]."""
    return TimeGrid((from_ms // step_ms + 1) * step_ms, step_ms, to_ms // step_ms - from_ms // step_ms)


def grid_between(from_ms: int, to_ms: int, interval_ms: int) -> TimeGrid:
    """Return the grid over (from_ms, to_ms] with the smallest step that is at least the scrape interval, up to 720 points.

    A day has 720 steps of two minutes, wherever it begins. Samples with a larger interval use the largest step.
    """
    for step in STEPS_MS:
        grid = grid_of(from_ms, to_ms, step)
        if grid.points <= POINTS_MAX and (step >= interval_ms or step == STEPS_MS[-1]):
            return grid
    raise ValueError(f"a grid of {POINTS_MAX} points cannot cover {(to_ms - from_ms) / DAY_MS:.0f} days")


def scrape_interval_ms(series: list[SeriesData], otherwise_ms: int = 15_000) -> int:
    """Return the usual interval between these series' samples, rounded to the second (above one).

    Gaps and doubled scrapes are excluded. Series that were scraped together are processed once.
    """
    seen: set[tuple[int, int, int]] = set()
    medians: list[float] = []
    for one in series:
        if one.roll_up is not None:
            medians.append(float(one.roll_up.interval_ms))
            continue
        if len(one.times_ms) < 3:
            continue
        scrape_key = (len(one.times_ms), int(one.times_ms[0]), int(one.times_ms[-1]))
        if scrape_key in seen:
            continue
        seen.add(scrape_key)
        distances = np.diff(one.times_ms[-400:])
        middle = float(np.median(distances))
        # Jittering scrapes are early and late by turns: their mean, without gaps and doubles, is the interval.
        medians.append(float(np.mean(distances[np.abs(distances - middle) <= middle / 2])))
    if not medians:
        return otherwise_ms
    usual = float(np.median(np.array(medians)))
    return max(1, round(usual / 1000) * 1000 if usual >= 1000 else round(usual))


def finest_step_ms(series: list[SeriesData]) -> int:
    """Return the smallest useful step: the scrape interval, or the resolution of a roll-up."""
    resolutions = (one.roll_up.resolution_ms for one in series if one.roll_up is not None)
    return max(scrape_interval_ms(series), max(resolutions, default=0))


def rate_window_ms(step_ms: int, interval_ms: int) -> int:
    """Return the range of rate(...[w]): every sample counts in some point, and it covers four scrapes."""
    return max(step_ms, SCRAPES_A_WINDOW * interval_ms)


def complete_cells(series: list[SeriesData], times: Times, window_ms: int) -> Mask:
    """[P] Return which times have a window between the first and the newest sample of these series.

    The rate of a window that samples cover in part is too low: a dip at both ends of the data that nothing measured. Of a
    service with less than one window of samples every cell counts.
    """
    ends = [(int(one.times_ms[0]), int(one.times_ms[-1])) for one in series if len(one.times_ms)]
    if not ends:
        return np.ones(len(times), np.bool_)
    reach_ms = COMPLETE_WITHIN * scrape_interval_ms(series)
    first_ms, newest_ms = min(first for first, _ in ends), max(newest for _, newest in ends)
    complete: Mask = (times - window_ms >= first_ms - reach_ms) & (times <= newest_ms + reach_ms)
    return complete if complete.any() else np.ones(len(times), np.bool_)
