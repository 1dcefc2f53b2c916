"""Readers get the same from roll-ups as from raw samples, to within the step."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from slowpath.analysis.kinds.metrics.panels.time_grid import grid_of, rate_window_ms, scrape_interval_ms
from slowpath.analysis.kinds.metrics.rates.counter_rates import gauges_of, rates_of
from slowpath.analysis.kinds.metrics.rates.native_histogram_rates import native_rates
from slowpath.analysis.kinds.metrics.rates.prometheus_dialect import PROMETHEUS_3
from slowpath.analysis.kinds.metrics.rates.roll_ups import RESOLUTIONS_MS, roll_up
from slowpath.analysis.kinds.metrics.samples.sample_compaction import join_chunks
from slowpath.analysis.kinds.metrics.samples.series_chunks import (
    FloatSamples,
    NativeHistogramRun,
    SeriesChunk,
    decode_blocks,
    encode_block,
)
from slowpath.analysis.kinds.metrics.samples.series_data import (
    STALE_NAN_BITS,
    NativeSeries,
    RollUp,
    SeriesData,
    SparseBuckets,
    Times,
    Values,
    is_stale,
)

HOUR = 3_600_000
START = 475_000 * HOUR
HOURS = 8
STALE = np.array([STALE_NAN_BITS], np.uint64).view(np.float64)[0]


def scraped(rng: np.random.Generator, interval_ms: int) -> Times:
    """Scrapes with jitter; some are lost, alone or for an hour, and the target may be younger than the range."""
    born = int(rng.integers(0, 3 * HOUR)) if rng.random() < 0.5 else 0
    times = np.arange(START + born + int(rng.integers(1, interval_ms)), START + HOURS * HOUR, interval_ms)
    times = times + rng.integers(-interval_ms // 20, interval_ms // 20 + 1, len(times))
    seen = (rng.random(len(times)) > 0.02) & (times >= START) & (times < START + HOURS * HOUR)
    if rng.random() < 0.5:
        down = START + int(rng.integers(0, HOURS * HOUR))
        seen &= (times < down) | (times > down + int(rng.integers(interval_ms, HOUR)))
    return np.asarray(times[seen], np.int64)


def counted(rng: np.random.Generator, n: int) -> Values:
    """A counter with up to three resets."""
    steps = rng.poisson(20, n).astype(np.float64)
    values = np.cumsum(steps)
    for at in np.sort(rng.integers(0, n, int(rng.integers(0, 4)))):
        values[at:] -= values[at] - steps[at]
    return values


def added_up(values: Values) -> float:
    """The increase of a counter, with resets added back, without stale markers."""
    values = values[~is_stale(values)]
    steps = np.diff(values)
    return float(np.where(steps < 0, values[1:], steps).sum())


def rolled_up(chunk: SeriesChunk, resolution_ms: int) -> tuple[SeriesChunk, RollUp]:
    """The roll-up, written four hours at a time."""
    parts = []
    interval_ms = 0
    for first in range(0, HOURS, 4):
        low, high = START + first * HOUR, START + (first + 4) * HOUR
        floats = [
            FloatSamples(run.series_id, run.times_ms[inside], run.values[inside])
            for run in chunk.floats
            if (inside := (run.times_ms >= low) & (run.times_ms < high)).any()
        ]
        part, interval_ms = roll_up(SeriesChunk(floats), resolution_ms)
        parts.append(next(decode_blocks([encode_block(part)])))
    return join_chunks(parts), RollUp(resolution_ms, interval_ms)


def series(run: FloatSamples, roll_up: RollUp | None = None) -> SeriesData:
    return SeriesData(run.series_id, "x", {}, "counter", run.times_ms, run.values, roll_up=roll_up)


@given(
    seed=st.integers(0, 2**32),
    interval_ms=st.sampled_from([5_000, 15_000, 60_000]),
    resolution_ms=st.sampled_from(RESOLUTIONS_MS),
)
def test_counters_read_as_from_raw_samples(seed: int, interval_ms: int, resolution_ms: int) -> None:
    rng = np.random.default_rng(seed)
    times = scraped(rng, interval_ms)
    values = counted(rng, len(times))
    if rng.random() < 0.3:
        values[rng.integers(0, len(values))] = STALE
    raw = SeriesChunk([FloatSamples(1, times, values)])

    whole, how = rolled_up(raw, resolution_ms)

    (run,) = whole.floats
    assert added_up(run.values) == added_up(values)
    grid = grid_of(START, START + HOURS * HOUR, resolution_ms)
    window_ms = rate_window_ms(resolution_ms, interval_ms)
    assert scrape_interval_ms([series(run, how)]) == pytest.approx(interval_ms, rel=0.1)
    fine, coarse = (
        rates_of([one], grid.times(), window_ms, PROMETHEUS_3).per_second[0]
        for one in (series(raw.floats[0]), series(run, how))
    )
    known = ~np.isnan(fine)
    assert not np.isnan(coarse[known]).any()
    # At most a few scrapes at each end of a window count in the window before instead.
    few = 4 * 60 / (window_ms / 1000)
    assert (np.abs(coarse - fine)[known] <= few + fine[known] * 5 * interval_ms / window_ms).all()


@given(seed=st.integers(0, 2**32), resolution_ms=st.sampled_from(RESOLUTIONS_MS))
def test_gauges_read_exactly_as_from_raw_samples(seed: int, resolution_ms: int) -> None:
    rng = np.random.default_rng(seed)
    times = scraped(rng, 15_000)
    raw = SeriesChunk([FloatSamples(1, times, rng.standard_normal(len(times)))])

    whole, how = rolled_up(raw, resolution_ms)

    at = grid_of(START, START + HOURS * HOUR, 2 * resolution_ms).times()
    fine, coarse = (gauges_of([one], at, PROMETHEUS_3) for one in (series(raw.floats[0]), series(whole.floats[0], how)))
    np.testing.assert_array_equal(fine, coarse)
    assert len(whole.floats[0].times_ms) < len(times) / 2


def test_a_roll_up_of_usual_samples_is_small() -> None:
    times = START + np.arange(0, HOURS * HOUR, 15_000)
    raw = SeriesChunk([FloatSamples(one, times, 2.0 * np.arange(len(times), dtype=np.float64)) for one in (1, 2)])

    sizes = [rolled_up(raw, resolution_ms)[0].samples / raw.samples for resolution_ms in RESOLUTIONS_MS]

    assert sizes == pytest.approx([1 / 20, 1 / 240], rel=0.5)


def test_series_that_are_reset_at_other_times_remain_exact() -> None:
    """Series with equal times are rolled up together, and each may be reset on its own."""
    rng = np.random.default_rng(5)
    times = START + np.arange(1, HOURS * HOUR, 15_000)
    raw = SeriesChunk([FloatSamples(one, times, counted(rng, len(times))) for one in range(40)])

    whole, _ = rolled_up(raw, RESOLUTIONS_MS[1])

    assert [added_up(run.values) for run in whole.floats] == [added_up(run.values) for run in raw.floats]


def test_native_histograms_keep_their_buckets() -> None:
    n = HOURS * 240
    times = START + 1 + np.arange(n) * 15_000
    counts = np.arange(n, dtype=np.float64) * 10
    counts[n // 2 + 7 :] -= counts[n // 2 + 7] - 10  # a restart
    buckets = SparseBuckets(np.arange(n + 1) * 2, np.tile(np.array([0, 1], np.int32), n), np.repeat(counts / 2, 2))
    zeros = np.zeros(n)
    empty = (np.zeros(n, np.uint8), np.zeros(n + 1, np.int64), np.zeros(0))
    native = NativeSeries(
        np.full(n, 3, np.int32), zeros, zeros, counts, counts * 0.3, buckets, SparseBuckets.none(n), *empty
    )
    raw = NativeHistogramRun(1, times, native)

    part, interval_ms = roll_up(SeriesChunk([], [raw]), HOUR)

    (run,) = part.natives
    grid = grid_of(START, START + HOURS * HOUR, HOUR).times()
    fine, coarse = (
        native_rates(
            [SeriesData(1, "h", {}, "histogram", one.times_ms, None, one.histograms, roll_up=how)],
            grid,
            HOUR,
            PROMETHEUS_3,
        )
        for one, how in ((raw, None), (run, RollUp(HOUR, interval_ms)))
    )
    assert len(run.times_ms) == HOURS + 3
    np.testing.assert_allclose(coarse.count, fine.count, rtol=0.01)
    for one, other in zip(
        fine.quantiles([0.5, 0.99], None, PROMETHEUS_3), coarse.quantiles([0.5, 0.99], None, PROMETHEUS_3), strict=True
    ):
        np.testing.assert_allclose(one.value, other.value, rtol=1e-6)
