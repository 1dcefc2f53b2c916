"""Model measurements in a drifting environment.

Values of one round share an offset, the more so the closer two rounds are. The environment's level is a random walk
over rounds (a local level model, Harvey 1989, 2.3). Measurements of about the same time, above all the control, are
therefore compared; distant ones count less. The variance of the walk is marginalized like all other noise.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

F64 = NDArray[np.float64]
I64 = NDArray[np.int64]

LEAST_ROUNDS: Final = 4
MOST_CELLS: Final = 400
"""Twice as many take eight times as long; searches end long before."""
WALKS: Final = np.array([0.0, 0.03, 0.15, 0.6, 2.5])
"""Variance of a step between rounds over that of a measurement."""
PRIOR_DRIFT: Final = 0.1
"""Prior probability that the environment drifts."""
RATIOS: Final = np.array([0.0, 0.4, 0.8, 1.4, 3.0])
"""Standard deviation between probes over that between measurements: coarser than without drift."""


@dataclass(frozen=True)
class RoundCells:
    """Measurements of one probe in one round, pooled: [cells] each."""

    means: F64
    windows: F64
    rounds: I64
    deploys: I64
    """Index of the probe."""
    inside: float
    """Sum of squares of the measurements around their means."""


@dataclass(frozen=True)
class DriftHypotheses:
    """[noises] noise hypotheses, each a ratio and a walk variance: the covariance of the measurements."""

    cells: RoundCells
    ratios: F64
    steps: F64
    """Variance of a step of the walk over that of a measurement."""
    prior: F64
    precision: F64
    """[noises, cells, cells] inverse covariances in units of a measurement's variance."""
    log_determinant: F64
    """Log determinants of the precisions."""

    @property
    def windows(self) -> float:
        """Return the number of measurements."""
        return float(self.cells.windows.sum())

    @property
    def inside(self) -> float | F64:
        """Return the sum of squares of the measurements around the means of their cells."""
        return self.cells.inside

    def sums(self, bad: NDArray[np.bool_]) -> tuple[F64, F64, F64, F64, F64, F64]:
        """Return the sums that a fit of level and step needs; `bad` [gaps, ways, probes].

        1'P1, 1'Py, y'Py [noises]; b'P1, b'Py, b'Pb [gaps, ways, noises].
        """
        y, flags = self.cells.means, bad[:, :, self.cells.deploys].astype(np.float64)
        ones, numbers = self.precision.sum(2), self.precision @ y
        twice = np.stack([((flags @ one) * flags).sum(-1) for one in self.precision], axis=-1)
        return ones.sum(1), numbers.sum(1), numbers @ y, flags @ ones.T, flags @ numbers.T, twice

    def fitted_drift(self, noise: int, residuals: F64) -> F64:
        """Return [cells] the expected offset of the environment for one noise, from the residuals of a fit [cells]."""
        offsets = self.steps[noise] * _shared_steps(self.cells.rounds) @ (self.precision[noise] @ residuals)
        out: F64 = offsets - offsets.mean()
        return out


def cells_of(values: Sequence[tuple[float, ...]], rounds: Sequence[tuple[int, ...]]) -> RoundCells | None:
    """Pool measurements by probe and round; None if there are too few rounds to estimate a walk."""
    means, windows, at, deploys, inside = [], [], [], [], 0.0
    for deploy, (some, when) in enumerate(zip(values, rounds, strict=True)):
        for round_ in dict.fromkeys(when):
            in_round = np.array([value for value, one in zip(some, when, strict=True) if one == round_])
            means.append(float(in_round.mean()))
            inside += float(((in_round - in_round.mean()) ** 2).sum())
            windows.append(len(in_round))
            at.append(round_)
            deploys.append(deploy)
    if len(set(at)) < LEAST_ROUNDS or len(at) > MOST_CELLS:
        return None
    return RoundCells(
        np.array(means), np.array(windows, dtype=float), np.array(at, dtype=np.int64),
        np.array(deploys, dtype=np.int64), inside,
    )  # fmt: skip


def walks_of(cells: RoundCells, ratios: F64, prior: F64) -> DriftHypotheses:
    """Return all noise hypotheses for these cells."""
    same_probe = (cells.deploys[:, np.newaxis] == cells.deploys).astype(np.float64)
    both_ratios, both_steps = (one.ravel() for one in np.meshgrid(ratios, WALKS, indexing="ij"))
    covariance = (
        np.diag(1 / cells.windows)
        + both_ratios[:, np.newaxis, np.newaxis] ** 2 * same_probe
        + both_steps[:, np.newaxis, np.newaxis] * _shared_steps(cells.rounds)
    )
    walk_prior = np.where(WALKS > 0, PRIOR_DRIFT / (WALKS.size - 1), 1 - PRIOR_DRIFT)
    return DriftHypotheses(
        cells, both_ratios, both_steps, np.log(np.outer(prior, walk_prior)).ravel(),
        np.linalg.inv(covariance), -np.linalg.slogdet(covariance)[1],
    )  # fmt: skip


def _shared_steps(rounds: I64) -> F64:
    """Return [cells, cells] how many steps of the walk two cells share."""
    since = (rounds - rounds.min()).astype(np.float64)
    out: F64 = np.minimum(since[:, np.newaxis], since)
    return out
