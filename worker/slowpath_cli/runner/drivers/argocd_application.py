"""Driver for Argo CD: patches the slot's Application to the build and syncs it, then restores and syncs it again.

    [deploy]
    driver = "argocd"
    namespace = "argocd"                            # of the Applications
    application = "ingester-lab-{slot}"             # one existing Application per slot, with automated sync off
    image = "images.example.com/ingester:{build}"   # image for kustomize; with helm it is {image} there
    url = "http://ingester-lab-{slot}.lab.example:8080"
    # helm = { "image.tag" = "{build}" }, revision = "{commit}", replaces = "ingester" (the image's name in the manifests),
    # source = { chart = "ingester" } (of several: by index, ref, repoURL, chart, path or name), prune = false, build = ["./image.sh", "{image}"]; outside of a cluster api, token_env, ca_file, …

One patch, bound to the resource version, sets the source, requests the sync and stores the original values. The sync is
therefore requested once, even if the runner is killed. Original values are restored by field; other changes are preserved.
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
    POLL_SECONDS,
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
ORIGINAL: Final = "slowpath-before"
RESTORE: Final = "restore"
NEEDS: Final = tuple((verb, "argoproj.io", "applications") for verb in ("get", "list", "patch"))
FAILED_PHASES: Final = {"Failed", "Error"}
MAX_TRIES: Final = 5


@dataclass
class ArgoCdDriver:
    """Deploys builds by patching Applications; implements `DeploymentDriver`."""

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
        """Check the permissions and the first slot's Application. Raises `DriverError`."""
        self.cluster.may(NEEDS)
        self._source(self._get_application(self._name(0)))

    def deploy(self, target: DeploymentTarget) -> Handle:
        """Patch the Application and request its sync, unless done for this run. Raises `DeploymentFailed`."""
        name, tries = self._name(target.slot), 0
        while not is_current_attempt(application := self._get_application(name), target):
            self._check_free(application)
            if tries >= MAX_TRIES:
                break
            if not self.cluster.merge(self._path(name), self._patch(application, target)):
                self.pause(POLL_SECONDS)
            tries += 1
        else:
            return {"run_id": str(target.run_id), "name": name, "slot": target.slot, "attempt": target.attempt}
        raise DeploymentFailed(
            f"The Application {name} could not be patched: it changed during each of {MAX_TRIES} tries.",
            is_transient=True,
        )

    def status(self, handle: Handle, called_back: DeploymentStatus | None) -> DeploymentStatus:
        """Return the status of sync and health. Raises `DeploymentFailed`."""
        if called_back is not None and called_back.state in {"unbuildable", "failed"}:
            return called_back
        return self.last_status.get_status(str(handle["run_id"]), partial(self._status, handle))

    def endpoints(self, handle: Handle) -> Mapping[str, str]:
        """Return the configured address of the slot."""
        url = fill_placeholder(self.url, {"slot": str(handle["slot"])})
        parts = urlsplit(url)
        port = parts.port or (443 if parts.scheme == "https" else 80)
        return {
            "name": str(handle["name"]), "url": url.rstrip("/"), "host": parts.hostname or "", "port": str(port),
        }  # fmt: skip

    def restore(self, run_id: UUID) -> None:
        """Restore the original values, sync, and wait for the sync. Raises `DeploymentFailed`."""
        until, sync_count = self.now() + RESTORE_SECONDS, 0
        while applications := self.cluster.of_run(self.cluster.path(GROUP, "applications"), run_id):
            for each in applications:
                sync_count += self._restore_step(each, str(run_id), may_ask=sync_count < MAX_TRIES)
            if self.now() > until:
                raise DeploymentFailed(
                    f"{obj(applications[0], 'metadata').get('name')} was not restored within {RESTORE_SECONDS:g} s: "
                    f"{_describe(applications[0])}",
                    is_transient=True,
                )
            self.pause(POLL_SECONDS)
        self.last_status.forget(str(run_id))

    def _restore_step(self, application: Json, run_id: str, *, may_ask: bool) -> int:
        """Do the next step; return the number of requested syncs. Raises `DeploymentFailed`."""
        path = self._path(str(obj(application, "metadata").get("name")))
        expected = f"{run_id} {RESTORE}"
        running = _run_of_operation(obj(application, "operation"))
        state = obj(application, "status", "operationState")
        if "operation" in application:
            if (
                running
                and running != expected
                and _run_of_operation(obj(state, "operation")) == running
                and state.get("phase") == "Running"
            ):
                self.cluster.merge(
                    path, _version_patch(application) | {"status": {"operationState": {"phase": "Terminating"}}}
                )
            return 0
        before = obj(application, "metadata", "annotations").get(ORIGINAL)
        if _run_of_operation(obj(state, "operation")) != expected or state.get("phase") in FAILED_PHASES:
            if not may_ask:
                raise DeploymentFailed(
                    f"The original values could not be synced: {_describe(application)}", is_transient=True
                )
            change = _version_patch(application) | {"operation": self._operation(application, expected)}
            if before is not None:
                change["spec"] = put_back(application, json.loads(before))
            return int(self.cluster.merge(path, change))
        if state.get("phase") == "Succeeded" and _is_current(application) and _health(application) != "Progressing":
            removed = dict.fromkeys((RUNNER, ATTEMPT, COMMIT, ORIGINAL))
            patch = _version_patch(application)
            patch["metadata"] |= {"labels": {RUN: None, SLOT: None}, "annotations": removed}
            self.cluster.merge(path, patch)
        return 0

    def _status(self, handle: Handle) -> DeploymentStatus:
        name, run_id = str(handle["name"]), str(handle["run_id"])
        found = self.cluster.get(self._path(name))
        metadata = obj(found or {}, "metadata")
        if found is None or obj(metadata, "labels").get(RUN) != run_id:
            return DeploymentStatus("failed", f"the Application {name} is gone, or used by another run")
        expected = f"{run_id} {handle['attempt']}"
        state = obj(found, "status", "operationState")
        if _run_of_operation(obj(state, "operation")) != expected:
            if _run_of_operation(obj(found, "operation")) == expected:
                return DeploymentStatus("rolling", "the sync has not started yet")
            return DeploymentStatus("failed", f"the Application {name} was synced by others")
        phase, health = state.get("phase"), _health(found)
        over = phase == "Succeeded" and _is_current(found)
        if phase in FAILED_PHASES or (over and health == "Degraded"):
            return DeploymentStatus("failed", _describe(found))
        ready = over and health == "Healthy" and obj(found, "status", "sync").get("status") == "Synced"
        return DeploymentStatus("ready") if ready else DeploymentStatus("rolling", _describe(found))

    def _patch(self, application: Json, target: DeploymentTarget) -> Json:
        """Return the patch that sets the Application to a build. Raises `DeploymentFailed`."""
        source = self._source(application)
        texts = [self.image, self.revision or "", *self.helm.values()]
        naming = [
            text for text in texts if "{commit}" in text or "{build}" in text
        ]  # `run_id` alone does not identify a build
        values = image_of(target, " ".join(naming or texts))
        values["image"] = fill_placeholder(self.image, values)
        wanted: Json = {}
        if self.image and not self.helm:
            old = self.replaces or _name_of(values["image"])
            other_images = [
                each for each in _texts(obj(source.told, "kustomize").get("images")) if _replaced(each) != old
            ]
            new = f"{self.replaces}={values['image']}" if self.replaces else values["image"]
            wanted["kustomize"] = {"images": [*other_images, new]}
        if self.helm:
            others = [
                each for each in objects(obj(source.told, "helm"), "parameters") if each.get("name") not in self.helm
            ]
            parameters = [
                {"name": name, "value": fill_placeholder(text, values), "forceString": True}
                for name, text in self.helm.items()
            ]
            wanted["helm"] = {"parameters": [*others, *parameters]}
        if self.revision:
            wanted["targetRevision"] = fill_placeholder(self.revision, values)
        change = _version_patch(application)
        before = json.dumps(source.before(wanted), separators=(",", ":"))
        change["metadata"] |= {
            "labels": {RUN: str(target.run_id), SLOT: str(target.slot)},
            "annotations": probe_annotations(self.runner, target) | {ORIGINAL: before},
        }
        operation = self._operation(application, f"{target.run_id} {target.attempt}")
        return change | {"spec": source.patch(obj(application, "spec"), wanted), "operation": operation}

    def _operation(self, application: Json, expected: str) -> Json:
        options = _texts(obj(application, "spec", "syncPolicy").get("syncOptions"))
        return {
            "info": [{"name": RUN, "value": expected}],
            "initiatedBy": {"username": self.runner},
            "sync": {"prune": self.prune} | ({"syncOptions": options} if options else {}),
        }

    def _get_application(self, name: str) -> Json:
        found = self.cluster.get(self._path(name))
        if found is None:
            raise DeploymentFailed(f"No Application {name} in {self.cluster.namespace}. Create one per slot.")
        return found

    def _source(self, application: Json) -> ApplicationSource:
        """Return the source to patch. Raises `DeploymentFailed`."""
        automated = obj(application, "spec", "syncPolicy").get("automated")
        if isinstance(automated, dict) and automated.get("enabled") is not False:
            name = obj(application, "metadata").get("name")
            raise DeploymentFailed(
                f"The Application {name} has automated sync, which would deploy new commits during a probe. Turn it off."
            )
        return self.choice.of(application)

    def _check_free(self, application: Json) -> None:
        metadata = obj(application, "metadata")
        if "deletionTimestamp" in metadata:
            raise DeploymentFailed(f"The Application {metadata.get('name')} is being deleted.")
        if RUN in obj(metadata, "labels"):
            owner = obj(metadata, "annotations").get(RUNNER)
            raise DeploymentFailed(
                f"The Application {metadata.get('name')} is still used by another run, of the runner {owner}.",
                is_transient=owner == self.runner,
            )
        if "operation" in application:
            raise DeploymentFailed(
                f"The Application {metadata.get('name')} is being synced by others.", is_transient=True
            )

    def _name(self, slot: int) -> str:
        return fill_placeholder(self.application, {"slot": str(slot)})

    def _path(self, name: str) -> str:
        return self.cluster.path(GROUP, "applications", name)


def _version_patch(application: Json) -> Json:
    """Return a patch with the resource version, which the API server rejects if the Application has changed."""
    return {"metadata": {"resourceVersion": obj(application, "metadata").get("resourceVersion")}}


def _run_of_operation(operation: Json) -> str | None:
    return next((str(each.get("value")) for each in objects(operation, "info") if each.get("name") == RUN), None)


def _is_current(found: Json) -> bool:
    """Return whether sync and health were determined after the end of the sync, for the current source."""
    status = obj(found, "status")
    reconciled_at, ended = _moment(status.get("reconciledAt")), _moment(obj(status, "operationState").get("finishedAt"))
    return reconciled_at is not None and ended is not None and reconciled_at >= ended and compared(found)


def _moment(text: object) -> datetime | None:
    try:
        return datetime.fromisoformat(str(text))
    except ValueError:
        return None


def _health(found: Json) -> str:
    return str(obj(found, "status", "health").get("status") or "Unknown")


def _describe(found: Json) -> str:
    """Describe the status of an Application for messages."""
    status = obj(found, "status")
    state = obj(status, "operationState")
    words = [
        f"sync {state.get('phase') or 'requested'}", str(state.get("message") or ""),
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
    """Return the name that a kustomize image entry replaces: `[old=]new[:tag]`."""
    old, equals, _ = entry.partition("=")
    return old if equals else _name_of(entry)


def read(section: Mapping[str, Any], place: DriverEnvironment) -> DeploymentDriver:
    """Read the driver's part of the configuration. Raises `InvalidDriverConfig`."""
    parameters = ConfigSection(section)
    access = ClusterAccess.read(parameters)
    application, url = parameters.text("application"), parameters.text("url")
    for key, text in (("application", application), ("url", url)):
        check_placeholders(text, ("slot",), f"[deploy] {key}")
        if "{slot}" not in text:
            raise InvalidDriverConfig(f"[deploy] {key} is {text!r}: every slot has its own, so name {{slot}} in it.")
    check_address(fill_placeholder(url, {"slot": "0"}))
    image, helm, revision = parameters.maybe("image") or "", parameters.texts("helm"), parameters.maybe("revision")
    for text in (image, revision or ""):
        check_placeholders(text, IMAGE_PLACEHOLDERS, "[deploy] image or revision")
    for text in helm.values():
        check_placeholders(text, (*IMAGE_PLACEHOLDERS, *(("image",) if image else ())), "[deploy] helm")
    used = " ".join([*helm.values(), revision or "", "" if helm else image]).replace("{image}", image)
    if not any(f"{{{name}}}" in used for name in ("commit", "build", "run_id")):
        raise InvalidDriverConfig("[deploy] needs image, helm or revision with {build}, so that it differs by build.")
    driver = ArgoCdDriver(
        cluster=KubeNamespace(access),
        runner=place.runner,
        application=application,
        choice=SourceSelector.read(parameters, "helm" if helm else "kustomize" if image else None),
        image=image,
        replaces=parameters.maybe("replaces"),
        helm=helm,
        revision=revision,
        url=url,
        prune=parameters.flag("prune", default=False),
        poll_seconds=parameters.number("poll_seconds", 2, 0.1, 600),
    )
    if "build" in section and not image:
        raise InvalidDriverConfig("[deploy] build needs image, the name of the image it builds.")
    wrapped = wrap_with_build(parameters, place, image, driver)
    parameters.done()
    return wrapped
