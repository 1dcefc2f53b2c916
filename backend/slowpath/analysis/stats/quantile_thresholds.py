"""Thresholds of all comparisons of pooled quantiles: error rates, floors and priors of variation."""

from dataclasses import dataclass
from math import log10


@dataclass(frozen=True)
class QuantileThresholds:
    """Error rates, floors and priors.

    Times in nanoseconds, variation as standard deviations of a logarithm. `least_ratio`, `least_shift_ns`,
    `least_share` are floors that a finding must pass, whatever its significance. `spread_base` and
    `spread_per_square_nine` are the prior of how much a quantile varies between artifacts of one binary. With one
    artifact per side only the prior is known, and `spread_single` times as much is assumed.
    """

    alpha: float = 0.05
    confidence: float = 0.95
    power: float = 0.8
    draws: int = 400
    least_ratio: float = 1.25
    least_shift_ns: float = 100_000.0
    least_of_request: float = 0.05
    request_p99_ns: float | None = None
    least_share: float = 0.01
    # Measured between traces of one binary (two services, eleven traces): deviations of 0.2 at the median, 0.3 at p90,
    # 0.4 at p99, 0.7 at p99.9.
    spread_base: float = 0.18
    spread_per_square_nine: float = 0.06
    spread_single: float = 1.25
    prior_df: float = 4.0
    single_df: float = 16.0
    belief_df: float = 8.0
    # With one artifact per side, a change is significant only beyond what the state of one machine may cause.
    single_certain_ratio: float = 4.0
    # A comparison without findings is unchanged only if this ratio would have been found in subjects with this share.
    unchanged_within: float = 2.0
    unchanged_covers: float = 0.5
    most_tested: int = 64
    most_findings: int = 12
    worth_a_line: float = 0.02

    def spread(self, quantile: float) -> float:
        """Return the prior standard deviation of a log quantile between artifacts of one binary."""
        nines = -log10(1 - quantile)
        return self.spread_base + self.spread_per_square_nine * nines * nines

    @property
    def least_shift(self) -> float:
        """Return the smallest shift of a quantile (ns) that is reported."""
        return max(self.least_shift_ns, self.least_of_request * (self.request_p99_ns or 0.0))
