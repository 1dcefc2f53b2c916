"""Select what to measure next: the most information about the culprit for its cost.

The information of a measurement is the mutual information of "is this build bad" (with probability p) and its outcome, by
Gauss-Hermite quadrature for values. Several concurrent probes are rated by the information of their verdicts together.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from slowpath.analysis.bisect.level_fit import F64, I64
from slowpath.analysis.bisect.likelihood import NoiseEstimate
from slowpath.analysis.bisect.posterior import Posterior
from slowpath.analysis.stats.distribution_functions import normal_cdf, x_log_x

NODES, WEIGHTS = np.polynomial.hermite_e.hermegauss(24)
WEIGHTS = WEIGHTS / WEIGHTS.sum()
MAX_POSITIONS: Final = 96
"""Positions that are compared, spread evenly over the posterior."""
NEGLIGIBLE: Final = 1e-6
"""Hypotheses with less probability are omitted from the information of a probe."""
UNBUILDABLE_REACH: Final = 3.0
"""Builds: how far a failed build lowers the probability that its neighbors build."""


@dataclass(frozen=True)
class ProbeCosts:
    """Costs of measuring, in any one unit."""

    deploy: float = 1.0
    window: float = 0.1
    most_windows: int = 4
    built: Mapping[int, float] = field(default_factory=dict)
    """Cost of a probe at a position for which an image exists."""


def numeric_information(p: F64, apart: float) -> F64:
    """Return [n] nats from one value about a build that is bad with probability p.

    `apart` in standard deviations.
    """
    p = np.clip(p, 0.0, 1.0)[:, np.newaxis]
    with np.errstate(divide="ignore"):
        good, bad = np.log1p(-p), np.log(p)
    information: F64 = np.zeros(len(p))
    for mean, mass in ((0.0, 1 - p[:, 0]), (apart, p[:, 0])):
        y = NODES[np.newaxis, :] + mean
        as_good, as_bad = -0.5 * y**2, -0.5 * (y - apart) ** 2
        joint = np.logaddexp(as_good + good, as_bad + bad)
        information += mass * (((as_good if mean == 0.0 else as_bad) - joint) @ WEIGHTS)
    out: F64 = np.maximum(information, 0.0)
    return out


def information_about(belief: Posterior, positions: I64, windows: int) -> F64:
    """Return [positions] nats about the culprit from the mean of this many measurements of one more probe.

    Each hypothesis predicts the values by its fit so far: if all predict the same, one more probe adds no information, however
    uncertain it is whether the build is bad. Mutual information of hypothesis and value, by Gauss-Hermite quadrature.
    """
    explained = belief.explained
    if explained.levels is None:
        raise ValueError("Cannot compute the information of a probe before the first value is measured.")
    rows = np.searchsorted(explained.edges, np.arange(len(belief.mass)), side="left")
    gaps = len(explained.edges) + 1
    mass = np.zeros((len(positions), 2, gaps))  # good, bad
    for at, position in enumerate(positions):
        mass[at, 1] = np.bincount(rows[: position + 1], belief.mass[: position + 1], gaps)
        mass[at, 0] = np.bincount(rows[position + 1 :], belief.mass[position + 1 :], gaps)
    counted = np.flatnonzero(mass.sum((0, 1)) > len(positions) * NEGLIGIBLE)
    of_components = mass[:, :, counted].reshape(len(positions), -1)
    means = np.concatenate([explained.levels.good[counted], explained.levels.bad[counted]])
    spreads = np.sqrt(np.concatenate([one[counted] for one in explained.levels.variance(windows)]))
    y = (means + spreads * NODES[:, np.newaxis]).T  # [components, nodes]
    each = np.exp(-0.5 * ((y[:, :, np.newaxis] - means) / spreads) ** 2) / spreads  # [components, nodes, components]
    log_density = -0.5 * NODES**2 - np.log(spreads)[:, np.newaxis]
    mixed = np.log(np.maximum(np.einsum("kni,pi->pkn", each, of_components), 1e-300))
    information: F64 = np.einsum("pk,pkn,n->p", of_components, log_density - mixed, WEIGHTS)
    return np.maximum(information, 0.0)


def verdict_information(p: F64, false_bad: float, false_good: float) -> F64:
    """Return [n] nats from a yes/no verdict."""
    seen = p * (1 - false_good) + (1 - p) * false_bad
    out: F64 = _entropy(seen) - p * _entropy(np.array(false_good)) - (1 - p) * _entropy(np.array(false_bad))
    return out


def _entropy(p: F64) -> F64:
    return np.asarray(-x_log_x(p) - x_log_x(1 - p), dtype=np.float64)


def optimal_measurement_count(p: float, noise: NoiseEstimate, costs: ProbeCosts, cost: float) -> tuple[int, float]:
    """Return how many measurements a new probe should have, and its information per cost."""
    rates = [
        float(numeric_information(np.array([p]), noise.apart(windows))[0]) / (cost + windows * costs.window)
        for windows in range(1, costs.most_windows + 1)
    ]
    best = int(np.argmax(rates))
    return best + 1, rates[best]


def should_extend_probe(p: float, windows: int, noise: NoiseEstimate, costs: ProbeCosts, elsewhere: float) -> bool:
    """Return whether one more measurement of a running probe is worth more than a new probe (whose rate is `elsewhere`)."""
    if windows >= costs.most_windows:
        return False
    known = noise.ratio**2 / (noise.ratio**2 + 1 / windows)  # how much of the probe's own level is known
    left = noise.ratio**2 / (1 + windows * noise.ratio**2)
    apart = noise.step * (1 - known) / (noise.window * float(np.sqrt(1 + left)))
    return float(numeric_information(np.array([p]), apart)[0]) > elsewhere * costs.window


def buildable_probability(size: int, built: Collection[int], unbuildable: Collection[int]) -> F64:
    """Return [size + 1] the probability that each position builds: lower near others that do not."""
    tries = len(built) + len(unbuildable)
    usual = (len(built) + 4.0) / (tries + 4.5)
    out = np.full(size + 1, usual)
    places = np.arange(size + 1)
    for one in unbuildable:
        out = np.minimum(out, usual * (1 - 0.8 * np.exp(-np.abs(places - one) / UNBUILDABLE_REACH)))
    out[list(built)] = 1.0
    out[list(unbuildable)] = 0.0
    return out


def choose_probes(
    belief: Posterior,
    noise: NoiseEstimate | None,
    costs: ProbeCosts,
    slots: int,
    can_build: F64,
    *,
    verdicts: tuple[float, float],
) -> list[int]:
    """Return positions to probe concurrently, the most informative first.

    Empty if no probe adds information. `can_build` [N + 1]; `verdicts`: the estimated rates of false bad and false good
    verdicts, used without values.
    """
    candidates = _candidate_positions(belief, can_build, costs.built)
    if not len(candidates):
        return []
    p = belief.bad[candidates]
    cost = np.array([costs.built.get(int(one), costs.deploy) for one in candidates])
    if noise is None or belief.explained.levels is None:
        rate = verdict_information(p, *verdicts) / cost
        error_rate = max(verdicts)
    else:
        windows = costs.most_windows
        rate = information_about(belief, candidates, windows) / (cost + windows * costs.window)
        error_rate = float(normal_cdf(np.array(-noise.apart(windows) / 2)))
    rate = rate * can_build[candidates]
    first = int(np.argmax(rate))
    if rate[first] <= 0:
        return []
    chosen = [first]
    while len(chosen) < slots:
        gains = _joint_information(p, chosen, min(max(error_rate, 1e-4), 0.5)) * can_build[candidates] / cost
        chosen.append(int(np.argmax(gains)))
    return [int(candidates[one]) for one in chosen]


def _candidate_positions(belief: Posterior, can_build: F64, built: Collection[int]) -> I64:
    """Return the positions to compare.

    Buildable ones nearest to each posterior quantile, and those built already.
    """
    possible = np.flatnonzero(can_build > 0)
    if len(possible) <= MAX_POSITIONS:
        return possible
    at = np.searchsorted(belief.bad[possible], (np.arange(MAX_POSITIONS // 2) + 0.5) / (MAX_POSITIONS // 2))
    at = np.clip(np.concatenate([at - 1, at]), 0, len(possible) - 1)
    out: I64 = np.unique([*possible[at], *(one for one in built if can_build[one] > 0)])
    return out


def _joint_information(p: F64, chosen: Sequence[int], error_rate: float) -> F64:
    """Return [positions] nats from verdicts at the chosen positions and one more, each wrong with this probability."""
    many = len(chosen) + 1
    places = np.column_stack([np.tile(p[list(chosen)], (len(p), 1)), p])  # [positions, probes] P(bad)
    ordered = np.sort(places, axis=1)
    cells = np.diff(np.column_stack([np.zeros(len(p)), ordered, np.ones(len(p))]), axis=1)  # mass of each cell
    is_regressed = np.arange(many)[np.newaxis, :] >= np.arange(many + 1)[:, np.newaxis]  # [cells, probes in order]
    verdicts = (np.arange(2**many)[:, np.newaxis] >> np.arange(many)) & 1 == 1
    differ = (verdicts[np.newaxis] != is_regressed[:, np.newaxis]).sum(2)  # [cells, outcomes]
    chance = error_rate**differ * (1 - error_rate) ** (many - differ)
    seen = cells @ chance
    out: F64 = -x_log_x(seen).sum(1) - many * float(_entropy(np.array(error_rate)))
    return out
