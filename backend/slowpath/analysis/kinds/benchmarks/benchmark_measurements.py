"""Measure the benchmark output of one build."""

from collections.abc import Sequence
from typing import Final

import numpy as np

from slowpath.analysis.findings.build_measurements import KindMeasurement, SubjectValues
from slowpath.analysis.kinds.benchmarks.benchmark_artifact import BenchmarkArtifact
from slowpath.analysis.kinds.profiles.decoded.profile_table import StringTable

MEDIAN_ERROR: Final = 1.2533
"""Ratio of the standard errors of a median and a mean, for normal noise (the root of half pi)."""
MAD: Final = 1.4826


def measure_build(
    _stored_id: str, artifacts: Sequence[BenchmarkArtifact], _most_functions: int
) -> tuple[KindMeasurement, ...]:
    """Measure benchmarks: the median of all results of a name and unit. The unit follows the name."""
    results_by_subject: dict[str, list[float]] = {}
    for columns in (artifact.columns for artifact in artifacts if artifact.columns is not None):
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
