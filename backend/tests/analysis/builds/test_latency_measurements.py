"""Latency of builds as a series: values, when it is reported alone, and when it joins a finding of profiles."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.random import default_rng

from bench.synthetic_traffic import cells_of, counts_of, weather
from slowpath.analysis.builds.change_detection import ScanResult, scan_history
from slowpath.analysis.builds.latency_measurements import DeploymentLatency, LatencySubject, measure_latency
from slowpath.analysis.builds.load_bands import assign_load_bands, load_texts
from slowpath.analysis.builds.series_matrix import SeriesMatrix, lasting, lay_out
from slowpath.analysis.findings.build_measurements import KindMeasurement, SubjectValues, unpack
from slowpath.analysis.kinds.metrics.changes.exclusive_latency import ALL, ExclusiveLatency
from slowpath.analysis.series.series_rows import I32
from slowpath.analysis.stats.histogram_cells import HistogramCells

HISTORY = 60
PLACEMENTS = 0.03


def window(seed: int, minutes: int = 60, slower: float = 1.0, per_second: float = 20.0) -> HistogramCells:
    rng = default_rng([seed, 3])
    return cells_of(counts_of(rng, weather(rng, minutes), per_second, slower))


def measured(*windows: HistogramCells) -> KindMeasurement:
    deploys = [DeploymentLatency("production", ExclusiveLatency({ALL: each}, "buckets")) for each in windows]
    return measure_latency(deploys, default_rng(1))[0]


def test_quantiles_of_all_minutes_together_with_their_error() -> None:
    short, long = measured(window(1, 30)), measured(window(1, 480))

    assert short.subjects == long.subjects == ("production p50", "production p99")
    assert long.bases["quantile"].unit == "ns"
    assert long.bases["quantile"].value[0] == pytest.approx(8.5e6, rel=0.2)
    assert (long.bases["quantile"].error < short.bases["quantile"].error).all()
    assert long.load["production"] == pytest.approx(22, rel=0.3)
    assert unpack(long.pack()).load == long.load


def test_a_deploy_is_one_replicate_however_long_it_ran() -> None:
    assert measured(window(1, 480)).replicates == 1
    assert measured(window(1), window(2)).replicates == 2


def test_too_little_is_no_measure_and_no_tail() -> None:
    assert measured(window(1, 5)).subjects == ()
    assert measured(window(1, 20, per_second=0.5)).subjects == ("production p50",)


def test_a_quantile_above_the_highest_bound_is_unknown() -> None:
    assert measured(window(1, 60, slower=1e6)).subjects == ()


def test_what_is_counted_in_other_buckets_is_not_pooled() -> None:
    one, other = window(1), window(2)
    other = HistogramCells(other.times_ms, np.append(other.bounds[:-1] * 1.01, np.inf), other.counts)

    assert measured(other, one).bases["quantile"].value == pytest.approx(measured(one).bases["quantile"].value)


def test_a_subject_names_environment_route_and_quantile() -> None:
    for subject in (LatencySubject("production", "", "p99"), LatencySubject("staging", "GET /a b", "p50")):
        assert LatencySubject.read(str(subject)) == subject


def test_a_load_that_comes_again_is_the_same_and_a_slow_growth_is_no_other() -> None:
    assert assign_load_bands([None, 100, 110, 400, 90, None, 420]) == [None, 0, 0, 1, 0, 0, 1]
    assert set(assign_load_bands([100 * 1.01**build for build in range(100)])) == {0}
    texts = load_texts([None, KindMeasurement("latency", 1, (), {}, load={"production": 104.0})])
    assert texts == ["production: about 100 requests a second"] * 2


def latencies(builds: int, seed: int, ratio: float = 1.0, since: int = HISTORY) -> SeriesMatrix:
    """Quantiles of builds, each in a placement of its own, as the line of a service lays them out."""
    rng = default_rng([seed, 5])
    made: list[KindMeasurement | None] = []
    for build in range(builds):
        placed = float(np.exp(rng.normal(0, PLACEMENTS))) * (ratio if build >= since else 1.0)
        values = np.array([8e6, 6e7]) * placed * rng.normal(1, [0.01, 0.03])
        held = SubjectValues("ns", values, values * np.array([0.01, 0.03]))
        made.append(KindMeasurement("latency", 1, ("production p50", "production p99"), {"quantile": held}))
    found = lay_out(made, least_share=0.004)
    assert found is not None
    return found


def seen(*lines: SeriesMatrix) -> ScanResult:
    alike: dict[str, I32] = {each.kind: np.zeros(len(each.counts), np.int32) for each in lines}
    return scan_history(lines, alike, [], frozenset())


def test_an_environment_that_few_builds_knew_asks_nothing_of_the_others() -> None:
    line = latencies(20, 1)
    few = np.full((1, 20), np.nan)
    few[0, 3:6] = 1e6
    more = replace(
        line,
        subjects=(*line.subjects, "preview p50"),
        values=np.vstack([line.values, few]),
        callers=(*line.callers, ()),
        categories=(*line.categories, None),
    )

    assert lasting(more, 8) == list(line.subjects)
    assert lasting(replace(more, values=more.values[:, :5]), 8) == list(line.subjects)
    assert lasting(latencies(2, 1), 8) == list(line.subjects)


def test_latency_alone_is_reported_after_five_builds() -> None:
    few, enough = seen(latencies(HISTORY + 3, 1, 1.2)), seen(latencies(HISTORY + 8, 1, 1.2))

    [waiting] = few.groups
    assert (waiting.is_reported, waiting.is_likely) == (False, True)
    assert waiting.lead.needs_builds == 2
    assert waiting.lead.needs_profiles is None
    assert not any(each.confirmed for each in waiting.members)
    [group] = enough.groups
    assert group.is_reported
    assert group.lead.change.ratio == pytest.approx(1.2, rel=0.05)
    assert {each.subject for each in group.members} == {"production p50", "production p99"}


def test_a_small_step_of_latency_alone_is_never_reported() -> None:
    for seed in range(4):
        assert not any(group.is_reported for group in seen(latencies(HISTORY + 12, seed, 1.04)).groups)


def test_unchanged_latency_is_reported_at_no_evaluation() -> None:
    for seed in range(4):
        line = latencies(HISTORY, seed)
        for builds in range(10, HISTORY, 3):
            cut = SeriesMatrix(
                line.kind, line.basis, line.unit, line.subjects, line.values[:, :builds], line.errors[:, :builds],
                line.counts[:builds], line.callers, line.categories,
            )  # fmt: skip
            assert not any(group.is_reported for group in seen(cut).groups)


def test_latency_and_a_function_that_changed_together_are_one_and_the_function_names_it() -> None:
    rng = default_rng(4)
    made: list[KindMeasurement | None] = []
    for build in range(HISTORY + 4):
        cost = np.array([10.0 * (1.5 if build >= HISTORY else 1.0), 20.0]) * rng.normal(1, 0.02, 2)
        values = np.array([*cost, cost.sum()])
        held = SubjectValues("us/request", values, values / 50)
        made.append(
            KindMeasurement(
                "profile.function", 3, ("app.a", "app.b", "total"), {"per_request": held}, ((),) * 3, (None,) * 3
            )
        )
    functions = lay_out(made, least_share=0.004)
    assert functions is not None

    [group] = [group for group in seen(functions, latencies(HISTORY + 4, 1, 1.2)).groups if group.is_reported]
    assert (group.lead.kind, group.lead.subject) == ("profile.function", "app.a")
    assert {each.kind for each in group.members} == {"profile.function", "latency"}
