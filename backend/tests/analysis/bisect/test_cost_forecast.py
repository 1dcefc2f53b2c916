"""The forecast of a search is right on average, and shrinks as the search continues."""

import numpy as np
from numpy.random import default_rng

from slowpath.analysis.bisect import search
from slowpath.analysis.bisect.candidate_sequence import GOOD_END, Candidate, line_of
from slowpath.analysis.bisect.cost_forecast import forecast_remaining_probes
from slowpath.analysis.bisect.search_state import SearchSettings


def played(size: int, culprit: int, seed: int) -> tuple[list[float], int]:
    """Search; returns what was foreseen before each round together with what had been spent, and the deploys in all."""
    rng, foreseen = default_rng(seed), []
    state = search.start_search(
        SearchSettings(most_windows=2), line_of([Candidate(str(one)) for one in range(1, size + 1)])
    )
    while (todo := search.next_actions(state)).finished is None:
        if todo.start:
            foreseen.append(state.started + forecast_remaining_probes(state).mean)
            state = search.record_started(state, todo.start)
        state = search.record_stopped(state, todo.close)
        bad = {
            one: (build := state.deploys[one - 1].build) != GOOD_END and int(build) >= culprit for one in todo.measure
        }
        state = search.record_measurements(
            state, {one: 100 * float(np.exp(0.1 * is_ + rng.normal(0, 0.02))) for one, is_ in bad.items()}
        )
    assert todo.finished.suspects == (str(culprit),)
    return foreseen, state.started


def test_foreseen_deploys_come_true() -> None:
    whole = [played(64, culprit, culprit) for culprit in (3, 17, 30, 41, 50, 63)]
    first, real = np.mean([one[0][0] for one in whole]), np.mean([one[1] for one in whole])
    assert abs(first - real) < 3
    for foreseen, deploys in whole:
        assert abs(foreseen[-1] - deploys) <= 2.5


def test_more_candidates_need_more() -> None:
    few, many = (
        forecast_remaining_probes(
            search.start_search(SearchSettings(), line_of([Candidate(str(one)) for one in range(size)]))
        )
        for size in (8, 4096)
    )
    assert few.low <= few.mean <= few.high
    assert few.mean < many.mean < 32
    assert few.mean >= 4  # both ends, twice
