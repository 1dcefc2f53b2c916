"""Helm installs, upgrades, rolls back and removes the chart on a real API server whose admission enforces `restricted` pods."""

import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from types import ModuleType
from typing import Any

import pytest
import yaml

from slowpath.core.jobs import Queue
from support.control_plane import ControlPlane, Json, PodStatusWriter
from support.go_modules import unpacked_module
from support.helm_chart import CHART, CUSTOM, EVERYTHING, NEEDED, OPERATOR, helm_library

pytestmark = pytest.mark.long
SPACE, RELEASE = "perf", "slowpath"
DEPLOYMENTS = f"/apis/apps/v1/namespaces/{SPACE}/deployments"
PODS = f"/api/v1/namespaces/{SPACE}/pods"
JOBS = f"/apis/batch/v1/namespaces/{SPACE}/jobs"
EVENTUALLY_SECONDS = 60.0
WAIT = {"wait": "watcher", "timeout": 180}
NEXT_IMAGE = {"repository": "images.example.com/slowpath", "tag": "next"}


@pytest.fixture(scope="module")
def helm() -> Iterator[ModuleType]:
    with helm_library() as library:
        if library is None:
            pytest.skip("Helm cannot be had")
        yield library


@pytest.fixture(scope="module")
def space(plane: ControlPlane) -> ControlPlane:
    """Make a namespace that refuses pods with more rights than they need, with the Secret of the chart."""
    labels = {f"pod-security.kubernetes.io/{mode}": "restricted" for mode in ("enforce", "warn")}
    plane.create("/api/v1/namespaces", {"metadata": {"name": SPACE, "labels": labels}})
    plane.create(f"/api/v1/namespaces/{SPACE}/secrets", {"metadata": {"name": "slowpath"}, "stringData": {"DATABASE_URL": "x"}})
    return plane


@pytest.fixture
def config(helm: ModuleType, space: ControlPlane, pods: PodStatusWriter) -> Iterator[Any]:  # noqa: ANN401 - of the library
    """Connect Helm to the cluster; remove the release in the end."""
    with helm.Config(kubeconfig_content=space.kubeconfig, namespace=SPACE) as connected:
        yield connected
        connected.uninstall(RELEASE, ignore_not_found=True, wait="watcher", timeout=60)
        eventually(lambda: space.items(PODS) == [])


def eventually(is_true: Callable[[], bool]) -> None:
    """Wait until something is true, while the controllers work."""
    deadline = time.monotonic() + EVENTUALLY_SECONDS
    while not is_true():
        assert time.monotonic() < deadline
        time.sleep(0.2)


def named(objects: list[Json]) -> dict[str, Json]:
    return {each["metadata"]["name"]: each for each in objects}


def images(plane: ControlPlane) -> set[str]:
    return {
        each["spec"]["template"]["spec"]["containers"][0]["image"] for each in plane.items(DEPLOYMENTS)
    }  # fmt: skip


def test_an_installed_release_is_available_after_its_migration(
    config: Any, space: ControlPlane, pods: PodStatusWriter
) -> None:  # noqa: ANN401 - of the library
    release = config.install(str(CHART), RELEASE, NEEDED, **WAIT)
    assert release["status"] == "deployed"
    deployments = named(space.items(DEPLOYMENTS))
    assert set(deployments) == {
        "slowpath-web", "slowpath-relay", *(f"slowpath-worker-{queue}" for queue in Queue),
    }  # fmt: skip
    for name, each in deployments.items():
        assert each["status"]["availableReplicas"] == each["spec"]["replicas"], name
    assert pods.begun[0][0].startswith("slowpath-migrate-")
    assert sum(name.startswith("slowpath-migrate-") for name, _ in pods.begun) == 1
    assert space.items(JOBS) == []

    [slices] = [
        each["endpoints"]
        for each in space.items(f"/apis/discovery.k8s.io/v1/namespaces/{SPACE}/endpointslices")
        if each["metadata"]["labels"]["kubernetes.io/service-name"] == RELEASE
    ]
    assert sorted(each["targetRef"]["name"] for each in slices) == sorted(
        name for name, each in named(space.items(PODS)).items() if each["metadata"]["labels"]["app.kubernetes.io/component"] == "web"
    )
    budgets = f"/apis/policy/v1/namespaces/{SPACE}/poddisruptionbudgets"
    eventually(lambda: all(each["status"]["disruptionsAllowed"] > 0 for each in space.items(budgets)))
    for each in space.items(budgets):
        assert each["status"]["currentHealthy"] == each["status"]["expectedPods"] > 0


def test_an_upgrade_with_every_option_adds_its_objects_and_replaces_the_pods(
    config: Any, space: ControlPlane, pods: PodStatusWriter
) -> None:  # noqa: ANN401 - of the library
    _define_custom_kinds(space)
    config.install(str(CHART), RELEASE, NEEDED, **WAIT)
    before = {name: each["spec"]["replicas"] for name, each in named(space.items(DEPLOYMENTS)).items()}
    begun = len(pods.begun)
    config.upgrade(str(CHART), RELEASE, EVERYTHING, **WAIT)

    assert images(space) == {"images.example.com/slowpath@sha256:" + "0" * 64}
    assert pods.begun[begun][0].startswith("slowpath-migrate-")
    after = {name: each["spec"]["replicas"] for name, each in named(space.items(DEPLOYMENTS)).items()}
    assert after == before, "autoscaling that begins must not remove pods"
    scalers = named(space.items(f"/apis/autoscaling/v2/namespaces/{SPACE}/horizontalpodautoscalers"))
    assert set(scalers) == set(after) - {"slowpath-relay"}
    [ingress] = space.items(f"/apis/networking.k8s.io/v1/namespaces/{SPACE}/ingresses")
    assert ingress["spec"]["rules"][0]["http"]["paths"][0]["backend"]["service"]["name"] == RELEASE
    assert space.items(f"/apis/networking.k8s.io/v1/namespaces/{SPACE}/networkpolicies")
    for plural in CUSTOM.values():
        assert len(space.items(f"/apis/monitoring.coreos.com/v1/namespaces/{SPACE}/{plural}")) == 1


def test_a_failed_migration_leaves_the_former_version_running_and_can_be_repeated(
    helm: ModuleType, config: Any, space: ControlPlane, pods: PodStatusWriter
) -> None:  # noqa: ANN401 - of the library
    config.install(str(CHART), RELEASE, NEEDED, **WAIT)
    former = images(space)
    pods.failing_images.add("images.example.com/slowpath:next")
    with pytest.raises(helm.HelmReleaseError):
        config.upgrade(str(CHART), RELEASE, {**NEEDED, "image": NEXT_IMAGE}, **WAIT)
    assert images(space) == former
    assert all(each["status"].get("unavailableReplicas", 0) == 0 for each in space.items(DEPLOYMENTS))

    pods.failing_images.clear()
    config.upgrade(str(CHART), RELEASE, {**NEEDED, "image": NEXT_IMAGE}, **WAIT)
    assert images(space) == {"images.example.com/slowpath:next"}
    config.rollback(RELEASE, version=1, wait="watcher", timeout=180)
    assert images(space) == former


def test_a_removed_release_leaves_only_what_the_team_made(config: Any, space: ControlPlane) -> None:  # noqa: ANN401 - as above
    config.install(str(CHART), RELEASE, EVERYTHING, **WAIT)
    config.uninstall(RELEASE, wait="watcher", timeout=60)
    eventually(lambda: space.items(PODS) == [])
    left = {
        path: set(named(space.items(f"/{path}")))
        for path in (
            f"apis/apps/v1/namespaces/{SPACE}/deployments",
            f"apis/batch/v1/namespaces/{SPACE}/jobs",
            f"apis/policy/v1/namespaces/{SPACE}/poddisruptionbudgets",
            f"apis/networking.k8s.io/v1/namespaces/{SPACE}/networkpolicies",
            f"api/v1/namespaces/{SPACE}/services",
        )
    }
    assert not any(left.values()), left
    assert set(named(space.items(f"/api/v1/namespaces/{SPACE}/secrets"))) == {"slowpath"}
    assert set(named(space.items(f"/api/v1/namespaces/{SPACE}/serviceaccounts"))) == {"default"}


def test_pods_with_more_rights_are_refused_here(space: ControlPlane) -> None:
    """The namespace refuses what the chart avoids, so that its pods were accepted means something."""
    pod = {"metadata": {"name": "rights"}, "spec": {"containers": [{"name": "web", "image": "x"}]}}
    response = space.client.post(PODS, json=pod)
    assert response.status_code == 403
    assert "violates PodSecurity" in response.text


def _define_custom_kinds(plane: ControlPlane) -> None:
    """Define the kinds of the operator of Prometheus."""
    module = unpacked_module(*OPERATOR)
    if module is None:
        pytest.skip("the module of the operator of Prometheus cannot be had")
    definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
    for plural in CUSTOM.values():
        if f"{plural}.monitoring.coreos.com" not in named(plane.items(definitions)):
            path = module / "example" / "prometheus-operator-crd" / f"monitoring.coreos.com_{plural}.yaml"
            plane.create(definitions, yaml.safe_load(path.read_text()))

    def are_served() -> bool:
        with suppress(AssertionError):
            return all(plane.get(f"/apis/monitoring.coreos.com/v1/{plural}") for plural in CUSTOM.values())
        return False

    eventually(are_served)
