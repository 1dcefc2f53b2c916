"""The value of a signature in one measurement."""

import numpy as np
import pytest

from slowpath.analysis.builds.signature_value import NotMeasured, signature_value
from slowpath.analysis.findings.build_measurements import BasisId, KindMeasurement, SubjectValues


def measure(kind: str, *subjects: str, **bases: tuple[str, list[float]]) -> KindMeasurement:
    known: dict[BasisId, SubjectValues] = {
        basis: SubjectValues(unit, np.array(values), np.zeros(len(values)))  # type: ignore[misc]  # names of bases
        for basis, (unit, values) in bases.items()
    }
    return KindMeasurement(kind, 1, subjects, known)


CPU = measure(
    "profile.category", "total", "app", "gc", per_second=("ms/s", [1000.0, 700.0, 0.1]), share=("", [1.0, 0.7, 0.0001])
)


def test_the_unit_that_is_asked_for_is_used_where_it_is_known() -> None:
    assert signature_value([CPU], "profile.category", "app", "ms/s") == (700.0, "ms/s")
    assert signature_value([CPU], "profile.category", "app", "us/request") == (700.0, "ms/s")


def test_trifles_and_what_was_not_seen_count_as_the_smallest_part() -> None:
    assert signature_value([CPU], "profile.category", "gc", "") == (2.0, "ms/s")
    assert signature_value([CPU], "profile.category", "map", "") == (2.0, "ms/s")


def test_functions_without_growths_are_absent() -> None:
    log = measure("growth.count", "main.f", count=("growths", [7.0]))
    assert signature_value([log], "growth.count", "main.g", "") == (0.0, "growths")


def test_a_benchmark_has_its_unit_behind_its_name() -> None:
    bench = measure("bench", "BenchmarkX ns/op", mean=("", [12.5]))
    assert signature_value([bench], "bench", "BenchmarkX ns/op", "ns/op") == (12.5, "ns/op")


@pytest.mark.parametrize("subject", ["BenchmarkY ns/op", "BenchmarkNone ns/op"])
def test_missing_references_are_reported(subject: str) -> None:
    bench = measure("bench", "BenchmarkX ns/op", "BenchmarkNone ns/op", mean=("", [12.5, float("nan")]))
    with pytest.raises(NotMeasured):
        signature_value([bench], "bench", subject, "")
    with pytest.raises(NotMeasured):
        signature_value([], "profile.category", "app", "")
