"""Deploys as an Experiment of Argo Rollouts: the build's pods beside as many of what runs now, started together.

    [deploy]
    driver = "argo-rollouts"
    namespace = "checkout"
    rollout = "ingester"                            # or deployment = "ingester"
    image = "images.example.com/ingester:{build}"   # {build}: the commit, and what stands in for its modules
    build = ["./image.sh", "{image}"]               # where nobody else builds such images; in the build's folder
    # container, replicas = 1, baseline = true, analyses = ["error-rate"], longest_seconds = 21600, port,
    # traffic = "own" | "shared", labels, env, image_seconds = 60, restarts = 3; outside of a cluster api, token_env, ca_file, …

The candidate answers at `{host}`, `{port}`, `{url}`, the baseline at `{baseline_host}`, `{baseline_port}`, `{baseline_url}`: a
script may measure both at the same time. `analyses` names AnalysisTemplates: where one fails, the deploy has failed. After
`longest_seconds` Argo ends the experiment by itself, whoever is not there any more.
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
MOST_NAME: Final = 24
"""Of the workload's name: with the slot, the run, the role and a pod's five letters it stays below 63."""
NEEDS: Final = (
    *((verb, "argoproj.io", "experiments") for verb in ("get", "list", "create", "patch", "delete")),
    ("list", "", "pods"),
)
ENDED: Final = {"Failed", "Error", "Inconclusive", "Successful"}


@dataclass
class ArgoRolloutsDriver:
    """A driver that keeps `DeploymentDriver`."""

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
        """Ask whether we may, and look at the original. Raises `DriverError`."""
        group = "argoproj.io" if self.kind == "rollouts" else "apps"
        self.cluster.may((*NEEDS, ("get", group, self.kind)))
        self.probed.chosen(obj(self._template(), "spec"))

    def deploy(self, target: DeploymentTarget) -> Handle:
        """Apply the experiment, or find this run's. Raises `DeploymentFailed`."""
        name = f"{self.workload[:MOST_NAME].rstrip('.-')}-slowpath-{target.slot}-{target.run_id.hex[-8:]}"
        path = self.cluster.path(GROUP, "experiments", name)
        standing = self.cluster.get(path)
        if standing is not None and not is_current_attempt(standing, target):
            raise DeploymentFailed(f"The Experiment {name} of an earlier attempt is still leaving.", is_transient=True)
        if standing is None:
            self.cluster.apply(path, self.experiment(name, target))
        return {"run_id": str(target.run_id), "name": name, "asked_at": self.now()}

    def status(self, handle: Handle, called_back: DeploymentStatus | None) -> DeploymentStatus:
        """Return how the experiment stands. Raises `DeploymentFailed`, `DeploymentUnhealthy`."""
        if called_back is not None and called_back.state in {"unbuildable", "failed"}:
            return called_back
        return self.last_status.get_status(str(handle["run_id"]), partial(self._status, handle))

    def endpoints(self, handle: Handle) -> Mapping[str, str]:
        """Return where the candidate's pods answer, and the baseline's."""
        pods = self._pods(handle)
        baseline = ready_pod_addresses(_of(pods, BASELINE), self.probed.port)
        told = {f"baseline_{name}": value for name, value in baseline.items()}
        return {"name": str(handle["name"]), **told, **ready_pod_addresses(_of(pods, CANDIDATE), self.probed.port)}

    def restore(self, run_id: UUID) -> None:
        """Delete the run's experiment and wait until its pods are gone. Raises `DeploymentFailed`."""
        self.cluster.taken_down(self.cluster.path(GROUP, "experiments"), run_id)
        self.last_status.forget(str(run_id))
        self.stability.forget(str(run_id))

    def experiment(self, name: str, target: DeploymentTarget) -> Json:
        """Return the experiment of a build. Raises `DeploymentFailed`."""
        template, values = self._template(), image_of(target, self.probed.image)
        own = {RUN: str(target.run_id), SLOT: str(target.slot)}
        candidate = self.probed.pods(template, lambda text: fill_placeholder(text, values), own | {ROLE: CANDIDATE})
        templates = [self._side(CANDIDATE, own, candidate)]
        if self.baseline:
            untouched = self.probed.untouched(template, own | {ROLE: BASELINE})
            templates.append(self._side(BASELINE, own, untouched))
        analyses = [{"name": each, "templateName": each} for each in self.analyses]
        return {
            "apiVersion": GROUP,
            "kind": "Experiment",
            "metadata": {
                "name": name, "namespace": self.cluster.namespace, "labels": own, "annotations": probe_annotations(self.runner, target),
            },
            "spec": {
                "duration": f"{self.longest_seconds}s",
                "progressDeadlineSeconds": max(1, int(target.seconds)),
                "templates": templates,
            }
            | ({"analyses": analyses} if analyses else {}),
        }  # fmt: skip

    def _side(self, role: str, own: Mapping[str, str], template: Json) -> Json:
        selector = {"matchLabels": {**own, ROLE: role}}
        return {"name": role, "replicas": self.replicas, "selector": selector, "template": template}

    def _template(self) -> Json:
        """Return the template of what runs now; a Rollout may have it from a Deployment. Raises `DeploymentFailed`."""
        group = GROUP if self.kind == "rollouts" else "apps/v1"
        found = self.cluster.get(self.cluster.path(group, self.kind, self.workload))
        referred = obj(found or {}, "spec", "workloadRef")
        if referred.get("kind") == "Deployment":
            found = self.cluster.get(self.cluster.path("apps/v1", "deployments", str(referred.get("name"))))
        template = obj(found or {}, "spec", "template")
        if not template:
            raise DeploymentFailed(
                f"There is no template of pods in {self.kind} {self.workload} of {self.cluster.namespace}."
            )
        return template

    def _pods(self, handle: Handle) -> list[Json]:
        return self.cluster.of_run(self.cluster.path("v1", "pods"), str(handle["run_id"]))

    def _status(self, handle: Handle) -> DeploymentStatus:
        found = self.cluster.get(self.cluster.path(GROUP, "experiments", str(handle["name"])))
        if found is None or obj(found, "metadata", "labels").get(RUN) != handle["run_id"]:
            return DeploymentStatus("failed", f"the Experiment {handle['name']} is gone")
        told = obj(found, "status")
        phase, message = str(told.get("phase") or "Pending"), printable(str(told.get("message") or ""), 300)
        invalid = [
            each
            for each in objects(told, "conditions")
            if each.get("type") == "InvalidSpec" and each.get("status") == "True"
        ]
        if invalid:
            return DeploymentStatus(
                "failed", printable(f"the Experiment is not taken: {invalid[0].get('message')}", 300)
            )
        pods, waited = self._pods(handle), self.now() - float(handle["asked_at"])
        ended = phase in ENDED
        why = explain_unready_pods(
            _of(pods, CANDIDATE), 1 if ended else self.restarts, waited, 0.0 if ended else self.image_seconds
        )
        if why.state == "rolling" and self.baseline:
            self._look_at_baseline(_of(pods, BASELINE), waited)
        if phase == "Successful":
            return DeploymentStatus("failed", f"the Experiment is over after {self.longest_seconds} s")
        if ended and why.state == "rolling":
            return DeploymentStatus("failed", f"{phase}: {message or why.detail}")
        ready = phase == "Running" and why.state == "rolling"
        self.stability.see(str(handle["run_id"]), pods, ready=ready)
        return DeploymentStatus("ready") if ready else why

    def _look_at_baseline(self, pods: list[Json], waited: float) -> None:
        """Raise `DeploymentFailed` where what runs now does not start anew: that is no build's doing."""
        try:
            found = explain_unready_pods(pods, self.restarts, waited, self.image_seconds)
        except DeploymentUnhealthy as error:
            raise DeploymentFailed(f"the baseline does not stand: {error}") from error
        if found.state != "rolling":
            raise DeploymentFailed(f"the baseline does not stand: {found.detail}")


def _of(pods: list[Json], role: str) -> list[Json]:
    return [pod for pod in pods if obj(pod, "metadata", "labels").get(ROLE) == role]


def read(section: Mapping[str, Any], place: DriverEnvironment) -> DeploymentDriver:
    """Read the driver's part of the configuration. Raises `InvalidDriverConfig`."""
    given = ConfigSection(section)
    access = ClusterAccess.read(given)
    rollout, deployment = given.maybe("rollout"), given.maybe("deployment")
    workload = rollout or deployment
    if workload is None or (rollout and deployment):
        raise InvalidDriverConfig("[deploy] needs either rollout or deployment: what runs now.")
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
    made = wrap_with_build(given, place, driver.probed.image, driver)
    given.done()
    return made
