"""Argo CD for tests: Applications in a cluster, and a controller that processes one operation when a test calls it."""

import json
from typing import Any, Final

from slowpath_cli.runner.drivers import argocd_application
from tests.collect.pprof_servers import Asked, Reply
from tests.drivers.cluster_double import AT, NAMESPACE, ClusterDouble, problem, told
from tests.drivers.deploy_targets import COMMIT

APPLICATIONS: Final = f"/apis/argoproj.io/v1alpha1/namespaces/{NAMESPACE}/applications"
SLOT: Final = f"{APPLICATIONS}/ingester-lab-0"
OLD: Final = "images.example.com/ingester:1f0e"
LATER: Final = "2026-03-01T10:00:05Z"


class ArgoCDDouble(ClusterDouble):
    """A cluster with merge patches bound to a version, and a controller that processes one operation when a test calls it."""

    def _answer(self, asked: Asked, path: str, query: dict[str, str]) -> Reply:
        if asked.headers.get("content-type") != "application/merge-patch+json":
            return super()._answer(asked, path, query)
        standing, patch = self.things[path], json.loads(asked.body)
        if patch["metadata"]["resourceVersion"] != standing["metadata"]["resourceVersion"]:
            return problem(
                409, "Conflict", "the object has been modified; please apply your changes to the latest version"
            )
        self.changed(path, patch)
        if "operation" in patch:
            self.made.append(_ours(patch["operation"]))
        return told(200, self.things[path])

    def changed(self, path: str, patch: dict[str, Any]) -> None:
        """Merge a patch, as RFC 7396 has it; the version grows."""
        version = int(self.things[path]["metadata"]["resourceVersion"]) + 1
        self.things[path] = _merged(self.things[path], patch)
        self.things[path]["metadata"]["resourceVersion"] = str(version)

    def begin(self) -> None:
        """Pick the operation up."""
        state = {
            "operation": self.things[SLOT]["operation"],
            "phase": "Running",
            "startedAt": AT,
            "message": "applying",
        }
        self.changed(SLOT, {"status": {"operationState": None}})
        self.changed(SLOT, {"status": {"operationState": state}})

    def end(self, phase: str = "Succeeded", message: str = "successfully synced", health: str = "Healthy") -> None:
        """End the operation, and look at all of it again."""
        if state_of(self)["phase"] == "Terminating":
            phase, message = "Failed", "Operation terminated"
        ended = {"phase": phase, "message": message, "finishedAt": AT}
        self.changed(SLOT, {"operation": None, "status": {"operationState": ended}})
        self.look(health)

    def look(self, health: str, sync: str = "Synced", at: str = LATER) -> None:
        """Compare the live state with the desired state."""
        spec = self.things[SLOT]["spec"]
        several = (
            {"sources": spec["sources"], "source": {"repoURL": ""}}
            if spec.get("sources")
            else {"source": spec["source"]}
        )
        compared = {**several, "destination": spec["destination"]}
        status = {
            "reconciledAt": at, "health": {"status": health, "message": f"it is {health}"},
            "sync": {"status": sync, "revision": COMMIT, "comparedTo": None},
        }  # fmt: skip
        self.changed(SLOT, {"status": status})
        self.changed(SLOT, {"status": {"sync": {"comparedTo": compared}}})


def _merged(thing: Any, patch: Any) -> Any:  # noqa: ANN401 - JSON of any shape
    if not isinstance(patch, dict):
        return patch
    kept = dict(thing) if isinstance(thing, dict) else {}
    for key, value in patch.items():
        if value is None:
            kept.pop(key, None)
        else:
            kept[key] = _merged(kept.get(key), value)
    return kept


def _ours(operation: dict[str, Any]) -> str:
    return next(str(each["value"]) for each in operation["info"] if each["name"] == "slowpath-run")


def state_of(cluster: ArgoCDDouble) -> dict[str, Any]:
    found: dict[str, Any] = cluster.things[SLOT]["status"]["operationState"]
    return found


def source_of(cluster: ArgoCDDouble) -> dict[str, Any]:
    found: dict[str, Any] = cluster.things[SLOT]["spec"]["source"]
    return found


def application() -> dict[str, Any]:
    """The Application of the first slot, synced by hand before."""
    source = {
        "repoURL": "https://code.example.com/acme/deploys", "path": "lab", "targetRevision": "main",
        "kustomize": {"namePrefix": "lab-", "images": ["redis:7", OLD]},
    }  # fmt: skip
    destination = {"server": "https://kubernetes.default.svc", "namespace": "lab-0"}
    return {
        "apiVersion": "argoproj.io/v1alpha1", "kind": "Application",
        "metadata": {"name": "ingester-lab-0", "namespace": NAMESPACE, "labels": {"team": "a"}, "annotations": {"note": "x"}},
        "spec": {
            "project": "lab", "source": source, "destination": destination,
            "syncPolicy": {"syncOptions": ["ServerSideApply=true"]},
        },
        "status": {"health": {"status": "Healthy"}, "sync": {"status": "Synced"}, "reconciledAt": AT},
    }  # fmt: skip


def working(driver: argocd_application.ArgoCdDriver, cluster: ArgoCDDouble) -> None:
    """Have the controller work whenever the driver waits."""

    def work(_: float) -> None:
        thing = cluster.things[SLOT]
        if "operation" in thing:
            picked = thing["status"].get("operationState", {}).get("operation") == thing["operation"]
            (cluster.end if picked else cluster.begin)()

    driver.pause = work
