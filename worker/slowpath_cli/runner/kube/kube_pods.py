"""Pods of a build: changes to the original's template, reasons for not being ready, and addresses."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from slowpath.verdicts.bisects.rules.build_names import name_of
from slowpath_cli.collect.pprof_client import printable
from slowpath_cli.runner.core import otel_resource
from slowpath_cli.runner.core.config_section import ConfigSection, check_placeholders
from slowpath_cli.runner.core.driver_interface import (
    DeploymentFailed,
    DeploymentStatus,
    DeploymentTarget,
    DeploymentUnhealthy,
    InvalidDriverConfig,
    Json,
)
from slowpath_cli.runner.kube.kube_cluster import RUN, obj, objects

RESTARTED: Final = "kubectl.kubernetes.io/restartedAt"
IMAGE_MISSING_TEXTS: Final = ("not found", "notfound", "manifest unknown", "does not exist", "no such manifest")
IMAGE_PLACEHOLDERS: Final = ("commit", "build", "run_id", "service", "slot")


@dataclass(frozen=True)
class ProbePodSpec:
    """Changes to the original's pods for a build."""

    image: str
    """With placeholders."""
    container: str | None
    traffic: str
    labels: Mapping[str, str]
    env: Mapping[str, str]
    port: int | None

    @classmethod
    def read(cls, section: ConfigSection) -> "ProbePodSpec":
        """Read the keys of the section. Raises `InvalidDriverConfig`."""
        image, env = section.text("image"), section.texts("env")
        for text in (image, *env.values()):
            check_placeholders(text, IMAGE_PLACEHOLDERS, "[deploy] image or env")
        if not any(f"{{{name}}}" in image for name in ("commit", "build", "run_id")):
            raise InvalidDriverConfig(f"[deploy] image must contain {{build}}, so that it differs by build: {image!r}.")
        port = section.get_integer("port", 0, 0, 65535)
        traffic = section.choice("traffic", "own", ("own", "shared"))
        return cls(
            image, section.find_string("container"), traffic, section.texts("labels"), env, port or None
        )  # fmt: skip

    def pods(self, template: Json, fill: Callable[[str], str], run_labels: Mapping[str, str]) -> Json:
        """Return the original's template changed for the build, with `marks` as labels. Raises `DeploymentFailed`."""
        spec = json.loads(json.dumps(obj(template, "spec")))
        container = self.chosen(spec)
        container["image"] = fill(self.image)
        for name, value in self.env.items():
            others = [each for each in objects(container, "env") if each.get("name") != name]
            container["env"] = [*others, {"name": name, "value": fill(value)}]
        container["env"] = otel_resource.of_pods(objects(container, "env"), run_labels[RUN])
        return self._with_labels(template, spec, run_labels)

    def _with_labels(self, template: Json, spec: Json, run_labels: Mapping[str, str]) -> Json:
        labels = obj(template, "metadata", "labels") if self.traffic == "shared" else {}
        annotations = {k: v for k, v in obj(template, "metadata", "annotations").items() if k != RESTARTED}
        return {
            "metadata": {"labels": {**labels, **self.labels, **run_labels}}
            | ({"annotations": annotations} if annotations else {}),
            "spec": spec,
        }

    def chosen(self, spec: Json) -> Json:
        """Return the container that gets the image. Raises `DeploymentFailed`."""
        containers = objects(spec, "containers")
        for each in containers:
            if each.get("name") == self.container or (self.container is None and len(containers) == 1):
                return each
        names = ", ".join(str(each.get("name")) for each in containers)
        raise DeploymentFailed(
            f"The pod has several containers: {names}. Set container to the one that gets the image."
        )


def image_of(target: DeploymentTarget, image: str) -> dict[str, str]:
    """Return the placeholder values of an image; `build` is unique for a commit and its module overrides.

    Raises `DeploymentFailed` if different builds would have the same image name.
    """
    overrides = {module: override.commit or override.version for module, override in sorted(target.overrides.items())}
    overrides |= {name: value for one in target.overrides.values() for name, value in one.settings.items()}
    if overrides and "{build}" not in image and "{run_id}" not in image:
        raise DeploymentFailed(
            f"This build replaces {', '.join(overrides)}, but the image {image} is that of the commit alone. Use {{build}} in image."
        )
    return {
        "commit": target.commit, "build": name_of(target.commit, overrides), "run_id": str(target.run_id), "service": target.service, "slot": str(target.slot),
    }  # fmt: skip


def explain_unready_pods(
    pods: Sequence[Json], restarts: int, waited_seconds: float, image_seconds: float
) -> DeploymentStatus:
    """Return why pods are not ready: `rolling` with the reason, or a failure. Raises `DeploymentUnhealthy`."""
    detail = "no pod yet" if not pods else ""
    for pod in pods:
        status = obj(pod, "status")
        for each in [*objects(status, "initContainerStatuses"), *objects(status, "containerStatuses")]:
            found = _container(each, restarts, waited_seconds, image_seconds)
            if found.state != "rolling":
                return found
            detail = detail or found.detail
        for condition in objects(status, "conditions"):
            if condition.get("status") == "False" and condition.get("message"):
                detail = detail or printable(str(condition["message"]), 300)
    return DeploymentStatus("rolling", detail)


def _container(container_status: Json, restarts: int, waited_seconds: float, image_seconds: float) -> DeploymentStatus:
    waiting = obj(container_status, "state", "waiting")
    reason, message = str(waiting.get("reason") or ""), printable(str(waiting.get("message") or ""), 300)
    if reason in {"ErrImagePull", "ImagePullBackOff"} and waited_seconds >= image_seconds:
        if any(each in message.lower() for each in IMAGE_MISSING_TEXTS):
            return DeploymentStatus("unbuildable", f"the image does not exist: {message}")
        if reason == "ErrImagePull":
            return DeploymentStatus("failed", f"the image cannot be pulled: {message}")
    if reason in {"InvalidImageName", "CreateContainerConfigError", "ErrImageNeverPull"}:
        return DeploymentStatus("failed", f"{reason}: {message}")
    ended = obj(container_status, "lastState", "terminated") or obj(container_status, "state", "terminated")
    count = int(container_status.get("restartCount") or 0)
    if count >= restarts and ended:
        raise DeploymentUnhealthy(f"{container_status.get('name')} ended {count} times, last with {_end(ended)}")
    return DeploymentStatus("rolling", f"{reason}: {message}".strip(": ") if reason else "")


def _end(ended: Json) -> str:
    reason_text = " ".join(str(ended.get(name)) for name in ("reason", "message") if ended.get(name))
    return printable(f"exit code {ended.get('exitCode')} {reason_text}".strip(), 300)


@dataclass
class PodStabilityMonitor:
    """The pods of ready runs: a probe with restarted or replaced pods is not a valid measurement of the build."""

    _seen: dict[str, dict[str, int]] = field(default_factory=dict)

    def record_pods(self, run_id: str, pods: Sequence[Json], *, ready: bool) -> None:
        """Store the pods of a run once it is ready, then compare. Raises `DeploymentUnhealthy`, `DeploymentFailed`."""
        alive = [pod for pod in pods if obj(pod, "status").get("phase") not in {"Failed", "Succeeded"}]
        restarts_by_pod = {str(obj(pod, "metadata").get("name")): _count_restarts(pod) for pod in alive}
        if run_id not in self._seen:
            if ready:
                self._seen[run_id] = restarts_by_pod
            return
        for name, restarts in self._seen[run_id].items():
            if restarts_by_pod.get(name, restarts) > restarts:
                raise DeploymentUnhealthy(f"{name} ended since it was ready, last with {_last_end(pods, name)}")
        if restarts_by_pod.keys() != self._seen[run_id].keys():
            gone = ", ".join(sorted(self._seen[run_id].keys() ^ restarts_by_pod.keys()))
            raise DeploymentFailed(f"The pods have changed since the deployment was ready: {gone}.")

    def forget(self, run_id: str) -> None:
        """Delete the pods of a finished run."""
        self._seen.pop(run_id, None)


def _count_restarts(pod: Json) -> int:
    return sum(int(each.get("restartCount") or 0) for each in objects(obj(pod, "status"), "containerStatuses"))


def _last_end(pods: Sequence[Json], name: str) -> str:
    for pod in pods:
        if obj(pod, "metadata").get("name") == name:
            for each in objects(obj(pod, "status"), "containerStatuses"):
                ended = obj(each, "lastState", "terminated") or obj(each, "state", "terminated")
                if ended:
                    return _end(ended)
    return "an unknown reason"


def ready_pod_addresses(pods: Sequence[Json], port: int | None) -> dict[str, str]:
    """Return the addresses of ready pods (`host`, `hosts`, `port`, `url`) and their `image`."""
    ready = [pod for pod in pods if obj(pod, "status").get("podIP") and _ready(pod)]
    if not ready:
        return {}
    hosts = sorted(str(obj(pod, "status")["podIP"]) for pod in ready)
    found = port or _first_port(ready[0])
    statuses = objects(obj(ready[0], "status"), "containerStatuses")
    values = {
        "host": hosts[0],
        "hosts": ",".join(hosts),
        "image": str(statuses[0].get("imageID", "")) if statuses else "",
    }
    if found is None:
        return values
    host = f"[{hosts[0]}]" if ":" in hosts[0] else hosts[0]
    return values | {"port": str(found), "url": f"http://{host}:{found}"}


def _ready(pod: Json) -> bool:
    conditions = objects(obj(pod, "status"), "conditions")
    is_deleting = "deletionTimestamp" in obj(pod, "metadata")
    return not is_deleting and any(each.get("type") == "Ready" and each.get("status") == "True" for each in conditions)


def _first_port(pod: Json) -> int | None:
    for container in objects(obj(pod, "spec"), "containers"):
        for each in objects(container, "ports"):
            if each.get("protocol", "TCP") == "TCP" and isinstance(each.get("containerPort"), int):
                return int(each["containerPort"])
    return None
