"""Driver for Argo Rollouts: an Experiment with pods of the build and the same number of baseline pods.

    [deploy]
    driver = "argo-rollouts"
    namespace = "checkout"
    rollout = "ingester"                            # or deployment = "ingester"
    image = "images.example.com/ingester:{build}"   # {build}: the commit and its module overrides
    build = ["./image.sh", "{image}"]               # optional: builds the image, in the build's folder
    # container, replicas = 1, baseline = true, analyses = ["error-rate"], longest_seconds = 21600, port,
    # traffic = "own" | "shared", labels, env, image_seconds = 60, restarts = 3; outside of a cluster api, token_env, ca_file, …

The candidate's address is `{host}`, `{port}`, `{url}`; the baseline's is `{baseline_host}`, `{baseline_port}`, `{baseline_url}`:
a script can measure both at the same time. `analyses` lists AnalysisTemplates; if one fails, the deployment fails. Argo ends
the experiment after `longest_seconds`, even without the runner.
"""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final, Literal
from uuid import UUID

from slowpath_cli.collect.pprof_client import printable
from slowpath_cli.runner.core.config_section import ConfigSection
from slowpath_cli.runner.core.driver_interface import (
    DeploymentDriver,
    DeploymentFailed,
    DeploymentStatus,
    DeploymentTarget,
    DeploymentUnhealthy,
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
    ROLE,
    RUN,
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

GROUP: Final = "argoproj.io/v1alpha1"
CANDIDATE, BASELINE = "candidate", "baseline"
MAX_NAME: Final = 24
"""Maximum length of the workload's name: with slot, run, role and a pod's suffix it stays below 63 characters."""
NEEDS: Final = (
    *((verb, "argoproj.io", "experiments") for verb in ("get", "list", "create", "patch", "delete")),
    ("list", "", "pods"),
)
ENDED: Final = {"Failed", "Error", "Inconclusive", "Successful"}


@dataclass
class ArgoRolloutsDriver:
    """Deploys builds as Experiments; implements `DeploymentDriver`."""

    cluster: KubeNamespace
    runner: str
    kind: Literal["rollouts", "deployments"]
    workload: str
    replicas: int
    baseline: bool
    analyses: list[str]
    longest_seconds: int
    probed: ProbePodSpec
    image_seconds: float
    restarts: int
    poll_seconds: float = 2.0
    now: Callable[[], float] = time.time
    last_status: LastKnownStatus = field(default_factory=LastKnownStatus)
    stability: PodStabilityMonitor = field(default_factory=PodStabilityMonitor)

    def prepare(self) -> None:
        """Check the permissions and the original workload. Raises `DriverError`."""
        group = "argoproj.io" if self.kind == "rollouts" else "apps"
        self.cluster.may((*NEEDS, ("get", group, self.kind)))
        self.probed.chosen(obj(self._template(), "spec"))

    def deploy(self, target: DeploymentTarget) -> Handle:
        """Apply the experiment, or find that of this run. Raises `DeploymentFailed`."""
        name = f"{self.workload[:MAX_NAME].rstrip('.-')}-slowpath-{target.slot}-{target.run_id.hex[-8:]}"
        path = self.cluster.path(GROUP, "experiments", name)
        existing = self.cluster.get(path)
        if existing is not None and not is_current_attempt(existing, target):
            raise DeploymentFailed(
                f"The Experiment {name} of an earlier attempt is still being deleted.", is_transient=True
            )
        if existing is None:
            self.cluster.apply(path, self.experiment(name, target))
        return {"run_id": str(target.run_id), "name": name, "asked_at": self.now()}

    def status(self, handle: Handle, called_back: DeploymentStatus | None) -> DeploymentStatus:
        """Return the status of the experiment. Raises `DeploymentFailed`, `DeploymentUnhealthy`."""
        if called_back is not None and called_back.state in {"unbuildable", "failed"}:
            return called_back
        return self.last_status.get_status(str(handle["run_id"]), partial(self._status, handle))

    def endpoints(self, handle: Handle) -> Mapping[str, str]:
        """Return the addresses of the candidate's and the baseline's pods."""
        pods = self._pods(handle)
        baseline = ready_pod_addresses(_with_role(pods, BASELINE), self.probed.port)
        baseline_values = {f"baseline_{name}": value for name, value in baseline.items()}
        return {
            "name": str(handle["name"]),
            **baseline_values,
            **ready_pod_addresses(_with_role(pods, CANDIDATE), self.probed.port),
        }

    def restore(self, run_id: UUID) -> None:
        """Delete the run's experiment and wait until its pods are gone. Raises `DeploymentFailed`."""
        self.cluster.taken_down(self.cluster.path(GROUP, "experiments"), run_id)
        self.last_status.forget(str(run_id))
        self.stability.forget(str(run_id))

    def experiment(self, name: str, target: DeploymentTarget) -> Json:
        """Return the experiment of a build. Raises `DeploymentFailed`."""
        template, values = self._template(), image_of(target, self.probed.image)
        run_labels = {RUN: str(target.run_id), SLOT: str(target.slot)}
        candidate = self.probed.pods(
            template, lambda text: fill_placeholder(text, values), run_labels | {ROLE: CANDIDATE}
        )
        templates = [self._side(CANDIDATE, run_labels, candidate)]
        if self.baseline:
            untouched = self.probed.untouched(template, run_labels | {ROLE: BASELINE})
            templates.append(self._side(BASELINE, run_labels, untouched))
        analyses = [{"name": each, "templateName": each} for each in self.analyses]
        return {
            "apiVersion": GROUP,
            "kind": "Experiment",
            "metadata": {
                "name": name, "namespace": self.cluster.namespace, "labels": run_labels, "annotations": probe_annotations(self.runner, target),
            },
            "spec": {
                "duration": f"{self.longest_seconds}s",
                "progressDeadlineSeconds": max(1, int(target.seconds)),
                "templates": templates,
            }
            | ({"analyses": analyses} if analyses else {}),
        }  # fmt: skip

    def _side(self, role: str, run_labels: Mapping[str, str], template: Json) -> Json:
        selector = {"matchLabels": {**run_labels, ROLE: role}}
        return {"name": role, "replicas": self.replicas, "selector": selector, "template": template}

    def _template(self) -> Json:
        """Return the pod template of the workload; a Rollout may refer to a Deployment. Raises `DeploymentFailed`."""
        group = GROUP if self.kind == "rollouts" else "apps/v1"
        found = self.cluster.get(self.cluster.path(group, self.kind, self.workload))
        workload_ref = obj(found or {}, "spec", "workloadRef")
        if workload_ref.get("kind") == "Deployment":
            found = self.cluster.get(self.cluster.path("apps/v1", "deployments", str(workload_ref.get("name"))))
        template = obj(found or {}, "spec", "template")
        if not template:
            raise DeploymentFailed(f"{self.kind} {self.workload} in {self.cluster.namespace} has no pod template.")
        return template

    def _pods(self, handle: Handle) -> list[Json]:
        return self.cluster.of_run(self.cluster.path("v1", "pods"), str(handle["run_id"]))

    def _status(self, handle: Handle) -> DeploymentStatus:
        found = self.cluster.get(self.cluster.path(GROUP, "experiments", str(handle["name"])))
        if found is None or obj(found, "metadata", "labels").get(RUN) != handle["run_id"]:
            return DeploymentStatus("failed", f"the Experiment {handle['name']} is gone")
        status = obj(found, "status")
        phase, message = str(status.get("phase") or "Pending"), printable(str(status.get("message") or ""), 300)
        invalid = [
            each
            for each in objects(status, "conditions")
            if each.get("type") == "InvalidSpec" and each.get("status") == "True"
        ]
        if invalid:
            return DeploymentStatus("failed", printable(f"the Experiment is invalid: {invalid[0].get('message')}", 300))
        pods, waited = self._pods(handle), self.now() - float(handle["asked_at"])
        ended = phase in ENDED
        pod_status = explain_unready_pods(
            _with_role(pods, CANDIDATE), 1 if ended else self.restarts, waited, 0.0 if ended else self.image_seconds
        )
        if pod_status.state == "rolling" and self.baseline:
            self._check_baseline(_with_role(pods, BASELINE), waited)
        if phase == "Successful":
            return DeploymentStatus("failed", f"the Experiment ended after {self.longest_seconds} s")
        if ended and pod_status.state == "rolling":
            return DeploymentStatus("failed", f"{phase}: {message or pod_status.detail}")
        ready = phase == "Running" and pod_status.state == "rolling"
        self.stability.see(str(handle["run_id"]), pods, ready=ready)
        return DeploymentStatus("ready") if ready else pod_status

    def _check_baseline(self, pods: list[Json], waited: float) -> None:
        """Check that the baseline's pods start. Raises `DeploymentFailed`, because the build is not the cause."""
        try:
            found = explain_unready_pods(pods, self.restarts, waited, self.image_seconds)
        except DeploymentUnhealthy as error:
            raise DeploymentFailed(f"the baseline is not running: {error}") from error
        if found.state != "rolling":
            raise DeploymentFailed(f"the baseline is not running: {found.detail}")


def _with_role(pods: list[Json], role: str) -> list[Json]:
    return [pod for pod in pods if obj(pod, "metadata", "labels").get(ROLE) == role]


def read(section: Mapping[str, Any], place: DriverEnvironment) -> DeploymentDriver:
    """Read the driver's part of the configuration. Raises `InvalidDriverConfig`."""
    given = ConfigSection(section)
    access = ClusterAccess.read(given)
    rollout, deployment = given.maybe("rollout"), given.maybe("deployment")
    workload = rollout or deployment
    if workload is None or (rollout and deployment):
        raise InvalidDriverConfig("[deploy] needs either rollout or deployment: the current workload.")
    driver = ArgoRolloutsDriver(
        cluster=KubeNamespace(access),
        runner=place.runner,
        kind="rollouts" if rollout else "deployments",
        workload=workload,
        replicas=given.whole("replicas", 1, 1, 1000),
        baseline=given.flag("baseline", default=True),
        analyses=given.words("analyses"),
        longest_seconds=given.whole("longest_seconds", 21_600, 60, 7 * 86_400),
        probed=ProbePodSpec.read(given),
        image_seconds=given.number("image_seconds", 60, 0, 86_400),
        restarts=given.whole("restarts", 3, 1, 1000),
        poll_seconds=given.number("poll_seconds", 2, 0.1, 600),
    )
    wrapped = wrap_with_build(given, place, driver.probed.image, driver)
    given.done()
    return wrapped
