"""The bench of bisect counts correctly, for Slowpath and for its peers."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.random import default_rng

from bench.bisect_peers import bayesect, git_bisect, look
from bench.bisect_simulation import SimulatedHistory, SimulationSettings, searched
from slowpath.analysis.bisect import search
from slowpath.analysis.bisect.candidate_sequence import Candidate, line_of
from slowpath.analysis.bisect.limits import LIMIT_FACTOR, usual_probes
from slowpath.analysis.bisect.search_state import SearchSettings

SMALL = SimulationSettings(sizes=(32, 8), error=0.1)


@pytest.mark.parametrize("share", [0.0, 0.1, 0.5])
def test_one_window_is_wrong_as_often_as_stated(share: float) -> None:
    history = SimulatedHistory(replace(SMALL, deploy_share=share), default_rng(1))
    wrong = np.mean([look(history, bad=bool(one % 2), windows=1) != bool(one % 2) for one in range(4_000)])
    assert wrong == pytest.approx(0.1, abs=0.02)


def test_every_look_is_a_deploy() -> None:
    without_noise = replace(SMALL, error=1e-6)
    once, thrice = (git_bisect(SimulatedHistory(without_noise, default_rng(1)), looks) for looks in (1, 3))
    assert (once.deploys, once.right) == (8, True)
    assert (thrice.deploys, thrice.right) == (16, True)  # two alike decide
    assert bayesect(SimulatedHistory(without_noise, default_rng(1))).right


def test_every_start_is_a_deploy() -> None:
    for seed in range(4):
        ended = searched(SimulatedHistory(SMALL, default_rng(seed)))
        assert (ended.outcome, ended.right) == ("found", True)
        assert ended.deploys == ended.attempts  # all of them build
        assert ended.windows > ended.deploys
        assert 8 <= ended.deploys <= 27  # 8 bits; the control and the final pair among them


@pytest.mark.processes
def test_a_search_ends_at_its_limit_where_half_of_the_variance_is_the_deployments() -> None:
    noisy = replace(SMALL, sizes=(32,), error=0.25, deploy_share=0.5)
    usual = usual_probes(search.start_search(SearchSettings(control=True), line_of([Candidate(str(one)) for one in range(32)]), [[1.0]], [[2.0]]))  # fmt: skip
    ended = [searched(SimulatedHistory(noisy, default_rng([3, seed]))) for seed in range(5)]
    assert max(one.deploys for one in ended) <= LIMIT_FACTOR * usual
    stopped = [one for one in ended if one.outcome == "stopped"]
    assert stopped
    assert all(one.right and one.suspects > 1 for one in stopped)  # the culprit is among those that remain


def test_unbuildable_candidates_are_tried_but_not_deployed() -> None:
    ended = [searched(SimulatedHistory(replace(SMALL, unbuildable=0.3), default_rng(seed))) for seed in range(3)]
    assert sum(one.attempts - one.deploys for one in ended) > 0
