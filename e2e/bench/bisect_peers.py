"""Other methods on the same histories and noise: `git bisect` with one or more repetitions, and git_bayesect's method.

Every repetition is a deployment. It may last several windows; their mean is compared with the midpoint of good and bad, which the peers
know, as they know the four windows of each boundary: both are advantages over the search.
"""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaln, logsumexp, xlogy

from bench.bisect_simulation import LEVEL, SPREAD, SimulatedHistory

F64 = NDArray[np.float64]
BELIEF = 0.95
MOST = 1_000
NEW, OLD = (0.9, 0.1), (0.05, 0.95)
"""git_bayesect's Beta priors of observing the failure at new and at old commits."""


@dataclass(frozen=True)
class PeerResult:
    """Result of a peer's search."""

    deploys: int
    right: bool


def look(history: SimulatedHistory, *, bad: bool, windows: int) -> bool:
    """Deploy once, measure for some windows, and return the decision."""
    own = history.deploy()
    values = [np.log(history.window(bad=bad, own=own) / LEVEL) for _ in range(windows)]
    return bool(np.mean(values) > SPREAD * history.gap / 2)


def git_bisect(history: SimulatedHistory, looks: int, windows: int = 1) -> PeerResult:
    """`git bisect` on each level by the majority of several deployments; stops when the majority is decided."""
    deploys = 0
    for size, culprit in zip(history.setting.sizes, history.culprits, strict=True):
        low, high = 0, size
        while high - low > 1:
            middle = (low + high) // 2
            bad = good = 0
            while max(bad, good) <= looks // 2:
                results = look(history, bad=middle >= culprit, windows=windows)
                bad, good = bad + results, good + (not results)
                deploys += 1
            low, high = (low, middle) if bad > good else (middle, high)
        if high != culprit:
            return PeerResult(_rest(history, deploys, looks), right=False)
    return PeerResult(deploys, right=True)


def _rest(history: SimulatedHistory, deploys: int, looks: int) -> int:
    """Return at least the number of deployments until the search ends: it does not detect that it is wrong."""
    whole = sum(float(np.log2(size)) for size in history.setting.sizes) * (looks + 1) / 2
    return max(deploys, round(whole))


@dataclass
class _Rates:
    """Observations: [failed, passed] at each position."""

    seen: dict[int, list[int]] = field(default_factory=dict)

    def add(self, position: int, *, bad: bool) -> None:
        self.seen.setdefault(position, [0, 0])[0 if bad else 1] += 1

    def posterior(self, size: int, ends: tuple[list[int], list[int]]) -> tuple[F64, float, float]:
        """Return [size] probabilities that each commit is the first new one, and the estimated rates at new and old ones."""
        edges = np.array(sorted(self.seen), dtype=np.int64)
        counts = np.array([self.seen[int(one)] for one in edges], dtype=float).reshape(-1, 2)
        zero = np.zeros((1, 2))
        old = np.concatenate([zero, np.cumsum(counts, 0)]) + ends[0]
        new = counts.sum(0) + ends[0] + ends[1] - old
        gaps = betaln(NEW[0] + new[:, 0], NEW[1] + new[:, 1]) + betaln(OLD[0] + old[:, 0], OLD[1] + old[:, 1])
        log_likelihoods = gaps[np.searchsorted(edges, np.arange(1, size + 1), side="left")]
        mass = np.exp(log_likelihoods - logsumexp(log_likelihoods))
        best = int(np.argmax(gaps))
        return (
            mass,
            (NEW[0] + new[best, 0]) / (1 + new[best].sum()),
            (OLD[0] + old[best, 0]) / (1 + old[best].sum()),
        )


def bayesect(history: SimulatedHistory, windows: int = 1) -> PeerResult:
    """git_bayesect on each level: unknown rates, next the position of least expected entropy, until one has 95% probability."""
    deploys = 0
    ends = ([0, 0], [0, 0])
    for bad in (False, True):
        for _ in range(4):
            ends[bad][0 if look(history, bad=bad, windows=1) else 1] += 1
    for size, culprit in zip(history.setting.sizes, history.culprits, strict=True):
        rates, guilty = _Rates(), 1
        while deploys < MOST:
            mass, at_new, at_old = rates.posterior(size, ends)
            guilty = int(np.argmax(mass)) + 1
            if mass[guilty - 1] >= BELIEF:
                break
            position = _least_entropy(mass, at_new, at_old)
            rates.add(position, bad=look(history, bad=position >= culprit, windows=windows))
            deploys += 1
        if guilty != culprit:
            return PeerResult(deploys, right=False)
        for position, (seen, unseen) in rates.seen.items():
            side = ends[position >= guilty]
            side[0], side[1] = side[0] + seen, side[1] + unseen
    return PeerResult(deploys, right=True)


def _least_entropy(mass: F64, at_new: float, at_old: float) -> int:
    """Return the position with the least expected entropy."""
    new = np.cumsum(mass)
    seen = new * at_new + (1 - new) * at_old
    information = _entropy(seen) - new * _entropy(np.array(at_new)) - (1 - new) * _entropy(np.array(at_old))
    return int(np.argmax(information)) + 1


def _entropy(p: F64) -> F64:
    return np.asarray(-xlogy(p, p) - xlogy(1 - p, 1 - p), dtype=np.float64)
