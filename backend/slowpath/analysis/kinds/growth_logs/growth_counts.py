"""Count growths by total, size, attributed caller, and caller and size, with the exposures of the logs."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from slowpath.analysis.kinds.growth_logs.count_rates import F64, Mask, RateComparison, compare_rates
from slowpath.analysis.kinds.growth_logs.growth_artifact import GrowthArtifact
from slowpath.analysis.kinds.growth_logs.growth_table import GrowthPath
from slowpath.analysis.kinds.growth_logs.growth_thresholds import GrowthThresholds

BasisId = Literal["per_request", "per_second", "count"]
Key = tuple[str, int, int]
TOTAL = "total"


@dataclass(frozen=True)
class Exposure:
    """What growths are counted per: the exposure of every log (base first), all above 0."""

    id: BasisId
    unit: str
    weights: F64


@dataclass(frozen=True)
class GrowthRows:
    """Growths of named subjects (subjects x logs); `quantum` growths are one recorded event."""

    keys: tuple[Key, ...]
    growths: F64
    quantum: float
    comparison: RateComparison

    def index(self, key: Key) -> int:
        """Return the row of a key."""
        return self.keys.index(key)


@dataclass(frozen=True)
class GrowthCounts:
    """Counts of both sides.

    Keys are (caller, old bytes, new bytes), with "" and 0 where rows are summed over them.
    """

    artifacts: tuple[GrowthArtifact, ...]
    is_base: Mask
    basis: Exposure
    total: GrowthRows
    classes: GrowthRows
    callers: GrowthRows
    paths: GrowthRows

    @property
    def replicates(self) -> tuple[int, int]:
        """Return the number of logs on each side."""
        return int(np.count_nonzero(self.is_base)), int(np.count_nonzero(~self.is_base))


def measure(
    base: Sequence[GrowthArtifact], candidate: Sequence[GrowthArtifact], thresholds: GrowthThresholds
) -> GrowthCounts:
    """Count both sides; each has at least one log."""
    artifacts = (*base, *candidate)
    is_base = np.arange(len(artifacts)) < len(base)
    basis = basis_of(artifacts)

    def rows(keys: tuple[Key, ...], growths: F64, quantum: float) -> GrowthRows:
        return GrowthRows(keys, growths, quantum, compare_rates(growths, quantum, basis.weights, is_base, thresholds))

    return GrowthCounts(
        artifacts=artifacts,
        is_base=is_base,
        basis=basis,
        total=rows(*_totals(artifacts)),
        classes=rows(*_classes(artifacts)),
        callers=rows(*_sampled(artifacts, lambda path: (path.caller, 0, 0))),
        paths=rows(*_sampled(artifacts, lambda path: (path.caller, path.old_bytes, path.new_bytes))),
    )


def basis_of(artifacts: Sequence[GrowthArtifact]) -> Exposure:
    """Return exposure per request if the load of every log is known, else per second if durations are, else per log."""
    requests = np.array([artifact.facts.requests or 0 for artifact in artifacts], dtype=np.float64)
    if len(requests) and requests.min() > 0:
        return Exposure("per_request", "count/request", requests)
    seconds = np.array([artifact.seconds or 0.0 for artifact in artifacts])
    if len(seconds) and seconds.min() > 0:
        return Exposure("per_second", "count/s", seconds)
    return Exposure("count", "count", np.ones(len(artifacts)))


def _rate(artifacts: Sequence[GrowthArtifact]) -> float:
    """Return how many growths one event represents.

    The rate of the coarsest log, to not overstate precision.
    """
    return float(max((artifact.table.rate for artifact in artifacts if artifact.table.sampled), default=1))


def _totals(artifacts: Sequence[GrowthArtifact]) -> tuple[tuple[Key, ...], F64, float]:
    """Count all growths: the printed totals if every log has them, else the estimate."""
    printed = all(artifact.table.total is not None for artifact in artifacts)
    growths = [artifact.table.growths if printed else artifact.table.estimate for artifact in artifacts]
    return ((TOTAL, 0, 0),), np.array([growths], dtype=np.float64), 1.0 if printed else _rate(artifacts)


def _classes(artifacts: Sequence[GrowthArtifact]) -> tuple[tuple[Key, ...], F64, float]:
    """Count growths by old size: the printed totals if every log has them, else the recorded ones."""
    if not all(artifact.table.totals and 0 not in artifact.table.totals for artifact in artifacts):
        return _sampled(artifacts, lambda path: ("", path.old_bytes, 0))
    sizes = sorted({size for artifact in artifacts for size in artifact.table.totals})
    growths = [[artifact.table.totals.get(size, 0) for artifact in artifacts] for size in sizes]
    return tuple(("", size, 0) for size in sizes), np.array(growths, dtype=np.float64), 1.0


def _sampled(
    artifacts: Sequence[GrowthArtifact], key_of: Callable[[GrowthPath], Key]
) -> tuple[tuple[Key, ...], F64, float]:
    """Sum recorded growths times rate by key, in order of key."""
    sums: dict[Key, F64] = {}
    for number, artifact in enumerate(artifacts):
        for path in artifact.table.paths:
            row = sums.setdefault(key_of(path), np.zeros(len(artifacts)))
            row[number] += path.sampled * artifact.table.rate
    keys = tuple(sorted(sums))
    growths = np.array([sums[key] for key in keys]).reshape(len(keys), len(artifacts))
    return keys, growths, _rate(artifacts)
