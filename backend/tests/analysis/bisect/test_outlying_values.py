"""Outlying values: hypotheses are rated right although single measurements show anything."""

import numpy as np
import pytest

from slowpath.analysis.bisect.candidate_sequence import Candidate, line_of
from slowpath.analysis.bisect.likelihood import ProbeReadings, log_likelihoods
from slowpath.analysis.bisect.outlying_values import outlying_sets
from slowpath.analysis.bisect.posterior import compute_posterior

GUILTY = 13
PLACES = (0, 25, 0, 25, 13, 6, 9, 11, 12, 13, 12, 13, 12)
STEP = 0.26
SHIFT = 0.47


def probes(outlying: frozenset[int], *, values: int = 1) -> list[ProbeReadings]:
    """Return probes whose first value is outlying for these indexes."""
    rng = np.random.default_rng(5)
    out = []
    for index, place in enumerate(PLACES):
        measured = rng.normal(7.0 + STEP * (place >= GUILTY), 0.01, values)
        measured[0] += SHIFT * (index in outlying)
        out.append(ProbeReadings(place, tuple(measured.tolist())))
    return out


@pytest.mark.parametrize("outlying", [frozenset({7}), frozenset({6, 8}), frozenset({1, 4, 10})], ids=str)
@pytest.mark.parametrize("values", [1, 4])
def test_the_culprit_has_the_highest_probability_beside_outlying_values(outlying: frozenset[int], values: int) -> None:
    line = line_of([Candidate(f"c{one}") for one in range(1, 26)])
    belief = compute_posterior(line, probes(outlying, values=values))
    assert int(np.argmax(belief.mass)) == GUILTY
    assert belief.mass[GUILTY] > 0.9
    assert belief.noise is not None
    assert belief.noise.step == pytest.approx(STEP, abs=0.03)
    assert belief.noise.window < 0.05


def test_outlying_values_are_reported_where_there_are_some() -> None:
    without, with_some = (log_likelihoods(probes(some)).noise for some in (frozenset[int](), frozenset({1, 4, 10})))
    assert without is not None
    assert with_some is not None
    assert without.outliers < 0.05
    assert with_some.outliers > 0.9


def test_outlying_values_of_a_long_probe_leave_its_level() -> None:
    """A control has one value per round: a few outlying ones are no noise of all."""
    rng = np.random.default_rng(6)
    control = rng.normal(7.0, 0.01, 30)
    control[::6] += SHIFT
    some = [ProbeReadings(0, tuple(control.tolist()), rounds=tuple(range(1, 31))), *probes(frozenset({7}))]
    noise = log_likelihoods(some).noise
    assert noise is not None
    assert noise.window < 0.03
    assert noise.walks < 0.1


def test_sets_contain_the_outlying_values_and_at_most_half() -> None:
    y = np.array([0.0, 0.01, 0.9, -0.01, 0.25, 0.26, 0.75, 0.24])
    bad = np.array([[False] * 4 + [True] * 4])
    (sets,) = outlying_sets(y, bad, 1.0)
    assert [0, 0, 1, 0, 0, 0, 1, 0] in sets.astype(int).tolist()
    assert all(0 < one.sum() <= 4 for one in sets)
