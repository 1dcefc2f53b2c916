"""The interval of a quantile of a time range: what it needs, and how often it is wrong on generated requests."""

from statistics import NormalDist

import numpy as np
import pytest
from numpy.random import Generator
from numpy.typing import NDArray

from slowpath.analysis.kinds.metrics.changes.latency_interval import LatencyInterval, MissingRequests, measure_interval
from slowpath.analysis.stats.histogram_cells import HistogramCells
from slowpath.verdicts.budgets.rules import LATENCY_ERROR_RATE, RANGE

HOUR_MS = int(RANGE.total_seconds() * 1000)
MINUTE_MS = 60_000
LIMIT_S = 0.3
SIGMA = 0.6
"""Of the logarithm of latency within a minute."""
BOUNDS = np.concatenate([LIMIT_S * 1.02 ** np.arange(-200.0, 120.0), [np.inf]])
"""The limit is a bound, so the bucket hides nothing: the hardest case."""


def requests_of_day(rng: Generator, ratio: float, *, minutes: int = 1_440, spread: float = 0.08) -> HistogramCells:
    """Return the minutes of a day whose pooled p99 is `ratio` times the limit; neighboring minutes are correlated."""
    carried = 0.8
    shift = np.empty(minutes)
    shift[0] = rng.normal(0, spread)
    for at in range(1, minutes):
        shift[at] = carried * shift[at - 1] + rng.normal(0, spread * np.sqrt(1 - carried**2))
    quantile = NormalDist().inv_cdf(0.99)
    center = np.log(LIMIT_S * ratio) - quantile * np.hypot(SIGMA, spread)
    normal = NormalDist()
    grid = np.linspace(-12, 12, 4_001)
    table = np.array([normal.cdf(each) for each in grid.tolist()])
    share = np.interp((np.log(BOUNDS[:-1])[None, :] - center - shift[:, None]) / SIGMA, grid, table)
    shares = np.diff(np.concatenate([share, np.ones((minutes, 1))], axis=1), axis=1, prepend=0.0)
    counts = rng.poisson(shares * 3_000).astype(float)
    return HistogramCells((np.arange(minutes, dtype=np.int64) + 1) * MINUTE_MS, BOUNDS, counts)


def measure(cells: HistogramCells, end_min: int, rng: Generator) -> LatencyInterval:
    part = cells.between((end_min - 60) * MINUTE_MS, end_min * MINUTE_MS)
    found = measure_interval(part, HOUR_MS, "p99", 0.99, rng, error_rate=LATENCY_ERROR_RATE)
    assert isinstance(found, LatencyInterval)
    return found


def announced(cells: HistogramCells, rng: Generator) -> NDArray[np.bool_]:
    """Return at which evaluations of a day, every 15 minutes, the excess is announced."""
    found = [measure(cells, end, rng) for end in range(60, len(cells.times_ms) + 1, 15)]
    certain = np.array([each.certain_low_s >= LIMIT_S for each in found])
    usual = np.array([each.low_s >= LIMIT_S for each in found])
    announced_at: NDArray[np.bool_] = certain[4:] & usual[:-4]
    return announced_at


def test_a_service_exactly_at_its_budget_raises_no_message_and_one_that_is_20_percent_over_does() -> None:
    rng = np.random.default_rng(11)
    assert not announced(requests_of_day(rng, 1.0), rng).any()
    assert announced(requests_of_day(rng, 1.2, minutes=180), rng).any()


@pytest.mark.long
def test_at_most_one_message_in_a_hundred_days_of_services_at_their_budget() -> None:
    """0 messages in 300 days exclude more than 10 in 1,000 days with 95% confidence; just below the limit there are fewer."""
    rng = np.random.default_rng(12)
    assert sum(announced(requests_of_day(rng, 1.0), rng).any() for _ in range(300)) == 0


def test_the_interval_contains_the_value_in_most_hours() -> None:
    rng = np.random.default_rng(13)
    cells = requests_of_day(rng, 1.0, minutes=60 * 24, spread=0.03)
    found = [measure(cells, end, rng) for end in range(60, 60 * 25, 60)]
    assert sum(each.low_s <= LIMIT_S <= each.high_s for each in found) >= 20
    assert all(each.certain_low_s <= each.low_s <= each.value_s <= each.high_s for each in found)


def cells_of(counts: list[list[float]], bounds: list[float]) -> HistogramCells:
    times = (np.arange(len(counts), dtype=np.int64) + 1) * MINUTE_MS
    return HistogramCells(times, np.array(bounds), np.array(counts))


def test_a_coarse_bucket_is_the_interval_of_a_steady_service() -> None:
    rng = np.random.default_rng(1)
    cells = cells_of([[900.0, 100.0, 0.0]] * 60, [0.1, 0.5, np.inf])
    found = measure_interval(cells, HOUR_MS, "p99", 0.99, rng, error_rate=LATENCY_ERROR_RATE)
    assert isinstance(found, LatencyInterval)
    assert (found.low_s, found.high_s) == (0.1, 0.5)


def test_above_the_highest_bucket_there_is_no_upper_bound() -> None:
    rng = np.random.default_rng(1)
    cells = cells_of([[900.0, 0.0, 100.0]] * 60, [0.1, 0.5, np.inf])
    found = measure_interval(cells, HOUR_MS, "p99", 0.99, rng, error_rate=LATENCY_ERROR_RATE)
    assert isinstance(found, LatencyInterval)
    assert (found.low_s, found.high_s) == (0.5, float("inf"))


def test_too_few_minutes_or_requests_have_no_interval() -> None:
    rng = np.random.default_rng(1)
    for cells, minutes, requests in (
        (cells_of([[900.0, 100.0]] * 47, [0.1, np.inf]), 47, 47_000.0),
        (cells_of([[9.0, 1.0]] * 60, [0.1, np.inf]), 60, 600.0),
    ):
        found = measure_interval(cells, HOUR_MS, "p99", 0.99, rng, error_rate=LATENCY_ERROR_RATE)
        assert found == MissingRequests(minutes, 48, requests, 3_600.0)
