"""Driver for Kubernetes: a clone of a Deployment with a separate name and selector, and the build's image.

    [deploy]
    driver = "kubernetes"
    namespace = "checkout"
    deployment = "ingester"
    image = "images.example.com/ingester:{build}"   # {build}: the commit and its module overrides
    build = ["./image.sh", "{image}"]               # optional: builds the image, in the build's folder
    # container, replicas = 1, port, traffic = "own" | "shared", labels, env, image_seconds = 60, restarts = 3
    # outside of a cluster: api, token_env or token_file or certificate and key, ca_file

`traffic = "own"` omits the original's labels, so that no Service selects the pods. "shared" includes them: Services send
the pods a share of the real requests, and a HorizontalPodAutoscaler of the original counts them.
"""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final
from uuid import UUID

from slowpath_cli.collect.pprof_client import printable
from slowpath_cli.runner.core.config_section import ConfigSection, check_placeholders
from slowpath_cli.runner.core.driver_interface import (
    DeploymentDriver,
    DeploymentFailed,
    DeploymentStatus,
    DeploymentTarget,
    DriverEnvironment,
    Handle,
    InvalidDriverConfig,
    Json,
)
from slowpath_cli.runner.core.placeholders import fill_placeholder
from slowpath_cli.runner.core.status_cache import LastKnownStatus
from slowpath_cli.runner.drivers.image_build import wrap_with_build
from slowpath_cli.runner.kube.cluster_access import ClusterAccess
from slowpath_cli.runner.kube.kube_cluster import (
    RUN,
    RUNNER,
    SLOT,
    KubeNamespace,
    is_current_attempt,
    obj,
    objects,
    probe_annotations,
)
from slowpath_cli.runner.kube.kube_pods import (
    PodStabilityMonitor,
    ProbePodSpec,
    explain_unready_pods,
    image_of,
    ready_pod_addresses,
)

NEEDS: Final = (
    *((verb, "apps", "deployments") for verb in ("get", "list", "create", "patch", "delete")),
    ("list", "", "pods"),
)
MAX_NAME: Final = 52
"""Maximum length of a Deployment's name: a pod's name adds 17 characters, and its host name is cut after 63."""
OMITTED_FIELDS: Final = frozenset(
    {"paused", "template", "selector", "replicas", "revisionHistoryLimit", "progressDeadlineSeconds"}
)


@dataclass
class KubernetesDriver:
    """Deploys builds as clones of a Deployment; implements `DeploymentDriver`."""

    cluster: KubeNamespace
    runner: str
    deployment: str
    name: str
    replicas: int
    probed: ProbePodSpec
    image_seconds: float
    restarts: int
    poll_seconds: float = 2.0
    now: Callable[[], float] = time.time
    last_status: LastKnownStatus = field(default_factory=LastKnownStatus)
    stability: PodStabilityMonitor = field(default_factory=PodStabilityMonitor)

    def prepare(self) -> None:
        """Check the permissions and the original Deployment. Raises `DriverError`."""
        self.cluster.may(NEEDS)
        self.probed.chosen(obj(self._original(), "spec", "template", "spec"))

    def deploy(self, target: DeploymentTarget) -> Handle:
        """Apply the clone, or find that of this run. Raises `DeploymentFailed`."""
        name = self._name(target.slot)
        path = self.cluster.path("apps/v1", "deployments", name)
        existing = self.cluster.get(path)
        if existing is not None and not is_current_attempt(existing, target):
            self._delete_previous(path, existing)
        if existing is None:
            self.cluster.apply(path, self.clone(self._original(), name, target))
        return {"run_id": str(target.run_id), "name": name, "asked_at": self.now()}

    def status(self, handle: Handle, called_back: DeploymentStatus | None) -> DeploymentStatus:
        """Return the status of the clone. Raises `DeploymentFailed`, `DeploymentUnhealthy`."""
        return self.last_status.get_status(str(handle["run_id"]), lambda: self._status(handle, called_back))

    def _status(self, handle: Handle, called_back: DeploymentStatus | None) -> DeploymentStatus:
        if called_back is not None and called_back.state in {"unbuildable", "failed"}:
            return called_back
        found = self.cluster.get(self.cluster.path("apps/v1", "deployments", str(handle["name"])))
        if found is None or obj(found, "metadata", "labels").get(RUN) != handle["run_id"]:
            return DeploymentStatus("failed", f"the Deployment {handle['name']} is gone")
        pods, waited = self._pods(handle), self.now() - float(handle["asked_at"])
        for condition in objects(obj(found, "status"), "conditions"):
            if _has_status(condition, "Progressing", "False") or _has_status(condition, "ReplicaFailure", "True"):
                pod_status = explain_unready_pods(pods, 1, waited, 0.0)  # the deadline has passed
                text = (
                    pod_status.detail
                    if pods and pod_status.detail
                    else printable(str(condition.get("message") or ""), 300)
                )
                return (
                    pod_status
                    if pod_status.state != "rolling"
                    else DeploymentStatus("failed", f"{condition.get('reason')}: {text}")
                )
        pod_status = explain_unready_pods(pods, self.restarts, waited, self.image_seconds)
        ready = _is_available(found) and pod_status.state == "rolling"
        self.stability.record_pods(str(handle["run_id"]), pods, ready=ready)
        return DeploymentStatus("ready") if ready else pod_status

    def endpoints(self, handle: Handle) -> Mapping[str, str]:
        """Return the addresses of the pods."""
        return {"name": str(handle["name"]), **ready_pod_addresses(self._pods(handle), self.probed.port)}

    def restore(self, run_id: UUID) -> None:
        """Delete the run's clone and wait until its pods are gone. Raises `DeploymentFailed`."""
        self.cluster.taken_down(self.cluster.path("apps/v1", "deployments"), run_id)
        self.last_status.forget(str(run_id))
        self.stability.forget(str(run_id))

    def clone(self, original: Json, name: str, target: DeploymentTarget) -> Json:
        """Return the Deployment of a build, without the labels, annotations and owners of the original."""
        values = image_of(target, self.probed.image)
        run_labels = {RUN: str(target.run_id), SLOT: str(target.slot)}
        annotations = probe_annotations(self.runner, target)
        spec = obj(original, "spec")
        template = self.probed.pods(obj(spec, "template"), lambda text: fill_placeholder(text, values), run_labels)
        return {
            "apiVersion": "apps/v1",
            "kind": "Deployment",
            "metadata": {
                "name": name,
                "namespace": self.cluster.namespace,
                "labels": run_labels,
                "annotations": annotations,
            },
            "spec": {
                **{key: value for key, value in spec.items() if key not in OMITTED_FIELDS},
                "replicas": self.replicas,
                "revisionHistoryLimit": 0,
                "progressDeadlineSeconds": max(int(target.seconds), int(spec.get("minReadySeconds") or 0) + 1),
                "selector": {"matchLabels": run_labels},
                "template": template,
            },
        }

    def _original(self) -> Json:
        found = self.cluster.get(self.cluster.path("apps/v1", "deployments", self.deployment))
        if found is None:
            raise DeploymentFailed(f"No Deployment {self.deployment} in {self.cluster.namespace}.")
        return found

    def _name(self, slot: int) -> str:
        return fill_placeholder(self.name, {"deployment": self.deployment, "slot": str(slot)})

    def _pods(self, handle: Handle) -> list[Json]:
        return self.cluster.of_run(self.cluster.path("v1", "pods"), str(handle["run_id"]))

    def _delete_previous(self, path: str, existing: Json) -> None:
        metadata = obj(existing, "metadata")
        owner = obj(metadata, "annotations").get(RUNNER)
        if owner != self.runner:
            owner_text = f"of the runner {owner}" if owner else "not of a runner"
            raise DeploymentFailed(
                f"The Deployment {metadata.get('name')} exists and is {owner_text}. Set name to a different one."
            )
        if "deletionTimestamp" not in metadata:
            self.cluster.delete(path, existing)
        raise DeploymentFailed(
            f"The Deployment {metadata.get('name')} of an earlier attempt is still being deleted.", is_transient=True
        )


def _has_status(condition: Json, kind: str, status: str) -> bool:
    return condition.get("type") == kind and condition.get("status") == status


def _is_available(found: Json) -> bool:
    status, replicas = obj(found, "status"), obj(found, "spec").get("replicas", 1)
    is_observed = int(status.get("observedGeneration") or 0) >= int(obj(found, "metadata").get("generation") or 0)
    counts = [int(status.get(name) or 0) for name in ("updatedReplicas", "availableReplicas")]
    return is_observed and all(count >= replicas for count in counts)


def read(section: Mapping[str, Any], place: DriverEnvironment) -> DeploymentDriver:
    """Read the driver's part of the configuration. Raises `InvalidDriverConfig`."""
    given = ConfigSection(section)
    access = ClusterAccess.read(given)
    deployment = given.text("deployment")
    name = given.text("name", "{deployment}-slowpath-{slot}")
    check_placeholders(name, ("deployment", "slot"), "[deploy] name")
    longest = fill_placeholder(name, {"deployment": deployment, "slot": "63"})
    if "{slot}" not in name or longest == deployment or len(longest) > MAX_NAME:
        raise InvalidDriverConfig(
            f"[deploy] name must contain {{slot}}, have at most {MAX_NAME} characters, and differ from the Deployment's: "
            f"{name!r} becomes {longest!r}."
        )
    driver = KubernetesDriver(
        cluster=KubeNamespace(access),
        runner=place.runner,
        deployment=deployment,
        name=name,
        replicas=given.get_integer("replicas", 1, 1, 1000),
        probed=ProbePodSpec.read(given),
        image_seconds=given.number("image_seconds", 60, 0, 86400),
        restarts=given.get_integer("restarts", 3, 1, 1000),
        poll_seconds=given.number("poll_seconds", 2, 0.1, 600),
    )
    wrapped = wrap_with_build(given, place, driver.probed.image, driver)
    given.done()
    return wrapped
