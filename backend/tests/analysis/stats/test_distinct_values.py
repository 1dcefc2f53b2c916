"""Distinct values are those of `numpy.unique`."""

import subprocess
import sys

import numpy as np
import pytest

from slowpath.analysis.stats.distinct_values import distinct_values


@pytest.mark.parametrize("values", [[], [3], [2, 2], [3, 1, 2, 1, 3], [0.5, -1.0, 0.5]])
def test_distinct_values_are_sorted_and_occur_once(values: list[float]) -> None:
    found = distinct_values(np.array(values))
    assert found.tolist() == np.unique(np.array(values)).tolist()


def test_masked_arrays_are_not_imported() -> None:
    program = (
        "import sys, numpy as np; from slowpath.analysis.stats.distinct_values import distinct_values;"
        "distinct_values(np.arange(3)); sys.exit('numpy.ma' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
