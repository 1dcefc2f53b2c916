"""A cluster for tests: the part of an API server that the drivers use, on loopback, and controllers driven by the test."""

import itertools
import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final
from urllib.parse import parse_qs, urlsplit

from tests.collect.pprof_servers import Asked, Reply

Json = dict[str, Any]
NAMESPACE: Final = "checkout"
TOKEN: Final = "cluster-token"
DEPLOYMENTS: Final = f"/apis/apps/v1/namespaces/{NAMESPACE}/deployments"
PODS: Final = f"/api/v1/namespaces/{NAMESPACE}/pods"
LISTS: Final = {
    DEPLOYMENTS: ("apps/v1", "Deployment"),
    PODS: ("v1", "Pod"),
}
AT: Final = "2026-03-01T10:00:00Z"


@dataclass
class ClusterDouble:
    """The objects of the cluster by path. `first` responds before anything else when it returns something."""

    things: dict[str, Json] = field(default_factory=dict)
    denied: set[tuple[str, str]] = field(default_factory=set)
    made: list[str] = field(default_factory=list)
    first: Callable[[Asked], Reply | None] = lambda _: None
    lose: set[str] = field(default_factory=set)
    """Methods whose next response is cut off after the request was processed."""
    linger: int = 1
    """How often what is being deleted, and then its pods, are still seen."""
    page: int = 500
    eager: bool = False
    """Whether Deployments are available as soon as they are applied."""
    _uids: "itertools.count[int]" = field(default_factory=lambda: itertools.count(1))
    _seen: dict[str, int] = field(default_factory=dict)

    def __call__(self, asked: Asked) -> Reply:
        early = self.first(asked)
        if early is not None:
            return early
        if asked.headers.get("authorization") != f"Bearer {TOKEN}":
            return problem(401, "Unauthorized", "Unauthorized")
        url = urlsplit(asked.path)
        reply = self._answer(asked, url.path, {key: values[0] for key, values in parse_qs(url.query).items()})
        if asked.method in self.lose:
            self.lose.discard(asked.method)
            return Reply(reply.status, b"{", cut=True)
        return reply

    def _answer(self, asked: Asked, path: str, query: dict[str, str]) -> Reply:
        if path.endswith("/selfsubjectaccessreviews"):
            return self._review(json.loads(asked.body))
        self._pass(path)
        if path in LISTS and asked.method == "GET":
            return self._list(path, query)
        if asked.method == "PATCH" and "fieldManager" not in query:
            return problem(400, "BadRequest", "fieldManager: Required value: is required for apply patch")
        if asked.method == "PATCH":
            return self._apply(path, json.loads(asked.body))
        if path not in self.things:
            return problem(404, "NotFound", f"{path.rsplit('/', 1)[1]} not found")
        return (
            self._delete(path, json.loads(asked.body))
            if asked.method == "DELETE"
            else json_reply(200, self.things[path])
        )

    def _review(self, review: Json) -> Reply:
        expected = review["spec"]["resourceAttributes"]
        allowed = (expected["verb"], expected["resource"]) not in self.denied
        return json_reply(201, review | {"status": {"allowed": allowed}})

    def _list(self, path: str, query: dict[str, str]) -> Reply:
        label, _, value = query.get("labelSelector", "").partition("=")
        found = [
            each
            for at, each in sorted(self.things.items())
            if at.startswith(f"{path}/") and (not label or each["metadata"].get("labels", {}).get(label) == value)
        ]
        start = int(query.get("continue", "0"))
        version, kind = LISTS[path]
        metadata = {"resourceVersion": "1"} | (
            {"continue": str(start + self.page)} if len(found) > start + self.page else {}
        )
        left_out = {"apiVersion", "kind"}  # as lists of its own kinds have it
        items = [{k: v for k, v in each.items() if k not in left_out} for each in found[start : start + self.page]]
        return json_reply(200, {"apiVersion": version, "kind": f"{kind}List", "metadata": metadata, "items": items})

    def _apply(self, path: str, thing: Json) -> Reply:
        wrong = refused(thing)
        if wrong is not None:
            return problem(422, "Invalid", wrong)
        standing = self.things.get(path)
        if standing is None:
            made = self.put(path, thing)
            if self.eager:
                self.roll_out(path)
            return json_reply(201, made)
        if standing["spec"].get("selector") != thing["spec"].get("selector"):
            return problem(422, "Invalid", "spec.selector: Invalid value: field is immutable")
        return json_reply(200, standing)

    def put(self, path: str, thing: Json) -> Json:
        """Have it stand there, as if made now."""
        self.made.append(path)
        stored: Json = json.loads(json.dumps(thing))
        stored["metadata"] |= {
            "uid": f"uid-{next(self._uids)}",
            "generation": 1,
            "resourceVersion": "1",
            "creationTimestamp": AT,
        }
        self.things[path] = stored
        return stored

    def _delete(self, path: str, options: Json) -> Reply:
        metadata = self.things[path]["metadata"]
        expected = options.get("preconditions", {}).get("uid", metadata["uid"])
        if expected != metadata["uid"]:
            return problem(409, "Conflict", "Precondition failed: UID in precondition does not match")
        metadata["deletionTimestamp"] = AT
        self._seen[path] = self.linger
        return json_reply(200, {"apiVersion": "v1", "kind": "Status", "status": "Success"})

    def _pass(self, path: str) -> None:
        for leaving in [at for at in self._seen if at == path or at.startswith(f"{path}/")]:
            self._seen[leaving] -= 1
            if self._seen[leaving] < 0:
                del self._seen[leaving]
                gone = self.things.pop(leaving, None)
                if gone is not None and not leaving.startswith(PODS):
                    self._drop_pods(gone["metadata"].get("labels", {}).get("slowpath-run"))

    def _drop_pods(self, run_id: str | None) -> None:
        for at, pod in self.things.items():
            if at.startswith(PODS) and pod["metadata"]["labels"].get("slowpath-run") == run_id:
                self._seen[at] = self.linger

    # --- what controllers and kubelets do

    def pod(self, owner: str, status: Json, *, name: str = "a", template: Json | None = None) -> None:
        """Have a pod of a workload stand in this state."""
        used = template or self.things[owner]["spec"]["template"]
        full = f"{owner.rsplit('/', 1)[1]}-{name}"
        pod = {
            "apiVersion": "v1", "kind": "Pod", "metadata": {"name": full, "labels": used["metadata"]["labels"]},
            "spec": used["spec"], "status": status,
        }  # fmt: skip
        self.things[f"{PODS}/{full}"] = json.loads(json.dumps(pod))

    def roll_out(self, path: str) -> None:
        """Have a Deployment be available, with one pod for each replica."""
        expected = self.things[path]["spec"]["replicas"]
        for number in range(expected):
            self.pod(path, running(f"10.0.0.{number + 1}"), name=str(number))
        self.things[path]["status"] = {
            "observedGeneration": 1, "replicas": expected, "updatedReplicas": expected, "readyReplicas": expected,
            "availableReplicas": expected, "conditions": [condition("Available", "True", "MinimumReplicasAvailable", "")],
        }  # fmt: skip


def refused(thing: Json) -> str | None:
    """What the API server refuses though the schema allows it: names, labels, selectors that do not select their own pods."""
    metadata = thing["metadata"]
    if not re.fullmatch(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*", metadata["name"]):
        return f"metadata.name: Invalid value: {metadata['name']!r}"
    spec = thing["spec"]
    for side in spec.get("templates", [spec]):
        labels = side["template"]["metadata"]["labels"]
        if not side["selector"]["matchLabels"].items() <= labels.items():
            return "spec.template.metadata.labels: Invalid value: `selector` does not match template `labels`"
        for value in (*labels.values(), *metadata["labels"].values()):
            if len(value) > 63 or not re.fullmatch(r"([A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?)?", value):
                return f"metadata.labels: Invalid value: {value!r}"
    if spec.get("progressDeadlineSeconds", 600) <= spec.get("minReadySeconds", 0):
        return "spec.progressDeadlineSeconds: must be greater than minReadySeconds"
    return None


def json_reply(status: int, thing: Json) -> Reply:
    return Reply(status, json.dumps(thing).encode(), {"Content-Type": "application/json"})


def problem(code: int, reason: str, message: str) -> Reply:
    return json_reply(
        code,
        {"apiVersion": "v1", "kind": "Status", "status": "Failure", "reason": reason, "message": message, "code": code},
    )


def condition(kind: str, status: str, reason: str, message: str) -> Json:
    return {"type": kind, "status": status, "reason": reason, "message": message, "lastTransitionTime": AT}


def container(state: Json, *, restarts: int = 0, last: Json | None = None, ready: bool = False) -> Json:
    """The status of a container."""
    return {
        "name": "ingester", "image": "images.example.com/ingester:x", "imageID": "images.example.com/ingester@sha256:0ab1",
        "ready": ready, "restartCount": restarts, "state": state, "lastState": last or {},
    }  # fmt: skip


def running(address: str) -> Json:
    ready = {"type": "Ready", "status": "True", "lastTransitionTime": AT}
    container_status = container({"running": {"startedAt": AT}}, ready=True)
    return {"phase": "Running", "podIP": address, "conditions": [ready], "containerStatuses": [container_status]}


def waiting(reason: str, message: str, *, restarts: int = 0, last: Json | None = None) -> Json:
    state = {"waiting": {"reason": reason, "message": message}}
    return {"phase": "Pending", "containerStatuses": [container(state, restarts=restarts, last=last)]}


def original() -> Json:
    """The Deployment of the service, as returned by the API server."""
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {
            "name": "ingester",
            "namespace": NAMESPACE,
            "labels": {"app": "ingester", "app.kubernetes.io/instance": "checkout"},
            "annotations": {
                "deployment.kubernetes.io/revision": "42",
                "argocd.argoproj.io/tracking-id": "checkout:apps/Deployment",
            },
            "ownerReferences": [{"apiVersion": "x.example/v1", "kind": "App", "name": "checkout", "uid": "7"}],
        },
        "spec": {
            "replicas": 12,
            "selector": {"matchLabels": {"app": "ingester"}},
            "strategy": {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": "25%", "maxUnavailable": 0}},
            "minReadySeconds": 5,
            "revisionHistoryLimit": 10,
            "progressDeadlineSeconds": 600,
            "template": {
                "metadata": {
                    "labels": {"app": "ingester", "tier": "backend"},
                    "annotations": {"prometheus.io/scrape": "true", "kubectl.kubernetes.io/restartedAt": AT},
                },
                "spec": {
                    "containers": [
                        {
                            "name": "ingester",
                            "image": "images.example.com/ingester:1f0e",
                            "args": ["-listen", ":8080"],
                            "env": [{"name": "VERSION", "value": "1f0e"}, {"name": "GOGC", "value": "100"}],
                            "ports": [
                                {"name": "dns", "containerPort": 53, "protocol": "UDP"},
                                {"containerPort": 8080, "protocol": "TCP"},
                            ],
                            "resources": {"limits": {"cpu": "2", "memory": "1Gi"}},
                            "readinessProbe": {"httpGet": {"path": "/ready", "port": 8080}, "periodSeconds": 1},
                        }
                    ],
                    "restartPolicy": "Always",
                    "terminationGracePeriodSeconds": 30,
                },
            },
        },
        "status": {"observedGeneration": 1, "replicas": 12},
    }
