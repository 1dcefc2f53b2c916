"""The driver of Deployments on a real API server, with the Role of the guide and nothing more."""

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from bootstrap_parts.project_paths import ROOT
from slowpath_cli.runner.core.driver_interface import DeploymentStatus, DriverEnvironment, DriverError, Handle
from slowpath_cli.runner.drivers import kubernetes_clone
from support.control_plane import ControlPlane, Json, PodStatusWriter, wait_until
from tests.drivers.deploy_targets import RUN, RUNNER, target

pytestmark = pytest.mark.long
SPACE = "checkout"
GUIDE = ROOT / "frontend" / "docs" / "drivers.md"
DEPLOYMENTS = f"/apis/apps/v1/namespaces/{SPACE}/deployments"
PODS = f"/api/v1/namespaces/{SPACE}/pods"
ROLES = f"/apis/rbac.authorization.k8s.io/v1/namespaces/{SPACE}"
LABELS = {"app": "ingester"}
PATIENCE_SECONDS = 60.0


def original() -> Json:
    container = {
        "name": "ingester", "image": "images.example.com/ingester:running", "ports": [{"containerPort": 8080}],
        "env": [{"name": "REGION", "value": "eu"}],
    }  # fmt: skip
    return {
        "metadata": {"name": "ingester", "labels": LABELS},
        "spec": {
            "replicas": 2,
            "selector": {"matchLabels": LABELS},
            "template": {"metadata": {"labels": LABELS}, "spec": {"containers": [container]}},
        },
    }


@pytest.fixture(scope="module")
def space(plane: ControlPlane) -> ControlPlane:
    """Make a namespace with a Deployment, its Service, and a service account without rights."""
    plane.create("/api/v1/namespaces", {"metadata": {"name": SPACE}})
    plane.create(DEPLOYMENTS, original())
    service = {"metadata": {"name": "ingester"}, "spec": {"selector": LABELS, "ports": [{"port": 80}]}}
    plane.create(f"/api/v1/namespaces/{SPACE}/services", service)
    plane.create(f"/api/v1/namespaces/{SPACE}/serviceaccounts", {"metadata": {"name": "runner"}})
    return plane


@pytest.fixture
def driver(
    space: ControlPlane, tmp_path: Path, place: DriverEnvironment
) -> Iterator[kubernetes_clone.KubernetesDriver]:
    token = space.create(
        f"/api/v1/namespaces/{SPACE}/serviceaccounts/runner/token", {"spec": {"expirationSeconds": 3600}}
    )
    token_file = tmp_path / "token"
    token_file.write_text(token["status"]["token"])
    section: dict[str, Any] = {
        "driver": "kubernetes", "api": space.url, "namespace": SPACE, "ca_file": str(space.ca_file), "token_file": str(token_file),
        "deployment": "ingester", "image": "images.example.com/ingester:{build}", "poll_seconds": 0.2, "image_seconds": 1,
    }  # fmt: skip
    read = kubernetes_clone.read(section, place)
    assert isinstance(read, kubernetes_clone.KubernetesDriver)
    yield read
    read.cluster._outside._http.close()  # a runner keeps its connections while it lives


@pytest.fixture
def place(tmp_path: Path) -> DriverEnvironment:
    return DriverEnvironment(runner=RUNNER, work=tmp_path)


@pytest.fixture
def role(space: ControlPlane) -> Iterator[None]:
    """Give the service account the Role of the guide."""
    [text] = [block for block in GUIDE.read_text().split("```") if "kind: Role\n" in block]
    role = yaml.safe_load(text.removeprefix("yaml\n"))
    space.create(f"{ROLES}/roles", role)
    reference = {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": role["metadata"]["name"]}
    subjects = [{"kind": "ServiceAccount", "name": "runner", "namespace": SPACE}]
    space.create(f"{ROLES}/rolebindings", {"metadata": {"name": "runner"}, "roleRef": reference, "subjects": subjects})
    yield
    space.client.delete(f"{ROLES}/rolebindings/runner")
    space.client.delete(f"{ROLES}/roles/{role['metadata']['name']}")


def served(space: ControlPlane) -> set[str]:
    """Return the names of the pods behind the original's Service."""
    [slices] = space.items(f"/apis/discovery.k8s.io/v1/namespaces/{SPACE}/endpointslices")
    return {each["targetRef"]["name"] for each in slices["endpoints"] or []}


def settled(driver: kubernetes_clone.KubernetesDriver, handle: Handle) -> DeploymentStatus:
    """Wait until a build is ready or failed."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while (status := driver.status(handle, None)).state == "rolling":
        assert time.monotonic() < deadline, status
        time.sleep(0.2)
    return status


def test_missing_permissions_are_listed_before_the_first_deployment(driver: kubernetes_clone.KubernetesDriver) -> None:
    with pytest.raises(DriverError, match=r"not allowed to get deployments\.apps, .*list pods in checkout"):
        driver.prepare()


@pytest.mark.usefixtures("role")
def test_the_role_of_the_guide_suffices_for_a_build_beside_the_original(
    driver: kubernetes_clone.KubernetesDriver, space: ControlPlane, pods: PodStatusWriter
) -> None:
    driver.prepare()
    handle = driver.deploy(target())
    assert {**driver.deploy(target()), "asked_at": 0} == {**handle, "asked_at": 0}
    assert settled(driver, handle).state == "ready"
    [clone] = [each for each in space.items(DEPLOYMENTS) if each["metadata"]["name"] == handle["name"]]
    assert clone["spec"]["selector"]["matchLabels"].keys().isdisjoint(LABELS)
    assert driver.endpoints(handle)["name"] == handle["name"]

    wait_until(lambda: len(served(space)) == 2, "endpoints of the Service")
    of_build = {each["metadata"]["name"] for each in space.items(PODS) if "slowpath-run" in each["metadata"]["labels"]}
    assert len(of_build) == 1
    assert of_build.isdisjoint(served(space))

    driver.restore(RUN)
    assert [each["metadata"]["name"] for each in space.items(DEPLOYMENTS)] == ["ingester"]
    assert len(space.items(PODS)) == 2


@pytest.mark.usefixtures("role")
def test_an_image_that_does_not_exist_is_a_failure_with_its_reason(
    driver: kubernetes_clone.KubernetesDriver, space: ControlPlane, pods: PodStatusWriter
) -> None:
    pods.failing_images.add(f"images.example.com/ingester:{target().commit}")
    handle = driver.deploy(target())
    status = settled(driver, handle)
    assert status.state in {"unbuildable", "failed"}
    assert "not found" in (status.detail or "")
    driver.restore(RUN)
    assert len(space.items(DEPLOYMENTS)) == 1
