"""The requests that the cost of a label's value is divided by: those of its route, where the value names one.

Needs the requests by route in the run metadata of every profile. The cost of another value, such as a tenant's, is divided by
the requests of the whole service, since its own are not known.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from slowpath.analysis.findings.route_requests import ROUTE_LABELS, RouteRequests, names_of_route, share_by_route
from slowpath.analysis.kinds.profiles.comparison.profile_kind_comparison import (
    ProfileKindComparison,
    SubjectEstimates,
    SubjectEstimator,
)
from slowpath.analysis.kinds.profiles.decoded.label_values import LabelMatcher
from slowpath.analysis.kinds.profiles.sets.load import FEWEST_REQUESTS, requests_in
from slowpath.analysis.kinds.profiles.sets.request_mix import find_mix_of

F64 = NDArray[np.float64]


@dataclass(frozen=True)
class RequestsOfPart:
    """The requests of a part of a service.

    `route` names them: a label and its value. `part` is their share of the requests of each profile over `share`, their share of those of all profiles: a cost over all
    requests times `part` is one per request of the service, as if every profile had the same mix; over `share` as well, it is
    one per request of the part. `mix` are the least and the largest factor by which methods and statuses within the part alone
    may change its cost.
    """

    route: LabelMatcher
    part: F64
    share: float
    mix: tuple[float, float]


@dataclass(frozen=True)
class LabelRequests:
    """The requests by route of every profile of a comparison; `captures` is empty if their mix does not differ."""

    captures: tuple[Sequence[RouteRequests], ...]
    shares: Mapping[str, F64]
    requests: F64
    weights: F64
    base_count: int

    @classmethod
    def of(cls, comparison: ProfileKindComparison) -> "LabelRequests":
        """Return the requests of the routes that every profile of the comparison states enough of."""
        sets, basis = comparison.sets, comparison.basis
        listed = [artifact.facts.requests_by_route or () for artifact in sets.artifacts]
        mixes = [share_by_route(each) for each in listed]
        is_known = basis.id == "per_request" and all(mixes) and all(each.operations is None for each in sets.artifacts)
        names = set.intersection(*(set(mix) for mix in mixes)) if is_known else set()
        return cls(
            captures=tuple(listed) if comparison.request_mix else (),
            shares={name: np.array([mix[name] for mix in mixes]) for name in names},
            requests=np.array([requests_in(artifact) for artifact in sets.artifacts]),
            weights=basis.weights,
            base_count=sets.base_count,
        )

    def of_value(self, key: str, value: str) -> RequestsOfPart | None:
        """Return the requests of the route that a value of a label names; None if none does, or too few are known."""
        shares = self.shares.get(value) if key in ROUTE_LABELS else None
        if shares is None or (shares * self.requests).min() < FEWEST_REQUESTS:
            return None
        return self._part(LabelMatcher(key, value), shares, self._mix_of(value))

    def of_rest(self, values: Sequence[tuple[str, str]]) -> RequestsOfPart | None:
        """Return the requests of all but these values of a label; None unless those of each are known, and there are others."""
        found = [self.shares.get(value) for key, value in values if key in ROUTE_LABELS]
        known = [each for each in found if each is not None]
        if not known or len(known) < len(values):
            return None
        rest: F64 = 1 - np.sum(known, axis=0)
        if (rest * self.requests).min() < FEWEST_REQUESTS:
            return None
        return self._part(LabelMatcher(values[0][0], None), rest, (1.0, 1.0))

    def _part(self, route: LabelMatcher, shares: F64, mix: tuple[float, float]) -> RequestsOfPart:
        share = float((shares * self.weights).sum() / self.weights.sum())
        return RequestsOfPart(route, shares / share, share, mix)

    def _mix_of(self, value: str) -> tuple[float, float]:
        """Return what the mix of methods and statuses within a route alone may change."""
        within = [[each for each in capture if value in names_of_route(each)] for capture in self.captures]
        mix = find_mix_of(within[: self.base_count], within[self.base_count :])
        return mix.bounds if mix else (1.0, 1.0)


def estimate_parts(
    estimator: SubjectEstimator, names: tuple[str, ...], rows: F64, own: Mapping[int, RequestsOfPart]
) -> SubjectEstimates:
    """Estimate rows, of which some are divided by requests of their own: their `rows` are scaled to the same mix."""
    subjects = estimator.subjects(names, rows)
    if not own:
        return subjects
    scaled, mix = rows.copy(), np.full((2, len(rows)), np.nan)
    estimates, tested = subjects.estimates, subjects.tested
    for row, requests in own.items():
        of_row = estimator.of_part(requests.part).subjects((names[row],), rows[[row]])
        estimates, tested = estimates.with_row(row, of_row.estimates), tested.with_row(row, of_row.tested)
        scaled[row], mix[:, row] = rows[row] / requests.part, requests.mix
    tested = estimates if subjects.tested is subjects.estimates else tested
    return SubjectEstimates(names, scaled, estimates, tested, (mix[0], mix[1]))
