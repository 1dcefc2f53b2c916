"""Find calls between services, and how many of them one request makes (call amplification).

A call is a span through which work enters another process, or a client or producer span without a recorded callee. It is
attributed to the entry of its caller: calls out per call in.
"""

from dataclasses import dataclass

import numpy as np

from slowpath.analysis.kinds.spans.operation_names import replicated
from slowpath.analysis.kinds.spans.span_columns import CLIENT, PRODUCER
from slowpath.analysis.kinds.spans.span_forest import Mask, Rows, SpanForest

# Attributes that may name an unrecorded callee, the most specific first.
_CALLEE_KEYS = (
    "peer.service",
    "server.address",
    "net.peer.name",
    "db.system.name",
    "db.system",
    "messaging.system",
    "rpc.service",
)


@dataclass(frozen=True)
class ServiceCalls:
    """One row per call: its span, the entry that made it, and the callee (`callee`, an index of `callees`).

    `span` is the callee's span if it was recorded (`answered`), else the caller's. `client` is the caller's own span of the
    call, -1 if there is none.
    """

    span: Rows
    caller: Rows
    callee: Rows
    callees: list[str]
    answered: Mask
    client: Rows

    def __len__(self) -> int:
        return len(self.span)


def calls_of(forest: SpanForest) -> ServiceCalls:
    """Return all calls."""
    entered = np.flatnonzero((forest.entry == np.arange(len(forest))) & (forest.parent >= 0))
    above = forest.parent[entered]
    is_client = (forest.kind == CLIENT) | (forest.kind == PRODUCER)
    answered = np.zeros(len(forest), dtype=bool)
    answered[above] = True
    unanswered = np.flatnonzero(is_client & ~answered)
    names = [forest.names.names[service] for service in forest.service[entered].tolist()]
    names += _unrecorded(forest, unanswered)
    span = np.concatenate([entered, unanswered])
    caller = np.concatenate([forest.entry[above], forest.entry[unanswered]])
    names = _without_replicas(forest, caller, span, names)
    callees = sorted(set(names))
    number = {name: index for index, name in enumerate(callees)}
    return ServiceCalls(
        span=span,
        caller=caller,
        callee=np.array([number[name] for name in names], dtype=np.int64),
        callees=callees,
        answered=np.arange(len(span)) < len(entered),
        client=np.concatenate([np.where(is_client[above], above, -1), unanswered]),
    )


def _unrecorded(forest: SpanForest, rows: Rows) -> list[str]:
    """Return the callee names from attributes, else from the operation names."""
    callees = [forest.names.names[op] for op in forest.op[rows].tolist()]
    is_unrecorded = np.zeros(len(forest), dtype=bool)
    is_unrecorded[rows] = True
    place = {row: index for index, row in enumerate(rows.tolist())}
    best: dict[int, tuple[int, str]] = {}
    for number, artifact in enumerate(forest.artifacts):
        table, base = artifact.table, int(forest.row_offset[number])
        for rank, key in enumerate(_CALLEE_KEYS):
            for row, value in table.values_of(key):
                if is_unrecorded[base + row] and value and rank < best.get(base + row, (len(_CALLEE_KEYS), ""))[0]:
                    best[base + row] = (rank, value)
    for row, (_, value) in best.items():
        callees[place[row]] = value
    return callees


def _without_replicas(forest: SpanForest, caller: Rows, span: Rows, names: list[str]) -> list[str]:
    """Merge replicas: `ingester-0`, `ingester-1` are one callee if one caller makes the same call to both."""
    groups: dict[tuple[int, int, str], set[str]] = {}
    keys = list(
        zip(
            forest.pair[caller].tolist(),
            forest.op[span].tolist(),
            [replicated(name) for name in names],
            strict=True,
        )
    )
    for key, name in zip(keys, names, strict=True):
        groups.setdefault(key, set()).add(name)
    return [key[2] if len(groups[key]) > 1 else name for key, name in zip(keys, names, strict=True)]
