"""A Kubernetes cluster as drivers need it: who asks, what stands there under a run, and taking it down until it is gone.

What we make carries the run as a label of its own and nothing of the original's labels by which others know the original:
no controller, budget or scaler takes it for part of that, and Services send it nothing unless that is asked for.
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
LOOK_SECONDS: Final = 1.0
DENIED: Final = frozenset({401, 403})
"""What an API server that has just begun tells everybody, until it has read its rules: believed when it stays so."""


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
        """Return the path of a resource, or of all of its kind: `apps/v1`, or `v1` for the core's."""
        root = "/api" if "/" not in group else "/apis"
        return f"{root}/{group}/namespaces/{quote(self.namespace)}/{plural}" + (f"/{quote(name)}" if name else "")

    def get(self, path: str) -> Json | None:
        """Return an object, or None where there is none. Raises `DeploymentFailed`."""
        answer = self._outside.wanted("GET", path, missing=True, doubted=DENIED)
        return None if answer is None else answer.told()

    def of_run(self, path: str, run_id: UUID | str) -> list[Json]:
        """Return what stands under a run, of one kind. Raises `DeploymentFailed`."""
        found: list[Json] = []
        token = ""
        while True:
            query = {"labelSelector": f"{RUN}={run_id}", "limit": PAGE} | ({"continue": token} if token else {})
            answer = self._outside.wanted("GET", path, query=query, doubted=DENIED)
            assert answer is not None
            told = answer.told()
            items = told.get("items")
            found += [each for each in items if isinstance(each, dict)] if isinstance(items, list) else []
            token = str(obj(told, "metadata").get("continue") or "")
            if not token:
                return found

    def apply(self, path: str, thing: Json) -> None:
        """Make it, or make it so (server-side apply: again is the same). Raises `DeploymentFailed`."""
        query = {"fieldManager": MANAGER, "force": "true", "fieldValidation": "Strict"}
        headers = {"Content-Type": "application/apply-patch+yaml"}
        self._outside.wanted("PATCH", path, query=query, body=thing, headers=headers, doubted=DENIED)

    def delete(self, path: str, thing: Json) -> None:
        """Begin to delete this one, and nothing that came under its name since. Raises `DeploymentFailed`."""
        uid = obj(thing, "metadata").get("uid")
        body = {"apiVersion": "v1", "kind": "DeleteOptions", "propagationPolicy": "Foreground"}
        options = body | ({"preconditions": {"uid": uid}} if uid else {})
        self._outside.wanted("DELETE", path, body=options, missing=True, doubted=DENIED)

    def may(self, needs: Sequence[tuple[str, str, str]]) -> None:
        """Ask whether we may: (verb, group, resource). Raises `DriverError` naming what we may not."""
        denied = []
        for verb, group, resource in needs:
            wanted = {"namespace": self.namespace, "verb": verb, "group": group, "resource": resource}
            review = {
                "apiVersion": "authorization.k8s.io/v1", "kind": "SelfSubjectAccessReview", "spec": {"resourceAttributes": wanted},
            }  # fmt: skip
            answer = self._outside.wanted("POST", "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", body=review)
            assert answer is not None
            if obj(answer.told(), "status").get("allowed") is not True:
                denied.append(f"{verb} {resource}{f'.{group}' if group else ''}")
        if denied:
            raise DriverError(
                f"The cluster does not let us {', '.join(denied)} in {self.namespace}: give the runner a Role."
            )

    def taken_down(self, path: str, run_id: UUID, seconds: float = RESTORE_SECONDS) -> None:
        """Delete what stands under a run and wait until it and its pods are gone. Raises `DeploymentFailed`."""
        until = time.monotonic() + seconds
        pods = self.path("v1", "pods")
        while True:
            standing = self.of_run(path, run_id)
            for each in standing:
                if "deletionTimestamp" not in obj(each, "metadata"):
                    self.delete(f"{path}/{quote(str(obj(each, 'metadata').get('name')))}", each)
            left = standing or self.of_run(pods, run_id)
            if not left:
                return
            if time.monotonic() > until:
                names = ", ".join(str(obj(each, "metadata").get("name")) for each in left[:3])
                raise DeploymentFailed(f"{names} does not go away within {seconds:g} s.", is_transient=True)
            self._pause(LOOK_SECONDS)


def _bearer(token: Callable[[], str] | None) -> dict[str, str]:
    told = "" if token is None else token()
    return {"Authorization": f"Bearer {told}"} if told else {}


def probe_annotations(runner: str, target: DeploymentTarget) -> dict[str, str]:
    """Return the annotations of what we make."""
    return {RUNNER: runner, ATTEMPT: str(target.attempt), COMMIT: target.commit}


def is_current_attempt(standing: Mapping[str, Any], target: DeploymentTarget) -> bool:
    """Tell whether what stands there is this attempt of this run, and stays."""
    metadata = obj(standing, "metadata")
    return (
        obj(metadata, "labels").get(RUN) == str(target.run_id)
        and obj(metadata, "annotations").get(ATTEMPT) == str(target.attempt)
        and "deletionTimestamp" not in metadata
    )


def obj(thing: Mapping[str, Any], *names: str) -> Json:
    """Return an object within an object, however deep; where there is none, an empty one."""
    at: Any = thing
    for name in names:
        at = at.get(name) if isinstance(at, dict) else None
    return at if isinstance(at, dict) else {}


def objects(thing: Mapping[str, Any], name: str) -> list[Json]:
    """Return the objects of a list within an object."""
    found = thing.get(name)
    return [each for each in found if isinstance(each, dict)] if isinstance(found, list) else []
