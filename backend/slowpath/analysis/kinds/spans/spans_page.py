"""Everything that the pages about span sets draw, as plain JSON values: `slowpath.spans-comparison/1`.

Traces do not travel but the slowest, and of these a row each: the page of two sets stays far below a megabyte.
"""

from typing import Any

import numpy as np

from slowpath.analysis.kinds.spans.slow_request_attributes import attribute_shares
from slowpath.analysis.kinds.spans.span_artifact import SpanArtifact
from slowpath.analysis.kinds.spans.span_columns import ERROR
from slowpath.analysis.kinds.spans.span_inputs import SpanComparisonInputs, ground_of_one
from slowpath.analysis.kinds.spans.span_thresholds import DEFAULT_SPAN_THRESHOLDS
from slowpath.analysis.kinds.spans.spans_page_calls import amplification_rows, edge_rows, order, repeated_rows
from slowpath.analysis.kinds.spans.spans_page_gaps import critical_rows, gap_rows
from slowpath.analysis.kinds.spans.trace_cohort import TraceCohort
from slowpath.analysis.kinds.spans.trace_list import measured_traces, trace_row

FORMAT = "slowpath.spans-comparison/1"
SIDES = ("base", "candidate")
MOST_ROOT_OPS = 20
MOST_SERVICES = 200
MOST_TRACES = 50


def page_of(ground: SpanComparisonInputs, labels: tuple[str, ...]) -> dict[str, Any]:
    """The page of a comparison; with one side only, all that is the candidate's is None."""
    told = {name: _side(ground, side, label) for name, side, label in zip(SIDES, ground.shown, labels, strict=False)}
    slow = ground.shown[-1]
    return {
        "format": FORMAT,
        "sides": {name: told.get(name) for name in SIDES},
        "services": _services(ground),
        "edges": edge_rows(ground),
        "order": order(ground),
        "gaps": gap_rows(ground),
        "critical": critical_rows(ground),
        "amplification": amplification_rows(ground),
        **repeated_rows(ground),
        "attributes": [
            {
                "key": each.key,
                "value": each.value,
                "slow_share": each.slow_share,
                "fast_share": each.fast_share,
                "q_value": each.q_value,
            }
            for each in attribute_shares(ground.forest, slow)
        ],
        "traces": _traces(ground),
    }


def page_of_one(artifact: SpanArtifact, label: str = "") -> dict[str, Any]:
    """The page of one span set alone: the same, with only a base."""
    return page_of(ground_of_one([artifact], DEFAULT_SPAN_THRESHOLDS), (label or artifact.name,))


def _side(ground: SpanComparisonInputs, side: TraceCohort, label: str) -> dict[str, Any]:
    forest = ground.forest
    roots = forest.roots[side.traces]
    pairs, counts = np.unique(forest.pair[roots], return_counts=True)
    leading = np.argsort(-counts, kind="stable")[:MOST_ROOT_OPS]
    ops = []
    for pair, count in zip(pairs[leading].tolist(), counts[leading].tolist(), strict=True):
        service, op = forest.pair_names[pair]
        lasted = np.sort(forest.duration_ns[roots[forest.pair[roots] == pair]])
        ops.append({"op": op, "service": service, "n": count, **quantiles_of(lasted)})
    return {
        "label": label,
        "artifacts": [forest.artifacts[n].name for n in np.unique(forest.artifact_of_trace[side.traces]).tolist()],
        "traces": side.requests,
        "spans": len(side.rows()),
        "seconds": side.seconds,
        "root_ops": ops,
    }


def quantiles_of(ordered: "np.typing.NDArray[np.int64]") -> dict[str, int]:
    """p50, p90 and p99 of values in order: values that occurred."""
    last = len(ordered) - 1
    return {
        f"p{percent}_ns": int(ordered[min(int(percent * len(ordered) / 100), last)]) if last >= 0 else 0
        for percent in (50, 90, 99)
    }


def _services(ground: SpanComparisonInputs) -> list[dict[str, Any]]:
    """The services of both sides; how long they take is of the spans through which work enters."""
    forest = ground.forest
    entries = np.flatnonzero(forest.entry == np.arange(len(forest)))
    spans = np.bincount(forest.service, minlength=len(forest.names.names))
    errors = np.bincount(forest.service[forest.status == ERROR], minlength=len(forest.names.names))
    by_service = entries[np.argsort(forest.service[entries], kind="stable")]
    services, begin = np.unique(forest.service[by_service], return_index=True)
    rows = []
    for service, mine in zip(services.tolist(), np.split(by_service, begin[1:]), strict=bool(len(services))):
        lasted = quantiles_of(np.sort(forest.duration_ns[mine]))
        rows.append(
            {
                "service": forest.names.names[service],
                "spans": int(spans[service]),
                "errors": int(errors[service]),
                "p50_ns": lasted["p50_ns"],
                "p99_ns": lasted["p99_ns"],
            }
        )
    return sorted(rows, key=lambda row: (-int(str(row["spans"])), str(row["service"])))[:MOST_SERVICES]


def _traces(ground: SpanComparisonInputs) -> list[dict[str, Any]]:
    """The slowest traces of each side."""
    forest = ground.forest
    measured = measured_traces(forest)
    rows = []
    for name, side in zip(SIDES, ground.shown, strict=False):
        slowest = side.traces[np.argsort(-measured["duration"][side.traces], kind="stable")][:MOST_TRACES]
        for trace in slowest.tolist():
            number = int(forest.artifact_of_trace[trace])
            artifact = forest.artifacts[number]
            first = int(np.searchsorted(forest.artifact_of_trace, number))
            root = int(forest.roots[trace] - forest.row_offset[number])
            row = trace_row(artifact.table, trace - first, root, measured, trace)
            rows.append({"artifact": artifact.id or artifact.name, **row, "side": name})
    return rows
