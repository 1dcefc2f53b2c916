"""Which attributes slow requests have more often than the others: what to look at when only some requests are slow."""

from dataclasses import dataclass
from math import exp, lgamma

import numpy as np

from slowpath.analysis.kinds.spans.span_forest import NameTable, Rows, SpanForest
from slowpath.analysis.kinds.spans.trace_cohort import TraceCohort
from slowpath.analysis.stats.false_discovery_rate import q_values
from slowpath.analysis.stats.pooled_effects import as_float64

# The slowest tenth against the rest, if that is traces enough.
SLOW_PART = 0.1
LEAST_SLOW = 10
LEAST_SEEN = 5
MOST_ASKED = 500
MOST_TOLD = 30
SIGNIFICANT = 0.05


@dataclass(frozen=True)
class AttributeEnrichment:
    """The part of slow traces and of the others that have this key and value, and how likely chance makes such a difference."""

    key: str
    value: str
    slow_share: float
    fast_share: float
    q_value: float


def attribute_shares(forest: SpanForest, side: TraceCohort) -> list[AttributeEnrichment]:
    """The attributes of one side that differ most between slow and other traces of its most frequent root operation."""
    traces, slow = _slow(forest, side)
    if not slow.any() or slow.all():
        return []
    number = np.full(forest.traces, -1, dtype=np.int64)
    number[traces] = np.arange(len(traces))
    keys, values = NameTable(), NameTable()
    trace, pair = _seen(forest, number, keys, values)
    distinct, place = np.unique(pair, return_inverse=True)
    often = np.bincount(place, minlength=len(distinct))
    slowly = np.bincount(place, weights=slow[trace], minlength=len(distinct)).astype(np.int64)
    total, slow_total = len(traces), int(slow.sum())
    asked = np.flatnonzero((often >= LEAST_SEEN) & (often < total))
    lift = np.abs(slowly / slow_total - (often - slowly) / (total - slow_total))
    asked = asked[np.argsort(-lift[asked], kind="stable")][:MOST_ASKED]
    p = [_fisher(int(slowly[a]), slow_total, int(often[a]), total) for a in asked.tolist()]
    q = q_values(as_float64(p), np.ones(len(p)))
    width = max(len(values.names), 1)
    told = [
        AttributeEnrichment(
            keys.names[int(distinct[a]) // width],
            values.names[int(distinct[a]) % width],
            float(slowly[a] / slow_total),
            float((often[a] - slowly[a]) / (total - slow_total)),
            rate,
        )
        for a, rate in zip(asked.tolist(), q.tolist(), strict=True)
        if rate <= SIGNIFICANT
    ]
    return sorted(told, key=lambda each: (each.q_value, -abs(each.slow_share - each.fast_share)))[:MOST_TOLD]


def _slow(forest: SpanForest, side: TraceCohort) -> tuple[Rows, Rows]:
    """(traces of the most frequent root operation, which of them are slow)."""
    none = np.zeros(0, dtype=np.int64)
    if not len(side.traces):
        return none, none.astype(bool)
    roots = forest.roots[side.traces]
    pairs, counts = np.unique(forest.pair[roots], return_counts=True)
    traces = side.traces[forest.pair[roots] == pairs[np.argmax(counts)]]
    lasted = forest.duration_ns[forest.roots[traces]]
    slow = np.zeros(len(traces), dtype=bool)
    if len(traces) >= LEAST_SLOW / SLOW_PART:
        slow[np.argsort(-lasted, kind="stable")[: int(len(traces) * SLOW_PART)]] = True
    return traces, slow


def _seen(forest: SpanForest, number: Rows, keys: NameTable, values: NameTable) -> tuple[Rows, Rows]:
    """(trace, key and value as one number) of everything that traces have, each once."""
    found: list[tuple[Rows, Rows, Rows]] = []
    for place, artifact in enumerate(forest.artifacts):
        table = artifact.table
        row = table.attribute_row + int(forest.row_offset[place])
        trace = number[forest.trace[row]] if len(row) else row
        kept = trace >= 0
        if not kept.any():
            continue
        key, value = table.attributes.key[kept], table.attributes.value[kept]
        often = np.bincount(value, minlength=len(table.strings))[value] >= LEAST_SEEN  # ids of requests come once
        found.append((trace[kept][often], keys.of_column(table, key[often]), values.of_column(table, value[often])))
    if not found:
        return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
    trace, key, value = (np.concatenate(columns) for columns in zip(*found, strict=True))
    pair = key * max(len(values.names), 1) + value
    size = int(pair.max(initial=0)) + 1
    once = np.unique(trace * size + pair)
    return once // size, once % size


def _fisher(slow_with: int, slow: int, having: int, total: int) -> float:
    """Fisher's exact test, two-sided: the chance of a table as unlikely as this one, its margins given."""

    def log_chance(x: int) -> float:
        return _log_choose(having, x) + _log_choose(total - having, slow - x) - _log_choose(total, slow)

    low, high = max(0, slow - (total - having)), min(slow, having)
    seen = log_chance(slow_with) + 1e-9
    return min(sum(exp(each) for each in map(log_chance, range(low, high + 1)) if each <= seen), 1.0)


def _log_choose(n: int, k: int) -> float:
    return lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1)
