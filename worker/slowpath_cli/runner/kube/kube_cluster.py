"""Client of a Kubernetes namespace: permissions, the objects of a run, and their removal.

Created objects have the run as a label, but none of the original's labels: no controller, disruption budget or autoscaler
selects them, and Services only with `traffic = "shared"`.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final
from urllib.parse import quote
from uuid import UUID

from slowpath_cli.runner.core.driver_interface import DeploymentFailed, DeploymentTarget, DriverError, Json
from slowpath_cli.runner.core.http_client import HttpClient
from slowpath_cli.runner.kube.cluster_access import ClusterAccess

RUN: Final = "slowpath-run"
SLOT: Final = "slowpath-slot"
RUNNER: Final = "slowpath-runner"
ATTEMPT: Final = "slowpath-attempt"
COMMIT: Final = "slowpath-commit"
MANAGER: Final = "slowpath-runner"
PAGE: Final = "500"
RESTORE_SECONDS: Final = 180.0
POLL_SECONDS: Final = 1.0
DENIED: Final = frozenset({401, 403})
"""Statuses that are retried: a starting API server returns them until it has loaded its rules."""


class KubeNamespace:
    """One namespace of a cluster."""

    def __init__(self, access: ClusterAccess, pause: Callable[[float], None] = time.sleep) -> None:
        self.namespace = access.namespace
        self._outside = HttpClient(
            access.address,
            lambda: _bearer(access.token),
            access.trust,
            refused=access.refused,
            proxied=False,
            proxy=access.proxy,
            pause=pause,
        )
        self._pause = pause

    def path(self, group: str, plural: str, name: str = "") -> str:
        """Return the path of a resource, or of all resources of its kind; `group` is `apps/v1`, or `v1` for the core."""
        root = "/api" if "/" not in group else "/apis"
        return f"{root}/{group}/namespaces/{quote(self.namespace)}/{plural}" + (f"/{quote(name)}" if name else "")

    def get(self, path: str) -> Json | None:
        """Return an object, or None if it does not exist. Raises `DeploymentFailed`."""
        response = self._outside.send_idempotent("GET", path, missing=True, doubted=DENIED)
        return None if response is None else response.json_object()

    def of_run(self, path: str, run_id: UUID | str) -> list[Json]:
        """Return a run's objects of one kind. Raises `DeploymentFailed`."""
        found: list[Json] = []
        token = ""
        while True:
            query = {"labelSelector": f"{RUN}={run_id}", "limit": PAGE} | ({"continue": token} if token else {})
            response = self._outside.send_idempotent("GET", path, query=query, doubted=DENIED)
            assert response is not None
            page = response.json_object()
            items = page.get("items")
            found += [each for each in items if isinstance(each, dict)] if isinstance(items, list) else []
            token = str(obj(page, "metadata").get("continue") or "")
            if not token:
                return found

    def apply(self, path: str, thing: Json) -> None:
        """Create or update an object by server-side apply, which is idempotent. Raises `DeploymentFailed`."""
        query = {"fieldManager": MANAGER, "force": "true", "fieldValidation": "Strict"}
        headers = {"Content-Type": "application/apply-patch+yaml"}
        self._outside.send_idempotent("PATCH", path, query=query, body=thing, headers=headers, doubted=DENIED)

    def delete(self, path: str, thing: Json) -> None:
        """Start the deletion of an object, but not of a newer one with its name. Raises `DeploymentFailed`."""
        uid = obj(thing, "metadata").get("uid")
        body = {"apiVersion": "v1", "kind": "DeleteOptions", "propagationPolicy": "Foreground"}
        options = body | ({"preconditions": {"uid": uid}} if uid else {})
        self._outside.send_idempotent("DELETE", path, body=options, missing=True, doubted=DENIED)

    def may(self, needs: Sequence[tuple[str, str, str]]) -> None:
        """Check permissions, each (verb, group, resource). Raises `DriverError`, which lists the missing ones."""
        denied = []
        for verb, group, resource in needs:
            attributes = {"namespace": self.namespace, "verb": verb, "group": group, "resource": resource}
            review = {
                "apiVersion": "authorization.k8s.io/v1", "kind": "SelfSubjectAccessReview", "spec": {"resourceAttributes": attributes},
            }  # fmt: skip
            response = self._outside.send_idempotent(
                "POST", "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", body=review
            )
            assert response is not None
            if obj(response.json_object(), "status").get("allowed") is not True:
                denied.append(f"{verb} {resource}{f'.{group}' if group else ''}")
        if denied:
            raise DriverError(
                f"The runner is not allowed to {', '.join(denied)} in {self.namespace}. Give it a Role with these permissions."
            )

    def taken_down(self, path: str, run_id: UUID, seconds: float = RESTORE_SECONDS) -> None:
        """Delete the objects of a run and wait until they and their pods are gone. Raises `DeploymentFailed`."""
        until = time.monotonic() + seconds
        pods = self.path("v1", "pods")
        while True:
            existing = self.of_run(path, run_id)
            for each in existing:
                if "deletionTimestamp" not in obj(each, "metadata"):
                    self.delete(f"{path}/{quote(str(obj(each, 'metadata').get('name')))}", each)
            left = existing or self.of_run(pods, run_id)
            if not left:
                return
            if time.monotonic() > until:
                names = ", ".join(str(obj(each, "metadata").get("name")) for each in left[:3])
                raise DeploymentFailed(f"{names} was not deleted within {seconds:g} s.", is_transient=True)
            self._pause(POLL_SECONDS)


def _bearer(token: Callable[[], str] | None) -> dict[str, str]:
    value = "" if token is None else token()
    return {"Authorization": f"Bearer {value}"} if value else {}


def probe_annotations(runner: str, target: DeploymentTarget) -> dict[str, str]:
    """Return the annotations of created objects."""
    return {RUNNER: runner, ATTEMPT: str(target.attempt), COMMIT: target.commit}


def is_current_attempt(existing: Mapping[str, Any], target: DeploymentTarget) -> bool:
    """Return whether an object belongs to this attempt of the run and is not being deleted."""
    metadata = obj(existing, "metadata")
    return (
        obj(metadata, "labels").get(RUN) == str(target.run_id)
        and obj(metadata, "annotations").get(ATTEMPT) == str(target.attempt)
        and "deletionTimestamp" not in metadata
    )


def obj(thing: Mapping[str, Any], *names: str) -> Json:
    """Return a nested object, empty if it is missing."""
    at: Any = thing
    for name in names:
        at = at.get(name) if isinstance(at, dict) else None
    return at if isinstance(at, dict) else {}


def objects(thing: Mapping[str, Any], name: str) -> list[Json]:
    """Return the objects of a list in an object, empty if it is missing."""
    found = thing.get(name)
    return [each for each in found if isinstance(each, dict)] if isinstance(found, list) else []
