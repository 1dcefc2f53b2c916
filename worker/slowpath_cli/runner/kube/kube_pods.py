"""The pods of a build: how they differ from the original's, what they say when they are not ready, and where they answer."""

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
NOT_THERE: Final = ("not found", "notfound", "manifest unknown", "does not exist", "no such manifest")
IMAGE_PLACEHOLDERS: Final = ("commit", "build", "run_id", "service", "slot")


@dataclass(frozen=True)
class ProbePodSpec:
    """How a pod of a build differs from the original's."""

    image: str
    """With placeholders."""
    container: str | None
    traffic: str
    labels: Mapping[str, str]
    env: Mapping[str, str]
    port: int | None

    @classmethod
    def read(cls, section: ConfigSection) -> "ProbePodSpec":
        """Read it. Raises `InvalidDriverConfig`."""
        image, env = section.text("image"), section.texts("env")
        for text in (image, *env.values()):
            check_placeholders(text, IMAGE_PLACEHOLDERS, "[deploy] image or env")
        if not any(f"{{{name}}}" in image for name in ("commit", "build", "run_id")):
            raise InvalidDriverConfig(f"[deploy] image is {image!r}: it must differ by build, so name {{build}} in it.")
        port = section.whole("port", 0, 0, 65535)
        traffic = section.choice("traffic", "own", ("own", "shared"))
        return cls(
            image, section.maybe("container"), traffic, section.texts("labels"), env, port or None
        )  # fmt: skip

    def pods(self, template: Json, filled: Callable[[str], str], marks: Mapping[str, str]) -> Json:
        """Return the original's template for the build's pods, with `marks` as labels. Raises `DeploymentFailed`."""
        spec = json.loads(json.dumps(obj(template, "spec")))
        container = self.chosen(spec)
        container["image"] = filled(self.image)
        for name, value in self.env.items():
            kept = [each for each in objects(container, "env") if each.get("name") != name]
            container["env"] = [*kept, {"name": name, "value": filled(value)}]
        container["env"] = otel_resource.of_pods(objects(container, "env"), marks[RUN])
        return self._marked(template, spec, marks)

    def _marked(self, template: Json, spec: Json, marks: Mapping[str, str]) -> Json:
        labels = obj(template, "metadata", "labels") if self.traffic == "shared" else {}
        annotations = {k: v for k, v in obj(template, "metadata", "annotations").items() if k != RESTARTED}
        return {
            "metadata": {"labels": {**labels, **self.labels, **marks}}
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
        raise DeploymentFailed(f"Which container gets the image? There are {names}: name one as container.")


def image_of(target: DeploymentTarget, image: str) -> dict[str, str]:
    """Return what the placeholders of an image become. `build`: one for a commit and all that stands in for modules.

    Raises `DeploymentFailed` where builds that differ would get one name.
    """
    overrides = {module: override.commit or override.version for module, override in sorted(target.overrides.items())}
    if overrides and "{build}" not in image and "{run_id}" not in image:
        raise DeploymentFailed(
            f"This build replaces {', '.join(overrides)}, and the image {image} would be the same without: name it with {{build}}."
        )
    return {
        "commit": target.commit, "build": name_of(target.commit, overrides), "run_id": str(target.run_id), "service": target.service, "slot": str(target.slot),
    }  # fmt: skip


def explain_unready_pods(
    pods: Sequence[Json], restarts: int, waited_seconds: float, image_seconds: float
) -> DeploymentStatus:
    """Return what pods that are not ready say: `rolling` with what they wait for, or why that is in vain. Raises `DeploymentUnhealthy`."""
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


def _container(told: Json, restarts: int, waited_seconds: float, image_seconds: float) -> DeploymentStatus:
    waiting = obj(told, "state", "waiting")
    reason, message = str(waiting.get("reason") or ""), printable(str(waiting.get("message") or ""), 300)
    if reason in {"ErrImagePull", "ImagePullBackOff"} and waited_seconds >= image_seconds:
        if any(each in message.lower() for each in NOT_THERE):
            return DeploymentStatus("unbuildable", f"there is no such image: {message}")
        if reason == "ErrImagePull":
            return DeploymentStatus("failed", f"the image cannot be had: {message}")
    if reason in {"InvalidImageName", "CreateContainerConfigError", "ErrImageNeverPull"}:
        return DeploymentStatus("failed", f"{reason}: {message}")
    ended = obj(told, "lastState", "terminated") or obj(told, "state", "terminated")
    if int(told.get("restartCount") or 0) >= restarts and ended:
        raise DeploymentUnhealthy(f"{told.get('name')} ended {told.get('restartCount')} times, last with {_end(ended)}")
    return DeploymentStatus("rolling", f"{reason}: {message}".strip(": ") if reason else "")


def _end(ended: Json) -> str:
    said = " ".join(str(ended.get(name)) for name in ("reason", "message") if ended.get(name))
    return printable(f"exit code {ended.get('exitCode')} {said}".strip(), 300)


@dataclass
class PodStabilityMonitor:
    """Which pods a run was ready with: what ends or is replaced while it is measured is no evidence of the build."""

    _seen: dict[str, dict[str, int]] = field(default_factory=dict)

    def see(self, run_id: str, pods: Sequence[Json], *, ready: bool) -> None:
        """Remember the pods of a run that is ready; ask again later. Raises `DeploymentUnhealthy`, `DeploymentFailed`."""
        alive = [pod for pod in pods if obj(pod, "status").get("phase") not in {"Failed", "Succeeded"}]
        now = {str(obj(pod, "metadata").get("name")): _ends(pod) for pod in alive}
        if run_id not in self._seen:
            if ready:
                self._seen[run_id] = now
            return
        for name, ends in self._seen[run_id].items():
            if now.get(name, ends) > ends:
                raise DeploymentUnhealthy(f"{name} ended since it was ready, last with {_last_end(pods, name)}")
        if now.keys() != self._seen[run_id].keys():
            gone = ", ".join(sorted(self._seen[run_id].keys() ^ now.keys()))
            raise DeploymentFailed(f"The pods are not those that were ready: {gone}.")

    def forget(self, run_id: str) -> None:
        """A run is over."""
        self._seen.pop(run_id, None)


def _ends(pod: Json) -> int:
    return sum(int(each.get("restartCount") or 0) for each in objects(obj(pod, "status"), "containerStatuses"))


def _last_end(pods: Sequence[Json], name: str) -> str:
    for pod in pods:
        if obj(pod, "metadata").get("name") == name:
            for each in objects(obj(pod, "status"), "containerStatuses"):
                ended = obj(each, "lastState", "terminated") or obj(each, "state", "terminated")
                if ended:
                    return _end(ended)
    return "nothing said"


def ready_pod_addresses(pods: Sequence[Json], port: int | None) -> dict[str, str]:
    """Return where ready pods answer: `host`, `hosts`, `port`, `url`, and the `image` they run."""
    ready = [pod for pod in pods if obj(pod, "status").get("podIP") and _ready(pod)]
    if not ready:
        return {}
    hosts = sorted(str(obj(pod, "status")["podIP"]) for pod in ready)
    found = port or _first_port(ready[0])
    statuses = objects(obj(ready[0], "status"), "containerStatuses")
    told = {
        "host": hosts[0],
        "hosts": ",".join(hosts),
        "image": str(statuses[0].get("imageID", "")) if statuses else "",
    }
    if found is None:
        return told
    host = f"[{hosts[0]}]" if ":" in hosts[0] else hosts[0]
    return told | {"port": str(found), "url": f"http://{host}:{found}"}


def _ready(pod: Json) -> bool:
    conditions = objects(obj(pod, "status"), "conditions")
    leaving = "deletionTimestamp" in obj(pod, "metadata")
    return not leaving and any(each.get("type") == "Ready" and each.get("status") == "True" for each in conditions)


def _first_port(pod: Json) -> int | None:
    for container in objects(obj(pod, "spec"), "containers"):
        for each in objects(container, "ports"):
            if each.get("protocol", "TCP") == "TCP" and isinstance(each.get("containerPort"), int):
                return int(each["containerPort"])
    return None
