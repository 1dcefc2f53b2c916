"""A change is located in a value of a label."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import pytest

from slowpath.analysis.findings.findings import Finding
from slowpath.analysis.findings.route_requests import RouteRequests
from slowpath.analysis.findings.run_metadata import RunMetadata
from slowpath.analysis.kinds.profiles.decoded.profile_artifact import ProfileArtifact
from slowpath.analysis.kinds.profiles.sets import label_totals
from slowpath.analysis.kinds.profiles.verdict.compare_profiles import ProfileComparison
from slowpath.units import Nanoseconds
from tests.analysis.kinds.profiles.compare_helpers import compared
from tests.analysis.kinds.profiles.generated_profiles import SECOND, artifact, at_times

FUNCTIONS = ("decode", "lookup", "encode", "write", "hash", "sort", "compress")
"""Every request runs the same functions."""
Labels = tuple[tuple[str, str], ...]
Means = dict[Labels, float]


def captures(means: Means, *, seed: int, count: int = 10, requests: int = 1_000) -> list[ProfileArtifact]:
    """Profiles with so many samples of each set of labels, drawn Poisson, on the stacks of all functions."""
    rng = np.random.default_rng(seed)
    made = []
    for number in range(count):
        samples: list[tuple[tuple[str, ...], float]] = []
        labels: list[Mapping[str, str]] = []
        for of_sample, mean in means.items():
            for function in FUNCTIONS:
                samples.append(
                    (("main.main", "main.serve", f"main.{function}"), float(rng.poisson(mean / len(FUNCTIONS))))
                )
                labels.append(dict(of_sample))
        facts = RunMetadata(run=f"{seed}/{number}", requests=requests, wall_ns=Nanoseconds(10 * SECOND))
        made.append(artifact(samples, f"cpu.{number:02}.pb.gz", facts, labels=labels))
    return made


def compare_in_turns(base: Means, candidate: Means, *, seed: int = 1) -> ProfileComparison:
    """Compare captures that were taken alternately."""
    sides = captures(base, seed=seed), captures(candidate, seed=seed + 1_000)
    return compared(at_times(sides[0], 1.0), at_times(sides[1], 11.0))


def located(comparison: ProfileComparison) -> Sequence[Finding]:
    """The findings on labels."""
    return [each for each in comparison.findings if each.kind == "profile.label"]


ENDPOINTS: Means = {(("endpoint", f"/{name}"),): 300.0 for name in "abcdefgh"}
ENDPOINTS[(("endpoint", "/x"),)] = 150.0


def changed(means: Means, labels: Labels, ratio: float) -> Means:
    return {each: mean * (ratio if set(labels) <= set(each) else 1) for each, mean in means.items()}


def test_a_change_in_one_endpoint_is_located() -> None:
    comparison = compare_in_turns(ENDPOINTS, changed(ENDPOINTS, (("endpoint", "/x"),), 1.4))
    [finding] = located(comparison)
    assert (finding.subject, finding.direction, finding.is_significant) == ("endpoint=/x", "worse", True)
    assert finding.change.ratio == pytest.approx(1.4, rel=0.1)
    assert "% CPU per request in endpoint /x: " in finding.sentence
    assert "; no change elsewhere larger than " in finding.sentence
    assert comparison.verdict == "regressed"
    assert [each.kind for each in comparison.findings] == ["profile.label"]


def test_less_cost_is_an_improvement() -> None:
    comparison = compare_in_turns(ENDPOINTS, changed(ENDPOINTS, (("endpoint", "/x"),), 0.6))
    [finding] = located(comparison)
    assert (finding.subject, finding.direction) == ("endpoint=/x", "better")
    assert finding.sentence.startswith("−")


@pytest.mark.parametrize("seed", range(3))
def test_equal_sides_locate_nothing(seed: int) -> None:
    assert located(compare_in_turns(ENDPOINTS, ENDPOINTS, seed=seed)) == []


def test_a_change_that_all_values_share_is_not_located() -> None:
    assert located(compare_in_turns(ENDPOINTS, changed(ENDPOINTS, (), 1.4))) == []


BOTH: Means = {(("endpoint", f"/{e}"), ("tenant", t)): 150.0 for e in "abcde" for t in ("acme", "beta", "corp")}


def test_a_change_in_one_tenant_of_one_endpoint_names_both() -> None:
    comparison = compare_in_turns(BOTH, changed(BOTH, (("endpoint", "/a"), ("tenant", "acme")), 2.0))
    [finding] = located(comparison)
    assert finding.subject in {"endpoint=/a, tenant=acme", "tenant=acme, endpoint=/a"}
    assert finding.change.ratio == pytest.approx(2.0, rel=0.15)
    assert " of " in finding.sentence


def test_several_changed_values_are_one_finding() -> None:
    candidate = changed(changed(ENDPOINTS, (("endpoint", "/a"),), 1.5), (("endpoint", "/b"),), 1.4)
    [finding] = located(compare_in_turns(ENDPOINTS, candidate))
    assert finding.subject == "endpoint=/a"
    assert "; also in /b; " in finding.sentence


def test_a_new_endpoint_is_located() -> None:
    [finding] = located(compare_in_turns(ENDPOINTS, {**ENDPOINTS, (("endpoint", "/new"),): 150.0}))
    assert (finding.subject, finding.base) == ("endpoint=/new", 0)
    assert finding.sentence.startswith("More CPU per request in endpoint /new: ")


def test_a_key_with_other_values_on_each_side_is_not_compared() -> None:
    sides: list[Means] = [{(("pid", f"{side}{n}"),): 300.0 for n in range(8)} for side in "12"]
    assert located(compare_in_turns(*sides)) == []


def test_few_profiles_are_tentative() -> None:
    candidate = changed(ENDPOINTS, (("endpoint", "/x"),), 3.0)
    [finding] = located(compared(captures(ENDPOINTS, seed=1, count=1), captures(candidate, seed=2, count=1)))
    assert not finding.is_significant
    assert finding.profiles_needed is not None


def test_values_beyond_the_limit_are_a_caveat(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(label_totals, "MOST_VALUES", 5)
    comparison = compare_in_turns(ENDPOINTS, ENDPOINTS)
    [caveat] = [each for each in comparison.caveats if each.id == "labels-cut"]
    assert caveat.sentence.startswith("Label endpoint has 9")


def test_without_labels_nothing_is_located() -> None:
    plain: Means = {(): 2_000.0}
    assert located(compare_in_turns(plain, plain)) == []


def with_requests(profiles: list[ProfileArtifact], by_route: Mapping[str, int]) -> list[ProfileArtifact]:
    """The profiles with so many requests of each route of 1,000, in the run metadata."""
    listed = tuple(RouteRequests(route, "GET", "2xx", requests) for route, requests in by_route.items())
    others = RouteRequests("", "", "", 1_000 - sum(by_route.values()))
    return [replace(each, facts=replace(each.facts, requests_by_route=(*listed, others))) for each in profiles]


def compare_mixes(
    base: tuple[Means, Mapping[str, int]], candidate: tuple[Means, Mapping[str, int]]
) -> ProfileComparison:
    """Compare captures taken alternately whose requests by route are known."""
    sides = [
        with_requests(captures(means, seed=seed), mix) for seed, (means, mix) in enumerate((base, candidate), start=7)
    ]
    return compared(at_times(sides[0], 1.0), at_times(sides[1], 11.0))


def test_a_route_with_more_requests_is_not_a_change_of_its_cost() -> None:
    mixes = {"/x": 50, "/a": 100}, {"/x": 100, "/a": 100}
    candidate = changed(ENDPOINTS, (("endpoint", "/x"),), 2.0)
    assert located(compare_mixes((ENDPOINTS, mixes[0]), (candidate, mixes[1]))) == []
    [without] = located(compare_in_turns(ENDPOINTS, candidate))
    assert without.subject == "endpoint=/x"
    assert "or in their number" in without.mechanism


def test_the_cost_of_a_route_is_divided_by_its_own_requests() -> None:
    mixes = {"/x": 100, "/a": 100}, {"/x": 50, "/a": 100}
    more = {each: mean if ("endpoint", "/x") in each else mean * 950 / 900 for each, mean in ENDPOINTS.items()}
    comparison = compare_mixes((ENDPOINTS, mixes[0]), (more, mixes[1]))
    [finding] = located(comparison)
    assert (finding.subject, finding.direction, finding.is_significant) == ("endpoint=/x", "worse", True)
    assert finding.change.ratio == pytest.approx(2.0, rel=0.1)
    assert " CPU per request of endpoint /x: " in finding.sentence
    assert "; no change elsewhere larger than " in finding.sentence
    # 150 samples of 10 ms per 100 requests, and per 50.
    assert finding.base == pytest.approx(15_000, rel=0.05)
    assert finding.candidate == pytest.approx(30_000, rel=0.05)
    # Of 1,000 requests of the service, 75 are of the route on average.
    assert finding.difference_of_whole == pytest.approx(finding.change.difference * 0.075)
    assert "number is accounted for" in finding.mechanism
    assert "more of these requests" not in finding.advice


def test_a_tenant_of_a_route_is_divided_by_the_requests_of_the_route() -> None:
    candidate = changed(BOTH, (("endpoint", "/a"), ("tenant", "acme")), 2.0)
    [finding] = located(compare_mixes((BOTH, {"/a": 200}), (candidate, {"/a": 200})))
    assert " of endpoint /a in tenant acme: " in finding.sentence
    assert finding.base == pytest.approx(150 * 10_000 / 200, rel=0.1)


def test_another_status_within_a_route_explains_its_change() -> None:
    ok, failed = RouteRequests("/x", "GET", "2xx", 95), RouteRequests("/x", "GET", "5xx", 5)
    others = RouteRequests("", "", "", 900)
    sides = []
    for seed, ratio, mix in ((7, 1.0, (ok, failed)), (8, 1.4, (replace(ok, requests=5), replace(failed, requests=95)))):
        profiles = captures(changed(ENDPOINTS, (("endpoint", "/x"),), ratio), seed=seed)
        facts = [replace(each.facts, requests_by_route=(*mix, others)) for each in profiles]
        sides.append([replace(each, facts=fact) for each, fact in zip(profiles, facts, strict=True)])
    assert located(compared(at_times(sides[0], 1.0), at_times(sides[1], 11.0))) == []


def test_a_route_with_few_requests_is_divided_by_all() -> None:
    candidate = changed(ENDPOINTS, (("endpoint", "/x"),), 1.4)
    [finding] = located(compare_mixes((ENDPOINTS, {"/x": 5}), (candidate, {"/x": 5})))
    assert " CPU per request in endpoint /x: " in finding.sentence
