"""The driver of Deployments, against an API server on loopback that is held to the published interface, as we are."""

import json
import time
from collections.abc import Iterator
from dataclasses import replace
from typing import Any
from uuid import uuid4

import pytest

from slowpath_cli.runner.core import otel_resource
from slowpath_cli.runner.core.driver_interface import (
    DeploymentFailed,
    DeploymentStatus,
    DeploymentUnhealthy,
    DriverEnvironment,
    DriverError,
    InvalidDriverConfig,
)
from slowpath_cli.runner.core.status_cache import LastKnownStatus
from slowpath_cli.runner.drivers import kubernetes_clone
from tests.collect.pprof_servers import Answering, Asked, Reply
from tests.drivers.cluster_double import (
    DEPLOYMENTS,
    PODS,
    ClusterDouble,
    condition,
    container,
    original,
    problem,
    running,
    waiting,
)
from tests.drivers.deploy_targets import COMMIT, OTHER_RUN, OVERRIDES, RUN, target
from tests.drivers.driver_fixtures import quick, section_of, served
from tests.drivers.published_schemas import Published

CLONE = f"{DEPLOYMENTS}/ingester-slowpath-0"
NOT_THERE = (
    'rpc error: code = NotFound desc = failed to pull and unpack image "images.example.com/ingester:x": not found'
)


@pytest.fixture
def cluster() -> ClusterDouble:
    double = ClusterDouble()
    double.put(f"{DEPLOYMENTS}/ingester", original())
    double.made.clear()
    return double


@pytest.fixture
def api(cluster: ClusterDouble) -> Iterator[str]:
    with served(cluster, "kubernetes") as address:
        yield address


def section(api: str, **more: Any) -> dict[str, Any]:  # noqa: ANN401 - as TOML has it
    return section_of("kubernetes", api, {"deployment": "ingester"}, more)


def plain(config: dict[str, Any], place: DriverEnvironment) -> kubernetes_clone.KubernetesDriver:
    return quick(kubernetes_clone.read(config, place), kubernetes_clone.KubernetesDriver)


@pytest.fixture
def driver(api: str, place: DriverEnvironment) -> kubernetes_clone.KubernetesDriver:
    return plain(section(api), place)


def test_a_build_runs_beside_the_original_and_receives_none_of_its_traffic(
    driver: kubernetes_clone.KubernetesDriver, cluster: ClusterDouble
) -> None:
    driver.prepare()
    driver.deploy(target())
    clone = cluster.things[CLONE]
    spec, template = clone["spec"], clone["spec"]["template"]
    assert cluster.made == [CLONE]
    assert template["spec"]["containers"][0]["image"] == f"images.example.com/ingester:{COMMIT}"
    assert (
        spec["selector"]["matchLabels"]
        == template["metadata"]["labels"]
        == {"slowpath-run": str(RUN), "slowpath-slot": "0"}
    )
    assert (spec["replicas"], spec["progressDeadlineSeconds"], spec["revisionHistoryLimit"]) == (1, 900, 0)
    assert clone["metadata"]["annotations"] == {
        "slowpath-runner": "lab", "slowpath-attempt": "1", "slowpath-commit": COMMIT,
    }  # fmt: skip
    assert "ownerReferences" not in clone["metadata"]
    assert template["metadata"]["annotations"] == {"prometheus.io/scrape": "true"}
    stored = original()["spec"]["template"]["spec"]["containers"][0]
    named = otel_resource.of_pods(stored["env"], str(RUN))
    assert {**template["spec"]["containers"][0], "image": ""} == {**stored, "image": "", "env": named}


def test_shared_traffic_keeps_the_labels_and_variables_name_the_build(
    api: str, place: DriverEnvironment, cluster: ClusterDouble
) -> None:
    more = {
        "traffic": "shared",
        "labels": {"track": "probe"},
        "env": {"VERSION": "{commit}", "RUN": "{run_id}"},
        "replicas": 2,
    }
    plain(section(api, **more), place).deploy(target())
    template = cluster.things[CLONE]["spec"]["template"]
    assert template["metadata"]["labels"] == {
        "app": "ingester", "tier": "backend", "track": "probe", "slowpath-run": str(RUN), "slowpath-slot": "0",
    }  # fmt: skip
    assert template["spec"]["containers"][0]["env"] == [
        {"name": "GOGC", "value": "100"}, {"name": "VERSION", "value": COMMIT}, {"name": "RUN", "value": str(RUN)},
        *otel_resource.of_pods([], str(RUN)),
    ]  # fmt: skip
    assert cluster.things[CLONE]["spec"]["replicas"] == 2


def test_it_becomes_ready_and_reports_its_address(api: str, place: DriverEnvironment, cluster: ClusterDouble) -> None:
    driver = plain(section(api, replicas=2), place)
    handle = json.loads(json.dumps(driver.deploy(target())))
    assert driver.status(handle, None) == DeploymentStatus("rolling", "no pod yet")
    cluster.pod(CLONE, waiting("ContainerCreating", ""), name="0")
    assert driver.status(handle, None) == DeploymentStatus("rolling", "ContainerCreating")
    cluster.roll_out(CLONE)
    assert driver.status(handle, None) == DeploymentStatus("ready")
    assert driver.endpoints(handle) == {
        "name": "ingester-slowpath-0", "host": "10.0.0.1", "hosts": "10.0.0.1,10.0.0.2", "port": "8080",
        "url": "http://10.0.0.1:8080", "image": "images.example.com/ingester@sha256:0ab1",
    }  # fmt: skip
    cluster.things[CLONE]["status"]["availableReplicas"] = 1
    assert driver.status(handle, None).state == "rolling"


def test_pods_that_end_or_are_replaced_while_they_are_measured_are_no_evidence(
    driver: kubernetes_clone.KubernetesDriver, cluster: ClusterDouble
) -> None:
    handle = driver.deploy(target())
    cluster.roll_out(CLONE)
    cluster.pod(CLONE, {"phase": "Failed", "reason": "Evicted"}, name="evicted")
    assert driver.status(handle, None).state == "ready"
    del cluster.things[f"{PODS}/ingester-slowpath-0-evicted"]
    assert driver.status(handle, None).state == "ready"
    pod = cluster.things[f"{PODS}/ingester-slowpath-0-0"]
    status = pod["status"]["containerStatuses"][0]
    status |= {"restartCount": 1, "lastState": {"terminated": {"exitCode": 137, "reason": "OOMKilled"}}}
    with pytest.raises(DeploymentUnhealthy, match="ended since it was ready, last with exit code 137 OOMKilled"):
        driver.status(handle, None)
    del cluster.things[f"{PODS}/ingester-slowpath-0-0"]
    cluster.pod(CLONE, running("10.0.0.9"), name="1")
    with pytest.raises(DeploymentFailed, match="have changed since the deployment was ready"):
        driver.status(handle, None)
    driver.restore(RUN)
    handle = driver.deploy(target(attempt=2))
    cluster.roll_out(CLONE)
    assert driver.status(handle, None).state == "ready"


def test_an_address_of_version_6_and_a_port_of_choice(
    api: str, place: DriverEnvironment, cluster: ClusterDouble
) -> None:
    driver = plain(section(api, port=6060), place)
    handle = driver.deploy(target())
    cluster.pod(CLONE, running("fd00::1"))
    assert driver.endpoints(handle)["url"] == "http://[fd00::1]:6060"


def test_a_status_of_an_older_generation_is_ignored(
    driver: kubernetes_clone.KubernetesDriver, cluster: ClusterDouble
) -> None:
    handle = driver.deploy(target())
    cluster.roll_out(CLONE)
    cluster.things[CLONE]["metadata"]["generation"] = 2
    assert driver.status(handle, None).state == "rolling"


@pytest.mark.parametrize(
    ("status", "state", "expected"),
    [
        (waiting("ErrImagePull", NOT_THERE), "unbuildable", "the image does not exist"),
        (waiting("ImagePullBackOff", f"Back-off pulling image: {NOT_THERE}"), "unbuildable", "the image does not exist"),
        (waiting("ImagePullBackOff", "Back-off pulling image"), "rolling", "Back-off"),
        (waiting("ErrImagePull", "unauthorized: authentication required"), "failed", "unauthorized"),
        (waiting("InvalidImageName", "couldn't parse image"), "failed", "InvalidImageName"),
        (waiting("CreateContainerConfigError", 'configmap "x" not found'), "failed", "configmap"),
        (
            waiting("CrashLoopBackOff", "back-off 40s", restarts=3, last={"terminated": {"exitCode": 2, "reason": "Error"}}),
            "unhealthy", "ended 3 times, last with exit code 2 Error",
        ),
        (
            waiting("CrashLoopBackOff", "back-off 10s", restarts=1, last={"terminated": {"exitCode": 2, "reason": "Error"}}),
            "rolling", "CrashLoopBackOff",
        ),
        (
            {"phase": "Pending", "conditions": [condition("PodScheduled", "False", "Unschedulable", "0/3 nodes: Insufficient cpu")]},
            "rolling", "Insufficient cpu",
        ),
    ],
)  # fmt: skip
def test_pod_states_are_reported(
    driver: kubernetes_clone.KubernetesDriver, cluster: ClusterDouble, status: dict[str, Any], state: str, expected: str
) -> None:
    handle = {**driver.deploy(target()), "asked_at": time.time() - 100}
    cluster.pod(CLONE, status)
    if state == "unhealthy":
        with pytest.raises(DeploymentUnhealthy, match=expected):
            driver.status(handle, None)
        return
    found = driver.status(handle, None)
    assert found.state == state
    assert expected in found.detail


def test_an_image_has_its_time_to_appear(driver: kubernetes_clone.KubernetesDriver, cluster: ClusterDouble) -> None:
    handle = driver.deploy(target())
    cluster.pod(CLONE, waiting("ErrImagePull", NOT_THERE))
    assert driver.status(handle, None).state == "rolling"


@pytest.mark.parametrize(
    ("conditions", "expected"),
    [
        (condition("Progressing", "False", "ProgressDeadlineExceeded", "has timed out progressing"), "timed out"),
        (condition("ReplicaFailure", "True", "FailedCreate", "exceeded quota: pods=10"), "exceeded quota"),
    ],
)
def test_deployment_conditions_are_reported(
    driver: kubernetes_clone.KubernetesDriver, cluster: ClusterDouble, conditions: dict[str, Any], expected: str
) -> None:
    handle = driver.deploy(target())
    cluster.things[CLONE]["status"] = {"observedGeneration": 1, "conditions": [conditions]}
    found = driver.status(handle, None)
    assert found.state == "failed"
    assert expected in found.detail


def test_a_deadline_names_what_the_pods_died_of(
    driver: kubernetes_clone.KubernetesDriver, cluster: ClusterDouble
) -> None:
    handle = driver.deploy(target())
    late = condition("Progressing", "False", "ProgressDeadlineExceeded", "has timed out progressing")
    cluster.things[CLONE]["status"] = {"observedGeneration": 1, "conditions": [late]}
    ended = {"terminated": {"exitCode": 137, "reason": "OOMKilled"}}
    cluster.pod(CLONE, {"phase": "Running", "containerStatuses": [container({"running": {}}, restarts=1, last=ended)]})
    with pytest.raises(DeploymentUnhealthy, match="OOMKilled"):
        driver.status(handle, None)


def test_a_ready_deployment_that_vanishes_has_failed(
    driver: kubernetes_clone.KubernetesDriver, cluster: ClusterDouble
) -> None:
    handle = driver.deploy(target())
    del cluster.things[CLONE]
    assert driver.status(handle, None) == DeploymentStatus("failed", "the Deployment ingester-slowpath-0 is gone")


def test_a_failure_callback_ends_the_probe(driver: kubernetes_clone.KubernetesDriver) -> None:
    handle = driver.deploy(target())
    assert driver.status(handle, DeploymentStatus("unbuildable", "does not compile")).state == "unbuildable"
    assert driver.status(handle, DeploymentStatus("ready")).state == "rolling"


def test_a_run_is_never_deployed_twice(driver: kubernetes_clone.KubernetesDriver, cluster: ClusterDouble) -> None:
    cluster.lose.add("PATCH")
    assert driver.deploy(target())["name"] == driver.deploy(target())["name"]
    assert cluster.made == [CLONE]


def test_a_deadline_is_longer_than_what_a_pod_must_stay(
    driver: kubernetes_clone.KubernetesDriver, cluster: ClusterDouble
) -> None:
    driver.deploy(target(seconds=3.0))
    assert cluster.things[CLONE]["spec"]["progressDeadlineSeconds"] == 6


def test_a_rejection_by_the_cluster_is_reported_at_once(
    driver: kubernetes_clone.KubernetesDriver, cluster: ClusterDouble, api: str, place: DriverEnvironment
) -> None:
    labels = {"track": "not a label"}
    with pytest.raises(DeploymentFailed, match=r"422: metadata\.labels: Invalid value: 'not a label'") as found:
        plain(section(api, labels=labels), place).deploy(target())
    assert not found.value.is_transient
    assert cluster.made == []


def test_another_attempt_waits_until_the_last_has_gone(
    driver: kubernetes_clone.KubernetesDriver, cluster: ClusterDouble
) -> None:
    driver.deploy(target())
    with pytest.raises(DeploymentFailed, match="still being deleted") as found:
        driver.deploy(target(attempt=2))
    assert found.value.is_transient
    driver.restore(RUN)
    driver.deploy(target(attempt=2))
    assert cluster.made == [CLONE, CLONE]


def test_a_run_of_this_runner_makes_way_and_that_of_another_does_not(
    driver: kubernetes_clone.KubernetesDriver, cluster: ClusterDouble
) -> None:
    driver.deploy(target(run_id=OTHER_RUN))
    with pytest.raises(DeploymentFailed, match="still being deleted"):
        driver.deploy(target())
    assert "deletionTimestamp" in cluster.things[CLONE]["metadata"]
    cluster.put(CLONE, cluster.things[CLONE])
    del cluster.things[CLONE]["metadata"]["deletionTimestamp"]
    with pytest.raises(DeploymentFailed, match=r"of the runner lab\. Set name") as found:
        replace(driver, runner="other").deploy(target())
    assert not found.value.is_transient
    assert "deletionTimestamp" not in cluster.things[CLONE]["metadata"]


def test_deletion_waits_for_the_pods(driver: kubernetes_clone.KubernetesDriver, cluster: ClusterDouble) -> None:
    cluster.linger = 3
    driver.deploy(target())
    cluster.roll_out(CLONE)
    driver.restore(RUN)
    assert set(cluster.things) == {f"{DEPLOYMENTS}/ingester"}
    driver.restore(RUN)
    driver.restore(uuid4())


def test_many_pods_are_read_to_the_end(driver: kubernetes_clone.KubernetesDriver, cluster: ClusterDouble) -> None:
    cluster.page = 2
    handle = driver.deploy(target())
    for number in range(5):
        cluster.pod(CLONE, running(f"10.0.0.{number}"), name=str(number))
    assert driver.endpoints(handle)["hosts"].count(",") == 4


def test_an_object_that_is_not_deleted_is_reported(
    driver: kubernetes_clone.KubernetesDriver, cluster: ClusterDouble
) -> None:
    driver.deploy(target())
    cluster.linger = 10**6
    with pytest.raises(DeploymentFailed, match="ingester-slowpath-0 was not deleted") as found:
        driver.cluster.taken_down(DEPLOYMENTS, RUN, seconds=0.05)
    assert found.value.is_transient


def test_a_deletion_never_takes_what_came_under_the_name_since(
    driver: kubernetes_clone.KubernetesDriver, cluster: ClusterDouble
) -> None:
    driver.deploy(target())
    stale = dict(cluster.things[CLONE])
    cluster.put(CLONE, cluster.things[CLONE])
    with pytest.raises(DeploymentFailed, match="UID in precondition"):
        driver.cluster.delete(CLONE, {**stale, "metadata": {**stale["metadata"], "uid": "of-before"}})
    assert "deletionTimestamp" not in cluster.things[CLONE]["metadata"]


def test_modules_replaced_need_an_image_of_their_own(
    api: str, place: DriverEnvironment, cluster: ClusterDouble
) -> None:
    driver = plain(section(api, image="images.example.com/ingester:{commit}"), place)
    with pytest.raises(DeploymentFailed, match=r"replaces example.com/libx, example.com/liby.*\{build\}"):
        driver.deploy(target(overrides=OVERRIDES))
    other = plain(section(api), place)
    other.deploy(target(overrides=OVERRIDES))
    image = cluster.things[CLONE]["spec"]["template"]["spec"]["containers"][0]["image"]
    assert image.startswith(f"images.example.com/ingester:{COMMIT[:16]}-")
    assert len(image.rpartition(":")[2]) == 33


def test_problems_of_every_deployment_are_reported_before_the_first(
    api: str, place: DriverEnvironment, cluster: ClusterDouble, monkeypatch: pytest.MonkeyPatch
) -> None:
    cluster.denied = {("patch", "deployments"), ("list", "pods")}
    with pytest.raises(DriverError, match=r"is not allowed to patch deployments.apps, list pods in checkout"):
        plain(section(api), place).prepare()
    cluster.denied = set()
    with pytest.raises(DeploymentFailed, match="No Deployment other in checkout"):
        plain(section(api, deployment="other"), place).prepare()
    with pytest.raises(DeploymentFailed, match="several containers: ingester"):
        plain(section(api, container="sidecar"), place).prepare()
    monkeypatch.setenv("CLUSTER_TOKEN", "stale")
    with pytest.raises(DeploymentFailed, match="responded with 401: Unauthorized") as found:
        plain(section(api), place).prepare()
    assert not found.value.is_transient


def test_a_cluster_that_fails_for_a_while_is_no_failure_of_the_build(
    driver: kubernetes_clone.KubernetesDriver, cluster: ClusterDouble
) -> None:
    handle = driver.deploy(target())
    cluster.roll_out(CLONE)
    assert driver.status(handle, None).state == "ready"
    cluster.first = lambda _: problem(503, "ServiceUnavailable", "etcd leader changed")
    assert driver.status(handle, None).state == "ready"
    again = replace(driver, last_status=LastKnownStatus())  # a runner that was started anew remembers nothing
    assert again.status(handle, None).state == "rolling"
    assert "etcd leader changed" in again.status(handle, None).detail
    driver.last_status.seconds = 0
    for call in (lambda: driver.status(handle, None), lambda: driver.restore(RUN), lambda: driver.deploy(target())):
        with pytest.raises(DeploymentFailed, match="503: etcd leader changed") as found:
            call()
        assert found.value.is_transient
    cluster.first = lambda _: None
    assert driver.status(handle, None).state == "ready"


def test_a_new_cluster_without_rules_yet_is_asked_again(
    driver: kubernetes_clone.KubernetesDriver, cluster: ClusterDouble
) -> None:
    denied = problem(403, "Forbidden", 'User "slowpath-runner" cannot get resource "deployments"')
    failing = iter([denied, problem(401, "Unauthorized", "")])
    cluster.first = lambda _: next(failing, None)
    handle = driver.deploy(target())
    cluster.roll_out(CLONE)
    assert driver.status(handle, None).state == "ready"
    cluster.first = lambda _: denied
    assert driver.status(handle, None).state == "ready"
    driver.last_status.seconds = 0
    with pytest.raises(DeploymentFailed, match="403: User"):
        driver.status(handle, None)


def test_a_cluster_that_fails_once_is_asked_again(
    driver: kubernetes_clone.KubernetesDriver, cluster: ClusterDouble
) -> None:
    failing = iter([problem(503, "ServiceUnavailable", ""), problem(429, "TooManyRequests", "")])
    cluster.first = lambda _: next(failing, None)
    driver.deploy(target())
    assert cluster.made == [CLONE]


def test_requests_to_a_hanging_or_endless_cluster_end(
    driver: kubernetes_clone.KubernetesDriver, cluster: ClusterDouble
) -> None:
    driver.cluster._outside._seconds = 0.3

    def dripping(_: Asked) -> Reply:
        return Reply(200, (b" " * 10 for _ in iter(lambda: time.sleep(0.05), 1)))

    cluster.first = dripping
    with pytest.raises(DeploymentFailed, match="took longer than") as found:
        driver.deploy(target())
    assert found.value.is_transient
    cluster.first = lambda _: Reply(200, (b" " * 2**20 for _ in range(20)))
    driver.cluster._outside._seconds = 20
    with pytest.raises(DeploymentFailed, match="limit of 16,777,216 bytes"):
        driver.deploy(target())


@pytest.mark.parametrize(
    "body", [b"[]", b"{", b'{"metadata": 7, "items": [3, {"metadata": null}]}', b'"x"', b"[" * 100_000]
)
def test_nonsense_from_a_cluster_is_no_crash(place: DriverEnvironment, body: bytes) -> None:
    with Answering(lambda _: Reply(200, body)) as server:
        driver = plain(section(f"http://{server.address}"), place)
        handle = {"run_id": str(RUN), "name": "x", "asked_at": 0.0}
        assert driver.status(handle, None).state == "failed"
        assert driver.endpoints(handle) == {"name": "x"}


def test_an_unreachable_server_ends_the_command(place: DriverEnvironment) -> None:
    driver = plain(section("http://127.0.0.1:9"), place)
    with pytest.raises(DeploymentFailed, match="cannot be reached") as found:
        driver.restore(RUN)
    assert found.value.is_transient


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        ({"image": "images.example.com/ingester:latest"}, "so that it differs by build"),
        ({"image": "x:{commit}{nonsense}"}, "nonsense"),
        ({"image": None}, "needs image"),
        ({"name": "probe"}, r"must contain \{slot\}"),
        ({"name": "{slot}" + "x" * 60}, "at most 52"),
        ({"replicas": 0}, "replicas"),
        ({"replicas": True}, "replicas"),
        ({"replicas": 1.5}, "whole"),
        ({"traffic": "all"}, "own, shared"),
        ({"env": {"X": 3}}, "env.X"),
        ({"env": {"X": "{dir}"}}, "dir"),
        ({"api": "http://cluster.example:6443"}, "requires https"),
        ({"api": "https://user:password@cluster.example"}, "password"),
        ({"api": "cluster"}, "not an address"),
        ({"token_env": "NOT_SET"}, "NOT_SET"),
        ({"token_env": None}, "has no credentials"),
        ({"token_env": None, "token_file": "/nowhere"}, "/nowhere"),
        ({"namespace": None}, "namespace"),
        ({"api": None}, "is not in a cluster"),
        ({"ca_file": "/nowhere"}, "/nowhere"),
        ({"secret": "x"}, "unknown key 'secret'"),
    ],
)
def test_an_invalid_section_is_refused(place: DriverEnvironment, more: dict[str, Any], expected: str) -> None:
    by_name = {key: value for key, value in (section("https://127.0.0.1:9") | more).items() if value is not None}
    with pytest.raises(InvalidDriverConfig, match=expected):
        kubernetes_clone.read(by_name, place)


def test_pods_path_is_the_one_published() -> None:
    assert Published.of("kubernetes").of_request(Asked("GET", f"{PODS}?labelSelector=x&limt=1", {}, b"")) == [
        "the query has limt=['1']"
    ]
