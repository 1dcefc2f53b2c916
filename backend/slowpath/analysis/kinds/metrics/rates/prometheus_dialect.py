"""Differences of Prometheus 2 and 3 on the same samples.

We follow 3; 2 is for comparison with a real 2.42.
- A range selector of 3 excludes a sample exactly at its left edge; 2 includes it. The same holds for the lookback.
- 3 interpolates exponentially in a bucket of a native histogram and counts from the nearer end; 2 is linear, from below.
- Extrapolating to the left, 3 tests first whether the series covers the window's start, then whether the counter would fall
  below zero, also for native histograms; 2 tests in the other order, and only floats.
- 3 treats neighboring buckets as equal that differ by less than 1e-12 of themselves.
"""

from dataclasses import dataclass
from typing import Final

LOOKBACK_MS: Final = 300_000  # Prometheus' default: how long a sample is valid


@dataclass(frozen=True, slots=True)
class PrometheusDialect:
    """One version's behavior in these points."""

    left_open: bool
    exponential_interpolation: bool
    covers_before_zero: bool
    delta_tolerance: float


PROMETHEUS_2: Final = PrometheusDialect(
    left_open=False, exponential_interpolation=False, covers_before_zero=False, delta_tolerance=0.0
)
PROMETHEUS_3: Final = PrometheusDialect(
    left_open=True, exponential_interpolation=True, covers_before_zero=True, delta_tolerance=1e-12
)
