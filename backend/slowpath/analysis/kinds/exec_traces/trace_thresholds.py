"""Thresholds of a comparison of execution traces."""

from dataclasses import dataclass

from slowpath.analysis.stats.quantile_thresholds import QuantileThresholds


@dataclass(frozen=True)
class TraceThresholds(QuantileThresholds):
    """Thresholds of execution traces, with those that every comparison of quantiles uses.

    Times in nanoseconds, spreads as standard deviations of a logarithm.
    """

    # For waits while Ps were idle, and recordings on a machine short of CPU: such ratios occur without a change.
    least_ratio_machine: float = 4.0
    # Where a machine was short of CPU, the remaining time must be this many blocks and this share to be compared.
    least_clean_blocks: int = 8
    least_clean_share: float = 0.25
    # A group that waits on one side only must wait this long (ns per second) to be a finding.
    least_waiting: float = 10_000_000.0
    least_waits: int = 20
    least_blocks: int = 8
    # A quantile is tested only with this many waits beyond it: on the side with shorter waits, and on the other. Few waits make a quantile too small, which on the longer side only hides a change.
    least_beyond: float = 1.0
    least_beyond_longer: float = 0.3
    least_gc_fraction: float = 0.01
    least_stw_fraction: float = 0.001
    least_mmu_drop: float = 0.15
    spread_gc: float = 0.3
    # Deviation (of a logarithm) of the rate of waiting between traces of one binary.
    spread_waiting: float = 0.25
    # A trace with fewer GC cycles than this is not used to compare garbage collection.
    least_cycles: int = 3
    spread_mmu: float = 0.08
    # A comparison without findings is unchanged only where twice the waiting per second would have been found, and in
    # the groups that hold half of the waiting twice the p99 or a quarter of a millisecond more, and garbage collection on
    # a tenth more of the processors. One trace per side never shows that.
    unchanged_shift_ns: float = 250_000.0
    unchanged_gc: float = 0.1
    # More traces per side than this are not recommended: then recordings should be longer.
    most_advised: int = 32


DEFAULT_TRACE_THRESHOLDS = TraceThresholds()
