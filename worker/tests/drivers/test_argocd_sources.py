"""Applications of several sources: one is set, the others stay, whatever happens meanwhile."""

from collections.abc import Iterator
from typing import Any

import pytest

from slowpath_cli.runner.core.driver_interface import DeploymentFailed, DriverEnvironment, InvalidDriverConfig
from slowpath_cli.runner.drivers import argocd_application
from slowpath_cli.runner.drivers.argocd_application_source import SourceSelector
from tests.collect.pprof_servers import Asked
from tests.drivers import cluster_double
from tests.drivers.argocd_double import APPLICATIONS, SLOT, ArgoCDDouble, application, working
from tests.drivers.deploy_targets import COMMIT, RUN, target
from tests.drivers.driver_fixtures import quick, section_of, served

Json = dict[str, Any]
CODE = "https://code.example.com/acme"
CHART = {
    "repoURL": "https://charts.example.com", "chart": "ingester", "targetRevision": "1.2.0",
    "helm": {"valueFiles": ["$values/lab.yaml"], "parameters": [{"name": "image.tag", "value": "1f0e"}]},
}  # fmt: skip
VALUES = {"repoURL": f"{CODE}/values", "targetRevision": "main", "ref": "values"}
EXTRAS = {"repoURL": f"{CODE}/extras", "targetRevision": "main", "path": "lab", "kustomize": {"images": ["redis:7"]}}
BY_HELM = {"helm": {"image.tag": "{build}"}, "image": None}
SET = CHART | {
    "helm": {
        "valueFiles": ["$values/lab.yaml"],
        "parameters": [{"name": "image.tag", "value": COMMIT, "forceString": True}],
    }
}


@pytest.fixture
def cluster(monkeypatch: pytest.MonkeyPatch) -> ArgoCDDouble:
    monkeypatch.setitem(cluster_double.LISTS, APPLICATIONS, ("argoproj.io/v1alpha1", "Application"))
    double = ArgoCDDouble()
    several = application()
    del several["spec"]["source"]
    several["spec"]["sources"] = [CHART, VALUES, EXTRAS]
    double.put(SLOT, several)
    double.made.clear()
    return double


@pytest.fixture
def api(cluster: ArgoCDDouble) -> Iterator[str]:
    with served(cluster, "argocd", "kubernetes") as address:
        yield address


def section(api: str, **more: Any) -> Json:  # noqa: ANN401 - as TOML has it
    own = {"application": "ingester-lab-{slot}", "url": "http://ingester-lab-{slot}.example:8080"}
    return section_of("argocd", api, own, more)


def driver_at(api: str, place: DriverEnvironment, **more: Any) -> argocd_application.ArgoCdDriver:  # noqa: ANN401 - as TOML has it
    made = quick(argocd_application.read(section(api, **more), place), argocd_application.ArgoCdDriver)
    made.pause = lambda _: None
    return made


def sources(cluster: ArgoCDDouble) -> list[Json]:
    found: list[Json] = cluster.things[SLOT]["spec"]["sources"]
    return found


@pytest.mark.parametrize(
    ("more", "wanted"),
    [
        (BY_HELM | {"source": {"chart": "ingester"}}, [SET, VALUES, EXTRAS]),
        (BY_HELM | {"source": {"index": 0}}, [SET, VALUES, EXTRAS]),
        (BY_HELM | {"source": {"index": 0, "repoURL": CHART["repoURL"]}}, [SET, VALUES, EXTRAS]),
        (
            {"source": {"path": "lab"}},
            [CHART, VALUES, EXTRAS | {"kustomize": {"images": ["redis:7", f"images.example.com/ingester:{COMMIT}"]}}],
        ),
        (
            {"source": {"ref": "values"}, "image": None, "revision": "{commit}"},
            [CHART, VALUES | {"targetRevision": COMMIT}, EXTRAS],
        ),
    ],
)
def test_one_is_set_and_put_back_and_the_others_stay(
    api: str, place: DriverEnvironment, cluster: ArgoCDDouble, more: Json, wanted: list[Json]
) -> None:
    driver = driver_at(api, place, **more)
    driver.prepare()
    handle = driver.deploy(target())
    assert sources(cluster) == wanted
    assert "source" not in cluster.things[SLOT]["spec"]
    cluster.begin()
    cluster.end()
    assert driver.status(handle, None).state == "ready"
    cluster.things[SLOT]["status"]["sync"]["comparedTo"]["sources"] = [CHART, VALUES, EXTRAS]
    assert driver.status(handle, None).state == "rolling", "what was compared is of before"
    working(driver, cluster)
    driver.restore(RUN)
    assert sources(cluster) == [CHART, VALUES, EXTRAS]
    assert cluster.made == [f"{RUN} 1", f"{RUN} restore"]


def test_what_others_change_meanwhile_stays(api: str, place: DriverEnvironment, cluster: ArgoCDDouble) -> None:
    driver = driver_at(api, place, **BY_HELM, source={"chart": "ingester"})

    def meddle(asked: Asked) -> None:
        if asked.method == "PATCH":
            cluster.first = lambda _: None
            cluster.changed(SLOT, {"spec": {"sources": [CHART, VALUES | {"targetRevision": "next"}, EXTRAS]}})

    cluster.first = meddle
    driver.deploy(target())
    assert sources(cluster) == [SET, VALUES | {"targetRevision": "next"}, EXTRAS]
    cluster.changed(
        SLOT, {"spec": {"sources": [VALUES, SET | {"targetRevision": "1.3.0"}]}}
    )  # in another order, and newer
    working(driver, cluster)
    driver.restore(RUN)
    assert sources(cluster) == [VALUES, CHART | {"targetRevision": "1.3.0"}]


@pytest.mark.parametrize(
    "spec", [{"sources": [VALUES, EXTRAS]}, {"sources": [VALUES, SET, SET]}, {"sources": None, "source": EXTRAS}]
)
def test_a_failed_restore_is_reported_until_a_person_fixes_it(
    api: str, place: DriverEnvironment, cluster: ArgoCDDouble, spec: Json
) -> None:
    driver = driver_at(api, place, **BY_HELM, source={"chart": "ingester"})
    driver.deploy(target())
    cluster.begin()
    cluster.end()
    cluster.changed(SLOT, {"spec": spec})
    with pytest.raises(DeploymentFailed, match="remove the label slowpath-run") as found:
        driver.restore(RUN)
    assert found.value.is_transient
    cluster.changed(SLOT, {"metadata": {"labels": {"slowpath-run": None}}})
    driver.restore(RUN)


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (BY_HELM, r"2 sources.*0: chart ingester of https://charts.example.com; 1: ref values of .*; 2: path lab of"),
        (BY_HELM | {"source": {"chart": "other"}}, "0 sources"),
        (BY_HELM | {"source": {"index": 7}}, "0 sources"),
        (BY_HELM | {"source": {"index": 1, "chart": "ingester"}}, "0 sources"),
        (BY_HELM | {"source": {"ref": "values"}}, r"by helm: its source ref values of .* makes no manifests"),
        (BY_HELM | {"source": {"path": "lab"}}, "by helm: .* has kustomize"),
        ({"source": {"chart": "ingester"}}, "by kustomize: .* has helm"),
    ],
)
def test_a_source_that_can_not_be_meant_is_refused_before_the_first_deploy(
    api: str, place: DriverEnvironment, cluster: ArgoCDDouble, more: Json, said: str
) -> None:
    driver = driver_at(api, place, **more)
    for call in (driver.prepare, lambda: driver.deploy(target())):
        with pytest.raises(DeploymentFailed, match=said) as found:
            call()
        assert not found.value.is_transient
    assert cluster.made == []


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ({"sourceHydrator": {}}, "uses a source hydrator"),
        ({"sources": [{"repoURL": CODE, "chart": "x"}]}, "by kustomize: .* has chart"),
        ({"source": {"repoURL": CODE, "path": "x", "directory": {"recurse": True}}}, "by kustomize: .* has directory"),
        ({}, "Available: none"),
    ],
)
def test_an_application_that_can_not_be_set_so(spec: Json, said: str) -> None:
    with pytest.raises(DeploymentFailed, match=said):
        SourceSelector(None, {}, "kustomize").of({"metadata": {"name": "x"}, "spec": spec})


@pytest.mark.parametrize(
    "source", [{"index": -1}, {"index": True}, {"chart": 3}, {"repo": "x"}, "ingester", {"ref": ""}]
)
def test_a_choice_that_can_not_be_meant_is_refused(place: DriverEnvironment, source: object) -> None:
    with pytest.raises(InvalidDriverConfig, match="source"):
        argocd_application.read(section("https://127.0.0.1:9", source=source), place)
