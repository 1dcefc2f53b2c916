"""Bisects of one measurement per probe without a production baseline, as `slowpath bisect` makes them by default.

A range of 39 candidates of one repository, all noise between measurements. A wrong result is a named culprit that is not the
right one, or any culprit of a range without one. A search that ends undecided names nothing. With two modes or outliers no
hypothesis of the search describes the noise.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

import numpy as np
from numpy.random import default_rng
from scipy.stats import binomtest, norm

from bench.benchmark_results import BenchmarkResult
from bench.bisect_simulation import SimulatedHistory, SimulationResult, SimulationSettings, searched

NAME: Final = "bisect-single"
MANY: Final = 200
SEED: Final = 20261130
"""Seed. No constant of the search was chosen on these draws."""
WRONG: Final = 0.03
SINGLE: Final = SimulationSettings(
    sizes=(39,), deploy_share=0.0, most_windows=1, control=False, has_baseline=False, spread=0.005
)
NOISES: Final = {
    "normal noise": SINGLE,
    "half of the measurements 3 % slower": replace(SINGLE, second_mode=0.03),
    "a fifth of the measurements 1.6 times as slow": replace(SINGLE, outliers=0.2),
}


def run() -> Iterator[BenchmarkResult]:
    """Yield all results; takes about ten minutes."""
    for noise, setting in NOISES.items():
        yield from _results(f"{noise}, no culprit", replace(setting, present=False))
        small, large = (replace(setting, error=step_error(deviations)) for deviations in (2.5, 40.0))
        if setting is SINGLE:
            yield from _results(f"{noise}, a step of 2.5 standard deviations (1.3 %)", small)
        yield from _results(f"{noise}, a step of 22 %", large)


def step_error(deviations: float) -> float:
    """Return how often one window is wrong if the step is this many standard deviations."""
    return float(norm.sf(deviations / 2))


def _results(what: str, setting: SimulationSettings) -> Iterator[BenchmarkResult]:
    yield from results_of(NAME, what, setting, search_all(setting), WRONG)


def search_all(setting: SimulationSettings, many: int = MANY, seed: int = SEED) -> list[SimulationResult]:
    """Return the results of this many searches."""
    return [searched(SimulatedHistory(setting, default_rng([seed, number]))) for number in range(many)]


def results_of(
    name: str, what: str, setting: SimulationSettings, some: Sequence[SimulationResult], most_wrong: float
) -> Iterator[BenchmarkResult]:
    """Yield the shares of wrong and right culprits among these searches, and their measurements."""
    named = sum(one.outcome == "found" for one in some)
    wrong = sum(one.outcome == "found" and not one.right for one in some)
    interval = binomtest(wrong, len(some)).proportion_ci(method="exact")
    bounds = f"({100 * interval.low:.1f} to {100 * interval.high:.1f})"
    yield BenchmarkResult(
        name, f"{what}: wrong culprit, % {bounds}", 100 * wrong / len(some), goal=f"<= {100 * most_wrong:g}",
        met=bool(interval.low <= most_wrong),
    )  # fmt: skip
    if setting.present:
        yield BenchmarkResult(name, f"{what}: right culprit, %", 100 * (named - wrong) / len(some))
    yield BenchmarkResult(name, f"{what}: measurements (mean)", float(np.mean([one.deploys for one in some])))
    limited = sum(one.outcome == "stopped" for one in some)
    yield BenchmarkResult(name, f"{what}: ended at the limit, %", 100 * limited / len(some))
