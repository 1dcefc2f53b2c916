"""Drift of the environment is reported where no control measures it, and not without drift."""

from collections.abc import Sequence

import numpy as np
from numpy.random import default_rng

from slowpath.analysis.bisect import search
from slowpath.analysis.bisect.candidate_sequence import GOOD_END, Candidate, line_of
from slowpath.analysis.bisect.measurement_normalization import has_drift
from slowpath.analysis.bisect.search_state import ProbeStart, SearchSettings, SearchState

ORDER = (GOOD_END, "64", GOOD_END, "64", "32", "16", "24", "20", "18", "19", "19", "18", "19", "18")


def played(drift: Sequence[float], seed: int, *, control: bool = False) -> SearchState:
    rng = default_rng(seed)
    state = search.start_search(SearchSettings(control=control), line_of([Candidate(str(one)) for one in range(1, 65)]))
    for build, off in zip(ORDER, drift, strict=True):
        state = search.record_started(state, [ProbeStart(build, "probe")])
        number = len(state.deploys)
        for _ in range(3):
            bad = build != GOOD_END and int(build) >= 19
            state = search.record_measurements(
                state, {number: 100 * float(np.exp(0.1 * bad + off + rng.normal(0, 0.02)))}
            )
        state = search.record_stopped(state, [number])
    return state


def reports_drift(drift: Sequence[float], seed: int, *, control: bool = False) -> bool:
    state = played(drift, seed, control=control)
    return has_drift(state, search.compute_state_posterior(state))


def test_drift_is_reported_and_its_absence_is_not() -> None:
    still = [reports_drift([0.0] * len(ORDER), seed) for seed in range(20)]
    assert sum(still) <= 1
    rising = np.linspace(0.0, 0.12, len(ORDER)).tolist()
    assert sum(reports_drift(rising, seed) for seed in range(10)) >= 8
    assert not reports_drift(rising, 0, control=True)  # then it is taken off
