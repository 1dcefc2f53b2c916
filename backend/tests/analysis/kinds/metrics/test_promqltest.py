"""histogram_quantile against the data of Prometheus' own tests, classic, exponential and custom buckets alike."""

import math
from pathlib import Path

import pytest

from tests.analysis.kinds.metrics.promqltest import Evaluation, NotOurs, answer, evaluations

DATA = Path(__file__).parent / "testdata" / "promqltest"

CASES = [
    pytest.param(evaluation, id=f"{file}:{evaluation.line}")
    for file in ("histograms", "native_histograms")
    for evaluation in evaluations(DATA / f"{file}.test")
    if evaluation.expected is not None
]


def test_the_files_hold_what_they_held() -> None:
    assert len(CASES) >= 160


@pytest.mark.parametrize("evaluation", CASES)
def test_quantile(evaluation: Evaluation) -> None:
    try:
        found = answer(evaluation)
    except NotOurs:
        pytest.skip(f"more than a quantile of rates and sums: {evaluation.expression}")
    assert evaluation.expected is not None
    assert found.keys() == evaluation.expected.keys(), evaluation.expression
    for labels, expected in evaluation.expected.items():
        value = found[labels]
        same = (math.isnan(value) and math.isnan(expected)) or value == expected
        # 1e-6 is what Prometheus' own runner asks; some expectations are written with six digits.
        assert same or value == pytest.approx(expected, rel=1e-6), f"{evaluation.expression} {dict(labels)}"
