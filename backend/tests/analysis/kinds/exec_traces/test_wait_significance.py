"""The conditions of a finding: intervals of both levels, floors, significance; and the sum of the P occupancy."""

from dataclasses import replace

import numpy as np
import pytest

from slowpath.analysis.kinds.exec_traces.p_occupancy import OccupancyTable
from slowpath.analysis.kinds.exec_traces.trace_thresholds import DEFAULT_TRACE_THRESHOLDS
from slowpath.analysis.kinds.exec_traces.waiters import match_waiters
from slowpath.analysis.stats.pooled_effects import PooledQuantiles, compare_pooled, estimate_spread
from tests.analysis.documents import as_json
from tests.analysis.kinds.exec_traces.compare_helpers import compared
from tests.analysis.kinds.exec_traces.generated_traces import SERVICE, GeneratedWaiter, traces

CLIENT, BATCHER, WORKER, SWEEPER = SERVICE
SPREAD = np.array([0.2])


GENERATORS = (np.random.default_rng(1), np.random.default_rng(2))


def pooled(*each: float) -> PooledQuantiles:
    """One quantile of traces whose blocks are all equal."""
    values = np.array(each)[:, None]
    return PooledQuantiles(
        values.mean(axis=0), np.full((400, 1), values.mean()), values, np.full(len(each), 1 / len(each))
    )


def width(base: PooledQuantiles, candidate: PooledQuantiles, spread: float = 0.2) -> float:
    effects = compare_pooled(base, candidate, np.array([spread]), DEFAULT_TRACE_THRESHOLDS, GENERATORS)
    return float(effects.high[0] - effects.low[0])


def test_traces_that_differ_widen_the_interval_and_more_of_them_narrow_it() -> None:
    alike, apart = pooled(1.0, 1.0, 1.0), pooled(0.0, 1.0, 2.0)
    assert width(apart, apart) > 2 * width(alike, alike)
    assert width(alike, alike) > 0.3
    assert width(pooled(*[1.0] * 12), pooled(*[1.0] * 12)) < width(alike, alike) / 2


def test_one_trace_a_side_has_a_wider_prior_dispersion() -> None:
    assert width(pooled(1.0), pooled(1.0)) > 2 * 2 * 0.2 * 2**0.5


def test_the_prior_of_traces_is_corrected_by_their_data() -> None:
    alike, apart = pooled(1.0, 1.0, 1.0), pooled(0.0, 1.0, 2.0)
    assert estimate_spread([(apart, apart)] * 8, SPREAD, DEFAULT_TRACE_THRESHOLDS)[0] == pytest.approx(0.6)
    assert estimate_spread([(alike, alike)] * 8, SPREAD, DEFAULT_TRACE_THRESHOLDS)[0] < 0.12
    assert estimate_spread([(pooled(1.0), pooled(3.0))], SPREAD, DEFAULT_TRACE_THRESHOLDS)[0] == pytest.approx(0.2)


def test_a_waiter_with_less_than_a_hundredth_of_the_waiting_is_no_finding() -> None:
    rare = GeneratedWaiter("main.rare", "select", 40, 2_000)
    loud = replace(CLIENT, median_ns=4_000_000)
    found = compared(traces([loud, rare], 4, 1), traces([loud, replace(rare, median_ns=400_000)], 4, 2))
    rows = {row["waiter"]: row for row in as_json(found.page())["groups"]}
    assert rows["main.rare|select"]["change"]["p99"]["low"] > 20
    assert rows["main.rare|select"]["share_of_wait_candidate"] < 0.01
    assert found.findings == ()


def test_significant_is_not_enough_the_whole_interval_must_be_beyond_the_floor() -> None:
    slower = [replace(each, median_ns=each.median_ns * 1.4) for each in SERVICE]
    loud = [replace(each, median_ns=each.median_ns * 50) for each in SERVICE]
    found = compared(
        traces(loud, 6, 1), traces([replace(each, median_ns=each.median_ns * 50) for each in slower], 6, 2)
    )
    for finding in found.findings:
        assert finding.change.ci_low > 1.25


def test_with_one_trace_a_side_a_moderate_change_is_only_likely() -> None:
    slower = [replace(each, median_ns=each.median_ns * 9, occupancy={"user|main.hog": 1.0}) for each in SERVICE]
    found = compared(traces(SERVICE, 1, 1), traces(slower, 1, 2))
    assert found.findings
    assert not any(each.is_significant for each in found.findings)
    assert found.verdict == "inconclusive"


def test_a_cpu_hog_of_a_thousand_goroutines_is_a_thundering_herd() -> None:
    ticker = GeneratedWaiter("main.ticker", "sleep", 500, 400_000, goroutines=1_000)
    # "hog" is the name of the verdict in traces that earlier releases decoded
    slower = [
        replace(each, median_ns=each.median_ns * 200, occupancy={"user|main.ticker": 1.0}, verdict="hog")
        for each in SERVICE
    ]
    first = compared(traces(SERVICE, 2, 1), traces([*slower, ticker], 2, 2)).findings[0]
    assert "1,000 goroutines of main.ticker occupied the processors in turn for 100% of it" in first.sentence
    assert "spread their phases" in first.advice


def test_p_occupancy_sums_to_the_mean_wait_of_each_side() -> None:
    slower = [
        replace(each, median_ns=each.median_ns * 10, occupancy={"user|main.hog": 0.6, "idle": 0.4}) for each in SERVICE
    ]
    matched = match_waiters(traces(SERVICE, 2, 1), traces(slower, 2, 2))
    occupancy = OccupancyTable(matched, 100, GENERATORS)
    for number in range(len(matched.waiters)):
        parts = occupancy.of(number).parts
        for side, name in zip(matched.sides, ("base", "candidate"), strict=True):
            mean = float(side.total_ns[number].sum()) / side.waits_of(number)
            assert sum(getattr(part, f"{name}_ns_per_wait") for part in parts) == pytest.approx(mean, rel=1e-6)
            assert sum(getattr(part, f"{name}_share") for part in parts) == pytest.approx(1)
        new = {part.occupant.name: part.new for part in parts}
        assert new == {"user|main.hog": True, "idle": False, "user|main.worker": False}


def test_an_unknown_way_of_recording_raises_no_caveat() -> None:
    found = compared(traces(SERVICE, 2, 1), traces(SERVICE, 2, 2, recording="unknown"))
    assert found.caveats == ()
