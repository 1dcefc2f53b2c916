"""Lasting steps are detected, bursts and drifts are not; a second scan gives the same; sizes and causes are right."""

import numpy as np
import pytest
from numpy.random import default_rng

from bench.synthetic_traffic import TrafficProfile, cells_of, counts_of, weather
from slowpath.analysis.kinds.metrics.changes.change_attribution import (
    ChangeCause,
    DependencyChange,
    DeploymentTime,
    attribute_change,
)
from slowpath.analysis.kinds.metrics.changes.change_point_scan import (
    NOTHING_EARLIER,
    CellConditions,
    EarlierCells,
    StepCriteria,
    find_steps,
)
from slowpath.analysis.kinds.metrics.changes.change_wording import change_sentence
from slowpath.analysis.kinds.metrics.changes.deployment_check import check_deployment
from slowpath.analysis.kinds.metrics.changes.latency_change_points import (
    MINUTES,
    LatencyChangePoint,
    ScanStart,
    find_change_points,
)
from slowpath.analysis.kinds.metrics.panels.service_cells import MINUTE_MS, ServiceCells, increases
from slowpath.analysis.kinds.metrics.samples.series_data import SeriesData, Values
from slowpath.analysis.stats.histogram_cells import HistogramCells

DEMAND = StepCriteria(float(np.log(1.2)))


def noise(size: int, seed: int = 0) -> Values:
    drawn: Values = default_rng(seed).normal(0, 0.05, size)
    return drawn


NOTHING_EXPECTED = CellConditions(np.zeros(400, np.bool_), np.zeros(400, np.bool_))


def steps_of(
    values: Values, *, favoured: int | None = None, busy: tuple[int, ...] = (), earlier: EarlierCells = NOTHING_EARLIER
) -> list[int]:
    conditions = CellConditions(np.zeros(len(values), np.bool_), np.zeros(len(values), np.bool_))
    if favoured is not None:
        conditions.favoured[favoured : favoured + 5] = True
    conditions.busy[list(busy)] = True
    return [step.at for step in find_steps(values, conditions, MINUTES, DEMAND, earlier)]


def cells(slower: Values | float, minutes: int = 300, bursts: float = 0.0) -> ServiceCells:
    rng = default_rng(5)
    latency = cells_of(counts_of(rng, weather(rng, minutes, bursts=bursts), 20.0, slower=slower))
    return ServiceCells(latency.times_ms, MINUTE_MS, latency, latency.requests, None)


def change(**overrides: float) -> LatencyChangePoint:
    fields = {"at_ms": 50_520_000, "low_ms": 50_520_000, "high_ms": 50_580_000, "seen_ms": 51_000_000}
    sizes = {"before": 0.084, "after": 0.26, "ratio": 3.1, "ratio_low": 2.8, "ratio_high": 3.4}
    return LatencyChangePoint("p99", **{**fields, **sizes, **overrides})  # type: ignore[arg-type]


def test_a_lasting_step_is_found() -> None:
    values = noise(400)
    values[200:] += 0.7
    assert steps_of(values) == [200]


def test_a_burst_and_a_drift_are_no_steps() -> None:
    values = noise(400)
    values[200:204] += 1.0
    assert steps_of(values) == []
    assert steps_of(noise(400) + np.linspace(0, 1, 400)) == []


def test_a_step_at_a_deployment_is_detected_sooner() -> None:
    values = noise(240)
    values[200:] += 0.7
    assert steps_of(values[:203]) == []
    assert steps_of(values[:203], favoured=200) == [200]


def test_bursts_of_requests_delay_only_what_may_be_one() -> None:
    """After bursts, a step must last longer, unless all bursts had more requests and the step has not."""
    values, bursts = noise(400), tuple(at + k for at in (60, 95, 130, 160) for k in range(2))
    values[list(bursts)] += 1.0
    values[200:] += 0.7
    newest = values[:206]

    assert steps_of(newest) == []
    assert steps_of(newest, busy=bursts) == [200]
    assert steps_of(newest, busy=(*bursts, *range(200, 206))) == []
    assert steps_of(values) == [200]


def test_bursts_before_the_first_cell_count() -> None:
    values = noise(240)[120:]
    values[80:] += 0.7
    bursts = np.zeros(240)
    bursts[[at + k for at in (20, 60, 95, 150) for k in range(2)]] = 1.0
    earlier = EarlierCells(bursts, np.zeros(240, np.bool_))

    assert steps_of(values[:84], favoured=80) == [80]
    assert steps_of(values[:84], favoured=80, earlier=earlier) == []


def test_a_burst_just_before_a_step_does_not_move_it() -> None:
    values = noise(400)
    for begin in (20, 60, 95, 130, 193):
        values[begin : begin + 3] += 1.0
    values[200:] += 0.7
    (step,) = find_steps(values, NOTHING_EXPECTED, MINUTES, DEMAND)
    assert step.at == 200
    assert step.low <= 200 <= step.high <= 202


def test_later_builds_do_not_change_a_decided_verdict() -> None:
    values = noise(400)
    values[200:] += 0.7
    values[300:] -= 0.7
    assert steps_of(values[:260]) == steps_of(values)[:1] == [200]
    assert steps_of(values) == [200, 300]


def test_the_size_is_of_all_requests_pooled() -> None:
    (found,) = find_change_points(cells(np.where(np.arange(300) < 200, 1.0, 2.0)), (), default_rng(1))
    assert found.signal == "p99"
    assert found.ratio_low < 2.0 < found.ratio_high
    assert found.ratio_high / found.ratio_low < 1.4
    assert found.low_ms <= 200 * MINUTE_MS <= found.high_ms + MINUTE_MS


@pytest.mark.parametrize("bursts", [0.0, 0.06])
def test_equal_inputs_have_no_change(bursts: float) -> None:
    assert find_change_points(cells(1.0, 900, bursts), (), default_rng(1)) == []


def test_a_deploy_with_which_a_service_begins_expects_no_step() -> None:
    """Half a minute more of what is usual only at the start is no step, but a deploy of something that ran before may be one."""
    drawn = cells(np.where(np.arange(40) < 12, 1.0, 2.0), 40)
    assert drawn.latency is not None
    times = drawn.times_ms // 12
    latency = HistogramCells(times, drawn.latency.bounds, drawn.latency.counts)
    fine = ServiceCells(times, 5_000, latency, latency.requests, None)
    assert find_change_points(fine, (0,), default_rng(1)) == []
    assert len(find_change_points(fine, (60_000,), default_rng(1))) == 1


def test_busy_minutes_do_not_count_for_quiet_ones() -> None:
    """Only every sixth minute has enough requests for a p99: slower ones are no evidence about the others."""
    minutes, rng = np.arange(400), default_rng(5)
    busy = minutes % 6 == 0
    seen = TrafficProfile(np.where(busy, 12.0, 2.0), np.zeros(400, np.bool_))
    latency = cells_of(counts_of(rng, seen, 1.0, slower=np.where(busy & (minutes >= 200), 2.0, 1.0)))
    drawn = ServiceCells(latency.times_ms, MINUTE_MS, latency, latency.requests, None)
    assert [each for each in find_change_points(drawn, (), default_rng(1)) if each.signal != "qps"] == []


def test_a_step_after_a_hazy_one_keeps_its_base() -> None:
    """The first step may have come up to a minute before the second; the minutes between are the base of the second."""
    steps = np.select([np.arange(300) < 200, np.arange(300) < 230], [1.0, 1.4], 4.0)
    hazy = change(at_ms=200 * MINUTE_MS, low_ms=195 * MINUTE_MS, high_ms=229 * MINUTE_MS, seen_ms=229 * MINUTE_MS)
    (found,) = find_change_points(cells(steps), (230 * MINUTE_MS,), default_rng(1), ScanStart.of([hazy]))
    assert found.at_ms == 230 * MINUTE_MS


def test_a_counter_is_cut_into_cells_without_loss() -> None:
    times = np.arange(7, dtype=np.int64) * 15_000 + 4_000
    series = SeriesData(1, "n", {}, "counter", times, np.array([5.0, 8, 12, 2, 6, 9, 9]))
    (row,) = increases([series], np.arange(5_000, 91_000, 5_000, dtype=np.int64))
    assert np.nansum(row) == pytest.approx(3 + 4 + 2 + 4 + 3 - 0.2)
    assert (row >= 0).all()


def test_a_deploy_explains_what_load_does_not() -> None:
    deploys = [DeploymentTime("5f3c1e8", 50_500_000), DeploymentTime("older", 40_000_000)]
    assert attribute_change(change(), 0.1, deploys, []) == ChangeCause("deployment", "5f3c1e8")
    assert attribute_change(change(), 0.8, deploys, []) == ChangeCause("load")
    assert attribute_change(change(), 0.0, [], []) == ChangeCause("unexplained")
    other = DependencyChange("ingester", change(), deployed=True)
    assert attribute_change(change(), 0.0, [], [other]) == ChangeCause("dependency", None, "ingester")


def test_words() -> None:
    assert (
        change_sentence(change(), "deployment", "5f3c1e8", None)
        == "p99 ×3.10, significant (2.80 to 3.40), caused by deployment 5f3c1e8"
    )


@pytest.mark.parametrize(("slower", "word"), [(2.0, "slower"), (1.0, "not-slower")])
def test_a_deployment_is_compared_with_concurrent_instances(slower: float, word: str) -> None:
    rng = default_rng(3)
    seen = weather(rng, 60, bursts=0.0)
    base, candidate = (cells_of(counts_of(rng, seen, 20.0, slower=by)) for by in (1.0, slower))
    assert check_deployment(base, candidate, "concurrent", 60, [], rng).verdict == word


def test_a_before_after_check_is_inconclusive_until_the_dispersion_is_learned() -> None:
    rng = default_rng(3)
    seen = weather(rng, 120, bursts=0.0)
    found = cells_of(counts_of(rng, seen, 20.0, slower=np.where(np.arange(120) < 60, 1.0, 2.0)))
    sides = found.between(0, 60 * MINUTE_MS), found.between(60 * MINUTE_MS, 120 * MINUTE_MS)
    alone = check_deployment(*sides, "before-after", 60, [], rng)
    assert alone.verdict == "inconclusive"
    assert [caveat.id for caveat in alone.caveats] == ["before-after"]
    assert check_deployment(*sides, "before-after", 60, [0.02, -0.03, 0.01, 0.02], rng).verdict == "slower"
