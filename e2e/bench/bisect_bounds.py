"""Lower bounds on the number of probes of a bisect, for a search that knows the noise exactly.

`least_probes` is the bound of information theory (Cover and Thomas, Elements of Information Theory, 2nd ed., 7.12): the bits that identify a
candidate, less those of the allowed error (Fano's inequality), divided by the capacity of a probe. `informed_search` shows what is
attainable: Bayesian bisection that knows level, step, noise and rate of odd deployments, which the real search must estimate.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray
from scipy.special import xlog1py, xlogy
from scipy.stats import norm

F64 = NDArray[np.float64]
POINTS: Final = 2_001
MOST: Final = 200


@dataclass(frozen=True)
class Probe:
    """A probe: the distance of good and bad in standard deviations of its mean, and the rate of opposite results."""

    apart: float
    odd: float = 0.0


def probe_of(error: float, deploy_share: float, windows: int, odd: float) -> Probe:
    """Return a probe with this number of windows, where a single window is wrong at the rate `error`."""
    variance = deploy_share + (1 - deploy_share) / windows
    return Probe(2 * float(norm.isf(error)) / float(np.sqrt(variance)), odd)


def capacity(probe: Probe) -> float:
    """Return the capacity of a probe in bits: that of a build that is bad with probability 0.5."""
    y = np.linspace(-probe.apart / 2 - 8, probe.apart / 2 + 8, POINTS)
    plain = norm.pdf(y, -probe.apart / 2), norm.pdf(y, probe.apart / 2)
    good, bad = ((1 - probe.odd) * one + probe.odd * other for one, other in (plain, plain[::-1]))
    density = 0.5 * xlogy(good, good) + 0.5 * xlogy(bad, bad) - xlogy((good + bad) / 2, (good + bad) / 2)
    return float(np.trapezoid(density, y) / np.log(2))


def least_probes(candidates: int, probe: Probe, wrong: float) -> float:
    """Return the minimum number of probes to identify the culprit with at most this error rate."""
    caveat = -float(xlogy(wrong, wrong) + xlog1py(1 - wrong, -wrong)) / float(np.log(2))
    left_open = caveat + wrong * float(np.log2(max(candidates - 1, 1)))
    return max(float(np.log2(candidates)) - left_open, 0.0) / capacity(probe)


def informed_search(
    candidates: int, probe: Probe, really_odd: float, belief: float, rng: Generator
) -> tuple[int, bool]:
    """Return the number of probes of one search, and whether the culprit is right; `probe` is the search's assumption."""
    culprit, half = int(rng.integers(candidates)), probe.apart / 2
    log_mass: F64 = np.zeros(candidates)
    for probes in range(MOST):
        mass = np.exp(log_mass - log_mass.max())
        mass /= mass.sum()
        named = int(np.argmax(mass))
        if mass[named] >= belief:
            return probes, named == culprit
        at = int(np.argmin(np.abs(np.cumsum(mass) - 0.5)))
        bad = (at >= culprit) != (rng.random() < really_odd)
        value = (half if bad else -half) + float(rng.standard_normal())
        as_bad, as_good = norm.pdf(value, half), norm.pdf(value, -half)
        likely = (1 - probe.odd) * as_bad + probe.odd * as_good, (1 - probe.odd) * as_good + probe.odd * as_bad
        log_mass[: at + 1] += np.log(likely[0])
        log_mass[at + 1 :] += np.log(likely[1])
    return MOST, False
