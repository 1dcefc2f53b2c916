"""The candidate sequence, prior and posterior, and the information of a measurement."""

import numpy as np
import pytest
from numpy.random import default_rng

from slowpath.analysis.bisect import candidate_sequence as lines
from slowpath.analysis.bisect.candidate_sequence import GOOD_END, KNOWN_BAD, KNOWN_GOOD, Candidate, line_of
from slowpath.analysis.bisect.likelihood import (
    ODD,
    ODD_WEIGHT,
    NoiseEstimate,
    ProbeReadings,
    log_likelihoods,
    odd_chances,
)
from slowpath.analysis.bisect.posterior import compute_posterior
from slowpath.analysis.bisect.prior import log_prior
from slowpath.analysis.bisect.probe_selection import (
    ProbeCosts,
    buildable_probability,
    choose_probes,
    information_about,
    numeric_information,
    should_extend_probe,
)


def some(count: int) -> list[Candidate]:
    return [Candidate(f"c{one}", hides=True) for one in range(1, count + 1)]


def test_an_expanded_candidate_is_replaced_by_its_level() -> None:
    line = line_of(some(3)).opened("c2", [Candidate("a"), Candidate("b", weight=3.0)])
    assert line.ids == ("c1", "a", "b", "c3")
    assert line.position("c2") == line.position("b") == 3
    assert np.exp(line.evidence).tolist() == pytest.approx([1 / 3, 1 / 12, 1 / 4, 1 / 3])
    assert np.exp(line.even).tolist() == pytest.approx([1 / 3, 1 / 6, 1 / 6, 1 / 3])
    assert [line.position(one) for one in (KNOWN_GOOD, GOOD_END, KNOWN_BAD)] == [-1, 0, 5]
    assert lines.from_json(lines.to_json(line)) == line
    assert [line.depth(one) for one in line.ids] == [0, 1, 1, 0]
    assert line.deepest == 1


def test_a_stored_line_without_depths_is_read() -> None:
    line = line_of(some(3))
    stored = lines.to_json(line)
    del stored["depths"]
    assert lines.from_json(stored) == line
    assert line.depth("c2") == line.deepest == 0


def test_a_candidate_without_inner_level_stays() -> None:
    line = line_of(some(2)).opened("c1", [])
    assert (line.ids, line.hiding) == (("c1", "c2"), frozenset({"c2"}))


@pytest.mark.parametrize("names", [[], ["a", "a"], [GOOD_END]])
def test_a_line_needs_different_names(names: list[str]) -> None:
    with pytest.raises(ValueError, match="different names"):
        line_of([Candidate(one) for one in names])


def test_trusting_misleading_evidence_costs_one_bit_over_all_levels_together() -> None:
    line = line_of([Candidate(f"c{one}", weight=1.0 if one < 8 else 0.0, hides=True) for one in range(10)])
    even = line_of(some(10)).opened("c10", [*(Candidate(f"e{one}") for one in range(5)), Candidate("x")])
    line = line.opened("c9", [Candidate(f"d{one}", weight=1.0 if one < 3 else 0.0) for one in range(6)])
    cost = log_prior(even)[even.position("x")] - log_prior(line)[line.position("d5")]
    assert 0 < cost / np.log(2) <= 1 + 1e-9


def test_the_information_of_a_measurement_matches_theory() -> None:
    """One and minus one through noise of one: 0.4859 bits (the capacity of the binary-input channel at 0 dB)."""
    information_bits = numeric_information(np.array([0.5, 0.0, 1.0]), 2.0) / np.log(2)
    assert information_bits[0] == pytest.approx(0.4859, abs=2e-3)
    assert information_bits[1:].tolist() == [0.0, 0.0]
    assert numeric_information(np.array([0.5]), 20.0)[0] == pytest.approx(np.log(2), rel=1e-6)


def test_hypotheses_between_two_deployments_are_equal_and_the_culprit_wins() -> None:
    rng = default_rng(1)
    line = line_of(some(100))
    measured = [
        ProbeReadings(place, tuple(rng.normal(4.6 + 0.1 * (place >= 40), 0.02, 3)))
        for place in (-1, 101, 10, 30, 39, 40, 41, 70)
    ]
    belief = compute_posterior(line, measured)
    assert belief.mass[40] > 0.8  # with the opposite result of deployment 39, it would be one of nine before it
    assert compute_posterior(line, [*measured, measured[4]]).mass[40] > 0.95
    assert belief.noise is not None
    assert belief.noise.step == pytest.approx(0.1, abs=0.03)
    spread = log_likelihoods(measured).spread(102)
    assert len(set(np.round(spread[11:31], 9))) == 1


def test_one_odd_deploy_makes_the_noise_larger_and_the_belief_smaller() -> None:
    rng = default_rng(2)
    line = line_of(some(20))

    def mass_at_culprit(odd: float) -> float:
        places = (-1, 21, 5, 9, 10, 15)
        values = [tuple(rng.normal(4.6 + 0.1 * (one >= 10) + (odd if one == 5 else 0), 0.02, 3)) for one in places]
        return float(
            compute_posterior(line, [ProbeReadings(one, some) for one, some in zip(places, values, strict=True)]).mass[
                10
            ]
        )

    assert mass_at_culprit(0.0) > 0.8 > mass_at_culprit(0.06)


def test_a_deployment_that_shows_the_opposite_does_not_decide() -> None:
    rng = default_rng(7)
    line = line_of(some(64))
    places = [-1, 65, 0, 64, 32, 16, 24, 28, 30, 31, 29]
    measured = [ProbeReadings(one, tuple(rng.normal(4.6 + 0.1 * (one >= 30), 0.02, 3))) for one in places]
    wrong = ProbeReadings(30, tuple(rng.normal(4.6, 0.02, 3)))
    misled = compute_posterior(line, [wrong if one.position == 30 else one for one in measured])
    assert misled.mass[31] < 0.985
    assert misled.mass[30] > 0.005
    right = compute_posterior(
        line, [*(wrong if one.position == 30 else one for one in measured), measured[8], measured[8]]
    )
    assert right.mass.argmax() == 30
    assert right.mass[30] > 0.8


def test_deciding_deployments_are_uncertain_until_each_is_repeated() -> None:
    """Each of the two may show the opposite as often as expected; only another deployment of the same build decides."""
    rng = default_rng(1)
    line = line_of(some(8))

    def deploy(place: int) -> ProbeReadings:
        return ProbeReadings(place, tuple(rng.normal(4.6 + 0.2 * (place >= 4), 0.005, 4)))

    once = [deploy(place) for place in (-1, 9, 0, 0, 8, 8, 2, 6, 3, 4, 5)]
    parent, culprit = deploy(3), deploy(4)
    caveats = [
        1 - float(compute_posterior(line, measured).mass[4])
        for measured in (once, [*once, parent], [*once, parent, culprit])
    ]
    rate = ODD * ODD_WEIGHT / (ODD_WEIGHT + len(once))
    assert caveats[0] == pytest.approx(2 * rate, abs=0.004)
    assert caveats[1] == pytest.approx(rate, abs=0.002)
    assert caveats[2] < 0.002


def test_the_rate_of_odd_deploys_is_learned_from_the_deploys_of_a_search() -> None:
    """One more odd deploy is less likely the more were not odd, and more likely once one was."""
    few, many = odd_chances(5), odd_chances(50)
    one_more = np.exp(np.diff(many))
    assert np.exp(few[1] - few[0]) == pytest.approx(ODD * ODD_WEIGHT / ((1 - ODD) * ODD_WEIGHT + 4), rel=1e-9)
    assert one_more[0] < np.exp(few[1] - few[0])
    assert one_more[1] > 2.5 * one_more[0]
    assert np.exp(odd_chances(1)[:2]).sum() == pytest.approx(1.0)


def test_verdicts_of_unknown_reliability() -> None:
    line = line_of(some(8))
    right = [ProbeReadings(place, good=place < 5, bad=place >= 5) for place in range(9)]
    assert compute_posterior(line, right).mass.argmax() == 5
    twice = compute_posterior(line, right * 2).mass[5]
    assert twice > compute_posterior(line, right).mass[5]
    assert compute_posterior(line, [*right * 2, ProbeReadings(4, bad=1), ProbeReadings(5, good=1)]).mass[5] < twice


def test_nothing_steps_where_the_bad_end_is_good() -> None:
    rng = default_rng(3)
    line = line_of(some(64))
    places = [-1, 65, 0, 32, 48, 64, 64]
    belief = compute_posterior(
        line, [ProbeReadings(one, tuple(rng.normal(4.6 + 0.1 * (one == 65), 0.02, 4))) for one in places]
    )
    assert belief.mass[-1] > 0.8


def test_the_median_of_the_posterior_is_probed_and_several_probes_divide_it() -> None:
    belief = compute_posterior(line_of(some(1000)), [])
    noise = NoiseEstimate(0.1, 4.6, 0.02, 0.3)
    can = np.ones(1001)
    assert choose_probes(belief, noise, ProbeCosts(), 1, can, verdicts=(0.05, 0.05))[0] == pytest.approx(540, abs=25)
    three = sorted(choose_probes(belief, noise, ProbeCosts(), 3, can, verdicts=(0.05, 0.05)))
    assert np.diff([0, *three, 1000]).min() > 120


def test_existing_builds_cost_less() -> None:
    belief = compute_posterior(line_of(some(100)), [])
    noise = NoiseEstimate(0.1, 4.6, 0.02, 0.3)
    costs = ProbeCosts(deploy=5.0, built={45: 0.1})
    assert choose_probes(belief, noise, costs, 1, np.ones(101), verdicts=(0.05, 0.05)) == [45]


def test_builds_near_broken_ones_break_more_often() -> None:
    can = buildable_probability(20, built={0, 3}, unbuildable={10})
    assert can[10] == 0
    assert can[11] < can[13] < can[19] < can[3] == 1


def test_measuring_stops_when_only_variation_between_deployments_is_left() -> None:
    costs = ProbeCosts(most_windows=50)
    assert should_extend_probe(0.5, 1, NoiseEstimate(0.05, 0, 0.03, 0.1), costs, elsewhere=0.3)
    assert not should_extend_probe(0.5, 10, NoiseEstimate(0.05, 0, 0.03, 2.0), costs, elsewhere=0.3)
    assert not should_extend_probe(0.5, 50, NoiseEstimate(0.05, 0, 0.03, 0.1), costs, elsewhere=0.0)


def test_earlier_bisects_set_the_variation_between_deployments() -> None:
    rng = default_rng(5)
    own = [
        ProbeReadings(at, tuple(float(each) for each in rng.normal((at >= 4) * 0.2, 0.03, 2))) for at in (0, 1, 5, 8)
    ]
    learned = [log_likelihoods(own, between).noise for between in (0.0, None, 3.0)]
    ratios = [one.ratio for one in learned if one is not None]
    assert ratios[0] < ratios[1] < ratios[2]
    apart = [one.apart(4) for one in learned if one is not None]
    assert apart[0] > apart[1] > apart[2]


def test_a_probe_has_no_information_where_all_hypotheses_expect_the_same() -> None:
    line = line_of([Candidate(f"c{one}") for one in range(1, 41)])
    some = [ProbeReadings(-1, (0.0, 0.1, -0.1, 0.0)), ProbeReadings(41, (1.0, 1.1, 0.9, 1.0))]
    some += [ProbeReadings(10, (0.45, 0.5, 0.55, 0.5))] * 6  # neither good nor bad: once more settles nothing
    belief = compute_posterior(line, some)
    again, elsewhere = information_about(belief, np.array([10, 5]), 4)
    assert belief.bad[10] > 0.2
    assert again < elsewhere / 2
