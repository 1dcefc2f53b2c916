"""Drift of the environment is estimated with everything else: concurrent controls count, and no culprit is named too soon."""

import numpy as np
from numpy.random import Generator, default_rng

from slowpath.analysis.bisect import search
from slowpath.analysis.bisect.candidate_sequence import GOOD_END, Candidate, line_of
from slowpath.analysis.bisect.likelihood import NoiseEstimate, ProbeReadings, log_likelihoods
from slowpath.analysis.bisect.search_state import SearchResult, SearchSettings, SearchState

PLACES = (32, 16, 24, 20, 18, 19, 20, 18, 19, 21, 20, 19)
GUILTY, STEP, SPREAD = 20, 0.08, 0.02


def measured(rng: Generator, steps: float, *, control: bool = True) -> list[ProbeReadings]:
    """Return windows of good and bad ends, a control, and probes round by round, in an environment that walks so far each round."""
    course = np.cumsum(rng.normal(0, steps, len(PLACES)))
    beside = [tuple(rng.normal(off, SPREAD, 3)) for off in course]
    probes = [
        ProbeReadings(place, tuple(rng.normal(off + STEP * (place >= GUILTY), SPREAD, 3)), rounds=(at,) * 3)
        for at, (place, off) in enumerate(zip(PLACES, course, strict=True), start=1)
    ]
    rounds = tuple(at for at in range(1, len(PLACES) + 1) for _ in range(3))
    ends = [ProbeReadings(-1, tuple(rng.normal(0, SPREAD, 4)), rounds=(0,) * 4), ProbeReadings(65, tuple(rng.normal(STEP, SPREAD, 4)), rounds=(0,) * 4)]  # fmt: skip
    stays = [ProbeReadings(0, tuple(value for some in beside for value in some), rounds=rounds)] if control else []
    return [*ends, *stays, *probes]


def believed(some: list[ProbeReadings]) -> tuple[float, NoiseEstimate]:
    likelihoods = log_likelihoods(some)
    log_likelihood = likelihoods.spread(66)
    mass = np.exp(log_likelihood - log_likelihood.max())
    assert likelihoods.noise is not None
    return float(mass[GUILTY] / mass.sum()), likelihoods.noise


def test_concurrent_controls_reduce_the_noise() -> None:
    joint, blind = [], []
    for seed in range(12):
        some = measured(default_rng(seed), 0.04)
        noise_estimate, noise = believed(some)
        joint.append(noise_estimate)
        blind.append(believed([ProbeReadings(one.position, one.values) for one in some])[0])
        assert noise.walks > 0.9
    assert np.mean(joint) > 0.9
    assert np.mean(blind) < 0.6


def test_without_drift_no_precision_is_lost() -> None:
    for seed in range(6):
        some = measured(default_rng(seed), 0.0)
        noise_estimate, noise = believed(some)
        assert noise.walks < 0.2
        assert abs(noise_estimate - believed([ProbeReadings(one.position, one.values) for one in some])[0]) < 0.02


def test_without_a_control_drift_lowers_the_posterior() -> None:
    wrongly = [believed(measured(default_rng(seed), 0.06, control=False))[1].walks for seed in range(8)]
    assert np.median(wrongly) > 0.8


def ended(seed: int, steps: float) -> tuple[SearchResult, SearchState]:
    rng = default_rng(seed)
    course = [0.0]
    state = search.start_search(SearchSettings(control=True), line_of([Candidate(str(one)) for one in range(1, 65)]))
    while (todo := search.next_actions(state)).finished is None:
        if todo.start:
            state = search.record_started(state, todo.start)
            course.append(course[-1] + rng.normal(0, steps))
        state = search.record_stopped(state, todo.close)
        bad = {
            one: (build := state.deploys[one - 1].build) != GOOD_END and int(build) >= GUILTY for one in todo.measure
        }
        state = search.record_measurements(
            state,
            {one: 100 * float(np.exp(course[-1] + STEP * is_ + rng.normal(0, SPREAD))) for one, is_ in bad.items()},
        )
    return todo.finished, state


def test_with_drift_the_final_pair_is_deployed_twice() -> None:
    for steps, pairs in ((0.0, 1), (0.04, 2)):
        finished, state = ended(3, steps)
        assert (finished.outcome, finished.suspects) == ("found", ("20",))
        assert min(sum(one.build == build for one in state.deploys) for build in ("19", "20")) >= pairs
