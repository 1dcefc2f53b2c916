"""The driver of Argo CD, against an API server on loopback that is held to Argo CD's CRD, as we are."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from slowpath_cli.runner.core.driver_interface import (
    DeploymentFailed,
    DeploymentStatus,
    DriverEnvironment,
    DriverError,
    InvalidDriverConfig,
)
from slowpath_cli.runner.drivers import argocd_application
from slowpath_cli.runner.drivers.image_build import BuildThenDeployDriver
from tests.collect.pprof_servers import Asked, Reply
from tests.drivers import cluster_double
from tests.drivers.argocd_double import (
    APPLICATIONS,
    LATER,
    SLOT,
    ArgoCDDouble,
    application,
    source_of,
    state_of,
    working,
)
from tests.drivers.cluster_double import AT, problem
from tests.drivers.deploy_targets import COMMIT, OTHER_RUN, OVERRIDES, RUN, target
from tests.drivers.driver_fixtures import quick, section_of, served


@pytest.fixture
def cluster(monkeypatch: pytest.MonkeyPatch) -> ArgoCDDouble:
    monkeypatch.setitem(cluster_double.LISTS, APPLICATIONS, ("argoproj.io/v1alpha1", "Application"))
    double = ArgoCDDouble()
    double.put(SLOT, application())
    double.made.clear()
    return double


@pytest.fixture
def api(cluster: ArgoCDDouble) -> Iterator[str]:
    with served(cluster, "argocd", "kubernetes") as address:
        yield address


def section(api: str, **more: Any) -> dict[str, Any]:  # noqa: ANN401 - as TOML has it
    own = {"application": "ingester-lab-{slot}", "url": "http://ingester-lab-{slot}.example:8080"}
    return section_of("argocd", api, own, more)


def driver_at(api: str, place: DriverEnvironment, **more: Any) -> argocd_application.ArgoCdDriver:  # noqa: ANN401 - as TOML has it
    made = quick(argocd_application.read(section(api, **more), place), argocd_application.ArgoCdDriver)
    made.pause = lambda _: None
    return made


@pytest.fixture
def driver(api: str, place: DriverEnvironment) -> argocd_application.ArgoCdDriver:
    return driver_at(api, place)


def test_a_build_is_set_and_synced_and_set_back(driver: argocd_application.ArgoCdDriver, cluster: ArgoCDDouble) -> None:
    driver.prepare()
    handle = json.loads(json.dumps(driver.deploy(target())))
    made = cluster.things[SLOT]
    assert source_of(cluster)["kustomize"] == {
        "namePrefix": "lab-", "images": ["redis:7", f"images.example.com/ingester:{COMMIT}"],
    }  # fmt: skip
    assert made["operation"]["sync"] == {"prune": False, "syncOptions": ["ServerSideApply=true"]}
    assert made["metadata"]["annotations"]["slowpath-runner"] == "lab"
    assert driver.status(handle, None) == DeploymentStatus("rolling", "the sync has not started yet")
    cluster.begin()
    assert driver.status(handle, None).detail.startswith("sync Running: applying")
    cluster.changed(
        SLOT, {"operation": None, "status": {"operationState": {"phase": "Succeeded", "finishedAt": LATER}}}
    )
    assert driver.status(handle, None).state == "rolling", "what was seen is of before"
    cluster.look("Progressing")
    assert driver.status(handle, None).state == "rolling"
    cluster.look("Healthy", sync="OutOfSync")
    assert driver.status(handle, None).state == "rolling"
    cluster.look("Healthy")
    assert driver.status(handle, None) == DeploymentStatus("ready")
    assert driver.endpoints(handle) == {
        "name": "ingester-lab-0", "url": "http://ingester-lab-0.example:8080", "host": "ingester-lab-0.example", "port": "8080",
    }  # fmt: skip
    working(driver, cluster)
    driver.restore(RUN)
    assert cluster.things[SLOT]["spec"] == application()["spec"]
    assert cluster.things[SLOT]["metadata"]["labels"] == {"team": "a"}
    assert cluster.things[SLOT]["metadata"]["annotations"] == {"note": "x"}
    assert cluster.made == [f"{RUN} 1", f"{RUN} restore"]
    driver.restore(RUN)
    driver.restore(OTHER_RUN)
    assert len(cluster.made) == 2


@pytest.mark.parametrize(
    ("more", "before", "wanted"),
    [
        (
            {"helm": {"image.tag": "{build}", "image.name": "{image}"}},
            {"helm": {"parameters": [{"name": "image.tag", "value": "1f0e"}, {"name": "x", "value": "1"}]}},
            {"helm": {"parameters": [
                {"name": "x", "value": "1"}, {"name": "image.tag", "value": COMMIT, "forceString": True},
                {"name": "image.name", "value": f"images.example.com/ingester:{COMMIT}", "forceString": True},
            ]}},
        ),
        ({"helm": {"tag": "{build}"}, "image": None}, {}, {"helm": {"parameters": [{"name": "tag", "value": COMMIT, "forceString": True}]}}),
        ({"image": None, "revision": "{commit}"}, {"targetRevision": "main"}, {"targetRevision": COMMIT}),
        ({"replaces": "ingester"}, {"kustomize": {"images": ["ingester=x:1"]}}, {"kustomize": {"images": [f"ingester=images.example.com/ingester:{COMMIT}"]}}),
        ({}, {}, {"kustomize": {"images": [f"images.example.com/ingester:{COMMIT}"]}}),
    ],
)  # fmt: skip
def test_what_is_set_and_put_back(
    api: str,
    place: DriverEnvironment,
    cluster: ArgoCDDouble,
    more: dict[str, Any],
    before: dict[str, Any],
    wanted: dict[str, Any],
) -> None:
    plain = {"repoURL": "https://code.example.com/acme/deploys", "path": "lab"}
    cluster.things[SLOT]["spec"]["source"] = plain | before
    driver = driver_at(api, place, **more)
    driver.deploy(target())
    assert source_of(cluster) == plain | before | wanted
    cluster.changed(SLOT, {"spec": {"source": {"path": "other"}}})
    working(driver, cluster)
    driver.restore(RUN)
    assert source_of(cluster) == plain | before | {"path": "other"}


def test_a_sync_is_asked_for_once(driver: argocd_application.ArgoCdDriver, cluster: ArgoCDDouble) -> None:
    cluster.lose.add("PATCH")
    handles = [driver.deploy(target()) for _ in range(2)]
    assert handles[0] == handles[1]
    assert cluster.made == [f"{RUN} 1"]
    with pytest.raises(DeploymentFailed, match="still used by another run, of the runner lab") as found:
        driver.deploy(target(run_id=OTHER_RUN))
    assert found.value.is_transient
    with pytest.raises(DeploymentFailed, match="still used by another run"):
        driver.deploy(target(attempt=2))


def test_what_changes_while_it_is_read_is_read_again(
    driver: argocd_application.ArgoCdDriver, cluster: ArgoCDDouble
) -> None:
    def meddle(asked: Asked) -> Reply | None:
        if asked.method == "PATCH":
            cluster.first = lambda _: None
            cluster.changed(SLOT, {"spec": {"source": {"kustomize": {"images": ["redis:8"]}}}})
        return None

    cluster.first = meddle
    driver.deploy(target())
    assert source_of(cluster)["kustomize"]["images"][0] == "redis:8"
    assert cluster.made == [f"{RUN} 1"]
    cluster.put(SLOT, application())
    cluster.first = lambda asked: problem(409, "Conflict", "again") if asked.method == "PATCH" else None
    with pytest.raises(DeploymentFailed, match="it changed during each of"):
        driver.deploy(target())
    refusals = iter([problem(409, "Conflict", "again")] * 4)
    cluster.first = lambda asked: next(refusals, None) if asked.method == "PATCH" else None
    driver.deploy(target())  # taken at the last of five tries


@pytest.mark.parametrize("phase", ["Failed", "Error"])
def test_a_sync_that_failed(driver: argocd_application.ArgoCdDriver, cluster: ArgoCDDouble, phase: str) -> None:
    handle = driver.deploy(target())
    cluster.begin()
    cluster.end(phase, "one or more objects failed to apply", health="Missing")
    found = driver.status(handle, DeploymentStatus("ready"))
    assert found.state == "failed"
    assert found.detail.startswith(f"sync {phase}: one or more objects failed to apply")


def test_what_fails_after_the_sync(driver: argocd_application.ArgoCdDriver, cluster: ArgoCDDouble) -> None:
    handle = driver.deploy(target())
    assert driver.status(handle, DeploymentStatus("unbuildable", "no")) == DeploymentStatus("unbuildable", "no")
    cluster.begin()
    cluster.end(health="Degraded")
    assert driver.status(handle, None).state == "failed"
    cluster.look("Healthy")
    assert driver.status(handle, None).state == "ready"
    cluster.first = lambda _: problem(503, "ServiceUnavailable", "etcd leader changed")
    assert driver.status(handle, None).state == "ready"
    cluster.first = lambda _: None
    cluster.changed(SLOT, {"operation": {"sync": {}, "info": [{"name": "reason", "value": "by hand"}]}})
    cluster.begin()
    assert driver.status(handle, None) == DeploymentStatus(
        "failed", "the Application ingester-lab-0 was synced by others"
    )
    cluster.changed(SLOT, {"metadata": {"labels": {"slowpath-run": str(OTHER_RUN)}}})
    assert driver.status(handle, None).detail.endswith("is gone, or used by another run")


def test_a_sync_under_way_is_ended_before_it_is_set_back(
    driver: argocd_application.ArgoCdDriver, cluster: ArgoCDDouble
) -> None:
    driver.deploy(target())
    cluster.begin()
    phases = []

    def work(_: float) -> None:
        phases.append(state_of(cluster)["phase"])
        if "operation" in cluster.things[SLOT]:
            (cluster.begin if state_of(cluster)["operation"] != cluster.things[SLOT]["operation"] else cluster.end)()

    driver.pause = work
    driver.restore(RUN)
    assert phases[0] == "Terminating"
    assert cluster.things[SLOT]["spec"] == application()["spec"]
    assert cluster.made == [f"{RUN} 1", f"{RUN} restore"]


def test_a_failed_sync_is_reported_and_retried(driver: argocd_application.ArgoCdDriver, cluster: ArgoCDDouble) -> None:
    driver.deploy(target())

    def work(_: float) -> None:
        if "operation" in cluster.things[SLOT]:
            cluster.begin()
            cluster.end("Failed", "quota exceeded")

    driver.pause = work
    with pytest.raises(DeploymentFailed, match=r"The original values could not be synced: .*quota exceeded") as found:
        driver.restore(RUN)
    assert found.value.is_transient
    assert cluster.made == [f"{RUN} 1", *[f"{RUN} restore"] * 5]
    moments = iter(range(0, 10_000, 100))
    driver.now, driver.pause = lambda: next(moments), lambda _: None
    with pytest.raises(DeploymentFailed, match="was not restored within 180 s"):
        driver.restore(RUN)
    working(driver, cluster)
    driver.now = lambda: 0.0
    driver.restore(RUN)
    assert cluster.things[SLOT]["spec"] == application()["spec"]


def test_problems_of_every_deployment_are_reported_before_the_first(
    api: str, place: DriverEnvironment, cluster: ArgoCDDouble
) -> None:
    cluster.denied = {("patch", "applications")}
    with pytest.raises(DriverError, match=r"patch applications\.argoproj\.io in checkout"):
        driver_at(api, place).prepare()
    cluster.denied = set()
    with pytest.raises(DeploymentFailed, match="No Application other-0 in checkout"):
        driver_at(api, place, application="other-{slot}").prepare()
    cluster.changed(SLOT, {"spec": {"syncPolicy": {"automated": {"prune": True}}}})
    with pytest.raises(DeploymentFailed, match="has automated sync"):
        driver_at(api, place).prepare()
    cluster.changed(SLOT, {"spec": {"syncPolicy": None, "source": None}})
    with pytest.raises(
        DeploymentFailed, match=r"0 sources of the Application .*Select one by source = .*Available: none"
    ):
        driver_at(api, place).prepare()


def test_what_others_do_with_it_is_not_disturbed(api: str, place: DriverEnvironment, cluster: ArgoCDDouble) -> None:
    driver = driver_at(api, place, image="images.example.com/ingester:{commit}")
    with pytest.raises(DeploymentFailed, match=r"replaces example\.com/libx"):
        driver.deploy(target(overrides=OVERRIDES))
    cluster.changed(SLOT, {"operation": {"sync": {}}})
    with pytest.raises(DeploymentFailed, match="being synced by others") as found:
        driver.deploy(target())
    assert found.value.is_transient
    cluster.changed(SLOT, {"metadata": {"deletionTimestamp": AT}})
    with pytest.raises(DeploymentFailed, match="being deleted"):
        driver.deploy(target())
    cluster.first = lambda asked: problem(403, "Forbidden", "no") if asked.method == "PATCH" else None
    cluster.put(SLOT, application())
    with pytest.raises(DeploymentFailed, match="responded with 403"):
        driver.deploy(target())


@pytest.mark.parametrize(
    ("tag", "taken"), [("{commit}", False), ("v-{commit}", False), ("{build}", True), ("{run_id}", True)]
)
def test_a_label_of_the_run_is_no_name_of_a_build(
    api: str, place: DriverEnvironment, cluster: ArgoCDDouble, tag: str, taken: bool
) -> None:
    cluster.changed(SLOT, {"spec": {"source": {"kustomize": None}}})
    driver = driver_at(api, place, image=None, helm={"image.tag": tag, "podLabels.slowpath-run": "{run_id}"})
    if taken:
        driver.deploy(target(overrides=OVERRIDES))
        return
    with pytest.raises(DeploymentFailed, match=r"replaces example\.com/libx"):
        driver.deploy(target(overrides=OVERRIDES))
    assert cluster.made == []


def test_it_may_build_first(api: str, place: DriverEnvironment) -> None:
    assert isinstance(
        argocd_application.read(section(api, build=["./image.sh", "{image}"]), place), BuildThenDeployDriver
    )


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"application": "ingester"}, "every slot has its own"),
        ({"url": "http://ingester.example"}, "every slot has its own"),
        ({"url": "{slot}"}, "is not an address"),
        ({"image": "images.example.com/ingester:1"}, "so that it differs by build"),
        ({"image": None}, "so that it differs by build"),
        ({"helm": {"tag": "1"}}, "so that it differs by build"),
        ({"image": None, "helm": {"tag": "{image}"}}, r"unknown placeholder \{image\}"),
        ({"image": None, "revision": "{commit}", "build": ["./image.sh"]}, "build needs image"),
        ({"name": "x"}, "unknown key 'name'"),
    ],
)
def test_a_section_that_can_not_be_meant_is_refused(place: DriverEnvironment, more: dict[str, Any], said: str) -> None:
    with pytest.raises(InvalidDriverConfig, match=said):
        argocd_application.read(section("https://127.0.0.1:9", **more), place)
