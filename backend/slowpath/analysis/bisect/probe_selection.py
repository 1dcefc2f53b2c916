"""What to measure next: the most information about the guilty candidate for what it costs.

What a measurement tells is the mutual information of "is this build bad" (believed with p) and its outcome, by Gauss-Hermite quadrature
for numbers. Several deploys at once are judged together by what their verdicts would tell.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np
from scipy.special import ndtr, xlogy

from slowpath.analysis.bisect.likelihood import F64, I64, NoiseEstimate
from slowpath.analysis.bisect.posterior import Posterior

NODES, WEIGHTS = np.polynomial.hermite_e.hermegauss(24)
WEIGHTS = WEIGHTS / WEIGHTS.sum()
LOOKED_AT: Final = 96
"""Positions that are weighed against each other, spread evenly over the belief."""
FAINT: Final = 1e-6
"""Hypotheses believed less are left out of what a deploy would tell."""
NEAR: Final = 3.0
"""Builds: how far not building reaches, as is believed when one was seen not to build."""


@dataclass(frozen=True)
class ProbeCosts:
    """What measuring costs, in any one unit."""

    deploy: float = 1.0
    window: float = 0.1
    most_windows: int = 4
    built: Mapping[int, float] = field(default_factory=dict)
    """What a deploy at a position costs instead, where an image exists."""


def numeric_information(p: F64, apart: float) -> F64:
    """Return [n] nats that a number tells about a build believed bad with p, good and bad being so many deviations apart."""
    p = np.clip(p, 0.0, 1.0)[:, np.newaxis]
    with np.errstate(divide="ignore"):
        good, bad = np.log1p(-p), np.log(p)
    told: F64 = np.zeros(len(p))
    for mean, mass in ((0.0, 1 - p[:, 0]), (apart, p[:, 0])):
        y = NODES[np.newaxis, :] + mean
        as_good, as_bad = -0.5 * y**2, -0.5 * (y - apart) ** 2
        joint = np.logaddexp(as_good + good, as_bad + bad)
        told += mass * (((as_good if mean == 0.0 else as_bad) - joint) @ WEIGHTS)
    out: F64 = np.maximum(told, 0.0)
    return out


def information_about(belief: Posterior, positions: I64, windows: int) -> F64:
    """Return [positions] nats that the mean of so many windows of one more deploy tells about which candidate is guilty.

    Each hypothesis expects what it explains the numbers so far by: where all of them expect the same, one more deploy settles nothing,
    however open it is whether it is bad. Mutual information of hypothesis and number, by Gauss-Hermite quadrature.
    """
    explained = belief.explained
    if explained.levels is None:
        raise ValueError("there are no numbers yet")
    rows = np.searchsorted(explained.edges, np.arange(len(belief.mass)), side="left")
    gaps = len(explained.edges) + 1
    mass = np.zeros((len(positions), 2, gaps))  # good, bad
    for at, position in enumerate(positions):
        mass[at, 1] = np.bincount(rows[: position + 1], belief.mass[: position + 1], gaps)
        mass[at, 0] = np.bincount(rows[position + 1 :], belief.mass[position + 1 :], gaps)
    counted = np.flatnonzero(mass.sum((0, 1)) > len(positions) * FAINT)
    of_parts = mass[:, :, counted].reshape(len(positions), -1)
    means = np.concatenate([explained.levels.good[counted], explained.levels.bad[counted]])
    spreads = np.sqrt(np.concatenate([one[counted] for one in explained.levels.variance(windows)]))
    y = (means + spreads * NODES[:, np.newaxis]).T  # [components, nodes]
    each = np.exp(-0.5 * ((y[:, :, np.newaxis] - means) / spreads) ** 2) / spreads  # [components, nodes, components]
    own = -0.5 * NODES**2 - np.log(spreads)[:, np.newaxis]
    mixed = np.log(np.maximum(np.einsum("kni,pi->pkn", each, of_parts), 1e-300))
    told: F64 = np.einsum("pk,pkn,n->p", of_parts, own - mixed, WEIGHTS)
    return np.maximum(told, 0.0)


def verdict_information(p: F64, false_bad: float, false_good: float) -> F64:
    """Return [n] nats that a yes or no tells."""
    seen = p * (1 - false_good) + (1 - p) * false_bad
    out: F64 = _entropy(seen) - p * _entropy(np.array(false_good)) - (1 - p) * _entropy(np.array(false_bad))
    return out


def _entropy(p: F64) -> F64:
    return np.asarray(-xlogy(p, p) - xlogy(1 - p, 1 - p), dtype=np.float64)


def optimal_measurement_count(p: float, noise: NoiseEstimate, costs: ProbeCosts, cost: float) -> tuple[int, float]:
    """Return how many windows a fresh deploy should have, and what it tells for its cost."""
    rates = [
        float(numeric_information(np.array([p]), noise.apart(windows))[0]) / (cost + windows * costs.window)
        for windows in range(1, costs.most_windows + 1)
    ]
    best = int(np.argmax(rates))
    return best + 1, rates[best]


def should_extend_probe(p: float, windows: int, noise: NoiseEstimate, costs: ProbeCosts, elsewhere: float) -> bool:
    """Tell whether one more window of a running deploy tells more for its cost than a fresh deploy (`elsewhere`, its rate)."""
    if windows >= costs.most_windows:
        return False
    known = noise.ratio**2 / (noise.ratio**2 + 1 / windows)  # how much of the deploy's own level is known by now
    left = noise.ratio**2 / (1 + windows * noise.ratio**2)
    apart = noise.step * (1 - known) / (noise.window * float(np.sqrt(1 + left)))
    return float(numeric_information(np.array([p]), apart)[0]) > elsewhere * costs.window


def buildable_probability(size: int, built: Collection[int], unbuildable: Collection[int]) -> F64:
    """Return [size + 1] how likely each position is to build: rarer near others that do not."""
    tries = len(built) + len(unbuildable)
    usual = (len(built) + 4.0) / (tries + 4.5)
    out = np.full(size + 1, usual)
    places = np.arange(size + 1)
    for one in unbuildable:
        out = np.minimum(out, usual * (1 - 0.8 * np.exp(-np.abs(places - one) / NEAR)))
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
    """Return positions to deploy together, the most telling first; none where nothing more can be told.

    `can_build` [N + 1]; `verdicts` are the believed rates of false bad and false good ones, used where there are no numbers.
    """
    looked = _looked_at(belief, can_build, costs.built)
    if not len(looked):
        return []
    p = belief.bad[looked]
    cost = np.array([costs.built.get(int(one), costs.deploy) for one in looked])
    if noise is None or belief.explained.levels is None:
        rate = verdict_information(p, *verdicts) / cost
        wrong = max(verdicts)
    else:
        windows = costs.most_windows
        rate = information_about(belief, looked, windows) / (cost + windows * costs.window)
        wrong = float(ndtr(-noise.apart(windows) / 2))
    rate = rate * can_build[looked]
    first = int(np.argmax(rate))
    if rate[first] <= 0:
        return []
    chosen = [first]
    while len(chosen) < slots:
        gains = _together(p, chosen, min(max(wrong, 1e-4), 0.5)) * can_build[looked] / cost
        chosen.append(int(np.argmax(gains)))
    return [int(looked[one]) for one in chosen]


def _looked_at(belief: Posterior, can_build: F64, built: Collection[int]) -> I64:
    """Return the positions worth weighing: those that build, nearest to each quantile of the belief, and those built already."""
    possible = np.flatnonzero(can_build > 0)
    if len(possible) <= LOOKED_AT:
        return possible
    at = np.searchsorted(belief.bad[possible], (np.arange(LOOKED_AT // 2) + 0.5) / (LOOKED_AT // 2))
    at = np.clip(np.concatenate([at - 1, at]), 0, len(possible) - 1)
    out: I64 = np.unique([*possible[at], *(one for one in built if can_build[one] > 0)])
    return out


def _together(p: F64, chosen: Sequence[int], wrong: float) -> F64:
    """Return [positions] nats told by verdicts at the chosen positions and at one more, each wrong so often."""
    many = len(chosen) + 1
    places = np.column_stack([np.tile(p[list(chosen)], (len(p), 1)), p])  # [positions, deploys] P(bad)
    ordered = np.sort(places, axis=1)
    cells = np.diff(np.column_stack([np.zeros(len(p)), ordered, np.ones(len(p))]), axis=1)  # mass of each cell
    truth = np.arange(many)[np.newaxis, :] >= np.arange(many + 1)[:, np.newaxis]  # [cells, deploys in order]
    verdicts = (np.arange(2**many)[:, np.newaxis] >> np.arange(many)) & 1 == 1
    differ = (verdicts[np.newaxis] != truth[:, np.newaxis]).sum(2)  # [cells, outcomes]
    chance = wrong**differ * (1 - wrong) ** (many - differ)
    seen = cells @ chance
    out: F64 = -xlogy(seen, seen).sum(1) - many * float(_entropy(np.array(wrong)))
    return out
