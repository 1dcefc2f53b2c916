"""Two time ranges of a service's latency: no finding on equal ones, a doubling is tentative, and caveats."""

from dataclasses import replace
from typing import Final

import numpy as np
import pytest
from numpy.random import Generator

from slowpath.analysis.comparison.comparison_document import make_comparison_document
from slowpath.analysis.findings.latency_window import LatencyWindow
from slowpath.analysis.kinds.comparison_sides import ComparisonSide
from slowpath.analysis.kinds.metrics.changes.compare_latency import KIND, LatencyComparison, compare_latency
from slowpath.analysis.kinds.metrics.panels.service_panels import ServiceSamples
from slowpath.analysis.kinds.metrics.panels.window_cutting import CELLS_MAX, latency_window
from slowpath.analysis.kinds.metrics.samples.series_data import SeriesData
from slowpath.analysis.stats.histogram_cells import HistogramCells
from tests.analysis.compare_helpers import compared_sides
from tests.analysis.kinds.profiles.generated_profiles import runs

MINUTE: Final = 60_000
BOUNDS: Final = np.array([*(0.001 * 2 ** (step / 2) for step in range(24)), np.inf])


def window(
    rng: Generator, median_s: float = 0.02, minutes: int = 30, a_minute: int = 3_000, begin: int = 0, sigma: float = 0.8
) -> LatencyWindow:
    """Requests of a service whose minutes differ a little from each other, some with a burst in their tail."""
    counts = np.empty((minutes, len(BOUNDS)))
    level = 0.0
    for row in range(minutes):
        level = 0.7 * level + rng.normal(0, 0.02)
        took = median_s * np.exp(level + rng.normal(0, sigma, rng.poisson(a_minute)))
        if rng.random() < 0.05:
            took[: len(took) // 100] *= 3
        counts[row] = np.bincount(np.searchsorted(BOUNDS, took), minlength=len(BOUNDS))
    times = begin + MINUTE * np.arange(1, minutes + 1)
    cells = HistogramCells(times, BOUNDS, counts)
    return LatencyWindow("checkout", "production", begin, begin + minutes * MINUTE, MINUTE, cells, 3)


def compared(base: LatencyWindow, candidate: LatencyWindow, seed: int = 1) -> LatencyComparison:
    return compare_latency(base, candidate, np.random.default_rng(seed))


def ids(comparison: LatencyComparison) -> set[str]:
    return {caveat.id for caveat in comparison.caveats}


def test_equal_windows_have_no_findings() -> None:
    rng = np.random.default_rng(11)
    pairs = [compared(window(rng), window(rng), seed) for seed in range(100)]

    assert [each.findings for each in pairs if each.findings] == []
    assert sum(each.verdict == "unchanged" for each in pairs) >= 80


@pytest.mark.parametrize(("factor", "direction"), [(2.0, "worse"), (0.5, "better")])
def test_a_doubling_is_found_either_way(factor: float, direction: str) -> None:
    rng = np.random.default_rng(12)
    for seed in range(10):
        comparison = compared(window(rng), window(rng, 0.02 * factor), seed)
        (finding,) = comparison.findings

        assert (finding.kind, finding.subject, finding.direction) == (KIND, "checkout", direction)
        assert (finding.normalization, finding.unit, finding.is_significant) == ("quantile", "seconds", False)
        assert finding.quantile in {0.5, 0.9, 0.99}
        assert finding.change.ci_low < factor < finding.change.ci_high
        assert finding.cost_s_per_s is not None
        assert (finding.cost_s_per_s > 0) == (direction == "worse")
        assert finding.q_value is not None
        assert finding.q_value < 0.05
        assert "latency of checkout" in finding.sentence
        assert (comparison.verdict, ids(comparison)) == ("inconclusive", {"before-after"})


def test_less_than_the_floor_is_nobodys_finding() -> None:
    rng = np.random.default_rng(13)
    comparison = compared(window(rng, a_minute=20_000), window(rng, 0.0206, a_minute=20_000))

    assert comparison.findings == ()


def test_differences_other_than_the_build_raise_a_caveat() -> None:
    rng = np.random.default_rng(14)
    base, candidate = window(rng), window(rng, a_minute=4_000)

    assert "latency-load" in ids(compared(base, candidate))
    assert "latency-instances" in ids(compared(base, replace(candidate, instances=4)))
    assert "latency-instances" not in ids(compared(base, replace(candidate, instances=None)))
    assert {"latency-services", "latency-environments"} <= ids(
        compared(base, replace(candidate, service="cart", environment="staging"))
    )
    assert "latency-highest-bucket" in ids(compared(base, window(rng, 2.0)))


def test_too_few_samples_are_inconclusive_with_a_caveat() -> None:
    rng = np.random.default_rng(15)
    whole, few = window(rng), window(rng, 0.2, minutes=5, a_minute=10)
    nothing = replace(whole, latency=None)

    for base, candidate, caveat in (
        (whole, few, "few-requests"),
        (whole, window(rng, 0.2, minutes=2), "few-requests"),
        (nothing, whole, "latency-nothing"),
        (nothing, nothing, "latency-nothing"),
    ):
        comparison = compared(base, candidate)
        assert (comparison.verdict, comparison.findings) == ("inconclusive", ())
        assert caveat in ids(comparison)
    assert whole.latency is not None
    shifted = replace(whole, latency=replace(whole.latency, bounds=np.array([*(BOUNDS[:-1] * 1.1), np.inf])))
    assert "bounds-differ" in ids(compared(whole, shifted))


def test_windows_alone_are_a_comparison() -> None:
    rng = np.random.default_rng(16)
    comparison = compared_sides(
        ComparisonSide(latency=window(rng)), ComparisonSide(latency=window(rng, 0.04, begin=30 * MINUTE))
    )
    document = make_comparison_document(comparison)

    assert (document.verdict, document.artifact_kinds, document.views) == ("inconclusive", (), ())
    assert document.headline.sentence == "Inconclusive: 1 tentative difference, none significant."
    assert "30 known minutes" in document.headline.conditions[0]
    (finding,) = document.findings
    assert (finding.kind, finding.subject, finding.is_significant) == (KIND, "checkout", False)
    side = document.sides.candidate
    assert side.time_range is not None
    assert (side.artifact_names, side.time_range.service, side.time_range.instance_count) == ((), "checkout", 3)
    assert (side.time_range.from_ms, side.time_range.covered_ms) == (30 * MINUTE, 30 * MINUTE)
    assert document.minimum_detectable_effects[0].kind == KIND
    assert (document.minimum_detectable_effects[0].ratio or 0) > 1.05


def test_beside_profiles_latency_has_a_finding_but_no_verdict() -> None:
    rng = np.random.default_rng(17)
    profile = "main.main main.main main.main\na/x.A a/x.B runtime.mallocgc\n300 200 {}"
    base = ComparisonSide(profiles=tuple(runs(profile.format(50), seed=1)), latency=window(rng))
    candidate = ComparisonSide(profiles=tuple(runs(profile.format(250), seed=2)), latency=window(rng, 0.04))
    both, alone = compared_sides(base, candidate), compared_sides(replace(base, latency=None), candidate)

    assert both.verdict == "regressed"
    assert both.findings[0].kind.startswith("profile.")
    assert KIND in {finding.kind for finding in both.findings}
    assert "kind-missing" in {caveat.id for caveat in alone.caveats}
    assert KIND not in {finding.kind for finding in alone.findings}
    assert make_comparison_document(alone).sides.base.time_range is None


def test_a_window_is_cut_out_of_samples() -> None:
    times = np.arange(0, 61, dtype=np.int64) * 15_000
    buckets = [
        SeriesData(
            number, "b", {"le": le, "instance": "a"}, "counter", times, np.arange(61, dtype=np.float64) * per_scrape
        )
        for number, (le, per_scrape) in enumerate((("0.1", 90.0), ("1", 99.0), ("+Inf", 100.0)))
    ]
    cut = latency_window(ServiceSamples(buckets=buckets), "checkout", "production", 2 * MINUTE, 7 * MINUTE)

    assert (cut.requests, cut.known_ms, cut.cell_ms, cut.instances) == (2_000, 5 * MINUTE, MINUTE, 1)
    assert cut.per_second == pytest.approx(100 / 15)
    week = latency_window(ServiceSamples(buckets=buckets), "checkout", "production", 0, 7 * 1_440 * MINUTE)
    assert week.cell_ms == 14 * MINUTE
    assert 7 * 1_440 * MINUTE / week.cell_ms <= CELLS_MAX
    empty = latency_window(ServiceSamples(), "checkout", "production", 0, 10 * MINUTE)
    assert (empty.latency, empty.requests, empty.per_second, empty.instances) == (None, 0, 0.0, None)
