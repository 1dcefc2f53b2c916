"""Attribute a change to a deployment of the service, a service it calls, or its load.

Else it is unexplained. A deployment explains a change that begins within minutes after it, unless load does so better:
the relation of latency and load in the hours before predicts the latency at the new load. A service that only waits for
another one follows it.
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Final, Generic, Literal, TypeVar

import numpy as np

from slowpath.analysis.kinds.metrics.changes.latency_change_points import BEFORE_CELLS, LatencyChangePoint, log_values
from slowpath.analysis.kinds.metrics.panels.service_cells import MINUTE_MS, ServiceCells

Cause = Literal["deployment", "load", "dependency", "unexplained"]
Deploy = TypeVar("Deploy", bound=Hashable)
Of = TypeVar("Of", bound=Hashable)

ROLLOUT_MS: Final = 10 * MINUTE_MS
"""A rolling deployment shows in the service's total only minutes later."""
EARLY_MS: Final = MINUTE_MS
"""Clocks differ, and a deployment is often reported after it finished."""
TOGETHER_MS: Final = 2 * MINUTE_MS
MOST_OF_IT: Final = 0.6
"""Minimum share of a step that load must explain to be its cause."""
LEAST_CELLS: Final = 30
SURE_SLOPE: Final = 4.0
"""Standard deviations of the relation between latency and load, widened for autocorrelation."""


@dataclass(frozen=True)
class DeploymentTime(Generic[Deploy]):
    """A deployment of the service that changed."""

    deploy: Deploy
    at_ms: int


@dataclass(frozen=True)
class DependencyChange(Generic[Of]):
    """A change of a service that this one calls (for `qps`: of one that calls it)."""

    service: Of
    change: LatencyChangePoint
    deployed: bool
    """Whether a deployment of that service explains it."""


@dataclass(frozen=True)
class ChangeCause(Generic[Deploy, Of]):
    """The cause, with the deployment or the service it follows."""

    cause: Cause
    deploy: Deploy | None = None
    follows: Of | None = None


def attribute_change(
    change: LatencyChangePoint,
    load_share: float,
    deploys: Sequence[DeploymentTime[Deploy]],
    others: Sequence[DependencyChange[Of]],
) -> ChangeCause[Deploy, Of]:
    """Return the cause. `load_share` is the share of the step that load explains (`load_explained_share`)."""
    own_deploys = [each for each in deploys if change.low_ms - ROLLOUT_MS <= each.at_ms <= change.high_ms + EARLY_MS]
    followed = [each for each in others if are_same_change(change, each.change)]
    deployed = [each for each in followed if each.deployed]
    if change.signal == "qps":
        if followed:
            return ChangeCause("dependency", None, followed[0].service)
        return ChangeCause("deployment", own_deploys[-1].deploy) if own_deploys else ChangeCause("load")
    if deployed and not own_deploys:
        return ChangeCause("dependency", None, deployed[0].service)
    if load_share >= MOST_OF_IT:
        return ChangeCause("load")
    if own_deploys:
        return ChangeCause("deployment", max(own_deploys, key=lambda each: each.at_ms).deploy)
    return ChangeCause("dependency", None, followed[0].service) if followed else ChangeCause("unexplained")


def are_same_change(one: LatencyChangePoint, other: LatencyChangePoint) -> bool:
    """Return whether two changes may be one and have the same direction."""
    near = one.low_ms - TOGETHER_MS <= other.high_ms and other.low_ms - TOGETHER_MS <= one.high_ms
    return near and (one.signal == "qps" or (one.ratio > 1) == (other.ratio > 1))


def load_explained_share(cells: ServiceCells, change: LatencyChangePoint) -> float:
    """Return the share (of the log ratio) that load explains, by its relation to latency before.

    0 if unknown.
    """
    if change.signal == "qps" or change.ratio <= 0:
        return 0.0
    load, latency = log_values(cells, "qps"), log_values(cells.of_gauge(change.gauge), change.signal)
    known = np.isfinite(load) & np.isfinite(latency)
    before = known & (cells.times_ms <= change.low_ms)
    after = known & (cells.times_ms > change.high_ms)
    if before.sum() < LEAST_CELLS or not after.any():
        return 0.0
    x, y = load[before] - load[before].mean(), latency[before] - latency[before].mean()
    power = float(x @ x)
    if power <= 0:
        return 0.0
    slope = float(x @ y) / power
    rest = y - slope * x
    autocorrelation = float(np.clip((rest[1:] @ rest[:-1]) / max(float(rest @ rest), 1e-12), 0.0, 0.9))
    error = float(np.sqrt(rest @ rest / max(len(x) - 2, 1) / power * (1 + autocorrelation) / (1 - autocorrelation)))
    if abs(slope) < SURE_SLOPE * error:
        return 0.0
    moved = float(np.median(load[after][: 2 * BEFORE_CELLS]) - np.median(load[before][-BEFORE_CELLS:]))
    return slope * moved / float(np.log(change.ratio))
