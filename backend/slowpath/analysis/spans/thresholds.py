"""The numbers that a comparison of span sets is judged by, in one value."""

from dataclasses import dataclass

from slowpath.analysis.traces.thresholds import TraceThresholds


@dataclass(frozen=True)
class SpanThresholds(TraceThresholds):
    """As of execution traces, whose rules hold for gaps: floors on ratio, shift and share, error rates, spreads.

    A gap of spans is seen at its p90 first: there are far fewer requests in a set than waits in an execution trace.
    `spread_*` is how much a quantile differs between sets of one build; a count of calls hardly does. With one set a
    side, a change is certain only beyond `single_certain_ratio`.
    """

    single_certain_ratio: float = 2.0
    # Requests in which a gap or a call must be seen on a side to be judged.
    least_requests: int = 20
    # A quantile needs as many values beyond it: fewer are an accident each.
    least_values_beyond: float = 2.0
    most_blocks: int = 512
    least_ratio_calls: float = 1.1
    least_calls_difference: float = 0.05
    spread_calls: float = 0.01
    # Calls happen in a part of requests only: how often is weighed less finely than how many.
    unchanged_shift_share: float = 0.1
    few_traces: int = 100


DEFAULT_SPAN_THRESHOLDS = SpanThresholds()
