"""Thresholds of a comparison of span sets."""

from dataclasses import dataclass

from slowpath.analysis.stats.quantile_thresholds import QuantileThresholds


@dataclass(frozen=True)
class SpanThresholds(QuantileThresholds):
    """Thresholds of span sets, with those shared by all comparisons of quantiles: they apply to gaps.

    A gap is tested at its p90 first: a set has far fewer requests than an execution trace has waits. `spread_*`: variation of a
    quantile between sets of one build; call counts hardly vary. With one set per side, a change is significant only beyond
    `single_certain_ratio`.
    """

    single_certain_ratio: float = 2.0
    # Requests of a side in which a gap or a call must occur to be tested.
    least_requests: int = 20
    # A quantile is tested only with this many values beyond it.
    least_values_beyond: float = 2.0
    most_blocks: int = 512
    least_ratio_calls: float = 1.1
    least_calls_difference: float = 0.05
    spread_calls: float = 0.01
    # The share of requests in which a call occurs must change by this to count.
    unchanged_shift_share: float = 0.1
    few_traces: int = 100


DEFAULT_SPAN_THRESHOLDS = SpanThresholds()
