"""Load as a condition of latency: builds that were asked about as often are alike, others are not."""

from collections.abc import Sequence
from math import exp, log
from statistics import median
from typing import Final

from slowpath.analysis.builds.build_measurements import KindMeasurement

FACTOR: Final = 1.5
"""So many times the load of others, or less than its inverse, is another load."""
REMEMBERED: Final = 10
"""Builds by whose middle a load is known: it may grow slowly without becoming another one."""


def assign_load_bands(loads: Sequence[float | None]) -> list[int | None]:
    """[builds] Number the load of each build, in order; equal numbers for those that are alike. None: never known yet.

    Unknown loads are taken for those of the build before. A load that comes again has its old number.
    """
    bands: list[list[float]] = []
    out: list[int | None] = []
    now: int | None = None
    for load in loads:
        if load is not None and load > 0:
            now = _band(bands, now, log(load))
        out.append(now)
    return out


def _band(bands: list[list[float]], now: int | None, load: float) -> int:
    """The band that a load is in: the one before it if it still fits, else the nearest, else a new one."""
    apart = [abs(load - median(band[-REMEMBERED:])) for band in bands]
    if now is not None and apart[now] <= log(FACTOR):
        chosen = now
    elif apart and min(apart) <= log(FACTOR):
        chosen = apart.index(min(apart))
    else:
        bands.append([])
        chosen = len(bands) - 1
    bands[chosen].append(load)
    return chosen


def load_texts(measures: Sequence[KindMeasurement | None]) -> list[str]:
    """[builds] Under what load the latency of each build was measured, in words: equal words for equal loads."""
    environments = sorted({name for each in measures if each is not None for name in each.load})
    texts: list[list[str]] = [[] for _ in measures]
    for name in environments:
        loads = [None if each is None else each.load.get(name) for each in measures]
        bands = assign_load_bands(loads)
        first = next((band for band in bands if band is not None), None)
        known = [first if band is None else band for band in bands]
        levels = {
            number: exp(median(log(load) for load, band in zip(loads, bands, strict=True) if band == number and load))
            for number in set(known)
            if number is not None
        }
        for build, number in enumerate(known):
            if number is not None:
                level = float(f"{levels[number]:.2g}")
                texts[build].append(f"{name}: about {level:,g} requests a second")
    return [", ".join(parts) for parts in texts]
