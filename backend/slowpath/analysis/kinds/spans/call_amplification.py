"""How many calls one request makes, base against candidate.

The unit is the entry: a request that came into a service. Its calls to one callee are counted, none counting as 0,
and the mean is compared by redrawing traces. A mean of calls is a matter of code: it hardly differs between sets of
one build, so little is believed of their spread.
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
    """Calls of one operation to one callee, on one side: per entry the mean, p99 and most; `entries` of them.

    `errors` are of the calls; `call_ns` is how long one took on average, `p99_ns` its p99.
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
    """One operation and one callee on both sides. A side that lacks the operation is None.

    `low` and `high` bound the ratio of means where both have calls, else their difference; `q` is NaN where it was
    not asked.
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
        """By how many calls a request the candidate makes more."""
        base, candidate = (side.mean if side else 0.0 for side in self.sides)
        return candidate - base


def entries_of(forest: SpanForest) -> Rows:
    """The spans through which work enters a process."""
    return np.flatnonzero(forest.entry == np.arange(len(forest)))


def amplifications(
    forest: SpanForest,
    calls: ServiceCalls,
    sides: tuple[TraceCohort, TraceCohort],
    thresholds: SpanThresholds,
    generators: SideGenerators | None,
) -> list[CallAmplification]:
    """Every operation that calls, by callee; those with most calls first. Without `generators` nothing is judged."""
    width = max(len(calls.callees), 1)
    key = forest.pair[calls.caller] * width + calls.callee
    order = np.argsort(key, kind="stable")
    distinct, begin = np.unique(key[order], return_index=True)
    ends = np.append(begin[1:], len(key))
    entries = entries_of(forest)
    found = []
    by_size = np.argsort(begin - ends, kind="stable")[: thresholds.most_judged]
    for place in by_size.tolist():
        mine = order[begin[place] : ends[place]]
        pair, callee = divmod(int(distinct[place]), width)
        of_pair = entries[forest.pair[entries] == pair]
        base, candidate = (_side(forest, calls, side, mine, of_pair) for side in sides)
        nan = float("nan")
        plain = CallAmplification(pair, calls.callees[callee], (base.told, candidate.told), None, nan, nan)
        found.append(_compared(plain, (base, candidate), sides, thresholds, generators))
    return _decided(found, thresholds) if generators is not None else found


@dataclass(frozen=True)
class _CallSample:
    told: CallsPerRequest | None
    calls: F64
    entries: F64


def _side(forest: SpanForest, calls: ServiceCalls, side: TraceCohort, mine: Rows, entries: Rows) -> _CallSample:
    entries = entries[side.holds(forest.trace[entries])]
    mine = mine[side.holds(forest.trace[calls.caller[mine]])]
    by_block = (
        block_sums(side, forest.trace[calls.caller[mine]], np.ones(len(mine))),
        block_sums(side, forest.trace[entries], np.ones(len(entries))),
    )
    if not len(entries):
        return _CallSample(None, *by_block)
    counts = np.zeros(len(forest), dtype=np.int64)
    np.add.at(counts, calls.caller[mine], 1)
    ordered = np.sort(counts[entries])
    spans = np.where(calls.client[mine] >= 0, calls.client[mine], calls.span[mine])
    lasted = np.sort(forest.duration_ns[spans])
    told = CallsPerRequest(
        entries=len(entries),
        calls=len(mine),
        mean=len(mine) / len(entries),
        p99=int(ordered[min(int(0.99 * len(ordered)), len(ordered) - 1)]),
        most=int(ordered[-1]),
        errors=int((forest.status[spans] == 2).sum()),
        call_ns=float(lasted.mean()) if len(lasted) else 0.0,
        p99_ns=int(lasted[min(int(0.99 * len(lasted)), len(lasted) - 1)]) if len(lasted) else 0,
    )
    return _CallSample(told, *by_block)


def _compared(
    plain: CallAmplification,
    per_side: tuple[_CallSample, _CallSample],
    sides: tuple[TraceCohort, TraceCohort],
    thresholds: SpanThresholds,
    generators: SideGenerators | None,
) -> CallAmplification:
    """One operation and callee; judged when both sides have entries enough."""
    base, candidate = per_side
    if generators is None or base.told is None or candidate.told is None:
        return plain
    if min(base.told.entries, candidate.told.entries) < thresholds.least_requests:
        return plain
    if not (base.told.calls and candidate.told.calls):
        return _of_difference(plain, per_side, sides, thresholds)
    effects = compare_pooled(
        pooled_ratio(sides[0], base.calls, base.entries),
        pooled_ratio(sides[1], candidate.calls, candidate.entries),
        as_float64([thresholds.spread_calls]),
        replace(thresholds, least_ratio=thresholds.least_ratio_calls),
        generators,
    )
    return replace(
        plain,
        ratio=candidate.told.mean / base.told.mean,
        low=float(np.exp(effects.low[0])),
        high=float(np.exp(effects.high[0])),
        q=_p_value(effects, thresholds),
    )


def _p_value(effects: QuantileEffects, thresholds: SpanThresholds) -> float:
    floor = float(np.log(thresholds.least_ratio_calls))
    return float(beyond_floor(effects.log_ratio, effects.error, effects.df, floor)[0])


def _of_difference(
    plain: CallAmplification,
    per_side: tuple[_CallSample, _CallSample],
    sides: tuple[TraceCohort, TraceCohort],
    thresholds: SpanThresholds,
) -> CallAmplification:
    """A call that only one side makes: the interval is of the difference, which redrawing gives."""
    draws = []
    for measured, side in zip(per_side, sides, strict=True):
        weights = side.weights.astype(np.float64)
        draws.append((weights @ measured.calls) / np.maximum(weights @ measured.entries, 1.0))
    difference = draws[1] - draws[0]
    tail = (1 - thresholds.confidence) / 2
    low, high = (float(bound) for bound in np.quantile(difference, [tail, 1 - tail]))
    # As likely as to draw none of the traces that call, of so many: about exp(-calls).
    seen = max(float(measured.calls.astype(bool).sum()) for measured in per_side)
    return replace(plain, low=low, high=high, q=float(np.exp(-seen)))


def _decided(found: list[CallAmplification], thresholds: SpanThresholds) -> list[CallAmplification]:
    asked = [place for place, each in enumerate(found) if not np.isnan(each.q)]
    q = q_values(as_float64([found[place].q for place in asked]), np.ones(len(asked)))
    for place, rate in zip(asked, q.tolist(), strict=True):
        each = found[place]
        found[place] = replace(each, q=rate, changed=rate <= thresholds.alpha and _large(each, thresholds))
    return found


def _large(each: CallAmplification, thresholds: SpanThresholds) -> bool:
    """The floors: on the interval of the ratio, or of the difference, and on the difference itself."""
    if abs(each.difference) < thresholds.least_calls_difference:
        return False
    if each.ratio is None:
        return each.low > 0 or each.high < 0
    return each.low > thresholds.least_ratio_calls or each.high < 1 / thresholds.least_ratio_calls
