"""The numbers that a comparison of traces is judged by, in one value."""

from dataclasses import dataclass
from math import log10


@dataclass(frozen=True)
class TraceThresholds:
    """How sure is sure, and how small is too small. Times in nanoseconds, spreads as deviations of a logarithm.

    `least_ratio`, `least_shift_ns`, `least_share` are floors that a finding must pass, whatever its significance.
    `spread_base` and `spread_per_square_nine` say how much a quantile differs between traces of one binary: believed before
    looking. With one trace a side it is all there is to believe, and `spread_single` times as much is.
    """

    alpha: float = 0.05
    confidence: float = 0.95
    power: float = 0.8
    draws: int = 400
    least_ratio: float = 1.25
    # Of waits while processors stood idle, and of recordings on a machine short of CPU: that much it does by itself.
    least_ratio_machine: float = 4.0
    # Where a machine was short of CPU, the remaining time must be at least so many blocks and such a share to be compared.
    least_clean_blocks: int = 8
    least_clean_share: float = 0.25
    least_shift_ns: float = 100_000.0
    least_of_request: float = 0.05
    request_p99_ns: float | None = None
    least_share: float = 0.01
    # A group that waits on one side only must wait so much (ns per second) to be a finding.
    least_waiting: float = 10_000_000.0
    least_waits: int = 20
    least_blocks: int = 8
    # At least so many waits must lie beyond a quantile for it to be judged: where waits are shorter, and where they are
    # longer. Few waits make a quantile too small, which on the longer side only hides a change.
    least_beyond: float = 1.0
    least_beyond_longer: float = 0.3
    # Measured between traces of one binary (two services, eleven traces): deviations of 0.2 at the median, 0.3 at p90,
    # 0.4 at p99, 0.7 at p99.9.
    spread_base: float = 0.18
    spread_per_square_nine: float = 0.06
    spread_single: float = 1.25
    prior_df: float = 4.0
    single_df: float = 16.0
    belief_df: float = 8.0
    # With one trace a side, a change is certain only beyond what one machine's mood may do.
    single_certain_ratio: float = 4.0
    least_gc_fraction: float = 0.01
    least_stw_fraction: float = 0.001
    least_mmu_drop: float = 0.15
    spread_gc: float = 0.3
    # Between traces of one binary, the rate of waiting differs by so much (deviation of a logarithm).
    spread_waiting: float = 0.25
    # Fewer cycles than this in a trace tell nothing of the collector's habits.
    least_cycles: int = 3
    spread_mmu: float = 0.08
    # A comparison without findings is unchanged only where twice the waiting per second would have been found, and in
    # the groups that hold half of the waiting twice the p99 or a quarter of a millisecond more, and garbage collection on
    # a tenth more of the processors. One trace a side never shows that.
    unchanged_within: float = 2.0
    unchanged_shift_ns: float = 250_000.0
    unchanged_covers: float = 0.5
    unchanged_gc: float = 0.1
    # More traces a side than this are not recommended: then recordings should be longer.
    most_advised: int = 32
    most_judged: int = 64
    most_findings: int = 12
    worth_a_line: float = 0.02

    def spread(self, quantile: float) -> float:
        """The deviation of a log quantile between traces of one binary, as believed before looking."""
        nines = -log10(1 - quantile)
        return self.spread_base + self.spread_per_square_nine * nines * nines

    @property
    def least_shift(self) -> float:
        """The smallest shift of a quantile (ns) that is worth telling."""
        return max(self.least_shift_ns, self.least_of_request * (self.request_p99_ns or 0.0))


DEFAULT_TRACE_THRESHOLDS = TraceThresholds()
