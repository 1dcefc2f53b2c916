"""What a search prints while it runs, of a range whose boundaries measure alike."""

import re
from collections.abc import Iterator

import pytest

from slowpath.analysis.bisect import search
from slowpath.analysis.bisect.candidate_sequence import Candidate, line_of
from slowpath.analysis.bisect.search_state import SearchSettings, SearchState
from slowpath_cli.local_bisect.progress_lines import describe_remaining, find_top_suspect

LIMIT = 9
VALUES = (100.0, 103.0, 98.0, 101.0)


def searched(values: tuple[float, ...]) -> Iterator[SearchState]:
    """Yield the state after each measurement of a search, whatever is measured."""
    settings = SearchSettings(most_windows=1, most_deploys=LIMIT)
    state = search.start_search(settings, line_of([Candidate(str(number)) for number in range(40)]))
    while not (todo := search.next_actions(state)).finished:
        state = search.record_stopped(search.record_started(state, todo.start), todo.close)
        for number in todo.measure:
            state = search.record_measurements(state, {number: values[number % len(values)]})
            yield state


def test_no_more_measurements_are_announced_than_the_limit_allows() -> None:
    seen = 0
    for state in searched(VALUES):
        announced = re.search(r"about (\d+) more measurement", describe_remaining(state, 60.0))
        seen += announced is not None
        assert int(announced[1] if announced else 0) <= LIMIT - state.started
    assert seen >= 3


def test_no_commit_is_called_a_suspect_where_probably_none_is() -> None:
    found = [find_top_suspect(state) for state in searched(VALUES)]
    suspect, probability = found[-1]
    assert suspect is None
    assert probability == pytest.approx(1.0, abs=0.5)
    assert found[0][0] is not None, "before both boundaries are measured, nothing is known"
