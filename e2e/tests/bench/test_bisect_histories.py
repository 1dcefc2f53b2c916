"""A replayed history is the public one: its pins lead from the first culprit to the last, and nothing else does."""

import pytest
from numpy.random import default_rng

from bench.bisect_histories import ReplayedHistory, history
from bench.bisect_peers import git_bisect
from bench.bisect_simulation import SimulationSettings, searched

QUIET = SimulationSettings(error=1e-6)


def test_the_pins_bracket_the_culprits() -> None:
    series = history("m3")
    assert [len(line.shas) - 1 for line in series.lines] == [7, 203, 43]
    first, second = (series.between(level, series.culprit_positions[level]) for level in (0, 1))
    assert (len(first), len(second)) == (38, 5)
    assert series.culprit_positions[1] in first
    assert series.culprit_positions[2] in second


def test_pins_follow_each_other_without_gaps() -> None:
    series = history("m3")
    brought = [series.between(1, place) for place in range(1, 204)]
    places = [place for one in brought for place in one]
    assert places == list(range(1, len(places) + 1))


@pytest.mark.parametrize("commits", [None, 512])
def test_the_oracle_is_found(commits: int | None) -> None:
    ended = searched(ReplayedHistory(QUIET, default_rng(3), history("m3"), commits))
    assert (ended.outcome, ended.right) == ("found", True)
    assert sum(ended.levels) == ended.deploys
    assert git_bisect(ReplayedHistory(QUIET, default_rng(3), history("m3"), commits).plain(), 1).right
