"""Whether a search measures as production did is decided by its own deployments: valid baselines agree, shifted ones do not."""

from collections.abc import Sequence

from numpy.random import Generator, default_rng

from slowpath.analysis.bisect import search
from slowpath.analysis.bisect.baseline_agreement import baseline_disagreement
from slowpath.analysis.bisect.candidate_sequence import Candidate, line_of
from slowpath.analysis.bisect.search_state import ProbeStart, SearchSettings, SearchState

APART, SPREAD = 0.3, 0.05
"""Of good and bad builds, and of windows, as logarithms."""


def windows(rng: Generator, *, bad: bool, off: float = 0.0, count: int = 4) -> list[float]:
    return [float(100 * 2.718281828 ** (APART * bad + off + SPREAD * rng.standard_normal())) for _ in range(count)]


def begun(rng: Generator) -> SearchState:
    line = line_of([Candidate(str(one)) for one in range(1, 65)])
    return search.start_search(SearchSettings(), line, [windows(rng, bad=False)], [windows(rng, bad=True)])


def probed(
    state: SearchState, rng: Generator, builds: Sequence[int], off: float, *, stretched: float = 0.0
) -> SearchState:
    for build in builds:
        state = search.record_started(state, [ProbeStart(str(build), "probe")])
        number = len(state.deploys)
        for value in windows(rng, bad=build >= 20, off=off + stretched * (build >= 20)):
            state = search.record_measurements(state, {number: value})
        state = search.record_stopped(state, [number])
    return state


def test_before_any_deployment_baselines_are_not_questioned() -> None:
    assert baseline_disagreement(begun(default_rng(1))) == 0.0


def test_deployments_at_the_baseline_levels_agree() -> None:
    caveats = [
        baseline_disagreement(probed(begun(rng), rng, (32, 16, 24, 20), 0.0)) for rng in map(default_rng, range(20))
    ]
    assert max(caveats) < 0.5


def test_a_shift_of_three_deviations_is_detected_from_few_deployments() -> None:
    for off in (3 * SPREAD, -3 * SPREAD):
        caveats = [
            baseline_disagreement(probed(begun(rng), rng, (32, 16, 24, 20), off)) for rng in map(default_rng, range(20))
        ]
        assert sum(one > 0.5 for one in caveats) >= 18


def test_a_different_step_is_detected() -> None:
    caveats = [
        baseline_disagreement(probed(begun(rng), rng, (32, 16, 24, 18), 0.0, stretched=3 * SPREAD))
        for rng in map(default_rng, range(20))
    ]
    assert sum(one > 0.5 for one in caveats) >= 15
