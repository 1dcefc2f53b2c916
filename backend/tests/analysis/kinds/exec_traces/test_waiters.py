"""The same waiters over traces and sides, and their histograms."""

from dataclasses import replace

import numpy as np
import pytest

from slowpath.analysis.kinds.exec_traces.block_bootstrap import block_weights, pooled_quantiles
from slowpath.analysis.kinds.exec_traces.group_names import normalised
from slowpath.analysis.kinds.exec_traces.wait_significance import AT, GRID
from slowpath.analysis.kinds.exec_traces.waiters import MOST_BLOCKS, Waiter, match_waiters
from tests.analysis.kinds.exec_traces.generated_traces import SERVICE, GeneratedWaiter, traces


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("main.New.func2.1", "main.New.func"),
        ("main.New.func2.gowrap1", "main.New.func"),
        ("example.com/m/v3/pool.Run", "example.com/m/pool.Run"),
        ("example.com/m/v3.Run", "example.com/m.Run"),
        ("top/vendor/example.com/m.Run", "example.com/m.Run"),
        ("example.com/v2ray.Run", "example.com/v2ray.Run"),
    ],
)
def test_names_without_what_changes_from_build_to_build(name: str, key: str) -> None:
    assert normalised(name) == key


def test_only_goroutines_of_the_program_can_be_findings() -> None:
    assert Waiter("main.a", "network", system=False).can_be_finding
    assert not Waiter("runtime.bgsweep", "network", system=True).can_be_finding
    assert not Waiter("(other)", "network", system=False).can_be_finding
    assert not Waiter("main.a", "(before the trace)", system=False).can_be_finding


def test_groups_that_differ_only_in_closures_are_added_up() -> None:
    one, two = GeneratedWaiter("main.run.func1", "select", 300), GeneratedWaiter("main.run.func2", "select", 300)
    apart = traces([one, two], 2, 1)
    matched = match_waiters(apart, apart)
    assert [waiter.group for waiter in matched.waiters] == ["main.run.func"]
    waits = sum(float(a.table.waiters.waits.sum()) for a in apart)
    assert matched.base.waits_of(0) == waits
    buckets, counts = matched.base.histograms(0)
    assert counts.sum() == waits
    weights = np.ones((3, len(matched.base.block_trace)), dtype=np.float32)
    pooled = pooled_quantiles(matched.base, 0, weights, GRID)
    assert pooled.draws[0] == pytest.approx(pooled.value)
    assert len(buckets) == counts.shape[1]


def test_very_long_traces_are_resampled_in_longer_blocks() -> None:
    slow = GeneratedWaiter("main.slow", "select", 2, 10_000)
    long = traces([slow], 1, 1, seconds=900)
    matched = match_waiters(long, traces([slow], 1, 2, seconds=900))
    assert matched.base.joined == 3
    assert len(matched.base.block_trace) <= MOST_BLOCKS
    weights = block_weights(matched.base, 50, np.random.default_rng(1))
    assert np.all(weights.sum(axis=1) == len(matched.base.block_trace))
    pooled = pooled_quantiles(matched.base, 0, weights, GRID)
    assert float(pooled.draws[:, AT[0.5]].std()) < 0.2
    assert matched.base.histograms(0)[1].sum() == float(long[0].table.waiters.waits.sum())


def test_shares_are_of_what_both_sides_have() -> None:
    new = GeneratedWaiter("main.new", "sync", 1_000, 5_000_000)
    matched = match_waiters(traces(SERVICE, 1, 1), traces([*SERVICE, new], 1, 2))
    shares = matched.shares(matched.candidate, matched.common)
    assert shares.sum() == pytest.approx(1)
    assert shares[0] == 0
    assert matched.waiters[0].group == "main.new"
    assert matched.shares(matched.candidate, matched.can_be_findings)[0] > 0.9


def test_a_side_without_traces_is_one() -> None:
    matched = match_waiters(traces([replace(SERVICE[0], woken_by=None)], 1, 1), [])
    assert matched.candidate.seconds == 1.0
    assert matched.candidate.waits_of(0) == 0
