"""The thresholds for benchmarks."""

from dataclasses import dataclass


@dataclass(frozen=True)
class BenchThresholds:
    """What benchstat calls a difference (5% for each row alone) is a finding.

    It is certain only if it also is significant over all rows (`alpha`, Benjamini-Hochberg) and not negligible.
    """

    alpha: float = 0.01
    least_relative: float = 0.01
    confidence: float = 0.95
    unchanged_within: float = 1.10
    enough_values: int = 6
    noisy_from: float = 0.10
    most_findings: int = 50


DEFAULT_BENCH_THRESHOLDS = BenchThresholds()
