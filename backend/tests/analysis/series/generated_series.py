"""Series drawn for tests: noise of 3 % around 1, steps in it."""

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from slowpath.analysis.series.change_points import ChangePoint, find_in_many
from slowpath.analysis.series.online_detection import OnlineDetectionResult, evaluate_many

F64 = NDArray[np.float64]
I32 = NDArray[np.int32]
KINDS = ("gauss", "heavy", "spiky", "bimodal", "memory")


def drawn(rng: Generator, kind: str, series: int, builds: int = 200, cv: float = 0.03) -> F64:
    shape = (series, builds)
    normal = rng.standard_normal(shape)
    if kind == "heavy":
        normal = rng.standard_t(3, shape) / np.sqrt(3)
    if kind == "spiky":
        return 1 + cv * normal + np.where(rng.random(shape) < 0.03, rng.uniform(0.15, 0.5, shape), 0.0)
    if kind == "bimodal":
        normal = np.sqrt(0.8) * rng.choice([-1.0, 1.0], shape) + np.sqrt(0.2) * normal
    if kind == "memory":
        for build in range(1, builds):
            normal[:, build] = 0.7 * normal[:, build - 1] + np.sqrt(0.51) * normal[:, build]
    out: F64 = 1 + cv * normal
    return out


def stepped(rng: Generator, kind: str, series: int, at: int, ratio: float, builds: int = 200) -> F64:
    values = drawn(rng, kind, series, builds)
    values[:, at:] *= ratio
    return values


def find_change_points(
    values: F64, *, spread: F64 | None = None, conditions: I32 | None = None
) -> tuple[ChangePoint, ...]:
    """Return the changes of one series."""
    return find_in_many(
        values[np.newaxis], spread=None if spread is None else spread[np.newaxis], conditions=conditions
    )[0]


def evaluate_newest(
    values: F64,
    *,
    decided: int = 0,
    spread: F64 | None = None,
    counts: I32 | None = None,
    conditions: I32 | None = None,
) -> OnlineDetectionResult:
    """Return what is known of one series after its newest build."""
    return evaluate_many(
        values[np.newaxis],
        decided=[decided],
        spread=None if spread is None else spread[np.newaxis],
        counts=None if counts is None else counts[np.newaxis],
        conditions=conditions,
    )[0]
