"""What explains a change: a deploy of this service, a service it calls, its load; or nothing that is known.

A deploy explains a change that begins within minutes after it, unless load does so better: how latency went with load in the
hours before says what latency the new load should have. A service that merely waits longer for another one follows it.
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Final, Generic, Literal, TypeVar

import numpy as np

from slowpath.analysis.kinds.metrics.latency_change_points import BEFORE_CELLS, LatencyChangePoint, log_values
from slowpath.analysis.kinds.metrics.service_cells import MINUTE_MS, ServiceCells

Cause = Literal["deployment", "load", "dependency", "unexplained"]
Deploy = TypeVar("Deploy", bound=Hashable)
Of = TypeVar("Of", bound=Hashable)

ROLLOUT_MS: Final = 10 * MINUTE_MS
"""A rollout that replaces instances one by one shows in the whole service only minutes later."""
EARLY_MS: Final = MINUTE_MS
"""Clocks differ, and a deploy is often told when it is done."""
TOGETHER_MS: Final = 2 * MINUTE_MS
MOST_OF_IT: Final = 0.6
"""The share of a step that load must account for to be its explanation."""
LEAST_CELLS: Final = 30
SURE_SLOPE: Final = 4.0
"""Standard deviations, widened for likeness of neighbours, by which latency must have gone with load."""


@dataclass(frozen=True)
class DeploymentTime(Generic[Deploy]):
    """A deploy of the service that changed."""

    deploy: Deploy
    at_ms: int


@dataclass(frozen=True)
class DependencyChange(Generic[Of]):
    """A change of a service that this one calls (for `qps`: of one that calls it)."""

    service: Of
    change: LatencyChangePoint
    deployed: bool
    """Whether a deploy of that service explains it."""


@dataclass(frozen=True)
class ChangeCause(Generic[Deploy, Of]):
    """The cause, and which deploy or whom it follows."""

    cause: Cause
    deploy: Deploy | None = None
    follows: Of | None = None


def attribute_change(
    change: LatencyChangePoint,
    load_share: float,
    deploys: Sequence[DeploymentTime[Deploy]],
    others: Sequence[DependencyChange[Of]],
) -> ChangeCause[Deploy, Of]:
    """Name the cause. `load_share` is what share of the step load accounts for (`load_explained_share`)."""
    own = [each for each in deploys if change.low_ms - ROLLOUT_MS <= each.at_ms <= change.high_ms + EARLY_MS]
    followed = [each for each in others if are_same_change(change, each.change)]
    deployed = [each for each in followed if each.deployed]
    if change.signal == "qps":
        if followed:
            return ChangeCause("dependency", None, followed[0].service)
        return ChangeCause("deployment", own[-1].deploy) if own else ChangeCause("load")
    if deployed and not own:
        return ChangeCause("dependency", None, deployed[0].service)
    if load_share >= MOST_OF_IT:
        return ChangeCause("load")
    if own:
        return ChangeCause("deployment", max(own, key=lambda each: each.at_ms).deploy)
    return ChangeCause("dependency", None, followed[0].service) if followed else ChangeCause("unexplained")


def are_same_change(one: LatencyChangePoint, other: LatencyChangePoint) -> bool:
    """Whether two changes may be one and go the same way."""
    near = one.low_ms - TOGETHER_MS <= other.high_ms and other.low_ms - TOGETHER_MS <= one.high_ms
    return near and (one.signal == "qps" or (one.ratio > 1) == (other.ratio > 1))


def load_explained_share(cells: ServiceCells, change: LatencyChangePoint) -> float:
    """The share (of the log ratio) that load accounts for, by how latency went with load before; 0 where that is unknown."""
    if change.signal == "qps" or change.ratio <= 0:
        return 0.0
    load, latency = log_values(cells, "qps"), log_values(cells, change.signal)
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
    alike = float(np.clip((rest[1:] @ rest[:-1]) / max(float(rest @ rest), 1e-12), 0.0, 0.9))
    error = float(np.sqrt(rest @ rest / max(len(x) - 2, 1) / power * (1 + alike) / (1 - alike)))
    if abs(slope) < SURE_SLOPE * error:
        return 0.0
    moved = float(np.median(load[after][: 2 * BEFORE_CELLS]) - np.median(load[before][-BEFORE_CELLS:]))
    return slope * moved / float(np.log(change.ratio))
