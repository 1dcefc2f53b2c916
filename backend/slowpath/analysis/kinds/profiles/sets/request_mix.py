"""Detect that the sides were sent another mix of requests, and bound what the mix alone can change.

If a share p of the requests of one side and a share q of the other goes to a route, and a request of a route costs the same on
both sides, then the cost per request changes by a factor between the smallest and the largest q / p of all routes, whatever the
costs are. Where the mix varies between the captures of a side, a regression of the cost on the shares narrows these bounds.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from slowpath.analysis.findings.route_requests import RouteRequests
from slowpath.analysis.kinds.profiles.decoded.profile_artifact import ProfileArtifact
from slowpath.analysis.stats.false_discovery_rate import q_values
from slowpath.analysis.stats.t_distribution import t_quantile, t_two_sided

F64 = NDArray[np.float64]
Key = tuple[str, str, str]
OTHERS: Key = ("", "", "")

# False discovery rate among the routes of a comparison.
MIX_LEVEL = 0.05
CONFIDENCE = 0.95


@dataclass(frozen=True)
class RequestMix:
    """A mix that differs between the sides by more than it varies within them.

    `routes` differ, the largest difference first. `shares` is (routes x captures), the base first.
    """

    routes: tuple[Key, ...]
    base: F64
    candidate: F64
    shares: F64
    is_base: NDArray[np.bool_]

    @property
    def bounds(self) -> tuple[float, float]:
        """Return the least and the largest factor by which the mix alone can change the cost per request."""
        base, candidate = (np.append(each, 1 - each.sum()) for each in (self.base, self.candidate))
        used = (base > 0) | (candidate > 0)
        with np.errstate(divide="ignore"):
            ratios = candidate[used] / base[used]
        return float(ratios.min()), float(ratios.max())

    def range_of(self, rows: F64, weights: F64) -> tuple[F64, F64]:
        """Return per row the least and the largest factor that the mix alone explains.

        `rows` is (subjects x captures) in raw values, `weights` are the requests of the captures.
        """
        low, high = (np.full(len(rows), bound) for bound in self.bounds)
        degrees = rows.shape[1] - 2 - len(self.routes)
        shares = self._centered(self.shares)
        if degrees < 1 or np.linalg.matrix_rank(shares) < len(self.routes):
            return low, high
        costs = rows / weights
        with np.errstate(divide="ignore", invalid="ignore"):
            relative = self._centered(costs / self._means(costs))
        inverse = np.linalg.inv(shares @ shares.T)
        slopes = relative @ shares.T @ inverse
        residual = np.square(relative - slopes @ shares).sum(axis=1) / degrees
        moved = self.candidate - self.base
        change = slopes @ moved
        reach = float(t_quantile(CONFIDENCE, np.array([float(degrees)]))[0])
        error = reach * np.sqrt(residual * float(moved @ inverse @ moved))
        known = np.isfinite(change) & np.isfinite(error)
        low = np.where(known, np.clip(1 + change - error, low, high), low)
        high = np.where(known, np.clip(1 + change + error, low, high), high)
        return low, high

    def _centered(self, values: F64) -> F64:
        """Return the deviations from the mean of each side."""
        centered: F64 = values - self._means(values)
        return centered

    def _means(self, values: F64) -> F64:
        """Return for each capture the mean of its side."""
        base, candidate = (values[:, side].mean(axis=1, keepdims=True) for side in (self.is_base, ~self.is_base))
        means: F64 = np.where(self.is_base, base, candidate)
        return means


def find_request_mix(base: Sequence[ProfileArtifact], candidate: Sequence[ProfileArtifact]) -> RequestMix | None:
    """Return the mix if it differs significantly; None if not, or unless it is known of every capture."""
    base_captures, candidate_captures = (
        [artifact.facts.requests_by_route or () for artifact in side] for side in (base, candidate)
    )
    return find_mix_of(base_captures, candidate_captures)


def find_mix_of(
    base: Sequence[Sequence[RouteRequests]], candidate: Sequence[Sequence[RouteRequests]]
) -> RequestMix | None:
    """Return the mix of captures as `find_request_mix` does."""
    captures = [*base, *candidate]
    known = [capture for capture in captures if capture]
    if len(known) < len(captures) or min(len(base), len(candidate)) < 2:
        return None
    keys, counts = count_by_route(known)
    is_base = np.arange(len(captures)) < len(base)
    totals = counts.sum(axis=0)
    if not np.all(totals > 0):
        return None
    sides = [counts[:, side].sum(axis=1) / totals[side].sum() for side in (is_base, ~is_base)]
    differs = q_values(_p_values(counts, totals, is_base), np.ones(len(keys))) <= MIX_LEVEL
    order = np.flatnonzero(differs)[np.argsort(-np.abs(sides[1] - sides[0])[differs], kind="stable")]
    # The shares of all routes sum to 1: the last one follows from the others.
    order = order[: len(keys) - 1]
    if len(order) == 0:
        return None
    return RequestMix(
        tuple(keys[row] for row in order), sides[0][order], sides[1][order], counts[order] / totals, is_base
    )


def count_by_route(captures: Sequence[Sequence[RouteRequests]]) -> tuple[list[Key], F64]:
    """Return the routes and their counts (routes x captures).

    A route that a capture with others does not list is one of the others, so it is counted as such in every capture.
    """
    listed = [{each.key for each in capture} for capture in captures]
    every = set().union(*listed)
    shared = {key for key in every if all(key in keys or OTHERS not in keys for keys in listed)}
    keys = [*sorted(shared - {OTHERS}), *([OTHERS] if OTHERS in every else [])]
    row_of = {key: row for row, key in enumerate(keys)}
    counts = np.zeros((len(keys), len(captures)))
    for column, capture in enumerate(captures):
        for each in capture:
            counts[row_of[each.key if each.key in shared else OTHERS], column] += each.requests
    return keys, counts


def _p_values(counts: F64, totals: F64, is_base: NDArray[np.bool_]) -> F64:
    """Test each route's share between the sides: binomial with the dispersion within the sides, at least 1."""
    sides = (is_base, ~is_base)
    shares = [counts[:, side].sum(axis=1, keepdims=True) / totals[side].sum() for side in sides]
    pooled = counts.sum(axis=1) / totals.sum()
    unit = pooled * (1 - pooled)
    degrees = max(1, len(totals) - 2)
    with np.errstate(divide="ignore", invalid="ignore"):
        squares = sum(
            (np.square(counts[:, side] - totals[side] * share) / totals[side]).sum(axis=1)
            for side, share in zip(sides, shares, strict=True)
        )
        dispersion = np.maximum(1.0, squares / unit / degrees)
        error = np.sqrt(dispersion * unit * sum(1 / totals[side].sum() for side in sides))
        statistic = np.where(unit > 0, (shares[1] - shares[0])[:, 0] / error, 0.0)
    return t_two_sided(statistic, np.full(len(counts), float(degrees)))
