"""Measure execution traces, stack-growth logs and benchmark output of one build."""

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from slowpath.analysis.builds.build_measurements import KindMeasurement, SubjectValues, summarize_replicates
from slowpath.analysis.formats.column_file import ColumnFile
from slowpath.analysis.kinds.exec_traces.duration_buckets import BUCKETS, quantiles
from slowpath.analysis.kinds.exec_traces.group_names import normalised
from slowpath.analysis.kinds.exec_traces.trace_artifact import TraceArtifact
from slowpath.analysis.kinds.growth_logs.growth_artifact import GrowthArtifact
from slowpath.analysis.kinds.growth_logs.growth_counts import measure as count_growths
from slowpath.analysis.kinds.growth_logs.growth_thresholds import GrowthThresholds
from slowpath.analysis.kinds.profiles.profile_table import StringTable

F64 = NDArray[np.float64]

QUANTILES: Final = {"p50": 0.5, "p99": 0.99}
MIN_WAITS: Final = 200
"""Minimum per goroutine group in all traces of a build: with fewer a 99th percentile is too uncertain."""
MAX_WAITERS: Final = 40
MAX_CALLERS: Final = 40
MEDIAN_ERROR: Final = 1.2533
"""Ratio of the standard errors of a median and a mean, for normal noise (the root of half pi)."""
MAD: Final = 1.4826


def measure_trace_artifacts(artifacts: Sequence[TraceArtifact]) -> tuple[KindMeasurement, ...]:
    """Measure scheduler latency in ns: quantiles by goroutine group and wake reason over all traces.

    The error is the standard error of the quantile between traces.
    """
    counts: dict[str, F64] = {}
    for number, artifact in enumerate(artifacts):
        table = artifact.table
        for victim in range(len(table.victims.group)):
            group = table.group_names[int(table.victims.group[victim])]
            rows = counts.setdefault(
                f"{normalised(group)}|{table.reasons[victim]}", np.zeros((len(artifacts), BUCKETS))
            )
            of_waiter = table.histogram.victim == victim
            np.add.at(rows[number], table.histogram.bucket[of_waiter], table.histogram.count[of_waiter])
    large = sorted(
        (subject for subject, rows in counts.items() if rows.sum() >= MIN_WAITS),
        key=lambda subject: (-float(counts[subject].sum()), subject),
    )[:MAX_WAITERS]
    if not large:
        return ()
    buckets = np.arange(BUCKETS, dtype=np.int64)
    at = np.array(list(QUANTILES.values()))
    subjects, values, errors = [], [], []
    for subject in large:
        rows = counts[subject]
        overall = quantiles(rows.sum(axis=0, keepdims=True), buckets, at)[0]
        each = quantiles(rows, buckets, at)
        known = np.isfinite(each).all(axis=1)
        errors_of_mean = (
            each[known].std(axis=0, ddof=1) / np.sqrt(known.sum()) if known.sum() > 1 else np.full(len(at), np.nan)
        )
        for position, name in enumerate(QUANTILES):
            subjects.append(f"{subject} {name}")
            values.append(float(overall[position]))
            errors.append(float(errors_of_mean[position]))
    by_subject = SubjectValues("ns", np.array(values), np.array(errors))
    return (KindMeasurement("trace.sched_delay", len(artifacts), tuple(subjects), {"quantile": by_subject}),)


def measure_growth(artifacts: Sequence[GrowthArtifact]) -> tuple[KindMeasurement, ...]:
    """Measure how often stacks grew: in total, and by attributed caller."""
    if not artifacts:
        return ()
    counted = count_growths(artifacts, artifacts[-1:], GrowthThresholds())  # the candidate is ignored
    rows = np.vstack([counted.total.growths, counted.payers.growths])[:, : len(artifacts)]
    names = ["total", *(payer for payer, _, _ in counted.payers.keys)]
    order = [0, *(1 + np.argsort(-rows[1:].sum(axis=1), kind="stable")[:MAX_CALLERS]).tolist()]
    by_subject = summarize_replicates(counted.basis.unit, rows[order], counted.basis.weights[: len(artifacts)], 1.0)
    subjects = tuple(names[place] for place in order)
    return (KindMeasurement("growth.count", len(artifacts), subjects, {counted.basis.id: by_subject}),)


def measure_benchmarks(outputs: Sequence[ColumnFile]) -> tuple[KindMeasurement, ...]:
    """Measure benchmarks: the median of all results of a name and unit. The unit follows the name."""
    results_by_subject: dict[str, list[float]] = {}
    for columns in outputs:
        strings = StringTable(columns.column("strings_offset", "u32"), columns.column("strings_bytes", "u8").tobytes())
        offsets = columns.column("result_offset", "u32").tolist()
        units, values = columns.column("value_unit", "u32").tolist(), columns.column("value", "f64").tolist()
        for number, name in enumerate(columns.column("result_name", "u32").tolist()):
            for position in range(offsets[number], offsets[number + 1]):
                results_by_subject.setdefault(f"{strings[name]} {strings[units[position]]}", []).append(
                    values[position]
                )
    if not results_by_subject:
        return ()
    medians, errors = [], []
    for results in results_by_subject.values():
        array = np.array(results)
        median = float(np.median(array))
        deviation = MAD * float(np.median(np.abs(array - median)))
        medians.append(median)
        errors.append(MEDIAN_ERROR * deviation / np.sqrt(len(array)) if len(array) > 1 else np.nan)
    fewest = min(len(results) for results in results_by_subject.values())
    by_subject = SubjectValues("", np.array(medians), np.array(errors))
    return (KindMeasurement("bench", fewest, tuple(results_by_subject), {"mean": by_subject}),)
