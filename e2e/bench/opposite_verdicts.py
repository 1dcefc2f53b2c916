"""Draw many effects of any size, and count results in the opposite direction.

Every draw is of one seed: a program, a number of captures per side, an effect of 10 to 200% (uniform in its logarithm) on half or
a fifth of the program, and the side that has it. Consecutive sides may have another process. Where they were sent another mix of
requests they are counted apart: their cost per request differs whatever the effect.
`SLOWPATH_BENCH_ROUNDS` multiplies the number of draws, `SLOWPATH_BENCH_SEED` is the first seed (default 0).
"""

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.random import Generator

from bench.aa_draws import ROUNDS
from bench.benchmark_results import BenchmarkResult
from bench.captures import CapturePool, pools
from bench.counted_shares import Count
from bench.product_comparison import compared, is_opposite, wrong_findings
from bench.resampled_sets import Draw, alternating, consecutive, split, with_effect

NAME = "directions"
SEED = int(os.environ.get("SLOWPATH_BENCH_SEED") or 0)
DRAWS = 150 * ROUNDS
SIZES = (4, 6, 8)
OTHER_MIX = "consecutive, another mix of requests"
LAYOUTS = ("random", "consecutive", "in turns", OTHER_MIX)
LEAST_EFFECT, LARGEST_EFFECT = 0.1, 2.0


@dataclass
class _Directions:
    """Verdicts, right and opposite, and comparisons with a significant finding in the opposite direction."""

    right: Count = field(default_factory=Count)
    opposite: Count = field(default_factory=Count)
    findings: Count = field(default_factory=Count)
    seeds: list[int] = field(default_factory=list)


def run() -> Iterator[BenchmarkResult]:
    """Yield the results of each layout, of tuning and of reserved programs; takes about eight minutes of one core."""
    found = pools()
    for reserved in (False, True):
        mine = [pool for pool in found if pool.reserved == reserved]
        whose = "reserved programs" if reserved else "tuning programs"
        for layout in LAYOUTS if mine else ():
            counted = _count_directions(mine, layout)
            what = f"+10% to +200%, {layout}, {whose}"
            seeds = f", seeds {', '.join(map(str, counted.seeds))}" if counted.seeds else ""
            yield BenchmarkResult(
                NAME,
                f"{what}: opposite verdicts ({counted.opposite.text}{seeds})",
                counted.opposite.share,
                goal=None if layout == OTHER_MIX else "0",
                met=None if layout == OTHER_MIX else counted.opposite.hits == 0,
            )
            yield BenchmarkResult(
                NAME,
                f"{what}: another function changed in the opposite direction ({counted.findings.text})",
                counted.findings.share,
            )
            yield BenchmarkResult(NAME, f"{what}: right verdicts ({counted.right.text})", counted.right.share)


def _count_directions(mine: Sequence[CapturePool], layout: str) -> _Directions:
    counted = _Directions()
    for seed in range(SEED, SEED + DRAWS):
        rng = np.random.default_rng([seed, LAYOUTS.index(layout), 11])
        pool = mine[int(rng.integers(len(mine)))]
        drawn = _draw(pool, layout, rng)
        if drawn is None:
            continue
        effect = float(np.exp(rng.uniform(np.log(LEAST_EFFECT), np.log(LARGEST_EFFECT))))
        key = pool.half if rng.random() < 0.5 else pool.fifth
        grown = tuple(with_effect(each, key, effect, rng) for each in drawn.candidate)
        backward = rng.random() < 0.5
        comparison = compared(grown, drawn.base) if backward else compared(drawn.base, grown)
        direction = "better" if backward else "worse"
        opposite = is_opposite(comparison, direction)
        counted.opposite.add(opposite)
        counted.findings.add(not opposite and bool(wrong_findings(comparison, direction)))
        counted.right.add(comparison.verdict == ("improved" if backward else "regressed"))
        counted.seeds += [seed] if opposite else []
    return counted


def _draw(pool: CapturePool, layout: str, rng: Generator) -> Draw | None:
    """Return two sides of one program; None if its captures have none of this layout."""
    size = int(rng.choice([size for size in SIZES if 2 * size <= len(pool.profiles)]))
    if layout == "random":
        return split(pool.profiles, size, rng)
    if layout == "in turns":
        return alternating(pool.profiles, size, rng)
    windows = range(len(pool.profiles) - 2 * size + 1)
    begins = [begin for begin in windows if pool.keeps_mix(begin, size) == (layout != OTHER_MIX)]
    if not begins:
        return None
    drawn = consecutive(pool.profiles, size, int(rng.choice(begins)))
    return Draw(drawn.candidate, drawn.base) if rng.random() < 0.5 else drawn
