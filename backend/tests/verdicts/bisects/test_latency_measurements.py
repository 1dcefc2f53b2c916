"""Latency measurements from the dashboard: a value, a wait, or the reason for none."""

from dataclasses import replace

import numpy as np
import pytest

from slowpath.analysis.kinds.metrics.changes.probe_latency import ProbeLatencyWindow
from slowpath.analysis.stats.histogram_cells import HistogramCells
from slowpath.verdicts.bisects.rules.latency_measurements import (
    MeasurementQuery,
    parse_quantile,
    read_latency_measurement,
    required_requests,
    required_window_seconds,
)

FROM_MS, TO_MS = 1_000_000, 1_060_000
ASKED = MeasurementQuery("ingester", "lab", "r-1", "instance", "", 0.99, FROM_MS, TO_MS, 0.0)
BOUNDS = np.array([0.01, 0.1, 1.0, np.inf])


def seen(
    *counts: float, newest_ms: int | None = TO_MS, known_ms: int = 60_000, interval_ms: int = 10_000
) -> ProbeLatencyWindow:
    cells = HistogramCells(np.array([TO_MS], np.int64), BOUNDS, np.array([counts])) if counts else None
    return ProbeLatencyWindow(cells, newest_ms, known_ms, interval_ms, instances=1, others=0)


@pytest.mark.parametrize(
    ("name", "quantile"), [("p50", 0.5), ("p99", 0.99), ("p99.9", 0.999), ("p100", None), ("p0", None), ("", None)]
)
def test_quantiles_have_names(name: str, quantile: float | None) -> None:
    assert parse_quantile(name) == (quantile if quantile is None else pytest.approx(quantile))


def test_a_quantile_needs_requests_beyond_it_and_a_window_for_them() -> None:
    assert [required_requests(one) for one in (0.5, 0.99, 0.999)] == [200, 1000, 10_000]
    assert required_window_seconds(0.99, 10.0, 10_000) == 130
    assert required_window_seconds(0.5, 1000.0, 60_000) == 120  # two pushes at least
    assert required_window_seconds(0.99, 0.01, 10_000) is None


def test_a_value_is_in_nanoseconds_with_its_requests() -> None:
    measurement = read_latency_measurement(seen(0, 2000, 0, 0), None, ASKED)
    assert measurement.value_ns == pytest.approx(0.0991e9)
    assert (measurement.requests, measurement.problem, measurement.again_seconds) == (2000, None, None)


@pytest.mark.parametrize(
    ("window", "waited", "again"),
    [
        (seen(newest_ms=None, known_ms=0, interval_ms=60_000), 149, 10.0),
        (seen(0, 2000, 0, 0, newest_ms=TO_MS - 1), 49, 2.5),
        (seen(0, 2000, 0, 0, newest_ms=TO_MS - 1), 50, None),
        (seen(0, 2000, 0, 0), 0, None),
    ],
)
def test_late_samples_are_accepted_for_a_limited_time(
    window: ProbeLatencyWindow, waited: float, again: float | None
) -> None:
    assert read_latency_measurement(window, None, replace(ASKED, waited_seconds=waited)).again_seconds == again


@pytest.mark.parametrize(
    ("window", "why", "expected"),
    [
        (seen(0, 0, 0, 0), None, "Run r-1 answered no requests in this measurement window."),
        (seen(0, 999, 0, 0), None, "999 requests in this measurement window of 60 s; p99 requires 1,000. Measure for 80 s."),
        (seen(0, 1, 0, 0), None, "1 request in this measurement window of 60 s; p99 requires 1,000. Increase the load."),
        (seen(0, 900, 0, 100), None, "p99 is above the highest bucket bound of the histogram, 1 s. Add higher buckets."),
        (
            seen(0, 900, 0, 0, known_ms=20_000), None,
            "The samples of run r-1 cover 20 of the 60 s of this measurement window. Push more often than every 10 s, or measure longer.",
        ),
        (seen(newest_ms=None), "no such name", "Cannot read the latency of ingester in lab: no such name"),
        (
            seen(newest_ms=None), None,
            "No samples of run r-1 in lab. Set service.instance.id=r-1 or the label slowpath_run_id on the deployment.",
        ),
    ],
)  # fmt: skip
def test_why_there_is_no_number(window: ProbeLatencyWindow, why: str | None, expected: str) -> None:
    assert read_latency_measurement(window, why, replace(ASKED, waited_seconds=1000)).problem == expected
