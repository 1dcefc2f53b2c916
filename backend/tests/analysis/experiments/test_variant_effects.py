"""Effects of variants: placebos, known effects, drift, shares of an increase."""

from collections.abc import Mapping

import numpy as np
import pytest

from slowpath.analysis.experiments.block_order import make_block_order
from slowpath.analysis.experiments.experiment_result import ExperimentResult, summarize_experiment
from slowpath.analysis.experiments.variant_effects import Block
from slowpath.analysis.experiments.variants import BASE, PARENT

BLOCKS = 10
Effects = Mapping[str, Mapping[str, float]]
"""Factor by variant and measure."""
LEVELS = {"cpu-ms/req": 3.0, "p99-ms": 80.0, "rss-MB": 240.0}
STORIES: Mapping[str, tuple[str, Effects]] = {
    "bound by the collector": ("GOGC=400", {"GOGC=200": {"cpu-ms/req": 0.85, "rss-MB": 1.4}, "GOGC=400": {"cpu-ms/req": 0.72, "rss-MB": 2.1}, "pgo=off": {"cpu-ms/req": 1.04}}),
    "thrashes at its memory limit": ("GOMEMLIMIT=1GiB", {"GOMEMLIMIT=1GiB": {"cpu-ms/req": 0.4, "p99-ms": 0.3, "rss-MB": 3.0}, "GOGC=200": {}, "GOGC=50": {"cpu-ms/req": 1.2}}),
    "throttled: more threads than cores": ("GOMAXPROCS=4", {"GOMAXPROCS=4": {"cpu-ms/req": 0.88, "p99-ms": 0.5}, "GOMAXPROCS=64": {"p99-ms": 1.4}, "pgo=off": {}}),
    "a setting of a new release": ("GODEBUG=asynctimerchan=1", {"GODEBUG=asynctimerchan=1": {"cpu-ms/req": 0.9}, "GODEBUG=madvdontneed=0": {"rss-MB": 1.1}, "GOGC=200": {"cpu-ms/req": 0.97}}),
    "one commit": ("revert", {PARENT: {"cpu-ms/req": 0.7}, "revert": {"cpu-ms/req": 0.7}, "GOGC=200": {"cpu-ms/req": 0.9}, "pgo=off": {}}),
    "a patch that also helps what was slow before": ("patch", {PARENT: {"cpu-ms/req": 0.8}, "revert": {"cpu-ms/req": 0.8}, "patch": {"cpu-ms/req": 0.65}, "GOGC=200": {}}),
    "a stale profile": ("pgo=off", {"pgo=off": {"cpu-ms/req": 0.93}, "GOGC=50": {"cpu-ms/req": 1.1, "rss-MB": 0.8}, "GOGC=200": {}}),
    "two settings together": ("GOGC=off GOMEMLIMIT=1GiB", {"GOGC=off GOMEMLIMIT=1GiB": {"cpu-ms/req": 0.66, "rss-MB": 1.9}, "GOGC=200": {"cpu-ms/req": 0.86}, "GOMEMLIMIT=1GiB": {}}),
}  # fmt: skip


def measure(effects: Effects, rng: np.random.Generator, *, noise: float = 0.03, odd: float = 0.0) -> list[Block]:
    """Simulate blocks in which the environment drifts by more than single runs vary."""
    drift = np.cumsum(rng.normal(0, 2 * noise, BLOCKS))

    def run(block: int, factors: Mapping[str, float]) -> dict[str, float]:
        return {
            name: level * factors.get(name, 1) * float(np.exp(drift[block] + rng.normal(0, noise))) * (1.6 if rng.random() < odd else 1)
            for name, level in LEVELS.items()
        }  # fmt: skip

    return [{BASE: run(one, {}), **{name: run(one, factors) for name, factors in effects.items()}} for one in range(BLOCKS)]  # fmt: skip


def summarize(blocks: list[Block], effects: Effects) -> ExperimentResult:
    return summarize_experiment(blocks, list(effects), list(LEVELS), "cpu-ms/req", frozenset())


@pytest.mark.parametrize("odd", [0.0, 0.1])
def test_placebos_have_no_effect(odd: float) -> None:
    placebos: Effects = {f"GODEBUG=placebo={one}": {} for one in range(5)}
    rng = np.random.default_rng(20261127)
    results = [summarize(measure(placebos, rng, odd=odd), placebos) for _ in range(200)]
    assert sum(any(one.verdict != "no effect" for one in result.effects) for result in results) <= 10
    detectable = [one.detectable or 0 for result in results for one in result.effects]
    if not odd:
        assert 0.03 < float(np.median(detectable)) < 0.12
    assert all(result.best is None for result in results if all(one.verdict == "no effect" for one in result.effects))


def test_the_best_variant_of_every_story_is_named() -> None:
    rng, named = np.random.default_rng(17), 0
    for expected, effects in STORIES.values():
        for _ in range(20):
            best = summarize(measure(effects, rng), effects).best
            named += best is not None and best.variant == expected
    assert named >= 20 * len(STORIES) * 7 / 8


def test_an_effect_that_was_detectable_is_found_in_four_of_five() -> None:
    rng = np.random.default_rng(5)
    null: Effects = {"GOGC=200": {}, "GOGC=400": {}}
    size = float(np.median([summarize(measure(null, rng), null).effects[0].detectable or 0 for _ in range(200)]))
    effects: Effects = {"GOGC=200": {"cpu-ms/req": 1 + size}, "GOGC=400": {}}
    found = sum(summarize(measure(effects, rng), effects).effects[0].verdict == "worse" for _ in range(200))
    assert 0.7 < found / 200 < 0.95


def test_the_share_of_the_increase_that_a_variant_removes() -> None:
    effects: Effects = {PARENT: {"cpu-ms/req": 0.6}, "revert": {"cpu-ms/req": 0.6}, "GOGC=200": {"cpu-ms/req": 0.8}}
    result = summarize(measure(effects, np.random.default_rng(3)), effects)
    shares = {one.variant: one.removes for one in result.effects if one.measure == "cpu-ms/req"}
    revert, half = shares["revert"], shares["GOGC=200"]
    assert shares[PARENT] is None
    assert revert is not None
    assert half is not None
    assert revert.low < 1 < revert.high
    assert half.low < 0.5 < half.high < 0.7
    assert "revert improves cpu-ms/req most" in result.sentence
    assert "of the increase since the culprit's parent" in result.sentence


def test_constant_and_zero_values_and_missing_runs() -> None:
    blocks: list[Block] = [
        {BASE: {"allocs": 0.0}, "patch": {"allocs": 0.0}, "pgo=off": {"allocs": 5.0}} for _ in range(4)
    ]
    effects = {one.variant: one for one in summarize_experiment(blocks, ["patch", "pgo=off", "GOGC=50"], ["allocs"], "allocs", frozenset()).effects}  # fmt: skip
    assert effects["patch"].verdict == "no effect"
    assert effects["pgo=off"].verdict == "worse"
    assert effects["GOGC=50"].verdict == "not measured"


def test_larger_values_can_be_better() -> None:
    rng = np.random.default_rng(9)
    blocks: list[Block] = [
        {BASE: {"req/s": 100 + rng.normal()}, "GOGC=200": {"req/s": 130 + rng.normal()}} for _ in range(6)
    ]
    result = summarize_experiment(blocks, ["GOGC=200"], ["req/s"], "req/s", frozenset({"req/s"}))
    assert result.best is not None
    assert result.effects[0].verdict == "better"


def test_blocks_are_complete_and_in_different_orders() -> None:
    builds = [BASE, "a", "b", "c"]
    orders = [make_block_order(builds, block, 7) for block in range(20)]
    assert all(sorted(one) == sorted(builds) for one in orders)
    assert len({tuple(one) for one in orders}) > 10
    assert orders == [make_block_order(builds, block, 7) for block in range(20)]
    assert {one[0] for one in orders} == set(builds)
