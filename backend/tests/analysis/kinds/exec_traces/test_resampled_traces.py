"""Equal sets show nothing, changes are found, intervals hold what they promise; counted over drawn sets.

Longer runs of the same: `resampling` with more rounds (620 comparisons of equal sets showed one finding).
"""

import pytest

from tests.analysis.kinds.exec_traces.resampled_traces import alarms, covered, hits

pytestmark = pytest.mark.processes


@pytest.mark.parametrize("a_side", [1, 2, 3])
def test_equal_sets_show_nothing(a_side: int) -> None:
    assert alarms(6, a_side, spread=0.2, seconds=2.5) == 0


def test_a_change_by_a_factor_is_found_and_nothing_else() -> None:
    assert hits(5, 3, spread=0.15, factor=4) >= 4
    assert hits(4, 1, spread=0.15, factor=15) >= 3


def test_with_more_traces_smaller_changes_are_found() -> None:
    assert hits(4, 2, spread=0.15, factor=2.2) < hits(4, 6, spread=0.15, factor=2.2)


def test_intervals_cover_the_true_value_at_the_nominal_rate() -> None:
    for part in covered(15, 4, spread=0.25, factor=2.0).values():
        assert 0.9 <= part <= 0.99
