"""Compare how many calls one request makes, base against candidate.

The unit is the entry: a request that came into a service. Its calls to one callee are counted (none counts as 0), and the
means are compared by resampling traces. The number of calls depends on the code and hardly differs between sets of one
build, so the prior of its variation is small.
"""

from dataclasses import dataclass, replace

import numpy as np

from slowpath.analysis.kinds.spans.service_calls import ServiceCalls
from slowpath.analysis.kinds.spans.span_forest import F64, Rows, SpanForest
from slowpath.analysis.kinds.spans.span_thresholds import SpanThresholds
from slowpath.analysis.kinds.spans.trace_cohort import TraceCohort, block_sums, pooled_ratio
from slowpath.analysis.stats.false_discovery_rate import q_values
from slowpath.analysis.stats.pooled_effects import QuantileEffects, as_float64, beyond_floor, compare_pooled
from slowpath.analysis.stats.side_generators import SideGenerators


@dataclass(frozen=True)
class CallsPerRequest:
    """Calls of one operation to one callee on one side.

    Mean, p99 and maximum per entry, over `entries` of them. `errors` are failed calls; `call_ns` is the mean duration
    of a call, `p99_ns` its p99.
    """

    entries: int
    calls: int
    mean: float
    p99: int
    most: int
    errors: int
    call_ns: float
    p99_ns: int


@dataclass(frozen=True)
class CallAmplification:
    """One operation and one callee on both sides; None for a side without the operation.

    `low` and `high` bound the ratio of means if both have calls, else their difference; `q` is NaN if not tested.
    """

    pair: int
    callee: str
    sides: tuple[CallsPerRequest | None, CallsPerRequest | None]
    ratio: float | None
    low: float
    high: float
    q: float = float("nan")
    changed: bool = False

    @property
    def difference(self) -> float:
        """Return how many more calls per request the candidate makes."""
        base, candidate = (side.mean if side else 0.0 for side in self.sides)
        return candidate - base


def entries_of(forest: SpanForest) -> Rows:
    """Return the spans through which work enters a process."""
    return np.flatnonzero(forest.entry == np.arange(len(forest)))


def amplifications(
    forest: SpanForest,
    calls: ServiceCalls,
    sides: tuple[TraceCohort, TraceCohort],
    thresholds: SpanThresholds,
    generators: SideGenerators | None,
) -> list[CallAmplification]:
    """Return every calling operation by callee, those with most calls first.

    Without `generators` without tests.
    """
    width = max(len(calls.callees), 1)
    key = forest.pair[calls.caller] * width + calls.callee
    order = np.argsort(key, kind="stable")
    distinct, begin = np.unique(key[order], return_index=True)
    ends = np.append(begin[1:], len(key))
    entries = entries_of(forest)
    amplified = []
    by_size = np.argsort(begin - ends, kind="stable")[: thresholds.most_tested]
    for group in by_size.tolist():
        rows = order[begin[group] : ends[group]]
        pair, callee = divmod(int(distinct[group]), width)
        of_pair = entries[forest.pair[entries] == pair]
        base, candidate = (_side(forest, calls, side, rows, of_pair) for side in sides)
        nan = float("nan")
        untested = CallAmplification(pair, calls.callees[callee], (base.summary, candidate.summary), None, nan, nan)
        amplified.append(_compare(untested, (base, candidate), sides, thresholds, generators))
    return _apply_thresholds(amplified, thresholds) if generators is not None else amplified


@dataclass(frozen=True)
class _CallSample:
    summary: CallsPerRequest | None
    calls: F64
    entries: F64


def _side(forest: SpanForest, calls: ServiceCalls, side: TraceCohort, rows: Rows, entries: Rows) -> _CallSample:
    entries = entries[side.holds(forest.trace[entries])]
    rows = rows[side.holds(forest.trace[calls.caller[rows]])]
    by_block = (
        block_sums(side, forest.trace[calls.caller[rows]], np.ones(len(rows))),
        block_sums(side, forest.trace[entries], np.ones(len(entries))),
    )
    if not len(entries):
        return _CallSample(None, *by_block)
    counts = np.zeros(len(forest), dtype=np.int64)
    np.add.at(counts, calls.caller[rows], 1)
    ordered = np.sort(counts[entries])
    spans = np.where(calls.client[rows] >= 0, calls.client[rows], calls.span[rows])
    durations_ns = np.sort(forest.duration_ns[spans])
    summary = CallsPerRequest(
        entries=len(entries),
        calls=len(rows),
        mean=len(rows) / len(entries),
        p99=int(ordered[min(int(0.99 * len(ordered)), len(ordered) - 1)]),
        most=int(ordered[-1]),
        errors=int((forest.status[spans] == 2).sum()),
        call_ns=float(durations_ns.mean()) if len(durations_ns) else 0.0,
        p99_ns=int(durations_ns[min(int(0.99 * len(durations_ns)), len(durations_ns) - 1)]) if len(durations_ns) else 0,
    )
    return _CallSample(summary, *by_block)


def _compare(
    untested: CallAmplification,
    per_side: tuple[_CallSample, _CallSample],
    sides: tuple[TraceCohort, TraceCohort],
    thresholds: SpanThresholds,
    generators: SideGenerators | None,
) -> CallAmplification:
    """Compare one operation and callee if both sides have enough entries."""
    base, candidate = per_side
    if generators is None or base.summary is None or candidate.summary is None:
        return untested
    if min(base.summary.entries, candidate.summary.entries) < thresholds.least_requests:
        return untested
    if not (base.summary.calls and candidate.summary.calls):
        return _test_difference(untested, per_side, sides, thresholds)
    effects = compare_pooled(
        pooled_ratio(sides[0], base.calls, base.entries),
        pooled_ratio(sides[1], candidate.calls, candidate.entries),
        as_float64([thresholds.spread_calls]),
        replace(thresholds, least_ratio=thresholds.least_ratio_calls),
        generators,
    )
    return replace(
        untested,
        ratio=candidate.summary.mean / base.summary.mean,
        low=float(np.exp(effects.low[0])),
        high=float(np.exp(effects.high[0])),
        q=_p_value(effects, thresholds),
    )


def _p_value(effects: QuantileEffects, thresholds: SpanThresholds) -> float:
    floor = float(np.log(thresholds.least_ratio_calls))
    return float(beyond_floor(effects.log_ratio, effects.error, effects.df, floor)[0])


def _test_difference(
    untested: CallAmplification,
    per_side: tuple[_CallSample, _CallSample],
    sides: tuple[TraceCohort, TraceCohort],
    thresholds: SpanThresholds,
) -> CallAmplification:
    """Test a call that only one side makes: the interval is of the difference, from resampling."""
    draws = []
    for measured, side in zip(per_side, sides, strict=True):
        weights = side.weights.astype(np.float64)
        draws.append((weights @ measured.calls) / np.maximum(weights @ measured.entries, 1.0))
    difference = draws[1] - draws[0]
    tail = (1 - thresholds.confidence) / 2
    low, high = (float(bound) for bound in np.quantile(difference, [tail, 1 - tail]))
    # The probability of drawing none of the blocks with calls, about exp(-blocks).
    calling = max(float(measured.calls.astype(bool).sum()) for measured in per_side)
    return replace(untested, low=low, high=high, q=float(np.exp(-calling)))


def _apply_thresholds(found: list[CallAmplification], thresholds: SpanThresholds) -> list[CallAmplification]:
    tested = [place for place, each in enumerate(found) if not np.isnan(each.q)]
    q = q_values(as_float64([found[place].q for place in tested]), np.ones(len(tested)))
    for place, rate in zip(tested, q.tolist(), strict=True):
        each = found[place]
        found[place] = replace(each, q=rate, changed=rate <= thresholds.alpha and _large(each, thresholds))
    return found


def _large(each: CallAmplification, thresholds: SpanThresholds) -> bool:
    """Return whether the change passes the floors on the interval of the ratio (or difference) and on the difference."""
    if abs(each.difference) < thresholds.least_calls_difference:
        return False
    if each.ratio is None:
        return each.low > 0 or each.high < 0
    return each.low > thresholds.least_ratio_calls or each.high < 1 / thresholds.least_ratio_calls
