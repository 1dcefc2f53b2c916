"""Simulated build series: one level, five kinds of noise with the same coefficient of variation."""

from typing import Final

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

F64 = NDArray[np.float64]
I64 = NDArray[np.int64]

CV: Final = 0.03
BUILDS: Final = 200
KINDS: Final = ("gauss", "heavy", "spiky", "bimodal", "AR(1) 0.7")
MEMORY: Final = 0.7


def noise(rng: Generator, kind: str, series: int, builds: int = BUILDS) -> F64:
    """[series, builds] Return values around 1 with a standard deviation of CV.

    "heavy": Student's t with 3 degrees of freedom; "spiky": normal, with 3% of the builds 15 to 50% higher;
    "bimodal": one of two levels at random for each build; "AR(1) 0.7": autocorrelation 0.7.
    """
    shape = (series, builds)
    normal = rng.standard_normal(shape)
    if kind == "heavy":
        return np.asarray(1 + CV * rng.standard_t(3, shape) / np.sqrt(3), np.float64)
    if kind == "spiky":
        return 1 + CV * normal + np.where(rng.random(shape) < 0.03, rng.uniform(0.15, 0.5, shape), 0.0)
    if kind == "bimodal":
        return np.asarray(1 + CV * (np.sqrt(0.8) * rng.choice([-1.0, 1.0], shape) + np.sqrt(0.2) * normal), np.float64)
    if kind.startswith("AR"):
        for build in range(1, builds):
            normal[:, build] = MEMORY * normal[:, build - 1] + np.sqrt(1 - MEMORY**2) * normal[:, build]
    return 1 + CV * normal


def stepped(values: F64, at: I64, ratio: float) -> F64:
    """Return the same series, multiplied by `ratio` from build `at` [series]."""
    out: F64 = np.where(np.arange(values.shape[1]) >= at[:, np.newaxis], values * ratio, values)
    return out
