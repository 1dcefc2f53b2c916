"""Build the document of the page about span sets."""

from dataclasses import dataclass
from typing import Final

import numpy as np

from slowpath.analysis.kinds.spans.slow_request_attributes import attribute_shares
from slowpath.analysis.kinds.spans.span_artifact import SpanArtifact
from slowpath.analysis.kinds.spans.span_columns import ERROR
from slowpath.analysis.kinds.spans.span_inputs import SpanComparisonInputs, ground_of_one
from slowpath.analysis.kinds.spans.span_thresholds import DEFAULT_SPAN_THRESHOLDS
from slowpath.analysis.kinds.spans.spans_page_calls import amplification_rows, edge_rows, order, repeated_rows
from slowpath.analysis.kinds.spans.spans_page_document import (
    FORMAT,
    AttributeRow,
    RootOperation,
    SlowTraceRow,
    SpanService,
    SpanSide,
    SpanSideName,
    SpanSides,
    SpansPage,
)
from slowpath.analysis.kinds.spans.spans_page_gaps import critical_rows, gap_rows
from slowpath.analysis.kinds.spans.trace_cohort import TraceCohort
from slowpath.analysis.kinds.spans.trace_list import measured_traces, trace_row

SIDES: Final[tuple[SpanSideName, ...]] = ("base", "candidate")
MOST_ROOT_OPS = 20
MOST_SERVICES = 200
MOST_TRACES = 50


def page_of(ground: SpanComparisonInputs, labels: tuple[str, ...]) -> SpansPage:
    """Build the page of a comparison; with one label, all of the candidate is None."""
    sides = {name: _side(ground, side, label) for name, side, label in zip(SIDES, ground.shown, labels, strict=False)}
    slow = ground.shown[-1]
    repeated = repeated_rows(ground)
    return SpansPage(
        format=FORMAT,
        sides=SpanSides(sides.get("base"), sides.get("candidate")),
        services=_services(ground),
        edges=edge_rows(ground),
        order=order(ground),
        gaps=gap_rows(ground),
        critical=critical_rows(ground),
        amplification=amplification_rows(ground),
        fan_out=repeated.fan_out,
        retries=repeated.retries,
        n_plus_one=repeated.n_plus_one,
        attributes=[
            AttributeRow(each.key, each.value, each.slow_share, each.fast_share, each.q_value)
            for each in attribute_shares(ground.forest, slow)
        ],
        traces=_traces(ground),
    )


def page_of_one(artifact: SpanArtifact, label: str = "") -> SpansPage:
    """Build the page of one span set: only the base is set."""
    return page_of(ground_of_one([artifact], DEFAULT_SPAN_THRESHOLDS), (label or artifact.name,))


def _side(ground: SpanComparisonInputs, side: TraceCohort, label: str) -> SpanSide:
    forest = ground.forest
    roots = forest.roots[side.traces]
    pairs, counts = np.unique(forest.pair[roots], return_counts=True)
    leading = np.argsort(-counts, kind="stable")[:MOST_ROOT_OPS]
    ops = []
    for pair, count in zip(pairs[leading].tolist(), counts[leading].tolist(), strict=True):
        service, op = forest.pair_names[pair]
        lasted = np.sort(forest.duration_ns[roots[forest.pair[roots] == pair]])
        quantiles = quantiles_of(lasted)
        ops.append(RootOperation(op, service, count, quantiles.p50_ns, quantiles.p90_ns, quantiles.p99_ns))
    return SpanSide(
        label=label,
        artifacts=[forest.artifacts[n].name for n in np.unique(forest.artifact_of_trace[side.traces]).tolist()],
        traces=side.requests,
        spans=len(side.rows()),
        seconds=side.seconds,
        root_ops=ops,
    )


@dataclass(frozen=True)
class DurationQuantiles:
    """Quantiles of durations (ns)."""

    p50_ns: int
    p90_ns: int
    p99_ns: int


def quantiles_of(ordered: "np.typing.NDArray[np.int64]") -> DurationQuantiles:
    """Return p50, p90 and p99 of sorted durations (ns): values that occurred; 0 of none."""
    last = len(ordered) - 1
    p50, p90, p99 = (
        int(ordered[min(int(percent * len(ordered) / 100), last)]) if last >= 0 else 0 for percent in (50, 90, 99)
    )
    return DurationQuantiles(p50, p90, p99)


def _services(ground: SpanComparisonInputs) -> list[SpanService]:
    """Return the services of both sides; durations are those of the spans through which requests enter."""
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
            SpanService(
                service=forest.names.names[service],
                spans=int(spans[service]),
                errors=int(errors[service]),
                p50_ns=lasted.p50_ns,
                p99_ns=lasted.p99_ns,
            )
        )
    return sorted(rows, key=lambda row: (-row.spans, row.service))[:MOST_SERVICES]


def _traces(ground: SpanComparisonInputs) -> list[SlowTraceRow]:
    """Return the slowest traces of each side."""
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
            rows.append(SlowTraceRow(artifact=artifact.id or artifact.name, **vars(row), side=name))
    return rows
