"""Ways to draw A/A sets from captures: at random, in turns, consecutively."""

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from bench.captures import CapturePool
from bench.resampled_sets import (
    Draw,
    alternating,
    consecutive,
    split,
    with_mix,
)

ROUNDS = int(os.environ.get("SLOWPATH_BENCH_ROUNDS") or 1)
DRAWS = 12 * ROUNDS


def _random(pool: CapturePool, size: int) -> Iterator[Draw]:
    for seed in range(_draws(pool)):
        yield split(pool.profiles, size, np.random.default_rng([seed, size]))


def _in_turns(pool: CapturePool, size: int) -> Iterator[Draw]:
    for seed in range(_draws(pool)):
        yield alternating(pool.profiles, size, np.random.default_rng([seed, size]))


def _consecutive(pool: CapturePool, size: int) -> Iterator[Draw]:
    return _consecutive_where(pool, size, same_mix=True)


def _with_other_requests(pool: CapturePool, size: int) -> Iterator[Draw]:
    return _consecutive_where(pool, size, same_mix=False)


def _with_known_mix(pool: CapturePool, size: int) -> Iterator[Draw]:
    if not pool.heavy:
        return
    known = tuple(with_mix(each, heavy) for each, heavy in zip(pool.profiles, pool.heavy, strict=True))
    yield from _consecutive_where(replace(pool, profiles=known), size, same_mix=False)


def _consecutive_where(pool: CapturePool, size: int, *, same_mix: bool) -> Iterator[Draw]:
    """Return windows spread evenly over the captures, all different, in both directions."""
    windows = range(len(pool.profiles) - 2 * size + 1)
    begins = np.array([begin for begin in windows if pool.keeps_mix(begin, size) == same_mix], dtype=np.int64)
    chosen = np.unique(np.linspace(0, len(begins) - 1, min(_draws(pool), len(begins))).round().astype(np.int64))
    for number, begin in enumerate(begins[chosen].tolist()):
        drawn = consecutive(pool.profiles, size, begin)
        yield drawn if number % 2 else Draw(drawn.candidate, drawn.base)


@dataclass(frozen=True)
class Way:
    """A way of drawing A/A sets, the allowed share of alarms, and the required coverage of 95% intervals.

    The share is None if the sides had different mixes of requests, whose costs differ.
    """

    name: str
    draws: Callable[[CapturePool, int], Iterator[Draw]]
    alarms: float | None
    coverage: tuple[float, float] | None


WAYS = (
    Way("random", _random, 0.007, (0.93, 0.97)),
    Way("consecutive", _consecutive, 0.01, (0.90, 1.0)),
    Way("in turns", _in_turns, 0.007, None),
    Way("consecutive, another mix of requests", _with_other_requests, None, None),
    Way("consecutive, another mix of requests that is known", _with_known_mix, 0.01, None),
)


def _draws(pool: CapturePool) -> int:
    """Number of sets drawn per size; twice as many of the long captures of the reserved programs."""
    return 2 * DRAWS if pool.reserved else DRAWS
