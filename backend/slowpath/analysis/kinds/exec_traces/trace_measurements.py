"""Measure the execution traces of one build."""

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from slowpath.analysis.findings.build_measurements import KindMeasurement, SubjectValues
from slowpath.analysis.kinds.exec_traces.duration_buckets import BUCKETS, quantiles
from slowpath.analysis.kinds.exec_traces.group_names import normalised
from slowpath.analysis.kinds.exec_traces.trace_artifact import TraceArtifact

F64 = NDArray[np.float64]

QUANTILES: Final = {"p50": 0.5, "p99": 0.99}
MIN_WAITS: Final = 200
"""Minimum per goroutine group in all traces of a build: with fewer a 99th percentile is too uncertain."""
MAX_WAITERS: Final = 40


def measure_build(
    _stored_id: str, artifacts: Sequence[TraceArtifact], _most_functions: int
) -> tuple[KindMeasurement, ...]:
    """Measure scheduler latency in ns: quantiles by goroutine group and wake reason over all traces.

    The error is the standard error of the quantile between traces.
    """
    counts: dict[str, F64] = {}
    for number, artifact in enumerate(artifacts):
        table = artifact.table
        for waiter in range(len(table.waiters.group)):
            group = table.group_names[int(table.waiters.group[waiter])]
            rows = counts.setdefault(
                f"{normalised(group)}|{table.reasons[waiter]}", np.zeros((len(artifacts), BUCKETS))
            )
            of_waiter = table.histogram.waiter == waiter
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
