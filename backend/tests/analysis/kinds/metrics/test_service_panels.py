"""Panels of generated services: requested values are computed, and missing ones have a reason."""

from collections.abc import Callable, Sequence

import numpy as np
import pytest

from slowpath.analysis.kinds.metrics.panels import panel_gaps
from slowpath.analysis.kinds.metrics.panels.service_panels import (
    GaugeSamples,
    ServiceSamples,
    StatusClass,
    service_panels,
)
from slowpath.analysis.kinds.metrics.panels.time_grid import TimeGrid, grid_between, rate_window_ms, scrape_interval_ms
from slowpath.analysis.kinds.metrics.samples.series_data import LateSamples, SeriesData
from tests.analysis.kinds.metrics.promqltest import Histogram, native_series
from tests.analysis.kinds.metrics.stale_samples import STALE_NAN, stale_nans

MINUTE = 60_000
START = 1_763_640_000_000
TIMES = START + np.arange(0, 60 * MINUTE, 15_000, dtype=np.int64)
GRID = TimeGrid(START + 5 * MINUTE, MINUTE, 50)
BOUNDS = ("0.1", "0.5", "1", "+Inf")


def counter(per_second: float, /, keep: Callable[[float], bool] = lambda _: True, **labels: str) -> SeriesData:
    """A steady counter; `keep` returns of each minute whether it has samples."""
    stored = np.array([keep((t - START) / MINUTE) for t in TIMES])
    values = (TIMES - START) / 1000 * per_second + 1_000
    return SeriesData(1, "x", labels, "counter", TIMES[stored], values[stored])


def histogram(
    per_second: float, shares: Sequence[float], bounds: Sequence[str] = BOUNDS, **labels: str
) -> list[SeriesData]:
    """Classic buckets: `shares` are the parts of requests up to each bound."""
    return [
        counter(per_second * share, lambda _: True, le=le, **labels) for share, le in zip(shares, bounds, strict=True)
    ]


def panels_of(samples: ServiceSamples, grid: TimeGrid = GRID, *, by_instance: bool = False):  # type: ignore[no-untyped-def]  # noqa: ANN201 - the class under test
    return service_panels(samples, grid, MINUTE, by_instance=by_instance)


def test_requests_are_summed_by_status_class() -> None:
    panels = panels_of(
        ServiceSamples(
            requests=[
                ("2xx", counter(70, instance="a", code="200")),
                ("2xx", counter(30, instance="b", code="204")),
                ("5xx", counter(2, instance="a", code="500")),
            ]
        )
    )
    assert set(panels.qps) == {"2xx", "5xx"}
    assert panels.qps["2xx"] == pytest.approx(np.full(50, 100.0))
    assert panels.qps["5xx"] == pytest.approx(np.full(50, 2.0))
    assert panels.total_qps(50) == pytest.approx(np.full(50, 102.0))
    assert (panels.histogram, panels.instance_count, panels.gaps, panels.resets) == ("none", 2, [], [])


@pytest.mark.parametrize("interval_ms", [5_000, 15_000])
def test_cells_that_samples_cover_in_part_have_no_value(interval_ms: int) -> None:
    """The first and the last window contain a part of the samples: their rate would be a dip."""
    times = np.arange(START + 5 * MINUTE, START + 15 * MINUTE, interval_ms, dtype=np.int64)
    requests = SeriesData(1, "x", {}, "counter", times, (times - START) / 1000 * 300.0)
    total = panels_of(ServiceSamples(requests=[("2xx", requests)]), TimeGrid(START, MINUTE, 25)).total_qps(25)
    assert total[~np.isnan(total)] == pytest.approx(np.full(10, 300.0))
    assert list(np.flatnonzero(~np.isnan(total))) == list(range(6, 16))


def test_latency_of_classic_buckets_with_the_band_of_its_bucket_and_the_mean() -> None:
    buckets = histogram(100, (0.4, 0.9, 0.98, 1.0), instance="a")
    count = counter(100, instance="a")
    panels = panels_of(ServiceSamples([("2xx", count)], buckets, (), [counter(30, instance="a")], [count]))
    p50, p90, p99 = panels.quantiles
    assert p50.value == pytest.approx(np.full(50, 0.1 + 0.4 * 0.2))
    assert (p50.low[0], p50.high[0]) == (0.1, 0.5)
    assert p90.value == pytest.approx(np.full(50, 0.5))
    assert (p99.value[7], p99.low[7], p99.high[7]) == (1.0, 1.0, np.inf)
    assert panels.mean == pytest.approx(np.full(50, 0.3))


def test_milliseconds_become_seconds() -> None:
    buckets = histogram(10, (0.5, 1.0, 1.0), ("100", "200", "+Inf"))
    panels = panels_of(ServiceSamples(buckets=buckets, seconds_per_unit=0.001))
    assert panels.quantiles[0].value == pytest.approx(np.full(50, 0.1))
    assert panels.quantiles[0].high == pytest.approx(np.full(50, 0.1))


def test_different_bounds_meet_at_those_they_share() -> None:
    """A deploy that changes the bounds: 0.5 and 1 are shared; 0.1 and 0.25 are not."""
    old = histogram(100, (0.2, 0.6, 0.9, 1.0), ("0.1", "0.5", "1", "+Inf"), instance="old")
    new = histogram(300, (0.4, 0.6, 0.9, 1.0), ("0.25", "0.5", "1", "+Inf"), instance="new")
    panels = panels_of(ServiceSamples(buckets=[*old, *new]))
    assert panels.quantiles[0].value == pytest.approx(np.full(50, 0.5 * 0.5 / 0.6))
    assert (panels.quantiles[0].low[0], panels.quantiles[0].high[0]) == (0.0, 0.5)
    assert panels.quantiles[1].value == pytest.approx(np.full(50, 1.0))


def test_each_instance_has_its_p99() -> None:
    fast = histogram(100, (1.0, 1.0, 1.0, 1.0), instance="fast")
    slow = histogram(100, (0.0, 0.0, 1.0, 1.0), instance="slow")
    panels = panels_of(ServiceSamples(buckets=[*fast, *slow]), by_instance=True)
    assert [name for name, _ in panels.instances] == ["fast", "slow"]
    assert panels.instances[0][1] == pytest.approx(np.full(50, 0.099))
    assert panels.instances[1][1] == pytest.approx(np.full(50, 0.995))


def test_of_very_many_instances_the_slowest_are_retained() -> None:
    buckets = [
        one
        for i in range(30)
        for one in histogram(10, (0.0, 0.0, 1.0, 1.0) if i == 29 else (1.0,) * 4, instance=f"i{i:02}")
    ]
    panels = panels_of(ServiceSamples(buckets=buckets), by_instance=True)
    assert len(panels.instances) == 24
    assert "i29" in [name for name, _ in panels.instances]


def test_a_split_shows_the_values_that_took_most_time_and_the_rest_together() -> None:
    fast, slow = (1.0, 1.0, 1.0, 1.0), (0.0, 0.0, 1.0, 1.0)
    rates = {"/push": 100.0, "/query": 10.0, "/health": 50.0, "/ready": 1.0, "/metrics": 2.0}
    buckets = [
        one
        for route, rate in rates.items()
        for one in histogram(rate, slow if route == "/push" else fast, route=route, instance="a", job="j")
    ]
    requests: list[tuple[StatusClass, SeriesData]] = [
        ("2xx", counter(rate, route=route, instance="a")) for route, rate in rates.items()
    ]
    panels = service_panels(ServiceSamples(requests=requests, buckets=buckets), GRID, MINUTE, split_by="route")

    assert [(one.name, one.values) for one in panels.split_labels] == [("route", 5)]
    assert [(one.value, one.values) for one in panels.split] == [("/push", 1), ("/health", 1), ("/query", 1), (None, 2)]
    assert panels.split[0].p99 == pytest.approx(np.full(50, 0.995))
    assert panels.split[3].p99 == pytest.approx(np.full(50, 0.099))


def test_a_split_by_a_label_that_no_series_has_is_empty() -> None:
    panels = service_panels(ServiceSamples(buckets=histogram(9, (1.0,) * 4)), GRID, MINUTE, split_by="route")
    assert (panels.split_labels, panels.split) == ([], [])


def test_a_count_and_a_sum_without_buckets_give_the_mean_alone() -> None:
    panels = panels_of(ServiceSamples(sums=[counter(5)], counts=[counter(10)]))
    assert panels.histogram == "mean"
    assert panels.quantiles == []
    assert panels.mean == pytest.approx(np.full(50, 0.5))


def test_native_histograms_count_requests_too() -> None:
    rows = [Histogram(3, 100.0 * k, 20.0 * k, positive={-8: 50.0 * k, -4: 50.0 * k}) for k in range(1, len(TIMES) + 1)]
    native = SeriesData(1, "n", {"instance": "a"}, "histogram", TIMES, None, native_series(rows))
    panels = panels_of(ServiceSamples(requests=[("2xx", native)], natives=[native]))
    assert panels.histogram == "native"
    assert panels.qps["2xx"] == pytest.approx(np.full(50, 100 / 15))
    # Half is in each bucket: counted from above, as Prometheus 3 does, the median is the upper one's lower bound.
    assert panels.quantiles[0].value == pytest.approx(np.full(50, 2 ** (-5 / 8)))
    assert panels.mean == pytest.approx(np.full(50, 0.2))
    assert panels.instance_count == 1


def test_gauges_are_added_up_over_instances() -> None:
    one = SeriesData(1, "g", {}, "gauge", TIMES, np.full(len(TIMES), 3.0))
    two = SeriesData(2, "g", {}, "gauge", TIMES[:40], np.full(40, 4.0))
    panels = panels_of(ServiceSamples(gauges=[GaugeSamples("g", "Queue", "", [one, two])]))
    assert panels.gauges[0][0] == 7.0
    assert panels.gauges[0][-1] == 3.0


def test_missing_samples_are_a_gap() -> None:
    panels = panels_of(ServiceSamples([("2xx", counter(1, lambda minute: not 20 <= minute < 25))]))
    (gap,) = panels.gaps
    assert gap.reason == panel_gaps.NO_SAMPLES
    assert gap.panel == "qps"
    assert np.isnan(panels.qps["2xx"]).sum() == (gap.to_ms - gap.from_ms) // MINUTE - 1
    assert START + 19 * MINUTE <= gap.from_ms < gap.to_ms <= START + 26 * MINUTE


def test_a_failed_scrape_is_reported() -> None:
    up = SeriesData(
        1, "up", {}, "gauge", TIMES, np.where((TIMES >= START + 20 * MINUTE) & (TIMES < START + 25 * MINUTE), 0.0, 1.0)
    )
    panels = panels_of(ServiceSamples([("2xx", counter(1, lambda minute: not 20 <= minute < 25))], up=[up]))
    assert [gap.reason for gap in panels.gaps] == [panel_gaps.SCRAPE_FAILED]


def test_a_vanished_target_is_reported() -> None:
    whole = counter(1)
    assert whole.values is not None
    values = whole.values.copy()
    values[80:81] = stale_nans(1)
    stored = np.r_[0:81, 140 : len(TIMES)]
    series = SeriesData(1, "x", {}, "counter", TIMES[stored], values[stored])
    panels = panels_of(ServiceSamples([("2xx", series)]))
    assert [gap.reason for gap in panels.gaps] == [panel_gaps.TARGET_GONE]
    assert float(STALE_NAN) != float(STALE_NAN)


def test_before_the_first_and_after_the_newest_sample() -> None:
    panels = panels_of(ServiceSamples([("2xx", counter(1, lambda minute: 15 <= minute < 30))]))
    assert [gap.reason for gap in panels.gaps] == [panel_gaps.BEFORE_FIRST, panel_gaps.AFTER_NEWEST]
    assert panels.gaps[0].from_ms == GRID.from_ms
    assert panels.gaps[1].to_ms == GRID.to_ms


def test_no_requests_is_no_missing_sample() -> None:
    still = counter(0, instance="a")
    panels = panels_of(ServiceSamples([("2xx", still)], histogram(0, (1.0,) * 4, instance="a"), (), [still], [still]))
    assert panels.qps["2xx"] == pytest.approx(np.zeros(50))
    assert [(gap.reason, gap.panel) for gap in panels.gaps] == [(panel_gaps.NO_REQUESTS, "latency")]


def test_requests_without_a_histogram_differ_from_no_requests() -> None:
    late = [counter(10.0, lambda minute: minute > 30, le=le) for le in BOUNDS]
    panels = panels_of(ServiceSamples([("2xx", counter(10))], late))
    assert [(gap.reason, gap.panel) for gap in panels.gaps] == [(panel_gaps.NO_BUCKETS, "latency")]


def test_a_restart_is_counted_once_and_is_no_dip() -> None:
    def restarted(per_second: float, **labels: str) -> SeriesData:
        whole = counter(per_second, lambda _: True, **labels)
        assert whole.values is not None
        values = np.where(whole.times_ms < START + 30 * MINUTE, whole.values, whole.values - whole.values[120])
        return SeriesData(1, "x", labels, "counter", whole.times_ms, values)

    both = [("2xx", restarted(10, instance="a", code="200")), ("5xx", restarted(10, instance="a", code="500"))]
    panels = panels_of(ServiceSamples(both))  # type: ignore[arg-type]  # the literals are status classes
    assert len(panels.resets) == 1
    assert panels.gaps == []
    # What was counted across the restart is unknown: one of the three distances in a window counts nothing.
    assert panels.qps["2xx"].min() == pytest.approx(10 * 2 / 3)


def test_late_samples_are_reported_once_per_delivery() -> None:
    late = (LateSamples(START + 10 * MINUTE, START + 12 * MINUTE, START + 40 * MINUTE),)
    series = [("2xx", SeriesData(i, "x", {}, "counter", TIMES, TIMES.astype(np.float64), late=late)) for i in range(5)]
    panels = panels_of(ServiceSamples(series))  # type: ignore[arg-type]  # the literals are status classes
    assert panels.late == list(late)


def test_nothing_at_all_is_no_error() -> None:
    panels = panels_of(ServiceSamples())
    assert (panels.qps, panels.quantiles, panels.mean, panels.histogram, panels.gaps) == ({}, [], None, "none", [])
    assert np.isnan(panels.total_qps(50)).all()


def test_a_day_has_720_points_at_two_minutes_wherever_it_begins() -> None:
    day = 86_400_000
    for begin in (START, START + 1, START + 119_999):
        grid = grid_between(begin, begin + day, 15_000)
        assert (grid.step_ms, grid.points) == (120_000, 720)
        assert grid.from_ms % grid.step_ms == 0
        assert begin < grid.from_ms
        assert grid.to_ms <= begin + day


@pytest.mark.parametrize(
    ("range_ms", "interval_ms", "step_ms"),
    [
        (3_600_000, 15_000, 15_000),
        (3_600_000, 1_000, 5_000),
        (3_600_000, 60_000, 60_000),
        (90 * 86_400_000, 15_000, 10_800_000),
    ],
)
def test_detected_steps_match_the_human_labels(range_ms: int, interval_ms: int, step_ms: int) -> None:
    assert grid_between(START, START + range_ms, interval_ms).step_ms == step_ms


def test_the_scrape_interval_is_the_usual_distance() -> None:
    rough = TIMES + np.tile([-400, 300], len(TIMES) // 2)
    holes = np.delete(rough, [10, 11, 12, 50])
    series = SeriesData(1, "x", {}, "counter", holes, np.zeros(len(holes)))
    assert scrape_interval_ms([series]) == 15_000
    assert scrape_interval_ms([]) == 15_000
    assert rate_window_ms(15_000, 15_000) == 60_000
    assert rate_window_ms(120_000, 15_000) == 120_000


def test_history_that_came_before_anything_else_redraws_nothing() -> None:
    at_once = (LateSamples(START, START + 40 * MINUTE, START + 41 * MINUTE),)
    times = TIMES[(TIMES <= START + 40 * MINUTE) | (TIMES > START + 40.5 * MINUTE)]
    series = SeriesData(1, "x", {}, "counter", times, times.astype(np.float64), late=at_once)
    assert panels_of(ServiceSamples([("2xx", series)])).late == []
