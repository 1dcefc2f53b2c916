"""Test whether the production baseline of the two boundaries also holds for the probes of a search.

Runners use other machines, other load and other conditions than production, which shift all values. Two models of all
measurements are compared (as in `likelihood`: noise, levels and the culprit are marginalized). In one, production and the
search have the same two levels. In the other, all probes of the search differ by one shift, or their step differs.
"""

from collections.abc import Sequence
from typing import Final

import numpy as np
from scipy.special import logsumexp, ndtr, stdtr

from slowpath.analysis.bisect import measurement_normalization
from slowpath.analysis.bisect.candidate_sequence import CandidateSequence
from slowpath.analysis.bisect.level_fit import (
    F64,
    I64,
    LEAST_SPREAD,
    LEAST_STEP,
    RATIOS,
    SCALES,
    ratio_prior,
)
from slowpath.analysis.bisect.likelihood import ProbeReadings
from slowpath.analysis.bisect.prior import log_prior
from slowpath.analysis.bisect.search_state import SearchState

SHIFTS: Final = np.array([2.0, 8.0])
"""Scale of the shift of a search's probes, in standard deviations between measurements."""
PRIOR_DISAGREEMENT: Final = 0.2
"""Prior probability that a search measures differently from production."""


def baseline_disagreement(state: SearchState) -> float:
    """Return the probability that the search measures differently from production.

    0 before its first measurement.
    """
    counted = [one for one in state.deploys if one.is_measured]
    pairs = [
        (one.is_ours, readings) for one, readings in zip(counted, measurement_normalization.readings(state), strict=True) if readings.values
    ]  # fmt: skip
    ours = np.array([is_ours for is_ours, _ in pairs], dtype=np.float64)
    if not pairs or ours.min() == ours.max():
        return 0.0
    same, other = _model_likelihoods(state.line, [readings for _, readings in pairs], ours)
    odds = np.log(PRIOR_DISAGREEMENT) - np.log1p(-PRIOR_DISAGREEMENT) + other - same
    return float(1 / (1 + np.exp(-np.clip(odds, -700, 700))))


def _model_likelihoods(line: CandidateSequence, measured: Sequence[ProbeReadings], ours: F64) -> tuple[float, float]:
    """Return the log likelihoods of both models."""
    windows = np.array([len(one.values) for one in measured], dtype=float)
    means = np.array([np.mean(one.values) for one in measured])
    inside = sum(float(np.sum((np.array(one.values) - np.mean(one.values)) ** 2)) for one in measured)
    positions = np.array([one.position for one in measured], dtype=np.int64)
    bad, prior = _gaps(line, positions)
    y = means - float(np.median(means))
    one = np.ones_like(bad)
    unshifted = _log_evidence(y, windows, inside, np.stack([one, bad], axis=2), np.array([np.inf]))
    shifted = _log_evidence(y, windows, inside, np.stack([one, bad, one * ours], axis=2), SHIFTS)
    stretched = _log_evidence(y, windows, inside, np.stack([one, bad, bad * ours], axis=2), SHIFTS)
    same = float(logsumexp(unshifted + prior))
    other = float(logsumexp(np.stack([shifted, stretched]) + prior)) - float(np.log(2))
    return same, other


def _gaps(line: CandidateSequence, positions: I64) -> tuple[F64, F64]:
    """Return [gaps, probes] what is bad, and [gaps] the prior of each gap (hypotheses in a gap are equivalent)."""
    edges = np.unique(positions)
    before = log_prior(line)
    rows = np.searchsorted(edges, np.arange(len(before)), side="left")
    prior = np.array(
        [logsumexp(before[rows == gap]) if (rows == gap).any() else -np.inf for gap in range(len(edges) + 1)]
    )
    gaps = np.arange(len(edges) + 1)[:, np.newaxis]
    bad = np.searchsorted(edges, positions)[np.newaxis, :] >= gaps
    return bad.astype(np.float64), prior


def _log_evidence(y: F64, windows: F64, inside: float, columns: F64, shifts: F64) -> F64:
    """Return [gaps] log likelihoods, marginalized over levels, noise and scales.

    `columns` [gaps, probes, 2 or 3].
    """
    weights = 1 / (1 / windows[:, np.newaxis] + RATIOS**2)  # [probes, ratios]
    squared = np.einsum("gdi,dr,gdj->grij", columns, weights, columns)
    against = np.einsum("gdi,dr,d->gri", columns, weights, y)
    count = columns.shape[2]
    prior_precision = np.zeros((len(SCALES), len(shifts), count, count))
    prior_precision[:, :, 1, 1] = 1 / SCALES[:, np.newaxis] ** 2
    if count > 2:
        prior_precision[:, :, 2, 2] = 1 / shifts[np.newaxis, :] ** 2
    posterior_precision = (
        squared[:, :, np.newaxis, np.newaxis] + prior_precision
    )  # [gaps, ratios, scales, shifts, i, j]
    inverse = np.linalg.inv(posterior_precision)
    fitted = np.einsum("grsuij,grj->grsui", inverse, against)
    sum_of_squares = (weights * y[:, np.newaxis] ** 2).sum(0)[:, np.newaxis, np.newaxis]
    squares = np.maximum(sum_of_squares - np.einsum("grsui,gri->grsu", fitted, against), 0.0) + inside + LEAST_SPREAD**2
    freedom = float(windows.sum())
    excess = fitted[..., 1] - LEAST_STEP * np.sqrt(squares / freedom)
    steps = stdtr(freedom, excess / np.sqrt(squares / freedom * inverse[..., 1, 1]))
    scales = SCALES[:, np.newaxis]
    log_terms = (
        0.5 * np.log(weights).sum(0)[:, np.newaxis, np.newaxis] - 0.5 * np.linalg.slogdet(posterior_precision)[1] - np.log(scales)
        - freedom / 2 * np.log(squares) + np.log(np.maximum(steps, 1e-300)) - np.log(ndtr(-LEAST_STEP / scales))
        + np.log(ratio_prior(RATIOS))[:, np.newaxis, np.newaxis] - (np.log(shifts) if count > 2 else 0.0)
    )  # fmt: skip
    out: F64 = logsumexp(log_terms, axis=(1, 2, 3)) - float(np.log(SCALES.size * len(shifts)))
    return out
