"""One measurement of one probe: which series are its own, and their counts between two times."""

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from slowpath.analysis.kinds.metrics.changes.probe_latency import ProbeLatencyWindow, SeriesOwner, run_window
from slowpath.analysis.kinds.metrics.panels.service_panels import ServiceSamples
from slowpath.analysis.kinds.metrics.samples.series_data import SeriesData
from tests.analysis.kinds.metrics.promqltest import Histogram, native_series

RUN = "0192f0c4-0000-7000-8000-000000000001"
COMMIT = "c0ffee" + 34 * "0"
OTHER = "deadbeef" + 32 * "0"
MINE = SeriesOwner("instance", RUN, COMMIT, COMMIT)
BOUNDS = ("0.01", "0.1", "+Inf")


def buckets(
    instance: str, times_s: Sequence[float], reached: Sequence[Sequence[float]], *, first_id: int = 1, **labels: str
) -> list[SeriesData]:
    """Return a classic histogram: for each bound what was reached up to it at each time."""
    times = np.array([round(1000 * one) for one in times_s], np.int64)
    return [
        SeriesData(
            first_id + place, "x_bucket", {"instance": instance, "le": le, **labels}, "counter", times,
            np.array([row[place] for row in reached], np.float64),
        )
        for place, le in enumerate(BOUNDS)
    ]  # fmt: skip


def read(
    series: Sequence[SeriesData], from_s: float, to_s: float, whose: SeriesOwner = MINE, route: str = ""
) -> ProbeLatencyWindow:
    natives = [one for one in series if one.histograms is not None]
    classic = [one for one in series if one.histograms is None]
    samples = ServiceSamples(buckets=classic, natives=natives)
    return run_window(samples, round(1000 * from_s), round(1000 * to_s), whose, route)


def counts(seen: ProbeLatencyWindow) -> list[float]:
    assert seen.counts is not None
    rounded: list[float] = np.round(seen.counts.counts[0], 6).tolist()
    return rounded


def test_what_was_reached_is_interpolated_at_the_edges() -> None:
    mine = buckets(RUN, [0, 10, 20, 30], [(0, 0, 0), (10, 20, 20), (20, 40, 40), (20, 140, 140)])
    seen = read(mine, 5, 25)
    assert counts(seen) == [15, 65, 0]
    assert (seen.known_ms, seen.newest_ms, seen.interval_ms, seen.instances, seen.others) == (
        20_000,
        30_000,
        10_000,
        1,
        0,
    )


def test_a_restart_counts_what_came_after_it() -> None:
    mine = buckets(RUN, [0, 10, 20], [(50, 50, 50), (5, 5, 5), (15, 15, 15)])
    assert counts(read(mine, 0, 20)) == [15, 0, 0]


def test_a_route_that_begins_in_the_window_counts_whole() -> None:
    early = buckets(RUN, [0, 10, 20], [(10, 10, 10), (20, 20, 20), (30, 30, 30)], http_route="/a")
    late = buckets(RUN, [10, 20], [(0, 7, 7), (0, 9, 9)], first_id=10, http_route="/b")
    assert counts(read([*early, *late], 0, 20)) == [20, 9, 0]
    assert counts(read([*early, *late], 0, 20, route="/b")) == [0, 9, 0]
    assert read([*early, *late], 0, 20, route="/c").counts is None


def test_only_own_requests_are_subtracted_and_others_are_reported() -> None:
    mine = buckets(f"{RUN}.pod-1", [0, 20], [(0, 0, 0), (10, 10, 10)])
    theirs = buckets("production", [0, 20], [(0, 0, 0), (0, 99, 99)], first_id=10)
    seen = read([*mine, *theirs], 0, 20)
    assert counts(seen) == [10, 0, 0]
    assert (seen.instances, seen.others) == (1, 1)


@pytest.mark.parametrize(
    ("whose", "labels", "means"),
    [
        (MINE, {"instance": RUN}, True),
        (MINE, {"slowpath_run_id": RUN, "instance": "10.0.0.1:80"}, True),
        (MINE, {"version": COMMIT}, False),
        (SeriesOwner("version", RUN, COMMIT, COMMIT), {"version": COMMIT[:8]}, True),
        (SeriesOwner("version", RUN, COMMIT, COMMIT), {"version": OTHER}, False),
        (SeriesOwner("version", RUN, f"{COMMIT[:16]}-0123456789abcdef", None), {"version": COMMIT}, False),
        (
            SeriesOwner("version", RUN, f"{COMMIT[:16]}-0123456789abcdef", None),
            {"v": f"{COMMIT[:16]}-0123456789abcdef"},
            True,
        ),
        (SeriesOwner("environment", RUN, COMMIT, COMMIT), {"instance": "any"}, True),
    ],
)
def test_labels_that_distinguish_series(whose: SeriesOwner, labels: dict[str, str], means: bool) -> None:
    assert whose.means(labels) is means


def test_one_that_still_pushes_is_waited_for_and_one_that_has_ended_is_not() -> None:
    times = [0, 10, 20, 30, 40, 50]
    ahead = buckets(f"{RUN}.a", times, [(0, 0, 0)] * 6)
    behind = buckets(f"{RUN}.b", times[:5], [(0, 0, 0)] * 5, first_id=10)
    ended = buckets(f"{RUN}.c", times[:2], [(0, 0, 0)] * 2, first_id=20)
    assert read([*ahead, *behind, *ended], 30, 50).newest_ms == 40_000
    assert read([*ahead, *ended], 30, 50).newest_ms == 50_000
    assert read([], 30, 50).newest_ms is None


@given(
    st.lists(st.tuples(st.integers(0, 500), st.integers(0, 500)), min_size=2, max_size=8),
    st.integers(1, 7),
)
def test_windows_that_follow_each_other_count_everything_once(grown: list[tuple[int, int]], cut_s: int) -> None:
    reached = np.cumsum([(0, 0), *grown], axis=0)
    rows = [(fast, fast + slow, fast + slow) for fast, slow in reached.tolist()]
    mine = buckets(RUN, range(0, 10 * len(rows), 10), rows)
    end, middle = 10 * (len(rows) - 1), min(10 * cut_s + 3, 10 * (len(rows) - 1) - 1)
    parts = [counts(read(mine, *edges)) for edges in ((0, middle), (middle, end), (0, end))]
    assert np.allclose(np.add(parts[0], parts[1]), parts[2], atol=1e-5)
    assert sum(parts[2]) == pytest.approx(sum(rows[-1][1:2]), abs=1e-5)


def test_native_histograms_count_between_the_nearest_samples() -> None:
    rows = [{1: 10.0}, {1: 10.0, 2: 30.0}, {1: 10.0, 2: 60.0}, {1: 500.0, 2: 60.0}]
    listed = [Histogram(0, sum(each.values()), 1.0, 0.0, 0.0, each) for each in rows]
    times = np.array([0, 10_000, 20_000, 30_000], np.int64)
    mine = SeriesData(1, "x", {"instance": RUN}, "histogram", times, None, native_series(listed))
    seen = read([mine], 1, 21)
    assert seen.requests == 60
    assert seen.counts is not None
    assert 2 < float(seen.counts.quantiles(0.5)[0]) < 4


def test_a_native_histogram_that_begins_in_the_window_begins_at_zero() -> None:
    times = np.array([10_000, 20_000], np.int64)
    series = native_series([Histogram(0, 40.0, 1.0, 0.0, 0.0, {1: 40.0}), Histogram(0, 70.0, 1.0, 0.0, 0.0, {1: 70.0})])
    late = SeriesData(2, "x", {"instance": RUN, "http_route": "/b"}, "histogram", times, None, series)
    early = SeriesData(
        1, "x", {"instance": RUN, "http_route": "/a"}, "histogram", np.array([0, 10_000, 20_000], np.int64), None,
        native_series([Histogram(0, 5.0, 1.0, 0.0, 0.0, {1: 5.0})] * 3),
    )  # fmt: skip
    assert read([early, late], 0, 20).requests == 70
