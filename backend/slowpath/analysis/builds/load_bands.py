"""Load as a condition of latency: builds with similar request rates are comparable."""

from collections.abc import Sequence
from math import exp, log
from statistics import median
from typing import Final

from slowpath.analysis.findings.build_measurements import KindMeasurement

FACTOR: Final = 1.5
"""A load that differs by more than this factor is another band."""
BAND_BUILDS: Final = 10
"""Builds whose median defines the load of a band, so that it may grow slowly without starting a new one."""


def assign_load_bands(loads: Sequence[float | None]) -> list[int | None]:
    """Number the load band of each build [builds], in order. None: no load known yet.

    An unknown load counts as that of the build before. A load that returns gets its old number.
    """
    bands: list[list[float]] = []
    out: list[int | None] = []
    current: int | None = None
    for load in loads:
        if load is not None and load > 0:
            current = _band(bands, current, log(load))
        out.append(current)
    return out


def _band(bands: list[list[float]], current: int | None, load: float) -> int:
    """Return the band of a load: the current one if it still fits, else the nearest, else a new one."""
    apart = [abs(load - median(band[-BAND_BUILDS:])) for band in bands]
    if current is not None and apart[current] <= log(FACTOR):
        chosen = current
    elif apart and min(apart) <= log(FACTOR):
        chosen = apart.index(min(apart))
    else:
        bands.append([])
        chosen = len(bands) - 1
    bands[chosen].append(load)
    return chosen


def load_texts(measures: Sequence[KindMeasurement | None]) -> list[str]:
    """Describe the load of each build's latency measurement [builds]: equal texts for equal load bands."""
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
