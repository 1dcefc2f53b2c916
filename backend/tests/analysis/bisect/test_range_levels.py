"""The levels of builds after a search: parts of an increase, and builds slower than both boundaries."""

from collections.abc import Callable
from dataclasses import replace

import pytest
from numpy.random import Generator, default_rng

from slowpath.analysis.bisect import search
from slowpath.analysis.bisect.candidate_sequence import GOOD_END, Candidate, line_of
from slowpath.analysis.bisect.range_levels import explain_increase, find_better_build, find_slower_build
from slowpath.analysis.bisect.search_state import SearchResult, SearchSettings, SearchState, search_rest


def driven(
    level: Callable[[int], float], rng: Generator, noise: float = 0.005, count: int = 32
) -> tuple[SearchResult, SearchState]:
    """Drive a search over builds with these levels by position, to its end."""
    state = search.start_search(
        SearchSettings(most_windows=1), line_of([Candidate(str(one)) for one in range(1, count + 1)])
    )
    while (todo := search.next_actions(state)).finished is None:
        state = search.record_stopped(search.record_started(state, todo.start) if todo.start else state, todo.close)
        values = {one: state.deploys[one - 1].build for one in todo.measure}
        places = {one: 0 if build == GOOD_END else int(build) for one, build in values.items()}
        state = search.record_measurements(
            state, {one: level(place) * float(rng.normal(1, noise)) for one, place in places.items()}
        )
    return todo.finished, state


def test_a_culprit_that_explains_everything_leaves_no_rest() -> None:
    certain = 0
    for seed in range(6):
        ended, state = driven(lambda at: 120.0 if at >= 20 else 100.0, default_rng(seed))
        assert ended.suspects == ("20",)
        explained = explain_increase(state, "20")
        assert explained is not None
        certain += explained.leaves_rest
        assert explained.culprit.share == pytest.approx(1, abs=0.3)
    assert certain <= 1


def test_two_culprits_share_the_increase() -> None:
    covered, named = 0, 0
    for seed in range(6):
        ended, state = driven(lambda at: 100.0 + 60.0 * (at >= 9) + 30.0 * (at >= 20), default_rng(seed))
        if ended.outcome != "found":
            continue
        named += 1
        assert ended.suspects in {("9",), ("20",)}
        share = 2 / 3 if ended.suspects == ("9",) else 1 / 3
        explained = explain_increase(state, ended.suspects[0])
        assert explained is not None
        covered += explained.culprit.low <= share <= explained.culprit.high
        if explained.leaves_rest:
            assert explained.has_later_rest or explained.has_earlier_rest
            assert explained.has_later_rest <= (ended.suspects == ("9",))
    assert named >= 3
    assert covered >= named - 1


def test_the_rest_is_searched_with_the_same_measurements() -> None:
    ended, state = driven(lambda at: 100.0 + 60.0 * (at >= 9) + 30.0 * (at >= 20), default_rng(1))
    assert ended.suspects == ("9",)
    rest = search_rest(state, "9")
    assert rest.line.ids == state.line.ids[9:]
    assert {one.build for one in rest.deploys if one.is_measured} <= {GOOD_END, *rest.line.ids}
    assert any(one.build == GOOD_END and one.purpose == "boundary" for one in rest.deploys)
    assert sum(one.is_measured for one in rest.deploys) < sum(one.is_measured for one in state.deploys)
    assert [one.number for one in rest.deploys] == list(range(1, len(rest.deploys) + 1))
    assert search.next_actions(replace(rest, settings=replace(rest.settings, most_deploys=200))).finished is None


def test_a_build_slower_than_both_boundaries_is_named() -> None:
    found = 0
    for seed in range(12):
        _, state = driven(lambda at: 150.0 if 8 <= at < 24 else 100.0, default_rng(seed))
        slower = find_slower_build(state)
        found += slower is not None
        if slower is not None:
            assert 8 <= int(slower.build) < 24
            assert slower.excess == pytest.approx(0.5, abs=0.05)
    assert found >= 7  # 21 of 24; which of them depends on rounding, so on the processor


def test_a_build_better_than_both_boundaries_is_named() -> None:
    """An improvement that was undone in the same range, or a search for an improvement with ends that measure alike."""
    found = 0
    for seed in range(12):
        _, state = driven(lambda at: 50.0 if 8 <= at < 24 else 100.0, default_rng(seed))
        assert find_slower_build(state) is None
        better = find_better_build(state)
        found += better is not None
        if better is not None:
            assert 8 <= int(better.build) < 24
            assert better.excess == pytest.approx(0.5, abs=0.05)
    assert found >= 7


def test_noise_is_no_slower_build() -> None:
    alarms = 0
    for seed in range(6):
        _, state = driven(lambda at: 120.0 if at >= 16 else 100.0, default_rng(seed), noise=0.03)
        alarms += find_slower_build(state) is not None
        alarms += find_better_build(state) is not None
    assert alarms <= 1


def outlying(share: float, seed: int, level: Callable[[int], float]) -> Callable[[int], float]:
    """Return levels of which this share is 1.6 times as high."""
    rng = default_rng(seed)
    return lambda at: level(at) * (1.6 if rng.random() < share else 1.0)


def test_outlying_measurements_hide_no_part_of_an_increase() -> None:
    covered = 0
    for seed in range(6):
        level = outlying(0.2, seed, lambda at: 130.0 if at >= 20 else 100.0)
        ended, state = driven(level, default_rng(seed))
        assert ended.outcome != "found" or ended.suspects == ("20",)
        explained = explain_increase(state, "20")
        covered += explained is not None and explained.culprit.low <= 1 <= explained.culprit.high
    assert covered >= 4


def test_one_outlying_measurement_is_no_slower_build() -> None:
    for seed in range(6):
        _, state = driven(outlying(0.1, seed, lambda at: 120.0 if at >= 16 else 100.0), default_rng(seed))
        slower = find_slower_build(state)
        assert slower is None or slower.excess < 0.1


def test_verdicts_have_no_levels() -> None:
    state = search.start_search(SearchSettings(), line_of([Candidate("1"), Candidate("2")]))
    state = search.record_started(state, search.next_actions(state).start)
    assert explain_increase(search.record_verdict(state, 1, bad=False), "1") is None
    assert find_slower_build(state) is None
