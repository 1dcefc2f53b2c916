from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest
from numpy.random import default_rng
from numpy.typing import NDArray

from slowpath.analysis.series.minimum_detectable_change import smallest_detectable
from slowpath.analysis.series.noise_model import heavy_tailed
from slowpath.analysis.series.online_detection import OnlineDetectionResult, evaluate_many
from slowpath.analysis.series.series_thresholds import SeriesThresholds
from tests.analysis.series.generated_series import KINDS, drawn, evaluate_newest, stepped

F64 = NDArray[np.float64]
LIMITS = SeriesThresholds()


def looks(values: F64, first: int = 9) -> Iterator[tuple[int, OnlineDetectionResult]]:
    for builds in range(first, len(values) + 1):
        yield builds, evaluate_newest(values[:builds])


def builds_until_reported(series: F64, first: int, thresholds: SeriesThresholds = LIMITS) -> NDArray[np.int64]:
    """Return [series] the number of builds until each change is reported; 9999 if never."""
    out = np.full(len(series), 9999)
    for builds in range(first, series.shape[1] + 1):
        waiting = np.flatnonzero(out == 9999)
        detections = evaluate_many(series[waiting, :builds], thresholds=thresholds)
        out[waiting[[one.state == "confirmed" for one in detections]]] = builds
    return out


@pytest.mark.parametrize("kind", ["gauss", "heavy", "spiky", "bimodal", "memory"])
def test_evaluations_of_unchanged_builds_report_nothing(kind: str) -> None:
    assert np.sum(builds_until_reported(drawn(default_rng(31), kind, 40), 9) < 9999) <= 2


@pytest.mark.processes
def test_heavy_tails_are_detected_and_need_stronger_evidence() -> None:
    flagged = {kind: np.mean(heavy_tailed(drawn(default_rng(35), kind, 400, 120), LIMITS.heavy_from)) for kind in KINDS}
    assert flagged["heavy"] > 0.85
    assert max(flagged[kind] for kind in ("gauss", "bimodal", "memory")) < 0.08

    series = drawn(default_rng(36), "heavy", 150)
    careless = replace(LIMITS, score_heavy=0.0)
    assert np.sum(builds_until_reported(series, 60) < 9999) < np.sum(builds_until_reported(series, 60, careless) < 9999)


def test_a_step_of_ten_percent_is_reported_within_three_builds() -> None:
    delays = builds_until_reported(stepped(default_rng(32), "gauss", 100, 130, 1.1, 134), 131) - 130
    assert np.mean(delays <= 3) >= 0.85


def test_a_step_of_five_percent_is_reported_within_twelve_builds() -> None:
    delays = builds_until_reported(stepped(default_rng(33), "gauss", 100, 130, 1.05, 142), 131) - 130
    assert np.mean(delays <= 12) >= 0.85


@pytest.mark.parametrize(
    ("history", "ratio", "least"), [(8, 2.0, 0.95), (12, 1.25, 0.8), (20, 1.25, 0.9), (20, 1.1, 0.2)]
)
def test_a_step_after_few_builds_is_reported_within_six(history: int, ratio: float, least: float) -> None:
    delays = (
        builds_until_reported(stepped(default_rng(42), "gauss", 60, history, ratio, history + 6), history + 1) - history
    )
    assert np.mean(delays <= 6) >= least


def test_two_builds_are_never_enough_in_a_short_series() -> None:
    values = stepped(default_rng(43), "gauss", 1, 20, 2.0, 22)[0]
    detected = evaluate_newest(values)
    assert (detected.state, detected.needs_builds) == ("candidate", 1)
    assert evaluate_newest(np.append(values, 2.02)).state == "confirmed"


def test_series_of_a_service_share_the_estimate_of_autocorrelation() -> None:
    series = stepped(default_rng(44), "gauss", 40, 16, 1.12, 22)
    together = sum(one.state == "confirmed" for one in evaluate_many(series, together=True))
    assert together > sum(one.state == "confirmed" for one in evaluate_many(series))
    remembering = drawn(default_rng(45), "memory", 40, 30)
    assert sum(one.state == "confirmed" for one in evaluate_many(remembering, together=True)) <= 1


def test_noise_is_not_less_than_what_is_within_builds() -> None:
    values = np.append(1 + 0.002 * default_rng(46).standard_normal(20), [1.05] * 4)
    assert evaluate_newest(values).state == "confirmed"
    assert evaluate_newest(values, spread=np.full(24, 0.05)).state != "confirmed"


def test_a_step_goes_from_steady_to_candidate_to_confirmed() -> None:
    values = stepped(default_rng(34), "gauss", 1, 100, 1.15, 110)[0]
    states = [judgement.state for _, judgement in looks(values, 99)]
    assert states[:2] == ["steady", "steady"]
    assert states[2] == "candidate"
    assert states[-1] == "confirmed"
    first = evaluate_newest(values[:101])
    assert first.change is not None
    assert first.change.index == 100
    assert first.needs_builds in {1, 2}
    last = evaluate_newest(values)
    assert last.change is not None
    assert last.change.low_index <= 100 <= last.change.high_index
    assert last.needs_builds is None


def test_nothing_is_known_before_there_are_enough_builds() -> None:
    few = evaluate_newest(np.ones(5))
    assert (few.state, few.change, few.needs_builds) == ("too-few", None, 4)
    assert np.isnan(few.detectable)
    assert evaluate_newest(np.zeros(0)).needs_builds == LIMITS.least_builds + 1
    assert evaluate_newest(np.full(40, np.nan)).state == "too-few"


def test_a_reported_change_is_not_reported_again() -> None:
    values = stepped(default_rng(35), "gauss", 1, 60, 1.2, 120)[0]
    for builds in range(69, 121):
        detected = evaluate_newest(values[:builds], decided=60)
        assert detected.state in {"steady", "candidate"}
    assert evaluate_newest(values[:65], decided=60).state == "too-few"


def test_three_spikes_in_a_row_are_no_level() -> None:
    values = drawn(default_rng(36), "gauss", 1, 100)[0]
    values[-9:] = [1.02, 0.98, 1.01, 1.0, 0.97, 0.99, 1.5, 1.12, 1.45]
    assert evaluate_newest(values).state == "candidate"


def test_a_new_machine_is_reported_as_a_machine_change() -> None:
    values = stepped(default_rng(37), "gauss", 1, 100, 1.3, 106)[0]
    machines = (np.arange(106) >= 100).astype(np.int32)
    detected = evaluate_newest(values, conditions=machines)
    assert detected.state == "confirmed"
    assert detected.change is not None
    assert detected.change.cause == "conditions"


def test_a_single_build_is_confirmed_by_measuring_it_again() -> None:
    rng = default_rng(41)
    spread = np.full(101, 0.03)
    counts = np.ones(101, dtype=np.int32)
    values = drawn(rng, "gauss", 1, 101)[0]
    values[100] = 1.12
    once = evaluate_newest(values, spread=spread, counts=counts)
    assert once.state == "candidate"
    assert once.needs_profiles is not None
    assert once.needs_profiles >= 1
    spread[100], counts[100] = 0.03 / np.sqrt(10), 10
    assert evaluate_newest(values, spread=spread, counts=counts).state == "confirmed"


def test_many_series_watched_together_ask_for_more_of_each() -> None:
    together = LIMITS.for_family(100)
    assert together.score_expected > LIMITS.score_expected + 0.9
    assert LIMITS.for_family(1) == LIMITS
    series = drawn(default_rng(39), "gauss", 100)
    alarms = [evaluate_many(series[:, :builds], thresholds=together) for builds in range(30, 201, 5)]
    assert all(one.state != "confirmed" for look in alarms for one in look)


def test_the_smallest_detectable_change_is_what_is_found_in_most_series() -> None:
    rng = default_rng(40)
    ratio = smallest_detectable(drawn(rng, "gauss", 1, 130)[0])
    assert 1.04 < ratio < 1.065
    delays = builds_until_reported(stepped(rng, "gauss", 60, 130, 1.05, 142), 131) - 130
    assert np.mean(delays <= 12) >= 0.8
    assert smallest_detectable(drawn(rng, "gauss", 1, 130, cv=0.087)[0]) > 1.1
    assert smallest_detectable(drawn(rng, "memory", 1, 200)[0]) > ratio
    assert np.isnan(smallest_detectable(np.ones(4)))


def test_builds_whose_few_profiles_agree_decide_nothing() -> None:
    """Three profiles a build: their standard error is off by half, and must not be the build's weight."""
    profiles = 1 + 0.25 * default_rng(42).standard_normal((500, 120, 3))
    values, spread = profiles.mean(axis=2), profiles.std(axis=2, ddof=1) / np.sqrt(3)
    counts = np.full(values.shape, 3, dtype=np.int32)
    confirmed = {
        series
        for builds in range(20, 121, 5)
        for series, one in enumerate(
            evaluate_many(values[:, :builds], spread=spread[:, :builds], counts=counts[:, :builds], together=True)
        )
        if one.state == "confirmed"
    }
    assert len(confirmed) <= 2  # six with the errors themselves as weights
