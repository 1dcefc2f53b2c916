"""Whether what production measured of the two ends holds for the deploys of a search, too.

Runners deploy somewhere: other machines, other load, other conditions shift all that is measured. So two accounts of all numbers are
weighed against each other (as in `evidence`: noise, levels and the guilty commit are summed over). In the one, builds of production and
of the search have the same two levels; in the other all deploys of the search lie off by one shift, or their step is another one.
"""

from collections.abc import Sequence
from typing import Final

import numpy as np
from scipy.special import logsumexp, ndtr, stdtr

from slowpath.analysis.bisect import measurement_normalization
from slowpath.analysis.bisect.candidate_sequence import CandidateSequence
from slowpath.analysis.bisect.likelihood import (
    F64,
    I64,
    LEAST_SPREAD,
    LEAST_STEP,
    RATIOS,
    SCALES,
    ProbeReadings,
    ratio_prior,
)
from slowpath.analysis.bisect.prior import log_prior
from slowpath.analysis.bisect.search_state import SearchState

SHIFTS: Final = np.array([2.0, 8.0])
"""How far off the deploys of a search may lie, in spreads between windows."""
ELSEWHERE: Final = 0.2
"""How much it is believed before that a search measures otherwise than production."""


def baseline_disagreement(state: SearchState) -> float:
    """Return how much it is believed that the search measures otherwise than production did; 0 before it measured anything."""
    counted = [one for one in state.deploys if one.is_measured]
    pairs = [
        (one.is_ours, told) for one, told in zip(counted, measurement_normalization.readings(state), strict=True) if told.values
    ]  # fmt: skip
    ours = np.array([own for own, _ in pairs], dtype=np.float64)
    if not pairs or ours.min() == ours.max():
        return 0.0
    same, other = _weighed(state.line, [told for _, told in pairs], ours)
    odds = np.log(ELSEWHERE) - np.log1p(-ELSEWHERE) + other - same
    return float(1 / (1 + np.exp(-np.clip(odds, -700, 700))))


def _weighed(line: CandidateSequence, measured: Sequence[ProbeReadings], ours: F64) -> tuple[float, float]:
    """Return the log likelihoods of both accounts."""
    windows = np.array([len(one.values) for one in measured], dtype=float)
    means = np.array([np.mean(one.values) for one in measured])
    inside = sum(float(np.sum((np.array(one.values) - np.mean(one.values)) ** 2)) for one in measured)
    positions = np.array([one.position for one in measured], dtype=np.int64)
    bad, prior = _gaps(line, positions)
    y = means - float(np.median(means))
    one = np.ones_like(bad)
    plain = _explained(y, windows, inside, np.stack([one, bad], axis=2), np.array([np.inf]))
    shifted = _explained(y, windows, inside, np.stack([one, bad, one * ours], axis=2), SHIFTS)
    stretched = _explained(y, windows, inside, np.stack([one, bad, bad * ours], axis=2), SHIFTS)
    same = float(logsumexp(plain + prior))
    other = float(logsumexp(np.stack([shifted, stretched]) + prior)) - float(np.log(2))
    return same, other


def _gaps(line: CandidateSequence, positions: I64) -> tuple[F64, F64]:
    """Return [gaps, deploys] what is bad, and [gaps] how much each gap is believed before: hypotheses between two deploys are alike."""
    edges = np.unique(positions)
    before = log_prior(line)
    rows = np.searchsorted(edges, np.arange(len(before)), side="left")
    prior = np.array(
        [logsumexp(before[rows == gap]) if (rows == gap).any() else -np.inf for gap in range(len(edges) + 1)]
    )
    gaps = np.arange(len(edges) + 1)[:, np.newaxis]
    bad = np.searchsorted(edges, positions)[np.newaxis, :] >= gaps
    return bad.astype(np.float64), prior


def _explained(y: F64, windows: F64, inside: float, columns: F64, shifts: F64) -> F64:
    """Return [gaps] log likelihoods, with levels, noise and scales summed over; `columns` [gaps, deploys, 2 or 3]."""
    weights = 1 / (1 / windows[:, np.newaxis] + RATIOS**2)  # [deploys, ratios]
    squared = np.einsum("gdi,dr,gdj->grij", columns, weights, columns)
    against = np.einsum("gdi,dr,d->gri", columns, weights, y)
    count = columns.shape[2]
    ties = np.zeros((len(SCALES), len(shifts), count, count))
    ties[:, :, 1, 1] = 1 / SCALES[:, np.newaxis] ** 2
    if count > 2:
        ties[:, :, 2, 2] = 1 / shifts[np.newaxis, :] ** 2
    tied = squared[:, :, np.newaxis, np.newaxis] + ties  # [gaps, ratios, scales, shifts, i, j]
    inverse = np.linalg.inv(tied)
    fitted = np.einsum("grsuij,grj->grsui", inverse, against)
    all_ = (weights * y[:, np.newaxis] ** 2).sum(0)[:, np.newaxis, np.newaxis]
    squares = np.maximum(all_ - np.einsum("grsui,gri->grsu", fitted, against), 0.0) + inside + LEAST_SPREAD**2
    freedom = float(windows.sum())
    off = fitted[..., 1] - LEAST_STEP * np.sqrt(squares / freedom)
    steps = stdtr(freedom, off / np.sqrt(squares / freedom * inverse[..., 1, 1]))
    scales = SCALES[:, np.newaxis]
    told = (
        0.5 * np.log(weights).sum(0)[:, np.newaxis, np.newaxis] - 0.5 * np.linalg.slogdet(tied)[1] - np.log(scales)
        - freedom / 2 * np.log(squares) + np.log(np.maximum(steps, 1e-300)) - np.log(ndtr(-LEAST_STEP / scales))
        + np.log(ratio_prior(RATIOS))[:, np.newaxis, np.newaxis] - (np.log(shifts) if count > 2 else 0.0)
    )  # fmt: skip
    out: F64 = logsumexp(told, axis=(1, 2, 3)) - float(np.log(SCALES.size * len(shifts)))
    return out
