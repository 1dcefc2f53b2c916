"""A search that begins with production baselines: valid ones save their deployments, shifted ones cost some and do not mislead."""

from collections.abc import Callable
from dataclasses import replace

import pytest
from numpy import exp
from numpy.random import Generator, default_rng

from slowpath.analysis.bisect.candidate_sequence import GOOD_END, KNOWN_BAD, KNOWN_GOOD, Candidate, line_of
from slowpath.analysis.bisect.search_state import SearchResult
from slowpath.verdicts.bisects.rules.bisect_settings import BisectSettings
from slowpath.verdicts.bisects.rules.bisect_states import ProbeState
from slowpath.verdicts.bisects.rules.next_step import decide_next_step
from slowpath.verdicts.bisects.rules.probe_observations import (
    BASELINE,
    ProbeMeasurementValue,
    ProbeObservation,
    build_search_state,
)

CANDIDATES = 24
STEP, SPREAD, OF_DEPLOYS = 0.1, 0.03, 0.01
DEVIATION = SPREAD

Level = Callable[[str], float]


def window(rng: Generator, level: float) -> float:
    return float(100 * exp(level + SPREAD * rng.standard_normal()))


def known(rng: Generator, number: int, end: str, level: float) -> ProbeObservation:
    own = level + OF_DEPLOYS * float(rng.standard_normal())
    readings = tuple(ProbeMeasurementValue(index, 0, window(rng, own)) for index in range(6))
    return ProbeObservation(
        number, end, BASELINE, 0, ProbeState.DONE, measurements_requested=0, windows=readings, is_leased=False
    )


def searched(rng: Generator, guilty: int, tried: list[ProbeObservation]) -> tuple[SearchResult, list[ProbeObservation]]:
    """Play a search from what was tried already to its end."""
    line = line_of([Candidate(str(one)) for one in range(1, CANDIDATES + 1)])
    levels: dict[int, float] = {}
    for _ in range(300):
        state = build_search_state(line, BisectSettings(), tried, larger_is_worse=True)
        todo = decide_next_step(state, tried, since=())
        if todo.finished is not None:
            return todo.finished, tried
        assert todo.pause is None
        if todo.disown is not None:
            tried = [replace(one, state=ProbeState.INVALIDATED) if one.purpose == BASELINE else one for one in tried]
        for number in todo.close:
            tried[number - 1] = replace(tried[number - 1], state=ProbeState.DONE)
        expected = list(todo.measure)
        for one in todo.start:
            number = len(tried) + 1
            bad = one.build != GOOD_END and int(one.build) >= guilty
            levels[number] = STEP * bad + OF_DEPLOYS * float(rng.standard_normal())
            tried.append(ProbeObservation(number, one.build, one.purpose, state.round + 1, ProbeState.IDLE, one.about))
            expected.append(number)
        for number in expected:
            row = tried[number - 1]
            reading = ProbeMeasurementValue(len(row.windows), state.round, window(rng, levels[number]))
            tried[number - 1] = replace(
                row,
                windows=(*row.windows, reading),
                measurements_requested=max(row.measurements_requested, len(row.windows) + 1),
            )
    raise AssertionError("it does not end")


def played(seed: int, *, off: float | None, stretched: float = 1.0) -> tuple[bool, int, bool]:
    """Return whether the guilty one was found, how many deploys it took, and whether production was believed to the end.

    `off`: how far off production lay; None: nothing is known of it.
    """
    rng = default_rng(seed)
    guilty = int(rng.integers(1, CANDIDATES + 1))
    before = [] if off is None else [known(rng, 1, KNOWN_GOOD, off), known(rng, 2, KNOWN_BAD, off + STEP * stretched)]
    ended, tried = searched(rng, guilty, before)
    deploys = sum(one.purpose != BASELINE for one in tried)
    stored = all(one.state == ProbeState.DONE for one in tried if one.purpose == BASELINE)
    return ended.suspects == (str(guilty),), deploys, stored


SEEDS = range(3)


def test_valid_baselines_save_the_deployments_of_boundaries() -> None:
    with_, without = [played(one, off=0.0) for one in SEEDS], [played(one, off=None) for one in SEEDS]
    assert all(right for right, _, _ in (*with_, *without))
    assert all(stored for _, _, stored in with_)
    saved = sum(deploys for _, deploys, _ in without) - sum(deploys for _, deploys, _ in with_)
    assert saved >= 3 * len(SEEDS)


@pytest.mark.parametrize("off", [3 * DEVIATION, -3 * DEVIATION])
def test_baselines_three_deviations_off_do_not_mislead(off: float) -> None:
    ended = [played(one, off=off) for one in SEEDS]
    assert all(right for right, _, _ in ended)
    assert not any(stored for _, _, stored in ended)


def test_one_baseline_without_the_other_is_not_used() -> None:
    rng = default_rng(1)
    tried = [known(rng, 1, KNOWN_GOOD, 0.0), known(rng, 2, KNOWN_BAD, STEP)]
    tried[1] = replace(tried[1], windows=(ProbeMeasurementValue(0, 0, problem="It was deleted."),))
    line = line_of([Candidate(str(one)) for one in range(1, 9)])
    todo = decide_next_step(build_search_state(line, BisectSettings(), tried, larger_is_worse=True), tried, since=())
    assert todo.disown == "The baseline of one boundary was deleted."


def test_production_baselines_count_as_no_deployment() -> None:
    rng = default_rng(1)
    tried = [known(rng, 1, KNOWN_GOOD, 0.0), known(rng, 2, KNOWN_BAD, STEP)]
    line = line_of([Candidate(str(one)) for one in range(1, 9)])
    state = build_search_state(line, BisectSettings(max_deployments=5), tried, larger_is_worse=True)
    assert (state.started, state.settings.most_deploys) == (0, 5)
    assert [one.purpose for one in decide_next_step(state, tried, since=()).start] == ["probe"]
