"""Many questions at once."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from slowpath.analysis.stats.false_discovery_rate import q_values


def test_benjamini_hochberg_matches_a_manual_calculation() -> None:
    q = q_values(np.array([0.01, 0.04, 0.03, 0.5]), np.ones(4))
    np.testing.assert_allclose(q, [0.04, 0.16 / 3, 0.16 / 3, 0.5])


def test_weights_change_the_prior_and_not_its_sum() -> None:
    q = q_values(np.array([0.01, 0.01]), np.array([3.0, 1.0]))
    assert q[0] < q[1]


def test_nan_counts_as_a_value_and_no_values_give_none() -> None:
    assert q_values(np.array([np.nan]), np.ones(1)).tolist() == [1.0]
    assert len(q_values(np.zeros(0), np.zeros(0))) == 0


@given(st.lists(st.floats(0, 1), min_size=1, max_size=30))
def test_q_is_at_least_p_and_keeps_its_order(p_values: list[float]) -> None:
    p = np.array(p_values)
    q = q_values(p, np.ones(len(p)))
    assert np.all(q >= p - 1e-12)
    assert np.all(np.diff(q[np.argsort(p, kind="stable")]) >= -1e-12)
