"""Another mix of requests on the sides, and a process that had just started."""

from dataclasses import replace

import numpy as np
import pytest

from slowpath.analysis.findings.findings import Caveat
from slowpath.analysis.findings.route_requests import RouteRequests
from slowpath.analysis.kinds.profiles.comparison.explanations import range_of_mix
from slowpath.analysis.kinds.profiles.decoded.profile_artifact import ProfileArtifact
from slowpath.analysis.kinds.profiles.sets.request_mix import OTHERS, count_by_route, find_request_mix
from slowpath.analysis.kinds.profiles.verdict.compare_profiles import ProfileComparison
from tests.analysis.kinds.profiles.compare_helpers import compared
from tests.analysis.kinds.profiles.generated_profiles import at_times, runs, with_cpu

REQUESTS = 1_000
LIGHT, HEAVY = 100, 900
"""Samples of 1,000 requests of each kind."""
NAMES = [f"a/x.F{number}" for number in range(12)]


def side(
    seed: int, heavy: list[float], *, cost: float = 1.0, begin: float = 10, known: bool = True
) -> list[ProfileArtifact]:
    """Profiles of a service whose requests have this share of heavy ones, all functions times `cost`."""
    rng = np.random.default_rng([seed, 5])
    made = []
    for number, share in enumerate(heavy):
        count = int(rng.binomial(REQUESTS, share))
        samples = cost * (count * HEAVY + (REQUESTS - count) * LIGHT) / REQUESTS
        columns = " ".join(["main.main"] * len(NAMES)) + "\n" + " ".join(NAMES)
        counts = " ".join([str(max(1, round(samples / 4)))] * len(NAMES))
        profile = runs(f"{columns}\n{counts}", 1, seed=100 * seed + number, requests=REQUESTS)[0]
        routes = routes_of({"/light": REQUESTS - count, "/heavy": count})
        facts = replace(profile.facts, run=f"{seed}/{number}", requests_by_route=routes if known else None)
        made.append(replace(profile, facts=facts))
    return with_cpu(at_times(made, begin))


def routes_of(requests: dict[str, int]) -> tuple[RouteRequests, ...]:
    return tuple(RouteRequests(route, "", "", count) for route, count in requests.items() if count)


def caveat(comparison: ProfileComparison, identity: str) -> Caveat | None:
    return next((each for each in comparison.caveats if each.id == identity), None)


STEADY, MORE_HEAVY = [0.05] * 8, [0.25] * 8


@pytest.mark.parametrize("swapped", [False, True])
def test_a_change_that_the_mix_explains_is_inconclusive(swapped: bool) -> None:
    base, candidate = side(1, STEADY), side(2, MORE_HEAVY, begin=20)
    unknown = compared(side(1, STEADY, known=False), side(2, MORE_HEAVY, begin=20, known=False))
    assert unknown.verdict == "regressed", "without the mix nothing explains the change"
    found = compared(candidate, base) if swapped else compared(base, candidate)
    assert found.verdict == "inconclusive"
    assert not any(finding.is_significant for finding in found.findings)
    mix = caveat(found, "request-mix")
    assert mix is not None
    assert mix.explains_effect
    assert "Route /heavy had" in mix.sentence
    assert "Send both sides the same requests" in mix.sentence


def test_the_caveat_gives_the_shares() -> None:
    base, candidate = ([*side(number, [0.0] * 4)] for number in (1, 2))
    base = with_routes(base, {"/render": 50, "/page": 950})
    candidate = with_routes(candidate, {"/render": 380, "/page": 620})
    mix = caveat(compared(base, candidate), "request-mix")
    assert mix is not None
    assert mix.sentence.startswith("Route /render had 38% of the requests in candidate, 5% in base")
    assert "×0.653 to ×7.6" in mix.sentence


def with_routes(profiles: list[ProfileArtifact], requests: dict[str, int]) -> list[ProfileArtifact]:
    return [replace(each, facts=replace(each.facts, requests_by_route=routes_of(requests))) for each in profiles]


def test_a_change_beyond_the_mix_is_significant() -> None:
    """From 25% to 20% heavy ones, the cost per request can fall by at most a fifth."""
    found = compared(side(1, [0.25] * 8), side(2, [0.20] * 8, cost=2.5, begin=20))
    assert found.verdict == "regressed"
    mix = caveat(found, "request-mix")
    assert mix is not None
    assert not mix.explains_effect


def test_variation_within_the_sides_narrows_what_the_mix_explains() -> None:
    """Three times as many heavy requests could cost three times as much, but the captures show their cost: 1.6 times."""
    varied = [0.02, 0.08, 0.03, 0.07, 0.02, 0.08, 0.05, 0.05]
    more = [share + 0.10 for share in varied]
    found = compared(side(1, varied), side(2, more, cost=1.8, begin=20))
    mix = find_request_mix(found.base, found.candidate)
    assert mix is not None
    assert mix.bounds[1] == pytest.approx(3.0, rel=0.1)
    comparison = found.kinds[0].comparison
    low, high = range_of_mix(comparison)
    assert low < 1.57 < high < 2.3
    assert comparison.categories.estimates.low[-1] < mix.bounds[1]
    assert found.verdict == "regressed"


def test_an_equal_mix_raises_no_caveat() -> None:
    found = compared(side(1, STEADY), side(2, STEADY, cost=1.5, begin=20))
    assert found.verdict == "regressed"
    assert caveat(found, "request-mix") is None


def test_variation_within_the_sides_is_no_difference_between_them() -> None:
    varied = [0.02, 0.20, 0.05, 0.15, 0.03, 0.18, 0.06, 0.12]
    assert find_request_mix(side(1, varied), side(2, varied[::-1])) is None


def test_a_mix_may_hide_a_change() -> None:
    """The candidate is twice as slow and got cheaper requests, so an equal cost is not *unchanged*."""
    found = compared(side(1, [0.2] * 8), side(2, [0.0375] * 8, cost=2.0, begin=20))
    assert found.verdict != "unchanged"
    assert found.verdict != "improved"


def test_sides_without_the_data_raise_no_caveat() -> None:
    found = compared(side(1, STEADY), side(2, MORE_HEAVY, begin=20, known=False))
    assert caveat(found, "request-mix") is None


def test_routes_that_one_capture_sums_are_summed_in_all() -> None:
    rest = RouteRequests(*OTHERS, 30)
    keys, counts = count_by_route([(*routes_of({"/a": 10, "/b": 5}), rest), routes_of({"/a": 10, "/c": 7})])
    assert keys == [("/a", "", ""), ("/b", "", ""), OTHERS]
    assert counts.tolist() == [[10, 10], [5, 0], [30, 7]]


def aged(profiles: list[ProfileArtifact], begin_s: float) -> list[ProfileArtifact]:
    return [
        replace(each, facts=replace(each.facts, process_age_ms=round(1_000 * (begin_s + 10 * number))))
        for number, each in enumerate(profiles)
    ]


def test_a_new_process_is_named_with_the_ages() -> None:
    base, candidate = side(1, STEADY, begin=10), side(2, STEADY, cost=1.5, begin=20)
    found = compared(aged(base, 3_600), aged(candidate, 5))
    assert found.verdict == "regressed"
    age = caveat(found, "process-age")
    assert age is not None
    assert not age.explains_effect
    assert "The process of the candidate was 5 s to 75 s old" in age.sentence
    assert "that of the base 3,600 s to 3,670 s" in age.sentence


def test_a_cost_that_falls_with_the_age_of_a_new_process_is_explained() -> None:
    base = side(1, STEADY, begin=10)
    warming = [side(20 + number, [0.05], cost=1.6 - 0.06 * number)[0] for number in range(8)]
    found = compared(aged(base, 3_600), aged(at_times(warming, 20), 5))
    age = caveat(found, "process-age")
    assert age is not None
    assert age.explains_effect
    assert found.verdict == "inconclusive"


@pytest.mark.parametrize(("base_s", "candidate_s"), [(5, 5), (3_600, 600)])
def test_ages_that_do_not_matter(base_s: float, candidate_s: float) -> None:
    found = compared(aged(side(1, STEADY), base_s), aged(side(2, STEADY), candidate_s))
    assert caveat(found, "process-age") is None
