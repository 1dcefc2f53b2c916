"""Simulated traffic for change points and deployment checks: bursty, autocorrelated, heavy-tailed, with a daily rhythm.

The latency of a request is log-normal; one in a hundred has an additional Pareto factor with a varying scale; in a burst (one to
three minutes) there are more requests, and each takes three times as long. Requests of a cell are drawn directly into buckets: all
parts of the mixture are location families in log latency, so a cell's shares are looked up instead of sampled.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.random import Generator, default_rng
from numpy.typing import NDArray
from scipy.signal import lfilter
from scipy.special import ndtr

from slowpath.analysis.stats.histogram_cells import HistogramCells

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]

BOUNDS: Final = np.append(0.001 * 1.6 ** np.arange(20), np.inf)
NATIVE_BOUNDS: Final = np.append(2.0 ** (np.arange(-80, 33) / 8), np.inf)
"""Bounds of a native histogram of schema 3: eight buckets per doubling, 1 ms to 16 s."""
MEDIAN_S: Final = 0.008
BODY: Final = 0.7
HEAVY_SHARE: Final = 0.01
BURST: Final = 3.0
BURST_LOAD: Final = 2.5
MINUTES_A_DAY: Final = 1440

_sorted_heavy = np.sort(
    np.log(3.0) + default_rng(1).normal(0, BODY, 200_000) + np.log1p(default_rng(2).pareto(2.0, 200_000))
)
HEAVY_AT: Final = np.linspace(_sorted_heavy[0], _sorted_heavy[-1], 4_000)
HEAVY_BELOW: Final = np.searchsorted(_sorted_heavy, HEAVY_AT) / len(_sorted_heavy)


@dataclass(frozen=True)
class TrafficProfile:
    """[M] State shared by all instances of a service: load relative to its mean, and whether it is a burst."""

    load: Floats
    burst: Mask


def weather(rng: Generator, minutes: int, *, rhythm: float = 0.0, bursts: float = 0.06) -> TrafficProfile:
    """Draw load (AR(1), plus a daily sine of this amplitude in log) and bursts that start at this rate per minute."""
    wander = lfilter([1.0], [1.0, -0.8], rng.normal(0, 0.08, minutes))
    day = rhythm * np.sin(2 * np.pi * (np.arange(minutes) / MINUTES_A_DAY + rng.random()))
    begins = rng.random(minutes) < bursts
    lengths = rng.integers(1, 4, minutes)
    burst = np.zeros(minutes, np.bool_)
    for later in range(3):
        burst[later:] |= (begins & (lengths > later))[: minutes - later]
    return TrafficProfile(np.exp(wander + day), burst)


def counts_of(  # noqa: PLR0917 - traffic, conditions and slowdowns
    rng: Generator,
    seen: TrafficProfile,
    per_second: float,
    slower: Floats | float = 1.0,
    burst_slower: Floats | float = 1.0,
    bounds: Floats = BOUNDS,
) -> Floats:
    """[M, B] Return requests by bucket in minutes: all take `slower` times as long, those in bursts `burst_slower` more."""
    minutes = len(seen.load)
    wobble = lfilter([1.0], [1.0, -0.7], rng.normal(0, 0.12, minutes))
    requests = rng.poisson(per_second * 60 * seen.load * np.where(seen.burst, BURST_LOAD, 1.0))
    place = np.log(MEDIAN_S * np.asarray(slower) * np.ones(minutes))
    place += np.where(seen.burst, np.log(BURST * np.asarray(burst_slower)) + wobble, 0.0)
    at = np.log(bounds[:-1])[None, :] - place[:, None]
    body = ndtr(at / BODY)
    heavy = np.interp(at - wobble[:, None], HEAVY_AT, HEAVY_BELOW, left=0.0, right=1.0)
    below = (1 - HEAVY_SHARE) * body + HEAVY_SHARE * heavy
    shares = np.diff(np.concatenate((np.zeros((minutes, 1)), below, np.ones((minutes, 1))), axis=1), axis=1)
    drawn: Floats = rng.multinomial(requests, np.clip(shares, 0, 1) / shares.sum(axis=1, keepdims=True)).astype(float)
    return drawn


def cells_of(counts: Floats, first_minute: int = 0, bounds: Floats = BOUNDS) -> HistogramCells:
    """Return the minutes as cells."""
    times = (first_minute + 1 + np.arange(len(counts), dtype=np.int64)) * 60_000
    return HistogramCells(times, bounds, counts)
