"""Find attributes that are more frequent in slow requests than in others."""

from dataclasses import dataclass
from math import exp, lgamma

import numpy as np

from slowpath.analysis.kinds.spans.span_forest import NameTable, Rows, SpanForest
from slowpath.analysis.kinds.spans.trace_cohort import TraceCohort
from slowpath.analysis.stats.false_discovery_rate import q_values
from slowpath.analysis.stats.pooled_effects import as_float64

# The slowest tenth is compared with the rest, if there are enough traces.
SLOW_PART = 0.1
LEAST_SLOW = 10
LEAST_SEEN = 5
MAX_TESTED = 500
MAX_REPORTED = 30
SIGNIFICANT = 0.05


@dataclass(frozen=True)
class AttributeEnrichment:
    """Shares of slow and other traces with this key and value, and the q-value of the difference."""

    key: str
    value: str
    slow_share: float
    fast_share: float
    q_value: float


def attribute_shares(forest: SpanForest, side: TraceCohort) -> list[AttributeEnrichment]:
    """Return the attributes that differ most between slow and other traces of the most frequent root operation."""
    traces, slow = _slow(forest, side)
    if not slow.any() or slow.all():
        return []
    number = np.full(forest.traces, -1, dtype=np.int64)
    number[traces] = np.arange(len(traces))
    keys, values = NameTable(), NameTable()
    trace, pair = _trace_attributes(forest, number, keys, values)
    distinct, place = np.unique(pair, return_inverse=True)
    often = np.bincount(place, minlength=len(distinct))
    slowly = np.bincount(place, weights=slow[trace], minlength=len(distinct)).astype(np.int64)
    total, slow_total = len(traces), int(slow.sum())
    tested = np.flatnonzero((often >= LEAST_SEEN) & (often < total))
    lift = np.abs(slowly / slow_total - (often - slowly) / (total - slow_total))
    tested = tested[np.argsort(-lift[tested], kind="stable")][:MAX_TESTED]
    p = [_fisher(int(slowly[a]), slow_total, int(often[a]), total) for a in tested.tolist()]
    q = q_values(as_float64(p), np.ones(len(p)))
    width = max(len(values.names), 1)
    enrichments = [
        AttributeEnrichment(
            keys.names[int(distinct[a]) // width],
            values.names[int(distinct[a]) % width],
            float(slowly[a] / slow_total),
            float((often[a] - slowly[a]) / (total - slow_total)),
            rate,
        )
        for a, rate in zip(tested.tolist(), q.tolist(), strict=True)
        if rate <= SIGNIFICANT
    ]
    return sorted(enrichments, key=lambda each: (each.q_value, -abs(each.slow_share - each.fast_share)))[:MAX_REPORTED]


def _slow(forest: SpanForest, side: TraceCohort) -> tuple[Rows, Rows]:
    """Return (traces of the most frequent root operation, which of them are slow)."""
    none = np.zeros(0, dtype=np.int64)
    if not len(side.traces):
        return none, none.astype(bool)
    roots = forest.roots[side.traces]
    pairs, counts = np.unique(forest.pair[roots], return_counts=True)
    traces = side.traces[forest.pair[roots] == pairs[np.argmax(counts)]]
    durations_ns = forest.duration_ns[forest.roots[traces]]
    slow = np.zeros(len(traces), dtype=bool)
    if len(traces) >= LEAST_SLOW / SLOW_PART:
        slow[np.argsort(-durations_ns, kind="stable")[: int(len(traces) * SLOW_PART)]] = True
    return traces, slow


def _trace_attributes(forest: SpanForest, number: Rows, keys: NameTable, values: NameTable) -> tuple[Rows, Rows]:
    """Return (trace, key and value as one number) of all trace attributes, each once."""
    columns_found: list[tuple[Rows, Rows, Rows]] = []
    for place, artifact in enumerate(forest.artifacts):
        table = artifact.table
        row = table.attribute_row + int(forest.row_offset[place])
        trace = number[forest.trace[row]] if len(row) else row
        is_selected = trace >= 0
        if not is_selected.any():
            continue
        key, value = table.attributes.key[is_selected], table.attributes.value[is_selected]
        often = np.bincount(value, minlength=len(table.strings))[value] >= LEAST_SEEN  # excludes request ids
        columns_found.append(
            (trace[is_selected][often], keys.of_column(table, key[often]), values.of_column(table, value[often]))
        )
    if not columns_found:
        return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
    trace, key, value = (np.concatenate(columns) for columns in zip(*columns_found, strict=True))
    pair = key * max(len(values.names), 1) + value
    size = int(pair.max(initial=0)) + 1
    distinct_pairs = np.unique(trace * size + pair)
    return distinct_pairs // size, distinct_pairs % size


def _fisher(slow_with: int, slow: int, with_value: int, total: int) -> float:
    """Return the two-sided p-value of Fisher's exact test."""

    def log_chance(x: int) -> float:
        return _log_choose(with_value, x) + _log_choose(total - with_value, slow - x) - _log_choose(total, slow)

    low, high = max(0, slow - (total - with_value)), min(slow, with_value)
    observed = log_chance(slow_with) + 1e-9
    return min(sum(exp(each) for each in map(log_chance, range(low, high + 1)) if each <= observed), 1.0)


def _log_choose(n: int, k: int) -> float:
    return lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1)
