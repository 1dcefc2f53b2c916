"""Helm installs, upgrades, rolls back and removes the chart on a real API server whose admission enforces `restricted` pods."""

from collections.abc import Iterator
from contextlib import suppress
from types import ModuleType

import pytest
import yaml

from slowpath.core.jobs import Queue
from support.control_plane import ControlPlane, Json, PodStatusWriter, wait_until
from support.go_modules import unpacked_module
from support.helm_chart import CHART, CUSTOM, EVERYTHING, NEEDED, OPERATOR, HelmConfig, helm_library

pytestmark = pytest.mark.long
SPACE, RELEASE = "perf", "slowpath"
DEPLOYMENTS = f"/apis/apps/v1/namespaces/{SPACE}/deployments"
PODS = f"/api/v1/namespaces/{SPACE}/pods"
JOBS = f"/apis/batch/v1/namespaces/{SPACE}/jobs"
WAIT = "watcher"
WAIT_SECONDS = 180
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
    plane.create(
        f"/api/v1/namespaces/{SPACE}/secrets", {"metadata": {"name": "slowpath"}, "stringData": {"DATABASE_URL": "x"}}
    )
    return plane


@pytest.fixture
def config(helm: ModuleType, space: ControlPlane, pods: PodStatusWriter) -> Iterator[HelmConfig]:
    """Connect Helm to the cluster; remove the release in the end."""
    with helm.Config(kubeconfig_content=space.kubeconfig, namespace=SPACE) as connected:
        yield connected
        connected.uninstall(RELEASE, ignore_not_found=True, wait=WAIT, timeout=60)
        wait_until(lambda: space.items(PODS) == [], "removal of the pods")


def named(objects: list[Json]) -> dict[str, Json]:
    return {each["metadata"]["name"]: each for each in objects}


def images(plane: ControlPlane) -> set[str]:
    return {
        each["spec"]["template"]["spec"]["containers"][0]["image"] for each in plane.items(DEPLOYMENTS)
    }  # fmt: skip


def test_an_installed_release_is_available_after_its_migration(
    config: HelmConfig, space: ControlPlane, pods: PodStatusWriter
) -> None:
    release = config.install(str(CHART), RELEASE, NEEDED, wait=WAIT, timeout=WAIT_SECONDS)
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
        name
        for name, each in named(space.items(PODS)).items()
        if each["metadata"]["labels"]["app.kubernetes.io/component"] == "web"
    )
    budgets = f"/apis/policy/v1/namespaces/{SPACE}/poddisruptionbudgets"
    wait_until(
        lambda: all(each["status"]["disruptionsAllowed"] > 0 for each in space.items(budgets)),
        "status of the disruption budgets",
    )
    for each in space.items(budgets):
        assert each["status"]["currentHealthy"] == each["status"]["expectedPods"] > 0


def test_an_upgrade_with_every_option_adds_its_objects_and_replaces_the_pods(
    config: HelmConfig, space: ControlPlane, pods: PodStatusWriter
) -> None:
    _define_custom_kinds(space)
    config.install(str(CHART), RELEASE, NEEDED, wait=WAIT, timeout=WAIT_SECONDS)
    before = {name: each["spec"]["replicas"] for name, each in named(space.items(DEPLOYMENTS)).items()}
    begun = len(pods.begun)
    config.upgrade(str(CHART), RELEASE, EVERYTHING, wait=WAIT, timeout=WAIT_SECONDS)

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


def test_an_upgrade_keeps_the_replicas_that_the_autoscaler_chose(
    config: HelmConfig, space: ControlPlane, pods: PodStatusWriter
) -> None:
    values = {**NEEDED, "autoscaling": {"enabled": True}}
    config.install(str(CHART), RELEASE, values, wait=WAIT, timeout=WAIT_SECONDS)
    scale = f"{DEPLOYMENTS}/slowpath-web/scale"
    changed = space.get(scale)
    changed["spec"]["replicas"] = 4
    assert space.client.put(scale, json=changed).is_success
    config.upgrade(str(CHART), RELEASE, {**values, "image": NEXT_IMAGE}, wait=WAIT, timeout=WAIT_SECONDS)
    assert space.get(scale)["spec"]["replicas"] == 4
    assert images(space) == {"images.example.com/slowpath:next"}


def test_a_failed_migration_leaves_the_former_version_running_and_can_be_repeated(
    helm: ModuleType, config: HelmConfig, space: ControlPlane, pods: PodStatusWriter
) -> None:
    config.install(str(CHART), RELEASE, NEEDED, wait=WAIT, timeout=WAIT_SECONDS)
    former = images(space)
    pods.failing_images.add("images.example.com/slowpath:next")
    with pytest.raises(helm.HelmReleaseError):
        config.upgrade(str(CHART), RELEASE, {**NEEDED, "image": NEXT_IMAGE}, wait=WAIT, timeout=WAIT_SECONDS)
    assert images(space) == former
    assert all(each["status"].get("unavailableReplicas", 0) == 0 for each in space.items(DEPLOYMENTS))

    pods.failing_images.clear()
    config.upgrade(str(CHART), RELEASE, {**NEEDED, "image": NEXT_IMAGE}, wait=WAIT, timeout=WAIT_SECONDS)
    assert images(space) == {"images.example.com/slowpath:next"}
    config.rollback(RELEASE, version=1, wait=WAIT, timeout=WAIT_SECONDS)
    assert images(space) == former


def test_a_removed_release_leaves_only_what_the_team_made(config: HelmConfig, space: ControlPlane) -> None:
    config.install(str(CHART), RELEASE, EVERYTHING, wait=WAIT, timeout=WAIT_SECONDS)
    config.uninstall(RELEASE, wait=WAIT, timeout=60)
    wait_until(lambda: space.items(PODS) == [], "removal of the pods")
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

    wait_until(are_served, "kinds of the operator")
