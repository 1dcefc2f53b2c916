"""The driver of Argo Rollouts, against an API server on loopback that is held to Argo's CRDs, as we are."""

import json
import time
from collections.abc import Iterator
from typing import Any

import pytest

from slowpath_cli.runner.core.driver_interface import (
    DeploymentFailed,
    DeploymentStatus,
    DeploymentUnhealthy,
    DriverEnvironment,
    DriverError,
    InvalidDriverConfig,
)
from slowpath_cli.runner.drivers import argo_rollouts
from tests.drivers.cluster_double import (
    AT,
    DEPLOYMENTS,
    EXPERIMENTS,
    ROLLOUTS,
    ClusterDouble,
    original,
    problem,
    rollout,
    running,
    waiting,
)
from tests.drivers.deploy_targets import COMMIT, OTHER_RUN, OVERRIDES, RUN, target
from tests.drivers.driver_fixtures import quick, section_of, served

NAME = f"ingester-slowpath-0-{RUN.hex[-8:]}"
EXPERIMENT = f"{EXPERIMENTS}/{NAME}"
NOT_THERE = "rpc error: code = NotFound desc = failed to pull: not found"


@pytest.fixture
def cluster() -> ClusterDouble:
    double = ClusterDouble()
    double.put(f"{ROLLOUTS}/ingester", rollout())
    double.made.clear()
    return double


@pytest.fixture
def api(cluster: ClusterDouble) -> Iterator[str]:
    with served(cluster, "argo", "kubernetes") as address:
        yield address


def section(api: str, **more: Any) -> dict[str, Any]:  # noqa: ANN401 - as TOML has it
    return section_of("argo", api, {"rollout": "ingester"}, more)


def driver_at(api: str, place: DriverEnvironment, **more: Any) -> argo_rollouts.ArgoRolloutsDriver:  # noqa: ANN401 - as TOML has it
    return quick(argo_rollouts.read(section(api, **more), place), argo_rollouts.ArgoRolloutsDriver)


@pytest.fixture
def driver(api: str, place: DriverEnvironment) -> argo_rollouts.ArgoRolloutsDriver:
    return driver_at(api, place)


def template(cluster: ClusterDouble, role: str) -> dict[str, Any]:
    found = next(each for each in cluster.things[EXPERIMENT]["spec"]["templates"] if each["name"] == role)
    used: dict[str, Any] = found["template"]
    return used


def phase(cluster: ClusterDouble, name: str, message: str = "", **more: Any) -> None:  # noqa: ANN401 - as Argo has it
    cluster.things[EXPERIMENT]["status"] = {"phase": name, "message": message} | more


def test_a_build_is_an_experiment_of_candidate_and_baseline(
    driver: argo_rollouts.ArgoRolloutsDriver, cluster: ClusterDouble
) -> None:
    driver.prepare()
    driver.deploy(target())
    made = cluster.things[EXPERIMENT]
    spec = made["spec"]
    assert (spec["duration"], spec["progressDeadlineSeconds"], "analyses" in spec) == ("21600s", 900, False)
    assert [(each["name"], each["replicas"]) for each in spec["templates"]] == [("candidate", 1), ("baseline", 1)]
    for each in spec["templates"]:
        labels = {"slowpath-run": str(RUN), "slowpath-slot": "0", "slowpath-role": each["name"]}
        assert each["selector"]["matchLabels"] == each["template"]["metadata"]["labels"] == labels
    kept = original()["spec"]["template"]["spec"]
    assert template(cluster, "baseline")["spec"] == kept
    assert template(cluster, "candidate")["spec"]["containers"][0]["image"].endswith(f":{COMMIT}")
    assert made["metadata"]["annotations"]["slowpath-runner"] == "lab"
    assert cluster.made == [EXPERIMENT]


def test_it_may_stand_alone_and_be_analysed(api: str, place: DriverEnvironment, cluster: ClusterDouble) -> None:
    driver_at(api, place, baseline=False, analyses=["error-rate"], replicas=3, longest_seconds=600).deploy(target())
    spec = cluster.things[EXPERIMENT]["spec"]
    assert [(each["name"], each["replicas"]) for each in spec["templates"]] == [("candidate", 3)]
    assert spec["analyses"] == [{"name": "error-rate", "templateName": "error-rate"}]
    assert spec["duration"] == "600s"


def test_the_template_may_be_a_deployments(api: str, place: DriverEnvironment, cluster: ClusterDouble) -> None:
    cluster.put(f"{DEPLOYMENTS}/ingester", original())
    told = cluster.things[f"{ROLLOUTS}/ingester"]["spec"]
    del told["template"]
    told["workloadRef"] = {"apiVersion": "apps/v1", "kind": "Deployment", "name": "ingester"}
    driver_at(api, place).deploy(target())
    by_rollout = cluster.things.pop(EXPERIMENT)
    driver = driver_at(api, place, rollout=None, deployment="ingester")
    driver.prepare()
    driver.deploy(target())
    assert by_rollout["spec"] == cluster.things[EXPERIMENT]["spec"]
    del cluster.things[f"{DEPLOYMENTS}/ingester"]
    with pytest.raises(DeploymentFailed, match="deployments ingester in checkout has no pod template"):
        driver.prepare()


def test_it_becomes_ready_and_reports_both_addresses(
    driver: argo_rollouts.ArgoRolloutsDriver, cluster: ClusterDouble
) -> None:
    handle = json.loads(json.dumps(driver.deploy(target())))
    assert driver.status(handle, None) == DeploymentStatus("rolling", "no pod yet")
    phase(cluster, "Pending")
    for role, address in (("candidate", "10.0.0.1"), ("baseline", "10.0.0.2")):
        cluster.pod(EXPERIMENT, waiting("ContainerCreating", ""), name=role, template=template(cluster, role))
        assert driver.status(handle, None).state == "rolling"
        cluster.pod(EXPERIMENT, running(address), name=role, template=template(cluster, role))
    sides = [
        {
            "name": role,
            "status": "Running",
            "replicas": 1,
            "updatedReplicas": 1,
            "readyReplicas": 1,
            "availableReplicas": 1,
        }
        for role in ("candidate", "baseline")
    ]
    phase(cluster, "Running", templateStatuses=sides, availableAt=AT)
    assert driver.status(handle, None) == DeploymentStatus("ready")
    found = driver.endpoints(handle)
    assert (found["url"], found["baseline_url"]) == ("http://10.0.0.1:8080", "http://10.0.0.2:8080")
    assert (found["name"], found["port"], found["baseline_port"]) == (NAME, "8080", "8080")
    cluster.pod(EXPERIMENT, running("10.0.0.3"), name="baseline-2", template=template(cluster, "baseline"))
    with pytest.raises(DeploymentFailed, match=r"have changed since the deployment was ready: .*baseline-2"):
        driver.status(handle, None)


@pytest.mark.parametrize(
    ("name", "message", "said"),
    [
        ("Failed", "Template 'candidate' exceeded its progressDeadlineSeconds (900)", "exceeded its progressDeadlineSeconds"),
        ("Error", "failed to create ReplicaSet: exceeded quota", "exceeded quota"),
        ("Inconclusive", "Analysis run 'error-rate' is inconclusive", "inconclusive"),
        ("Failed", 'Metric "errors" assessed Failed due to failed (1) > failureLimit (0)', "failureLimit"),
        ("Successful", "", "ended after 21600 s"),
    ],
)  # fmt: skip
def test_an_experiment_that_ended_has_failed(
    driver: argo_rollouts.ArgoRolloutsDriver, cluster: ClusterDouble, name: str, message: str, said: str
) -> None:
    handle = driver.deploy(target())
    cluster.pod(EXPERIMENT, running("10.0.0.1"), name="candidate", template=template(cluster, "candidate"))
    phase(cluster, name, message)
    found = driver.status(handle, DeploymentStatus("ready"))
    assert found.state == "failed"
    assert said in found.detail


def test_a_spec_that_argo_does_not_take(driver: argo_rollouts.ArgoRolloutsDriver, cluster: ClusterDouble) -> None:
    handle = driver.deploy(target())
    invalid = {
        "type": "InvalidSpec", "status": "True", "reason": "InvalidSpec", "message": "no selector", "lastTransitionTime": AT,
        "lastUpdateTime": AT,
    }  # fmt: skip
    phase(cluster, "Pending", conditions=[invalid])
    assert driver.status(handle, None) == DeploymentStatus("failed", "the Experiment is invalid: no selector")


@pytest.mark.parametrize("name", ["Pending", "Failed"])
def test_an_image_that_is_not_there_is_a_build_that_failed(
    driver: argo_rollouts.ArgoRolloutsDriver, cluster: ClusterDouble, name: str
) -> None:
    handle = {**driver.deploy(target()), "asked_at": time.time() - 100}
    cluster.pod(
        EXPERIMENT, waiting("ErrImagePull", NOT_THERE), name="candidate", template=template(cluster, "candidate")
    )
    phase(cluster, name)
    assert driver.status(handle, None).state == "unbuildable"


def test_whose_pods_end_again_and_again_matters(
    driver: argo_rollouts.ArgoRolloutsDriver, cluster: ClusterDouble
) -> None:
    handle = driver.deploy(target())
    crashing = waiting("CrashLoopBackOff", "", restarts=3, last={"terminated": {"exitCode": 2, "reason": "Error"}})
    phase(cluster, "Pending")
    cluster.pod(EXPERIMENT, crashing, name="baseline", template=template(cluster, "baseline"))
    with pytest.raises(DeploymentFailed, match="the baseline is not running: ingester ended 3 times"):
        driver.status(handle, None)
    cluster.pod(EXPERIMENT, waiting("InvalidImageName", "x"), name="baseline", template=template(cluster, "baseline"))
    with pytest.raises(DeploymentFailed, match="the baseline is not running: InvalidImageName"):
        driver.status(handle, None)
    cluster.pod(EXPERIMENT, crashing, name="candidate", template=template(cluster, "candidate"))
    with pytest.raises(DeploymentUnhealthy, match="ended 3 times"):
        driver.status(handle, None)


def test_a_run_is_never_deployed_twice(driver: argo_rollouts.ArgoRolloutsDriver, cluster: ClusterDouble) -> None:
    cluster.lose.add("PATCH")
    handles = [driver.deploy(target()) for _ in range(2)]
    assert handles[0]["name"] == handles[1]["name"]
    driver.deploy(target(run_id=OTHER_RUN))
    assert cluster.made == [EXPERIMENT, f"{EXPERIMENTS}/ingester-slowpath-0-{OTHER_RUN.hex[-8:]}"]


def test_a_long_name_is_cut_where_a_name_may_end(api: str, place: DriverEnvironment, cluster: ClusterDouble) -> None:
    long = "a-very-long-name-of-svc.checkout.eu"
    cluster.put(f"{ROLLOUTS}/{long}", rollout())
    name = driver_at(api, place, rollout=long).deploy(target(slot=63))["name"]
    assert name == f"a-very-long-name-of-svc-slowpath-63-{RUN.hex[-8:]}"
    assert len(f"{name}-candidate-abcde") <= 63


def test_it_goes_with_its_pods_and_another_attempt_waits_for_that(
    driver: argo_rollouts.ArgoRolloutsDriver, cluster: ClusterDouble
) -> None:
    driver.deploy(target())
    cluster.pod(EXPERIMENT, running("10.0.0.1"), name="candidate", template=template(cluster, "candidate"))
    with pytest.raises(DeploymentFailed, match="still being deleted") as found:
        driver.deploy(target(attempt=2))
    assert found.value.is_transient
    driver.restore(RUN)
    assert set(cluster.things) == {f"{ROLLOUTS}/ingester"}
    driver.deploy(target(attempt=2))
    driver.restore(RUN)
    driver.restore(RUN)


def test_what_is_gone_or_away(driver: argo_rollouts.ArgoRolloutsDriver, cluster: ClusterDouble) -> None:
    handle = driver.deploy(target())
    assert driver.status(handle, DeploymentStatus("unbuildable", "no")) == DeploymentStatus("unbuildable", "no")
    phase(cluster, "Running")
    assert driver.status(handle, None).state == "ready"
    cluster.first = lambda _: problem(503, "ServiceUnavailable", "etcd leader changed")
    assert driver.status(handle, None).state == "ready"
    cluster.first = lambda _: None
    del cluster.things[EXPERIMENT]
    assert driver.status(handle, None) == DeploymentStatus("failed", f"the Experiment {NAME} is gone")


def test_problems_of_every_deployment_are_reported_before_the_first(
    api: str, place: DriverEnvironment, cluster: ClusterDouble
) -> None:
    cluster.denied = {("create", "experiments"), ("get", "rollouts")}
    with pytest.raises(DriverError, match=r"create experiments.argoproj.io, get rollouts.argoproj.io in checkout"):
        driver_at(api, place).prepare()
    cluster.denied = set()
    with pytest.raises(DeploymentFailed, match="rollouts other in checkout has no pod template"):
        driver_at(api, place, rollout="other").prepare()


def test_modules_replaced_need_an_image_of_their_own(api: str, place: DriverEnvironment) -> None:
    driver = driver_at(api, place, image="images.example.com/ingester:{commit}")
    with pytest.raises(DeploymentFailed, match=r"replaces example\.com/libx"):
        driver.deploy(target(overrides=OVERRIDES))


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"rollout": None}, "either rollout or deployment"),
        ({"deployment": "x"}, "either rollout or deployment"),
        ({"analyses": "error-rate"}, "a list"),
        ({"longest_seconds": 1}, "longest_seconds"),
        ({"name": "x"}, "unknown key 'name'"),
    ],
)
def test_a_section_that_can_not_be_meant_is_refused(place: DriverEnvironment, more: dict[str, Any], said: str) -> None:
    with pytest.raises(InvalidDriverConfig, match=said):
        argo_rollouts.read(section("https://127.0.0.1:9", **more), place)
