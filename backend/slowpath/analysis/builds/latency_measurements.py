"""The latency of one build where it was deployed: quantiles of all requests pooled, in every environment, and by route.

A window of one build holds bursts and the hours of its day, so requests are no replicates: how sure a quantile is comes from
drawing blocks of neighbouring minutes (moving-block bootstrap, Künsch 1989). That tells nothing of how far apart two
placements of one build lie; only other builds of the line do. A deploy is one replicate however long it ran.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.random import Generator

from slowpath.analysis.builds.build_measurements import KindMeasurement, SubjectValues
from slowpath.analysis.kinds.metrics.exclusive_latency import ALL, ExclusiveLatency
from slowpath.analysis.kinds.metrics.quantile_ratio import block_weights
from slowpath.analysis.stats.histogram_cells import HistogramCells, pooled_quantile, same_bounds

QUANTILES: Final = {"p50": 0.5, "p99": 0.99}
LEAST_REQUESTS: Final = {"p50": 200, "p99": 1_000}
"""Of fewer a quantile rests on ten requests or less."""
LEAST_MINUTES: Final = 8
NANOSECONDS: Final = 1e9
_MINUTE_S: Final = 60


@dataclass(frozen=True)
class DeploymentLatency:
    """Latency of one deploy of a build in an environment, which is named by its slug."""

    environment: str
    latency: ExclusiveLatency


@dataclass(frozen=True)
class LatencySubject:
    """What a series of latency is of: an environment, a route ("" for all of them), a quantile."""

    environment: str
    route: str
    quantile: str

    def __str__(self) -> str:
        """Return the subject of the series."""
        return " ".join(part for part in (self.environment, self.route, self.quantile) if part)

    @classmethod
    def read(cls, subject: str) -> "LatencySubject":
        """Return what a subject names: an environment's slug has no space, nor has a quantile."""
        environment, _, rest = subject.partition(" ")
        route, _, quantile = rest.rpartition(" ")
        return cls(environment, route, quantile)


def measure_latency(deploys: Sequence[DeploymentLatency], rng: Generator) -> tuple[KindMeasurement, str]:
    """Measure a build by its deploys, oldest first; and name how its latencies were counted.

    A measure without subjects if no environment has enough minutes and requests.
    """
    subjects: list[str] = []
    values: list[float] = []
    errors: list[float] = []
    load: dict[str, float] = {}
    buckets: dict[str, str] = {}
    replicates = 0
    for environment in sorted({each.environment for each in deploys}):
        mine = [each.latency for each in deploys if each.environment == environment]
        whole = _pooled([one.routes[ALL] for one in mine])
        if len(whole.times_ms) < LEAST_MINUTES:
            continue
        load[environment] = float(whole.requests.sum()) / (len(whole.times_ms) * _MINUTE_S)
        buckets[environment] = mine[-1].buckets
        replicates = max(replicates, len(mine))
        routes = dict.fromkeys(route for one in mine for route in one.routes)
        for route in routes:
            cells = _pooled([one.routes[route] for one in mine if route in one.routes])
            for quantile, (value, error) in _quantiles(cells, rng).items():
                subjects.append(str(LatencySubject(environment, route, quantile)))
                values.append(value * NANOSECONDS)
                errors.append(error * NANOSECONDS)
    held = SubjectValues("ns", np.array(values), np.array(errors))
    measure = KindMeasurement("latency", replicates, tuple(subjects), {"quantile": held}, load=load)
    return measure, " + ".join(f"{name}: {text}" for name, text in buckets.items())


def _pooled(parts: Sequence[HistogramCells]) -> HistogramCells:
    """All minutes of several deploys; of those that are counted otherwise than the newest only that one's."""
    pooled = parts[-1]
    for part in reversed(parts[:-1]):
        shared = same_bounds(part, pooled)
        if shared is None:
            break
        older, newer = shared
        pooled = HistogramCells(
            np.concatenate((older.times_ms, newer.times_ms)),
            newer.bounds,
            np.concatenate((older.counts, newer.counts)),
        )
    return pooled


def _quantiles(cells: HistogramCells, rng: Generator) -> Mapping[str, tuple[float, float]]:
    """Each quantile in seconds that is known, and its standard error."""
    requests = float(cells.requests.sum()) if len(cells.times_ms) >= LEAST_MINUTES else 0.0
    wanted = {name: q for name, q in QUANTILES.items() if requests >= LEAST_REQUESTS[name]}
    if not wanted:
        return {}
    drawn = block_weights(cells.times_ms, rng) @ cells.counts
    whole = cells.counts.sum(axis=0, keepdims=True)
    found = {}
    for name, q in wanted.items():
        value = float(pooled_quantile(whole, cells.bounds, q)[0])
        if not 0 < value < float(cells.bounds[-2]):
            continue  # above the highest bound nothing is known
        logs = np.log(np.maximum(pooled_quantile(drawn, cells.bounds, q), 1e-12))
        found[name] = (value, value * float(np.std(logs, ddof=1)))
    return found
