"""The nodes that are sent first are the largest; of equal ones, those that come first."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from slowpath.analysis.kinds.profiles.diff_tree import are_largest


@given(st.lists(st.integers(0, 5), min_size=1, max_size=40), st.integers(1, 45))
def test_the_largest_nodes_are_chosen_as_by_sorting(weights: list[int], most: int) -> None:
    by_size = sorted(range(len(weights)), key=lambda node: (-weights[node], node))
    chosen = are_largest(np.array(weights, dtype=np.float64), most)
    assert np.flatnonzero(chosen).tolist() == sorted(by_size[:most])
