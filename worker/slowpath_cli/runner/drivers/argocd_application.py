"""Deploys by an Application of Argo CD that is the slot's: set to the build and synced, then set back and synced again.

    [deploy]
    driver = "argocd"
    namespace = "argocd"                            # where the Applications are
    application = "ingester-lab-{slot}"             # made by you, one for each slot, with automated sync off
    image = "images.example.com/ingester:{build}"   # an image of kustomize; with helm it is {image} there
    url = "http://ingester-lab-{slot}.lab.example:8080"
    # helm = { "image.tag" = "{build}" }, revision = "{commit}", replaces = "ingester" (the image's name in the manifests),
    # source = { chart = "ingester" } (of several: by index, ref, repoURL, chart, path or name), prune = false, build = ["./image.sh", "{image}"]; outside of a cluster api, token_env, ca_file, …

One patch sets the source, asks for the sync and notes what stood before, bound to the version that was read: the sync is
asked for once, whoever is killed when. What stood before is put back field by field; what others changed elsewhere stays.
"""

import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from typing import Any, Final
from urllib.parse import urlsplit
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
from slowpath_cli.runner.core.http_client import check_address
from slowpath_cli.runner.core.placeholders import fill_placeholder
from slowpath_cli.runner.core.status_cache import LastKnownStatus
from slowpath_cli.runner.drivers.argocd_application_source import ApplicationSource, SourceSelector, compared, put_back
from slowpath_cli.runner.drivers.image_build import wrap_with_build
from slowpath_cli.runner.kube.cluster_access import ClusterAccess
from slowpath_cli.runner.kube.kube_cluster import (
    ATTEMPT,
    COMMIT,
    LOOK_SECONDS,
    RESTORE_SECONDS,
    RUN,
    RUNNER,
    SLOT,
    KubeNamespace,
    is_current_attempt,
    obj,
    objects,
    probe_annotations,
)
from slowpath_cli.runner.kube.kube_pods import IMAGE_PLACEHOLDERS, image_of

GROUP: Final = "argoproj.io/v1alpha1"
BEFORE: Final = "slowpath-before"
RESTORE: Final = "restore"
NEEDS: Final = tuple((verb, "argoproj.io", "applications") for verb in ("get", "list", "patch"))
ENDED_BADLY: Final = {"Failed", "Error"}
TRIES: Final = 5


@dataclass
class ArgoCdDriver:
    """A driver that keeps `DeploymentDriver`."""

    cluster: KubeNamespace
    runner: str
    application: str
    choice: SourceSelector
    image: str
    replaces: str | None
    helm: Mapping[str, str]
    revision: str | None
    url: str
    prune: bool
    poll_seconds: float = 2.0
    now: Callable[[], float] = time.monotonic
    pause: Callable[[float], None] = time.sleep
    last_status: LastKnownStatus = field(default_factory=LastKnownStatus)

    def prepare(self) -> None:
        """Ask whether we may, and look at the first slot's. Raises `DriverError`."""
        self.cluster.may(NEEDS)
        self._source(self._standing(self._name(0)))

    def deploy(self, target: DeploymentTarget) -> Handle:
        """Set the Application and ask for its sync, or find this run's. Raises `DeploymentFailed`."""
        name, tries = self._name(target.slot), 0
        while not is_current_attempt(standing := self._standing(name), target):
            self._check_free(standing)
            if tries >= TRIES:
                break
            if not self.cluster.merge(self._path(name), self._patch(standing, target)):
                self.pause(LOOK_SECONDS)
            tries += 1
        else:
            return {"run_id": str(target.run_id), "name": name, "slot": target.slot, "attempt": target.attempt}
        raise DeploymentFailed(f"The Application {name} could not be set: it changes all the time.", is_transient=True)

    def status(self, handle: Handle, called_back: DeploymentStatus | None) -> DeploymentStatus:
        """Return how the sync and the health stand. Raises `DeploymentFailed`."""
        if called_back is not None and called_back.state in {"unbuildable", "failed"}:
            return called_back
        return self.last_status.get_status(str(handle["run_id"]), partial(self._status, handle))

    def endpoints(self, handle: Handle) -> Mapping[str, str]:
        """Return where the slot answers, as configured."""
        url = fill_placeholder(self.url, {"slot": str(handle["slot"])})
        parts = urlsplit(url)
        port = parts.port or (443 if parts.scheme == "https" else 80)
        return {
            "name": str(handle["name"]), "url": url.rstrip("/"), "host": parts.hostname or "", "port": str(port),
        }  # fmt: skip

    def restore(self, run_id: UUID) -> None:
        """Put back what stood before, sync it, and wait for that. Raises `DeploymentFailed`."""
        until, asked = self.now() + RESTORE_SECONDS, 0
        while standing := self.cluster.of_run(self.cluster.path(GROUP, "applications"), run_id):
            for each in standing:
                asked += self._put_back(each, str(run_id), may_ask=asked < TRIES)
            if self.now() > until:
                raise DeploymentFailed(
                    f"{obj(standing[0], 'metadata').get('name')} is not set back within {RESTORE_SECONDS:g} s: "
                    f"{_told(standing[0])}",
                    is_transient=True,
                )
            self.pause(LOOK_SECONDS)
        self.last_status.forget(str(run_id))

    def _put_back(self, standing: Json, run_id: str, *, may_ask: bool) -> int:
        """Do the next step; return how many syncs were asked for. Raises `DeploymentFailed`."""
        path = self._path(str(obj(standing, "metadata").get("name")))
        ours = f"{run_id} {RESTORE}"
        running = _ours(obj(standing, "operation"))
        state = obj(standing, "status", "operationState")
        if "operation" in standing:
            if (
                running
                and running != ours
                and _ours(obj(state, "operation")) == running
                and state.get("phase") == "Running"
            ):
                self.cluster.merge(path, _at(standing) | {"status": {"operationState": {"phase": "Terminating"}}})
            return 0
        before = obj(standing, "metadata", "annotations").get(BEFORE)
        if _ours(obj(state, "operation")) != ours or state.get("phase") in ENDED_BADLY:
            if not may_ask:
                raise DeploymentFailed(f"What stood before could not be synced: {_told(standing)}", is_transient=True)
            change = _at(standing) | {"operation": self._operation(standing, ours)}
            if before is not None:
                change["spec"] = put_back(standing, json.loads(before))
            return int(self.cluster.merge(path, change))
        if state.get("phase") == "Succeeded" and _seen(standing) and _health(standing) != "Progressing":
            marks = dict.fromkeys((RUNNER, ATTEMPT, COMMIT, BEFORE))
            patch = _at(standing)
            patch["metadata"] |= {"labels": {RUN: None, SLOT: None}, "annotations": marks}
            self.cluster.merge(path, patch)
        return 0

    def _status(self, handle: Handle) -> DeploymentStatus:
        name, run_id = str(handle["name"]), str(handle["run_id"])
        found = self.cluster.get(self._path(name))
        metadata = obj(found or {}, "metadata")
        if found is None or obj(metadata, "labels").get(RUN) != run_id:
            return DeploymentStatus("failed", f"the Application {name} is gone, or another's")
        ours = f"{run_id} {handle['attempt']}"
        state = obj(found, "status", "operationState")
        if _ours(obj(state, "operation")) != ours:
            if _ours(obj(found, "operation")) == ours:
                return DeploymentStatus("rolling", "the sync is not begun yet")
            return DeploymentStatus("failed", f"the Application {name} was synced by others")
        phase, health = state.get("phase"), _health(found)
        over = phase == "Succeeded" and _seen(found)
        if phase in ENDED_BADLY or (over and health == "Degraded"):
            return DeploymentStatus("failed", _told(found))
        ready = over and health == "Healthy" and obj(found, "status", "sync").get("status") == "Synced"
        return DeploymentStatus("ready") if ready else DeploymentStatus("rolling", _told(found))

    def _patch(self, standing: Json, target: DeploymentTarget) -> Json:
        """Return what sets the Application to a build. Raises `DeploymentFailed`."""
        source = self._source(standing)
        texts = [self.image, self.revision or "", *self.helm.values()]
        naming = [
            text for text in texts if "{commit}" in text or "{build}" in text
        ]  # a label of the run names no build
        values = image_of(target, " ".join(naming or texts))
        values["image"] = fill_placeholder(self.image, values)
        wanted: Json = {}
        if self.image and not self.helm:
            old = self.replaces or _name_of(values["image"])
            kept = [each for each in _texts(obj(source.told, "kustomize").get("images")) if _replaced(each) != old]
            new = f"{self.replaces}={values['image']}" if self.replaces else values["image"]
            wanted["kustomize"] = {"images": [*kept, new]}
        if self.helm:
            others = [
                each for each in objects(obj(source.told, "helm"), "parameters") if each.get("name") not in self.helm
            ]
            given = [
                {"name": name, "value": fill_placeholder(text, values), "forceString": True}
                for name, text in self.helm.items()
            ]
            wanted["helm"] = {"parameters": [*others, *given]}
        if self.revision:
            wanted["targetRevision"] = fill_placeholder(self.revision, values)
        change = _at(standing)
        before = json.dumps(source.before(wanted), separators=(",", ":"))
        change["metadata"] |= {
            "labels": {RUN: str(target.run_id), SLOT: str(target.slot)},
            "annotations": probe_annotations(self.runner, target) | {BEFORE: before},
        }
        operation = self._operation(standing, f"{target.run_id} {target.attempt}")
        return change | {"spec": source.patch(obj(standing, "spec"), wanted), "operation": operation}

    def _operation(self, standing: Json, ours: str) -> Json:
        options = _texts(obj(standing, "spec", "syncPolicy").get("syncOptions"))
        return {
            "info": [{"name": RUN, "value": ours}],
            "initiatedBy": {"username": self.runner},
            "sync": {"prune": self.prune} | ({"syncOptions": options} if options else {}),
        }

    def _standing(self, name: str) -> Json:
        found = self.cluster.get(self._path(name))
        if found is None:
            raise DeploymentFailed(
                f"There is no Application {name} in {self.cluster.namespace}: make one for each slot."
            )
        return found

    def _source(self, standing: Json) -> ApplicationSource:
        """Return the source that is set. Raises `DeploymentFailed`."""
        automated = obj(standing, "spec", "syncPolicy").get("automated")
        if isinstance(automated, dict) and automated.get("enabled") is not False:
            name = obj(standing, "metadata").get("name")
            raise DeploymentFailed(
                f"The Application {name} syncs by itself: a new commit would be deployed amid a probe."
            )
        return self.choice.of(standing)

    def _check_free(self, standing: Json) -> None:
        metadata = obj(standing, "metadata")
        if "deletionTimestamp" in metadata:
            raise DeploymentFailed(f"The Application {metadata.get('name')} is being deleted.")
        if RUN in obj(metadata, "labels"):
            owner = obj(metadata, "annotations").get(RUNNER)
            raise DeploymentFailed(
                f"The Application {metadata.get('name')} is still set to another run, of the runner {owner}.",
                is_transient=owner == self.runner,
            )
        if "operation" in standing:
            raise DeploymentFailed(
                f"The Application {metadata.get('name')} is being synced by others.", is_transient=True
            )

    def _name(self, slot: int) -> str:
        return fill_placeholder(self.application, {"slot": str(slot)})

    def _path(self, name: str) -> str:
        return self.cluster.path(GROUP, "applications", name)


def _at(standing: Json) -> Json:
    """Return a patch that is refused where the Application is not as it was read."""
    return {"metadata": {"resourceVersion": obj(standing, "metadata").get("resourceVersion")}}


def _ours(operation: Json) -> str | None:
    return next((str(each.get("value")) for each in objects(operation, "info") if each.get("name") == RUN), None)


def _seen(found: Json) -> bool:
    """Tell whether sync and health were looked at after the sync ended, and for the source that is set."""
    status = obj(found, "status")
    looked, ended = _moment(status.get("reconciledAt")), _moment(obj(status, "operationState").get("finishedAt"))
    return looked is not None and ended is not None and looked >= ended and compared(found)


def _moment(text: object) -> datetime | None:
    try:
        return datetime.fromisoformat(str(text))
    except ValueError:
        return None


def _health(found: Json) -> str:
    return str(obj(found, "status", "health").get("status") or "Unknown")


def _told(found: Json) -> str:
    """Return how an Application stands, for a person."""
    status = obj(found, "status")
    state = obj(status, "operationState")
    words = [
        f"sync {state.get('phase') or 'asked for'}", str(state.get("message") or ""),
        str(obj(status, "sync").get("status") or ""), _health(found), str(obj(status, "health").get("message") or ""),
        *(str(each.get("message") or "") for each in objects(status, "conditions") if "Error" in str(each.get("type"))),
    ]  # fmt: skip
    return printable(": ".join(each for each in words if each), 300)


def _texts(found: object) -> list[str]:
    return [each for each in found if isinstance(each, str)] if isinstance(found, list) else []


def _name_of(image: str) -> str:
    """Return an image's name, without tag and digest."""
    named = image.split("@", 1)[0]
    head, colon, tag = named.rpartition(":")
    return head if colon and "/" not in tag else named


def _replaced(entry: str) -> str:
    """Return the name that an entry of kustomize replaces: `[old=]new[:tag]`."""
    old, equals, _ = entry.partition("=")
    return old if equals else _name_of(entry)


def read(section: Mapping[str, Any], place: DriverEnvironment) -> DeploymentDriver:
    """Read the driver's part of the configuration. Raises `InvalidDriverConfig`."""
    given = ConfigSection(section)
    access = ClusterAccess.read(given)
    application, url = given.text("application"), given.text("url")
    for key, text in (("application", application), ("url", url)):
        check_placeholders(text, ("slot",), f"[deploy] {key}")
        if "{slot}" not in text:
            raise InvalidDriverConfig(f"[deploy] {key} is {text!r}: every slot has its own, so name {{slot}} in it.")
    check_address(fill_placeholder(url, {"slot": "0"}))
    image, helm, revision = given.maybe("image") or "", given.texts("helm"), given.maybe("revision")
    for text in (image, revision or ""):
        check_placeholders(text, IMAGE_PLACEHOLDERS, "[deploy] image or revision")
    for text in helm.values():
        check_placeholders(text, (*IMAGE_PLACEHOLDERS, *(("image",) if image else ())), "[deploy] helm")
    used = " ".join([*helm.values(), revision or "", "" if helm else image]).replace("{image}", image)
    if not any(f"{{{name}}}" in used for name in ("commit", "build", "run_id")):
        raise InvalidDriverConfig("[deploy] needs image, helm or revision, with {build} in it: what differs by build.")
    driver = ArgoCdDriver(
        cluster=KubeNamespace(access),
        runner=place.runner,
        application=application,
        choice=SourceSelector.read(given, "helm" if helm else "kustomize" if image else None),
        image=image,
        replaces=given.maybe("replaces"),
        helm=helm,
        revision=revision,
        url=url,
        prune=given.flag("prune", default=False),
        poll_seconds=given.number("poll_seconds", 2, 0.1, 600),
    )
    if "build" in section and not image:
        raise InvalidDriverConfig("[deploy] build needs image: the name of what it builds.")
    made = wrap_with_build(given, place, image, driver)
    given.done()
    return made
