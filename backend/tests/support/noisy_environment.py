"""An environment whose noise has memory, drift and outliers, in which two builds are measured alternately."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from slowpath.analysis.bisect.pair_settings import PairSettings
from slowpath.analysis.bisect.paired_measurements import (
    PairDecision,
    compare_pair,
    decide_pairs,
    find_verdict,
    is_candidate_first,
)

Generator = np.random.Generator


@dataclass(frozen=True)
class Environment:
    """Properties of one environment, as standard deviations of the logarithm of a measurement."""

    noise: float
    memory: float
    """Lag-1 autocorrelation of the noise."""
    drift: float
    """Change from one measurement to the next."""
    outliers: float
    """Share of measurements that take up to four times as long."""
    second: float
    """Change of the second measurement of every pair, such as by a warm cache."""


def draw_environment(rng: Generator) -> Environment:
    """Return an environment as machines of CI are: 1% to 15% of noise, with memory, drift and outliers."""
    return Environment(
        noise=float(rng.uniform(0.01, 0.15)), memory=float(rng.uniform(0, 0.9)), drift=float(rng.normal(0, 0.005)),
        outliers=float(rng.uniform(0, 0.2)), second=float(rng.normal(0, 0.02)),
    )  # fmt: skip


def measure_alternately(
    rng: Generator, environment: Environment, base: Sequence[float], candidate: Sequence[float], settings: PairSettings
) -> PairDecision:
    """Return the decision on pairs in random order; values of a build are drawn from its levels."""
    key, differences = str(rng.integers(2**63)), list[float]()
    state = rng.normal(0, environment.noise)
    while True:
        pair, values = len(differences), dict[bool, float]()
        order = (True, False) if is_candidate_first(key, pair) else (False, True)
        for place, is_candidate in enumerate(order):
            fresh = rng.normal(0, environment.noise * np.sqrt(1 - environment.memory**2))
            state = environment.memory * state + fresh
            shift = state + environment.drift * (2 * pair + place) + environment.second * place
            if rng.random() < environment.outliers:
                shift += rng.uniform(0, np.log(4))
            values[is_candidate] = float(rng.choice(np.asarray(candidate if is_candidate else base)) * np.exp(shift))
        differences.append(compare_pair(values[False], values[True], larger_is_worse=True))
        if find_verdict(differences, settings) is not None:
            return decide_pairs(differences, settings)
