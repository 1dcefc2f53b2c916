"""The vectorised rate against the plain one: a loop over samples, as Prometheus documents it."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from slowpath.analysis.kinds.metrics.rates.counter_rates import gauges_of, rates_of, sum_present
from slowpath.analysis.kinds.metrics.rates.prometheus_dialect import PROMETHEUS_2, PROMETHEUS_3, PrometheusDialect
from slowpath.analysis.kinds.metrics.samples.series_data import SeriesData, is_stale
from tests.analysis.kinds.metrics.stale_samples import STALE_NAN, stale_nans

START = 1_763_640_000_000


def plain_rate(times: list[int], values: list[float], at: int, width: int, dialect: PrometheusDialect) -> float:
    edge = at - width
    inside = [
        (t, v) for t, v in zip(times, values, strict=True)
        if (t > edge if dialect.left_open else t >= edge) and t <= at and not is_stale(np.array([v]))[0]
    ]  # fmt: skip
    if len(inside) < 2:
        return float("nan")
    increase = inside[-1][1] - inside[0][1]
    for (_, before), (_, now) in pairwise(inside):
        if now < before:
            increase += before
    sampled = (inside[-1][0] - inside[0][0]) / 1000
    usual = sampled / (len(inside) - 1)
    to_start, to_end = (inside[0][0] - edge) / 1000, (at - inside[-1][0]) / 1000
    to_zero = sampled * (inside[0][1] / increase) if increase > 0 and inside[0][1] >= 0 else float("inf")
    if dialect.covers_before_zero:
        to_start = min(usual / 2 if to_start >= usual * 1.1 else to_start, to_zero)
    else:
        to_start = min(to_start, to_zero)
        to_start = usual / 2 if to_start >= usual * 1.1 else to_start
    to_end = usual / 2 if to_end >= usual * 1.1 else to_end
    return increase * ((sampled + to_start + to_end) / sampled) / (width / 1000)


samples = st.lists(
    st.tuples(st.integers(1, 40_000), st.sampled_from([0.0, 0.0, 1.0, 2.5, 100.0]), st.sampled_from("ccccccrs")),
    min_size=0, max_size=40,
)  # fmt: skip


@given(drawn=samples, width=st.sampled_from([1_000, 60_000, 100_000]), newer=st.booleans())
def test_rates_are_those_of_the_plain_loop(drawn: list[tuple[int, float, str]], width: int, newer: bool) -> None:
    dialect = PROMETHEUS_3 if newer else PROMETHEUS_2
    times, values, at, total = [], [], START, 0.0
    for distance, grown, kind in drawn:
        at += distance
        total = 0.5 if kind == "r" else total + grown
        times.append(at)
        values.append(float(STALE_NAN) if kind == "s" else total)
    series = SeriesData(1, "x", {}, "counter", np.array(times, np.int64), np.array(values, np.float64))
    grid = np.arange(START - 30_000, START + 900_000, 20_000, dtype=np.int64)
    found = rates_of([series, series], grid, width, dialect).per_second
    expected = [plain_rate(times, values, int(t), width, dialect) for t in grid]
    assert found[0] == pytest.approx(expected, rel=1e-12, nan_ok=True)
    assert np.array_equal(found[0], found[1], equal_nan=True)


def test_the_left_edge_of_a_window_belongs_to_it_in_two_and_not_in_three() -> None:
    times = START + np.array([0, 30_000, 60_000], np.int64)
    series = SeriesData(1, "x", {}, "counter", times, np.array([0.0, 30.0, 90.0]))
    grid = np.array([START + 60_000], np.int64)
    assert rates_of([series], grid, 60_000, PROMETHEUS_2).per_second[0, 0] == pytest.approx(1.5)
    assert rates_of([series], grid, 60_000, PROMETHEUS_3).per_second[0, 0] == pytest.approx(60 * (30 + 15) / 30 / 60)


def test_a_gauge_is_valid_for_five_minutes_unless_it_ends() -> None:
    times = START + np.array([0, 400_000, 800_000], np.int64)
    values = np.array([1.0, 2.0, 0.0])
    values[2:] = stale_nans(1)
    grid = START + np.array([0, 299_999, 300_000, 400_000, 799_999, 800_000], np.int64)
    found = gauges_of([SeriesData(1, "x", {}, "gauge", times, values)], grid, PROMETHEUS_3)[0]
    assert np.array_equal(found, [1, 1, np.nan, 2, np.nan, np.nan], equal_nan=True)
    assert gauges_of([SeriesData(1, "x", {}, "gauge", times, values)], grid, PROMETHEUS_2)[0, 2] == 1


def test_a_sum_is_of_what_is_there() -> None:
    table = np.array([[1.0, np.nan, np.nan], [2.0, 3.0, np.nan]])
    assert np.array_equal(sum_present(table), [3, 3, np.nan], equal_nan=True)


def test_series_without_samples_have_no_rate() -> None:
    empty = SeriesData(1, "x", {}, "counter", np.zeros(0, np.int64), np.zeros(0))
    assert np.isnan(rates_of([empty], np.array([START], np.int64), 60_000, PROMETHEUS_3).per_second).all()
    assert rates_of([], np.array([START], np.int64), 60_000, PROMETHEUS_3).per_second.shape == (0, 1)
