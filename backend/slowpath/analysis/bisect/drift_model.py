"""Noise of measurements while the environment may wander: what was measured in one round lies off together, more the more rounds lie between.

The environment's level is a random walk over rounds (a local level model, Harvey 1989, 2.3), so what was measured at about the same time is
compared, the control above all, and what lies far apart tells less. How far it walks in a round is summed over, as all other noise is.
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
"""Twice as many take eight times as long; a search ends long before."""
WALKS: Final = np.array([0.0, 0.03, 0.15, 0.6, 2.5])
"""Variance of a step between rounds over that of a window."""
WALKING: Final = 0.1
"""How much it is believed before that the environment walks at all."""
RATIOS: Final = np.array([0.0, 0.4, 0.8, 1.4, 3.0])
"""Spread between deploys over spread between windows: coarser than where nothing walks."""


@dataclass(frozen=True)
class RoundCells:
    """Windows of one deploy in one round, together: [cells] each."""

    means: F64
    windows: F64
    rounds: I64
    deploys: I64
    """Which of the deploys."""
    inside: float
    """Squares of the windows around their means."""


@dataclass(frozen=True)
class DriftHypotheses:
    """[noises] what noise there may be, each a ratio and a walk: how measurements belong together."""

    cells: RoundCells
    ratios: F64
    steps: F64
    """Variance of a step of the walk over that of a window."""
    prior: F64
    precision: F64
    """[noises, cells, cells] inverse covariances in units of a window's variance."""
    log_determinant: F64
    """Of these."""

    @property
    def windows(self) -> float:
        """How many there are."""
        return float(self.cells.windows.sum())

    @property
    def inside(self) -> float:
        """Squares of the windows around the means of their cells."""
        return self.cells.inside

    def sums(self, bad: NDArray[np.bool_]) -> tuple[F64, F64, F64, F64, F64, F64]:
        """Return what a fit of level and step is made of; `bad` [gaps, ways, deploys].

        1'P1, 1'Py, y'Py [noises]; b'P1, b'Py, b'Pb [gaps, ways, noises].
        """
        y, flags = self.cells.means, bad[:, :, self.cells.deploys].astype(np.float64)
        ones, numbers = self.precision.sum(2), self.precision @ y
        twice = np.stack([((flags @ one) * flags).sum(-1) for one in self.precision], axis=-1)
        return ones.sum(1), numbers.sum(1), numbers @ y, flags @ ones.T, flags @ numbers.T, twice

    def course(self, noise: int, left: F64) -> F64:
        """Return [cells] where the environment is believed to be under one of the noises, from what a fit leaves [cells]."""
        off = self.steps[noise] * _together(self.cells.rounds) @ (self.precision[noise] @ left)
        out: F64 = off - off.mean()
        return out


def cells_of(values: Sequence[tuple[float, ...]], rounds: Sequence[tuple[int, ...]]) -> RoundCells | None:
    """Return windows by deploy and round; nothing where there are too few rounds to tell a walk."""
    means, windows, at, deploys, inside = [], [], [], [], 0.0
    for deploy, (some, when) in enumerate(zip(values, rounds, strict=True)):
        for round_ in dict.fromkeys(when):
            those = np.array([value for value, one in zip(some, when, strict=True) if one == round_])
            means.append(float(those.mean()))
            inside += float(((those - those.mean()) ** 2).sum())
            windows.append(len(those))
            at.append(round_)
            deploys.append(deploy)
    if len(set(at)) < LEAST_ROUNDS or len(at) > MOST_CELLS:
        return None
    return RoundCells(
        np.array(means), np.array(windows, dtype=float), np.array(at, dtype=np.int64),
        np.array(deploys, dtype=np.int64), inside,
    )  # fmt: skip


def walks_of(cells: RoundCells, ratios: F64, prior: F64) -> DriftHypotheses:
    """Return all noises there may be."""
    own = (cells.deploys[:, np.newaxis] == cells.deploys).astype(np.float64)
    both_ratios, both_steps = (one.ravel() for one in np.meshgrid(ratios, WALKS, indexing="ij"))
    covariance = (
        np.diag(1 / cells.windows)
        + both_ratios[:, np.newaxis, np.newaxis] ** 2 * own
        + both_steps[:, np.newaxis, np.newaxis] * _together(cells.rounds)
    )
    believed = np.where(WALKS > 0, WALKING / (WALKS.size - 1), 1 - WALKING)
    return DriftHypotheses(
        cells, both_ratios, both_steps, np.log(np.outer(prior, believed)).ravel(),
        np.linalg.inv(covariance), -np.linalg.slogdet(covariance)[1],
    )  # fmt: skip


def _together(rounds: I64) -> F64:
    """Return [cells, cells] how many steps of the walk two of them have in common."""
    since = (rounds - rounds.min()).astype(np.float64)
    out: F64 = np.minimum(since[:, np.newaxis], since)
    return out
