"""Whether a change of latency persists or is over, by samples after its detection."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.random import default_rng

from slowpath.analysis.kinds.metrics.changes.latency_change_points import LatencyChangePoint
from slowpath.analysis.kinds.metrics.changes.level_measurement import LevelMeasurement, measure_level
from slowpath.analysis.kinds.metrics.panels.service_cells import MINUTE_MS, ServiceCells
from slowpath.analysis.stats.histogram_cells import HistogramCells

BOUNDS = np.append(0.001 * 1.2 ** np.arange(40), np.inf)
STEP, SEEN = 60 * MINUTE_MS, 65 * MINUTE_MS
CHANGE = LatencyChangePoint("p90", STEP, STEP, STEP, SEEN, 0.02, 0.04, 2.0, 1.9, 2.1)


def cells_of(medians_s: list[float], requests: int = 2_000) -> ServiceCells:
    """Return minutes of log-normal latency with these medians; their p90 is about 1.9 times as long."""
    rng = default_rng(7)
    counts = np.array(
        [
            np.histogram(rng.lognormal(np.log(each), 0.5, requests), np.concatenate(([0], BOUNDS)))[0]
            for each in medians_s
        ],
        dtype=float,
    )
    times = (1 + np.arange(len(counts), dtype=np.int64)) * MINUTE_MS
    latency = HistogramCells(times, BOUNDS, counts)
    return ServiceCells(times, MINUTE_MS, latency, latency.requests, np.array(medians_s))


def measured(after: list[float], change: LatencyChangePoint = CHANGE) -> LevelMeasurement:
    cells = cells_of([0.0105] * 60 + after)
    recent = int(cells.times_ms[-1]) - 10 * MINUTE_MS
    return measure_level([cells], change, max(recent, SEEN), default_rng(1))


def test_a_change_persists_if_later_requests_are_nearer_to_the_level_after() -> None:
    assert measured([0.021] * 6).persists is True
    assert measured([0.021] * 5 + [0.0105]).persists is False


def test_without_a_sample_after_the_detection_nothing_is_known() -> None:
    assert measured([0.021] * 5).persists is None
    assert measure_level([], CHANGE, 0, default_rng(1)) == LevelMeasurement()


def test_too_few_requests_show_nothing() -> None:
    cells = cells_of([0.0105] * 60 + [0.021] * 10, requests=4)
    assert measure_level([cells], CHANGE, SEEN, default_rng(1)).persists is None


def test_latency_at_its_former_level_is_certainly_below_the_floor() -> None:
    level = measured([0.021] * 10 + [0.0105] * 12)
    assert level.recent_ratio == pytest.approx(1.0, abs=0.05)
    assert level.recent_ratio_high is not None
    assert level.recent_ratio_high < 1.1
    assert level.load_share == pytest.approx(1.0)


def test_a_level_that_lasts_is_not_recovered() -> None:
    level = measured([0.021] * 30)
    assert level.recent_ratio_high is not None
    assert level.recent_ratio_high > 1.5
    assert level.requests_per_second == pytest.approx(2_000 / 60)
    assert level.added_mean_s == pytest.approx(0.0105)


def test_a_sparkline_shows_both_sides_of_the_step() -> None:
    sparkline = measured([0.021] * 30).sparkline
    assert sparkline is not None
    assert (len(sparkline.values), sparkline.step_at, sparkline.levels) == (44, 22, (0.02, 0.04))


def test_a_mean_is_measured_without_a_histogram() -> None:
    cells = replace(cells_of([0.02] * 60 + [0.04] * 10), latency=None)
    change = replace(CHANGE, signal="mean", before=0.02, after=0.04)
    level = measure_level([cells], change, SEEN, default_rng(1))
    assert level.persists is True
    assert level.recent_ratio == pytest.approx(2.0)
