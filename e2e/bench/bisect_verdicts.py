"""Bisects by a script that answers good or bad: reliable, wrong in one of ten runs, a flaky test, and answers at random.

A wrong result is a named culprit that is not the right one, or any culprit of a range without one. A search that ends at its limit
names suspects, not a culprit.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from bench.benchmark_results import BenchmarkResult
from bench.bisect_simulation import SimulationSettings
from bench.bisect_single_measurements import results_of, search_all

NAME: Final = "bisect-verdicts"
MANY: Final = 200
SEED: Final = 20261128
"""Seed. No constant of the search was chosen on these draws."""
WRONG: Final = 0.05
"""Share of wrong culprits that a search with the requested certainty of 95% may name."""
SIZES: Final = (39, 400)
VERDICTS: Final = SimulationSettings(deploy_share=0.0, most_windows=1, control=False, has_baseline=False)
WITH_CULPRIT: Final = {
    "always right": (0.0, 1.0),
    "wrong in a tenth of the runs": (0.1, 0.9),
    "bad builds pass in 3 of 10 runs": (0.0, 0.7),
    "good builds fail in 3 of 10 runs": (0.3, 1.0),
    "wrong in a fifth of the runs": (0.2, 0.8),
}
WITHOUT_CULPRIT: Final = {f"{one:.0%} of all runs fail": (one, one) for one in (0.1, 0.3, 0.5, 0.7)}


def run() -> Iterator[BenchmarkResult]:
    """Yield all results; takes about five minutes."""
    for size in SIZES:
        of_size = replace(VERDICTS, sizes=(size,))
        for what, rates in WITH_CULPRIT.items():
            yield from _results(f"{size} candidates, {what}", replace(of_size, verdict_rates=rates))
        for what, rates in WITHOUT_CULPRIT.items():
            setting = replace(of_size, verdict_rates=rates, present=False)
            yield from _results(f"{size} candidates, no culprit, {what}", setting)


def _results(what: str, setting: SimulationSettings) -> Iterator[BenchmarkResult]:
    yield from results_of(NAME, what, setting, search_all(setting, MANY, SEED), WRONG)
