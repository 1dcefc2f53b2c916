"""Fit trends of a level that are no steps (linear, ramp, season), and test whether one explains a row better.

Every model is fitted by generalized least squares with first-order autoregressive noise, its autocorrelation profiled over a
grid, and compared by Schwarz's criterion (BIC): a step costs two parameters (place, size), a linear trend one, a ramp three (begin,
end, slope), a season three (period, sine, cosine).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

F64 = NDArray[np.float64]
TrendKind = Literal["linear", "ramp", "season"]

AUTOCORRELATIONS: Final = (0.0, 0.4, 0.7, 0.9)
KNOTS: Final = 18
"""Builds at which ramps may begin and end, spread evenly over a row."""
LEAST_RAMP: Final = 10
"""Builds: a shorter ramp is treated as a step."""
LEAST_CYCLES: Final = 3.0
LEAST_PERIOD: Final = 5.0
COST: Final[dict[TrendKind, int]] = {"linear": 1, "ramp": 3, "season": 3}
STEP_COST, NEXT_STEP_COST = 2, 3
"""Of the first step and of each further one: its place was chosen among all builds given the first."""
LEAST_BUILDS: Final = 24
"""With fewer builds a ramp cannot be distinguished from a step."""


@dataclass(frozen=True)
class Trend:
    """A trend of a row: its builds `first`..`last`, and `slope`, its change per build relative to its start.

    For a season `slope` is half the distance of its highest from its lowest level, and `period` is in builds.
    """

    kind: TrendKind
    first: int
    last: int
    slope: float
    period: float | None = None


@dataclass(frozen=True)
class TrendFit:
    """A trend fitted to a row: its values [builds] around zero, and the model's cost (lower is better)."""

    trend: Trend
    values: F64
    cost: float


@dataclass(frozen=True)
class _Shapes:
    """[shapes] all possible trends of a row of some length, as one column or as two of one amplitude and phase."""

    kinds: tuple[TrendKind, ...]
    spans: tuple[tuple[int, int], ...]
    periods: tuple[float, ...]
    columns: F64
    """[shapes, 2, builds]; the second is zero where one suffices."""


@dataclass(frozen=True)
class _ShapesGivenSteps:
    """Shapes whitened with one autocorrelation, in rows whose levels step at given places.

    `basis` [builds, levels] of these levels. `columns` [2 shapes, builds], first columns before second. [shapes]: `one_one` are the
    squares of the first column beside the levels, `shared` is what the second column has of it, `by_two` the inverse square of the
    rest of the second, zero without one.
    """

    basis: F64
    columns: F64
    one_one: F64
    shared: F64
    by_two: F64


def best_trend(row: F64, places: Sequence[int]) -> TrendFit | None:
    """Return the trend that explains a row [builds] best, given steps before these places.

    None if it is too short.
    """
    length = len(row)
    if length < LEAST_BUILDS:
        return None
    shapes = _shapes(length)
    key = tuple(places)
    base = _levels(length, key)
    costs = np.array([COST[kind] for kind in shapes.kinds]) * np.log(length)
    deviances = np.stack([_deviance(row, _given_steps(length, key, phi), phi) for phi in AUTOCORRELATIONS])
    best = int(np.argmin(deviances.min(0) + costs))
    phi = AUTOCORRELATIONS[int(np.argmin(deviances[:, best]))]
    columns = [column for column in shapes.columns[best] if column.any()]
    fit = _fit(row, np.column_stack([base, *columns]), phi)
    values = np.column_stack(columns) @ fit[base.shape[1] :]
    values = values - values.mean()
    cost = float((deviances.min(0) + costs)[best]) + steps_cost(len(places), length)
    return TrendFit(_trend(shapes, best, values, row), values, cost)


def cost_of_steps(row: F64, places: Sequence[int]) -> float:
    """Return the cost of a row with steps before these places alone."""
    length = len(row)
    deviances = min(
        _deviance_of(length, _squares_beside(row, _basis(length, tuple(places), phi), phi)[1], phi)
        for phi in AUTOCORRELATIONS
    )
    return float(deviances) + steps_cost(len(places), length)


def steps_cost(steps: int, length: int) -> float:
    """Return the cost of that many steps in a row of that many builds."""
    parameters = STEP_COST + NEXT_STEP_COST * (steps - 1) if steps else 0
    return parameters * float(np.log(length))


def _trend(shapes: _Shapes, best: int, values: F64, row: F64) -> Trend:
    kind, (first, last) = shapes.kinds[best], shapes.spans[best]
    if kind == "season":
        swing = float(values.max() - values.min()) / 2
        return Trend(kind, 0, len(row) - 1, swing / max(float(np.mean(row)), 1e-12), shapes.periods[best])
    rise = float(values[last] - values[first])
    start = float(np.mean(row - values)) + float(values[first])
    return Trend(kind, first, last, rise / max(last - first, 1) / max(start, 1e-12))


def _levels(length: int, places: tuple[int, ...]) -> F64:
    """[builds, levels] Return a constant and one column per step."""
    at = np.arange(length)
    return np.column_stack([np.ones(length), *((at >= place).astype(np.float64) for place in places)])


def _whiten(columns: F64, phi: float) -> F64:
    """Whiten along the last axis."""
    first = float(np.sqrt(1 - phi**2)) * columns[..., :1]
    out: F64 = np.concatenate([first, columns[..., 1:] - phi * columns[..., :-1]], axis=-1)
    return out


def _deviance(row: F64, shapes: "_ShapesGivenSteps", phi: float) -> F64:
    """[shapes] Return the deviance of the row with the levels of its steps and each shape, all whitened."""
    value, squares = _squares_beside(row, shapes.basis, phi)
    gained = shapes.columns @ value
    gain_one, gain_two = gained[: len(gained) // 2], gained[len(gained) // 2 :]
    rest = gain_two - shapes.shared * gain_one
    explained: F64 = np.square(gain_one) / shapes.one_one + np.square(rest) * shapes.by_two
    return _deviance_of(len(row), np.maximum(squares - explained, 1e-12), phi)


def _squares_beside(row: F64, basis: F64, phi: float) -> tuple[F64, F64]:
    """Return what the whitened row has beside the levels of its steps, and the sum of its squares."""
    value = _whiten(row, phi)
    value = value - basis @ (basis.T @ value)
    return value, np.asarray(np.maximum(value @ value, 1e-12))


def _deviance_of(length: int, squares: F64, phi: float) -> F64:
    return np.asarray(length * np.log(squares / length) - float(np.log(1 - phi**2)), dtype=np.float64)


def _fit(row: F64, design: F64, phi: float) -> F64:
    return np.asarray(np.linalg.lstsq(_whiten(design.T, phi).T, _whiten(row, phi), rcond=None)[0], dtype=np.float64)


@lru_cache(maxsize=256)
def _shapes(length: int) -> _Shapes:
    at = np.arange(length, dtype=np.float64)
    knots = np.unique(np.linspace(0, length - 1, KNOTS).round().astype(int))
    kinds: list[TrendKind] = []
    spans, periods, columns = [], [], []
    for first in knots.tolist():
        for last in knots.tolist():
            if last - first < LEAST_RAMP:
                continue
            kinds.append("linear" if (first, last) == (0, length - 1) else "ramp")
            spans.append((first, last))
            periods.append(0.0)
            columns.append((np.clip((at - first) / (last - first), 0.0, 1.0), np.zeros(length)))
    for cycles in np.arange(LEAST_CYCLES, length / LEAST_PERIOD, 0.5):
        kinds.append("season")
        spans.append((0, length - 1))
        periods.append(float(length / cycles))
        turn = 2 * np.pi * cycles * at / length
        columns.append((np.cos(turn), np.sin(turn)))
    return _Shapes(tuple(kinds), tuple(spans), tuple(periods), np.array(columns))


@lru_cache(maxsize=256)
def _basis(length: int, places: tuple[int, ...], phi: float) -> F64:
    basis, _ = np.linalg.qr(_whiten(_levels(length, places).T, phi).T)
    return np.asarray(basis, dtype=np.float64)


@lru_cache(maxsize=256)
def _whitened_shapes(length: int, phi: float) -> F64:
    """[2 shapes, builds] Return all shapes whitened, first columns before second."""
    white = _whiten(_shapes(length).columns, phi)
    return np.ascontiguousarray(np.concatenate([white[:, 0], white[:, 1]]))


@lru_cache(maxsize=64)
def _given_steps(length: int, places: tuple[int, ...], phi: float) -> _ShapesGivenSteps:
    columns, basis = _whitened_shapes(length, phi), _basis(length, places, phi)
    along = columns @ basis  # [2 shapes, levels]
    half = len(columns) // 2
    one_one = np.maximum(np.sum(np.square(columns[:half]), 1) - np.sum(np.square(along[:half]), 1), 1e-9)
    shared = (np.sum(columns[:half] * columns[half:], 1) - np.sum(along[:half] * along[half:], 1)) / one_one
    two_two = np.sum(np.square(columns[half:]), 1) - np.sum(np.square(along[half:]), 1) - np.square(shared) * one_one
    by_two = np.where(two_two > 1e-9, 1 / np.maximum(two_two, 1e-9), 0.0)
    return _ShapesGivenSteps(basis, columns, one_one, shared, by_two)
