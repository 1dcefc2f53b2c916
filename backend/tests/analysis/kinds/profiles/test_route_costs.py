"""CPU per request of a route: its labelled samples over its requests, with the error of the replicates."""

from dataclasses import replace

import numpy as np
import pytest

from slowpath.analysis.findings.build_measurements import KindMeasurement, unpack
from slowpath.analysis.findings.route_requests import RouteRequests
from slowpath.analysis.kinds.profiles.decoded.profile_artifact import ProfileArtifact
from slowpath.analysis.kinds.profiles.sets.profile_measurements import measure_profiles
from tests.analysis.kinds.profiles.test_label_findings import captures

ROUTES = (RouteRequests("/api/push", "POST", "2xx", 600), RouteRequests("/api/push", "GET", "2xx", 100))
OTHERS = RouteRequests("", "", "", 300)
MEANS = {(("http.route", "/api/push"),): 2_100.0, (("http.route", "/ready"),): 300.0, (): 600.0}


def categories(profiles: list[ProfileArtifact]) -> KindMeasurement:
    found = next(each for each in measure_profiles(profiles, 10) if each.kind == "profile.category")
    return unpack(found.pack())


def with_mix(profiles: list[ProfileArtifact], mix: tuple[RouteRequests, ...] | None) -> list[ProfileArtifact]:
    return [replace(each, facts=replace(each.facts, requests_by_route=mix)) for each in profiles]


def test_a_route_costs_its_samples_over_its_requests() -> None:
    profiles = with_mix(captures(MEANS, seed=3), (*ROUTES, OTHERS))
    measured = categories(profiles)
    total = measured.bases["per_request"].value[measured.subjects.index("total")]
    cost = measured.routes["/api/push"]
    assert cost.value == pytest.approx(total * (2_100 / 3_000) / 0.7, rel=0.02)
    assert 0 < cost.error < 0.02 * cost.value
    assert set(measured.routes) == {"/api/push"}, "the labels have no methods, and no requests of /ready are known"


def test_a_label_may_name_the_method() -> None:
    means = {(("endpoint", "POST /api/push"),): 1_000.0, (): 500.0}
    measured = categories(with_mix(captures(means, seed=4), (*ROUTES, OTHERS)))
    assert set(measured.routes) == {"POST /api/push"}


@pytest.mark.parametrize("mix", [None, (OTHERS,)])
def test_without_requests_by_route_no_route_is_measured(mix: tuple[RouteRequests, ...] | None) -> None:
    assert categories(with_mix(captures(MEANS, seed=5), mix)).routes == {}


def test_one_profile_without_the_mix_leaves_all_out() -> None:
    profiles = with_mix(captures(MEANS, seed=6), (*ROUTES, OTHERS))
    assert categories([*profiles[:-1], *with_mix(profiles[-1:], None)]).routes == {}


def test_other_labels_and_one_profile() -> None:
    other = categories(with_mix(captures({(("tenant", "/api/push"),): 500.0}, seed=7), (*ROUTES, OTHERS)))
    assert other.routes == {}
    one = categories(with_mix(captures(MEANS, seed=8, count=1), (*ROUTES, OTHERS)))
    assert np.isnan(one.routes["/api/push"].error)
