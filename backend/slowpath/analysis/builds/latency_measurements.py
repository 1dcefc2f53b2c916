"""Measure the latency of a build by environment and route: quantiles of all requests pooled.

A deployment contains bursts and hours of the day, so requests are not replicates: the standard error of a quantile comes
from redrawing blocks of neighboring minutes (moving-block bootstrap, Künsch 1989). It does not cover the variation between
two deployments of one build; only other builds show that. A deployment is one replicate however long it ran.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.random import Generator

from slowpath.analysis.findings.build_measurements import KindMeasurement, SubjectValues
from slowpath.analysis.kinds.metrics.changes.exclusive_latency import ALL, ExclusiveLatency
from slowpath.analysis.kinds.metrics.changes.quantile_ratio import block_weights
from slowpath.analysis.stats.histogram_cells import HistogramCells, pooled_quantile, same_bounds

QUANTILES: Final = {"p50": 0.5, "p99": 0.99}
LEAST_REQUESTS: Final = {"p50": 200, "p99": 1_000}
"""With fewer requests a quantile depends on ten requests or less."""
LEAST_MINUTES: Final = 8
NANOSECONDS: Final = 1e9
_MINUTE_S: Final = 60


@dataclass(frozen=True)
class DeploymentLatency:
    """Latency of one deployment of a build; `environment` is a slug."""

    environment: str
    latency: ExclusiveLatency


@dataclass(frozen=True)
class LatencySubject:
    """The subject of a latency series: an environment, a route ("" for all), a quantile."""

    environment: str
    route: str
    quantile: str

    def __str__(self) -> str:
        """Return the subject of the series."""
        return " ".join(part for part in (self.environment, self.route, self.quantile) if part)

    @classmethod
    def read(cls, subject: str) -> "LatencySubject":
        """Parse a subject. Neither an environment's slug nor a quantile contains a space."""
        environment, _, rest = subject.partition(" ")
        route, _, quantile = rest.rpartition(" ")
        return cls(environment, route, quantile)


def measure_latency(deploys: Sequence[DeploymentLatency], rng: Generator) -> tuple[KindMeasurement, str]:
    """Measure a build by its deployments, oldest first; also return how its latencies were bucketed.

    The measurement has no subjects if no environment has enough minutes and requests.
    """
    subjects: list[str] = []
    values: list[float] = []
    errors: list[float] = []
    load: dict[str, float] = {}
    buckets: dict[str, str] = {}
    replicates = 0
    for environment in sorted({each.environment for each in deploys}):
        in_environment = [each.latency for each in deploys if each.environment == environment]
        all_requests = _pooled([one.routes[ALL] for one in in_environment])
        if len(all_requests.times_ms) < LEAST_MINUTES:
            continue
        load[environment] = float(all_requests.requests.sum()) / (len(all_requests.times_ms) * _MINUTE_S)
        buckets[environment] = in_environment[-1].buckets
        replicates = max(replicates, len(in_environment))
        routes = dict.fromkeys(route for one in in_environment for route in one.routes)
        for route in routes:
            cells = _pooled([one.routes[route] for one in in_environment if route in one.routes])
            for quantile, (value, error) in _quantiles(cells, rng).items():
                subjects.append(str(LatencySubject(environment, route, quantile)))
                values.append(value * NANOSECONDS)
                errors.append(error * NANOSECONDS)
    by_subject = SubjectValues("ns", np.array(values), np.array(errors))
    measure = KindMeasurement("latency", replicates, tuple(subjects), {"quantile": by_subject}, load=load)
    return measure, " + ".join(f"{name}: {text}" for name, text in buckets.items())


def _pooled(parts: Sequence[HistogramCells]) -> HistogramCells:
    """Pool the minutes of several deployments.

    Stop at the first (from the newest) with incompatible buckets.
    """
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
    """Return each known quantile in seconds and its standard error."""
    requests = float(cells.requests.sum()) if len(cells.times_ms) >= LEAST_MINUTES else 0.0
    quantiles_with_data = {name: q for name, q in QUANTILES.items() if requests >= LEAST_REQUESTS[name]}
    if not quantiles_with_data:
        return {}
    resampled = block_weights(cells.times_ms, rng) @ cells.counts
    all_counts = cells.counts.sum(axis=0, keepdims=True)
    estimates = {}
    for name, q in quantiles_with_data.items():
        value = float(pooled_quantile(all_counts, cells.bounds, q)[0])
        if not 0 < value < float(cells.bounds[-2]):
            continue  # above the highest bound the value is unknown
        logs = np.log(np.maximum(pooled_quantile(resampled, cells.bounds, q), 1e-12))
        estimates[name] = (value, value * float(np.std(logs, ddof=1)))
    return estimates
