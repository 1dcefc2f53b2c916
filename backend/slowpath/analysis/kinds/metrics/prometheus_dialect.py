"""Where Prometheus 2 and 3 differ about the same samples. We follow 3; 2 is here to be compared with a real 2.42.

- A range selector of 3 leaves out a sample exactly at its left edge; 2 takes it in. The same goes for the lookback.
- 3 interpolates exponentially inside a bucket of a native histogram and counts from the nearer end; 2 is linear, from below.
- Extrapolating to the left, 3 asks first whether the series covers the window's start, then whether the counter would fall
  below zero, and asks so of native histograms too; 2 asks in the other order, and of floats only.
- 3 takes neighbouring buckets for equal that differ by less than 1e-12 of themselves.
"""

from dataclasses import dataclass
from typing import Final

LOOKBACK_MS: Final = 300_000  # Prometheus' default: how long a sample speaks for its series


@dataclass(frozen=True, slots=True)
class PrometheusDialect:
    """One version's answers to the questions above."""

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
