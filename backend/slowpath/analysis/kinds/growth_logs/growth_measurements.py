"""Measure the stack-growth logs of one build."""

from collections.abc import Sequence
from typing import Final

import numpy as np

from slowpath.analysis.findings.build_measurements import KindMeasurement, summarize_replicates
from slowpath.analysis.kinds.growth_logs.growth_artifact import GrowthArtifact
from slowpath.analysis.kinds.growth_logs.growth_counts import measure as count_growths
from slowpath.analysis.kinds.growth_logs.growth_thresholds import GrowthThresholds

MAX_CALLERS: Final = 40


def measure_build(
    _stored_id: str, artifacts: Sequence[GrowthArtifact], _most_functions: int
) -> tuple[KindMeasurement, ...]:
    """Measure how often stacks grew: in total, and by attributed caller."""
    if not artifacts:
        return ()
    counted = count_growths(artifacts, artifacts[-1:], GrowthThresholds())  # the candidate is ignored
    rows = np.vstack([counted.total.growths, counted.callers.growths])[:, : len(artifacts)]
    names = ["total", *(caller for caller, _, _ in counted.callers.keys)]
    order = [0, *(1 + np.argsort(-rows[1:].sum(axis=1), kind="stable")[:MAX_CALLERS]).tolist()]
    by_subject = summarize_replicates(counted.basis.unit, rows[order], counted.basis.weights[: len(artifacts)], 1.0)
    subjects = tuple(names[place] for place in order)
    return (KindMeasurement("growth.count", len(artifacts), subjects, {counted.basis.id: by_subject}),)
