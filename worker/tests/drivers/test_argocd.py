"""The driver of Argo CD, against an API server on loopback that is held to Argo CD's CRD, as we are."""

import json
from collections.abc import Iterator
from typing import Any, Final

import pytest

from slowpath_cli.runner.building import BuiltFirst
from slowpath_cli.runner.driver import BadSection, DeployFailed, DriverError, Place, Status
from slowpath_cli.runner.drivers import argocd
from tests.collect.servers import Answering, Asked, Reply
from tests.drivers import clusters
from tests.drivers.clusters import AT, NAMESPACE, TOKEN, ClusterDouble, problem, told
from tests.drivers.published import Published
from tests.drivers.targets import COMMIT, OTHER_RUN, OVERRIDES, RUN, target

APPLICATIONS: Final = f"/apis/argoproj.io/v1alpha1/namespaces/{NAMESPACE}/applications"
SLOT: Final = f"{APPLICATIONS}/ingester-lab-0"
OLD: Final = "images.example.com/ingester:1f0e"
LATER: Final = "2026-03-01T10:00:05Z"


class ArgoCDDouble(ClusterDouble):
    """With merge patches bound to a version, and a controller that works off one operation when a test says so."""

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
        if _state(self)["phase"] == "Terminating":
            phase, message = "Failed", "Operation terminated"
        ended = {"phase": phase, "message": message, "finishedAt": AT}
        self.changed(SLOT, {"operation": None, "status": {"operationState": ended}})
        self.look(health)

    def look(self, health: str, sync: str = "Synced", at: str = LATER) -> None:
        """Compare what stands with what is wanted."""
        spec = self.things[SLOT]["spec"]
        compared = {"source": spec["source"], "destination": spec["destination"]}
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


def _state(cluster: ArgoCDDouble) -> dict[str, Any]:
    found: dict[str, Any] = cluster.things[SLOT]["status"]["operationState"]
    return found


def _source(cluster: ArgoCDDouble) -> dict[str, Any]:
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


@pytest.fixture
def cluster(monkeypatch: pytest.MonkeyPatch) -> ArgoCDDouble:
    monkeypatch.setitem(clusters.LISTS, APPLICATIONS, ("argoproj.io/v1alpha1", "Application"))
    double = ArgoCDDouble()
    double.put(SLOT, application())
    double.made.clear()
    return double


@pytest.fixture
def api(cluster: ArgoCDDouble) -> Iterator[str]:
    published = Published.of("argocd", "kubernetes")
    with Answering(published.checked(cluster)) as server:
        yield f"http://{server.address}"
    assert published.faults == []


@pytest.fixture(autouse=True)
def token(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLUSTER_TOKEN", TOKEN)


def section(api: str, **more: Any) -> dict[str, Any]:  # noqa: ANN401 - as TOML has it
    usual = {
        "driver": "argocd", "api": api, "namespace": NAMESPACE, "token_env": "CLUSTER_TOKEN",
        "application": "ingester-lab-{slot}", "image": "images.example.com/ingester:{build}",
        "url": "http://ingester-lab-{slot}.example:8080",
    }  # fmt: skip
    return {key: value for key, value in (usual | more).items() if value is not None}


def driver_at(api: str, place: Place, **more: Any) -> argocd.ArgoCD:  # noqa: ANN401 - as TOML has it
    made = argocd.read(section(api, **more), place)
    assert isinstance(made, argocd.ArgoCD)
    made.cluster._pause = made.cluster._outside._pause = made.pause = lambda _: None
    return made


@pytest.fixture
def driver(api: str, place: Place) -> argocd.ArgoCD:
    return driver_at(api, place)


def working(driver: argocd.ArgoCD, cluster: ArgoCDDouble) -> None:
    """Have the controller work whenever the driver waits."""

    def work(_: float) -> None:
        thing = cluster.things[SLOT]
        if "operation" in thing:
            picked = thing["status"].get("operationState", {}).get("operation") == thing["operation"]
            (cluster.end if picked else cluster.begin)()

    driver.pause = work


def test_a_build_is_set_and_synced_and_set_back(driver: argocd.ArgoCD, cluster: ArgoCDDouble) -> None:
    driver.prepare()
    handle = json.loads(json.dumps(driver.deploy(target())))
    made = cluster.things[SLOT]
    assert _source(cluster)["kustomize"] == {
        "namePrefix": "lab-", "images": ["redis:7", f"images.example.com/ingester:{COMMIT}"],
    }  # fmt: skip
    assert made["operation"]["sync"] == {"prune": False, "syncOptions": ["ServerSideApply=true"]}
    assert made["metadata"]["annotations"]["slowpath-runner"] == "lab"
    assert driver.status(handle, None) == Status("rolling", "the sync is not begun yet")
    cluster.begin()
    assert driver.status(handle, None).detail.startswith("sync Running: applying")
    cluster.changed(
        SLOT, {"operation": None, "status": {"operationState": {"phase": "Succeeded", "finishedAt": LATER}}}
    )
    assert driver.status(handle, None).state == "rolling", "what was seen is of before"
    cluster.look("Progressing")
    assert driver.status(handle, None).state == "rolling"
    cluster.look("Healthy", sync="OutOfSync")
    assert driver.status(handle, None).state == "rolling"
    cluster.look("Healthy")
    assert driver.status(handle, None) == Status("ready")
    assert driver.endpoints(handle) == {
        "name": "ingester-lab-0", "url": "http://ingester-lab-0.example:8080", "host": "ingester-lab-0.example", "port": "8080",
    }  # fmt: skip
    working(driver, cluster)
    driver.restore(RUN)
    assert cluster.things[SLOT]["spec"] == application()["spec"]
    assert cluster.things[SLOT]["metadata"]["labels"] == {"team": "a"}
    assert cluster.things[SLOT]["metadata"]["annotations"] == {"note": "x"}
    assert cluster.made == [f"{RUN} 1", f"{RUN} restore"]
    driver.restore(RUN)
    driver.restore(OTHER_RUN)
    assert len(cluster.made) == 2


@pytest.mark.parametrize(
    ("more", "before", "wanted"),
    [
        (
            {"helm": {"image.tag": "{build}", "image.name": "{image}"}},
            {"helm": {"parameters": [{"name": "image.tag", "value": "1f0e"}, {"name": "x", "value": "1"}]}},
            {"helm": {"parameters": [
                {"name": "x", "value": "1"}, {"name": "image.tag", "value": COMMIT, "forceString": True},
                {"name": "image.name", "value": f"images.example.com/ingester:{COMMIT}", "forceString": True},
            ]}},
        ),
        ({"helm": {"tag": "{build}"}, "image": None}, {}, {"helm": {"parameters": [{"name": "tag", "value": COMMIT, "forceString": True}]}}),
        ({"image": None, "revision": "{commit}"}, {"targetRevision": "main"}, {"targetRevision": COMMIT}),
        ({"replaces": "ingester"}, {"kustomize": {"images": ["ingester=x:1"]}}, {"kustomize": {"images": [f"ingester=images.example.com/ingester:{COMMIT}"]}}),
        ({}, {}, {"kustomize": {"images": [f"images.example.com/ingester:{COMMIT}"]}}),
    ],
)  # fmt: skip
def test_what_is_set_and_put_back(
    api: str, place: Place, cluster: ArgoCDDouble, more: dict[str, Any], before: dict[str, Any], wanted: dict[str, Any]
) -> None:
    plain = {"repoURL": "https://code.example.com/acme/deploys", "path": "lab"}
    cluster.things[SLOT]["spec"]["source"] = plain | before
    driver = driver_at(api, place, **more)
    driver.deploy(target())
    assert _source(cluster) == plain | before | wanted
    cluster.changed(SLOT, {"spec": {"source": {"path": "other"}}})
    working(driver, cluster)
    driver.restore(RUN)
    assert _source(cluster) == plain | before | {"path": "other"}


def test_a_sync_is_asked_for_once(driver: argocd.ArgoCD, cluster: ArgoCDDouble) -> None:
    cluster.lose.add("PATCH")
    handles = [driver.deploy(target()) for _ in range(2)]
    assert handles[0] == handles[1]
    assert cluster.made == [f"{RUN} 1"]
    with pytest.raises(DeployFailed, match="still set to another run, of the runner lab") as found:
        driver.deploy(target(run_id=OTHER_RUN))
    assert found.value.passing
    with pytest.raises(DeployFailed, match="still set to another run"):
        driver.deploy(target(attempt=2))


def test_what_changes_while_it_is_read_is_read_again(driver: argocd.ArgoCD, cluster: ArgoCDDouble) -> None:
    def meddle(asked: Asked) -> Reply | None:
        if asked.method == "PATCH":
            cluster.first = lambda _: None
            cluster.changed(SLOT, {"spec": {"source": {"kustomize": {"images": ["redis:8"]}}}})
        return None

    cluster.first = meddle
    driver.deploy(target())
    assert _source(cluster)["kustomize"]["images"][0] == "redis:8"
    assert cluster.made == [f"{RUN} 1"]
    cluster.put(SLOT, application())
    cluster.first = lambda asked: problem(409, "Conflict", "again") if asked.method == "PATCH" else None
    with pytest.raises(DeployFailed, match="changes all the time"):
        driver.deploy(target())


@pytest.mark.parametrize("phase", ["Failed", "Error"])
def test_a_sync_that_failed(driver: argocd.ArgoCD, cluster: ArgoCDDouble, phase: str) -> None:
    handle = driver.deploy(target())
    cluster.begin()
    cluster.end(phase, "one or more objects failed to apply", health="Missing")
    found = driver.status(handle, Status("ready"))
    assert found.state == "failed"
    assert found.detail.startswith(f"sync {phase}: one or more objects failed to apply")


def test_what_fails_after_the_sync(driver: argocd.ArgoCD, cluster: ArgoCDDouble) -> None:
    handle = driver.deploy(target())
    assert driver.status(handle, Status("unbuildable", "no")) == Status("unbuildable", "no")
    cluster.begin()
    cluster.end(health="Degraded")
    assert driver.status(handle, None).state == "failed"
    cluster.look("Healthy")
    assert driver.status(handle, None).state == "ready"
    cluster.first = lambda _: problem(503, "ServiceUnavailable", "etcd leader changed")
    assert driver.status(handle, None).state == "ready"
    cluster.first = lambda _: None
    cluster.changed(SLOT, {"operation": {"sync": {}, "info": [{"name": "reason", "value": "by hand"}]}})
    cluster.begin()
    assert driver.status(handle, None) == Status("failed", "the Application ingester-lab-0 was synced by others")
    cluster.changed(SLOT, {"metadata": {"labels": {"slowpath-run": str(OTHER_RUN)}}})
    assert driver.status(handle, None).detail.endswith("is gone, or another's")


def test_a_sync_under_way_is_ended_before_it_is_set_back(driver: argocd.ArgoCD, cluster: ArgoCDDouble) -> None:
    driver.deploy(target())
    cluster.begin()
    phases = []

    def work(_: float) -> None:
        phases.append(_state(cluster)["phase"])
        if "operation" in cluster.things[SLOT]:
            (cluster.begin if _state(cluster)["operation"] != cluster.things[SLOT]["operation"] else cluster.end)()

    driver.pause = work
    driver.restore(RUN)
    assert phases[0] == "Terminating"
    assert cluster.things[SLOT]["spec"] == application()["spec"]
    assert cluster.made == [f"{RUN} 1", f"{RUN} restore"]


def test_what_can_not_be_synced_back_is_said_and_tried_again(driver: argocd.ArgoCD, cluster: ArgoCDDouble) -> None:
    driver.deploy(target())

    def work(_: float) -> None:
        if "operation" in cluster.things[SLOT]:
            cluster.begin()
            cluster.end("Failed", "quota exceeded")

    driver.pause = work
    with pytest.raises(DeployFailed, match=r"What stood before could not be synced: .*quota exceeded") as found:
        driver.restore(RUN)
    assert found.value.passing
    assert cluster.made == [f"{RUN} 1", *[f"{RUN} restore"] * 5]
    moments = iter(range(0, 10_000, 100))
    driver.now, driver.pause = lambda: next(moments), lambda _: None
    with pytest.raises(DeployFailed, match="is not set back within 180 s"):
        driver.restore(RUN)
    working(driver, cluster)
    driver.now = lambda: 0.0
    driver.restore(RUN)
    assert cluster.things[SLOT]["spec"] == application()["spec"]


def test_what_stops_every_deploy_is_said_before_the_first(api: str, place: Place, cluster: ArgoCDDouble) -> None:
    cluster.denied = {("patch", "applications")}
    with pytest.raises(DriverError, match=r"patch applications\.argoproj\.io in checkout"):
        driver_at(api, place).prepare()
    cluster.denied = set()
    with pytest.raises(DeployFailed, match="no Application other-0 in checkout"):
        driver_at(api, place, application="other-{slot}").prepare()
    cluster.changed(SLOT, {"spec": {"syncPolicy": {"automated": {"prune": True}}}})
    with pytest.raises(DeployFailed, match="syncs by itself"):
        driver_at(api, place).prepare()
    del cluster.things[SLOT]["spec"]["source"]
    with pytest.raises(DeployFailed, match="several sources, or none"):
        driver_at(api, place).prepare()


def test_what_others_do_with_it_is_not_disturbed(api: str, place: Place, cluster: ArgoCDDouble) -> None:
    driver = driver_at(api, place, image="images.example.com/ingester:{commit}")
    with pytest.raises(DeployFailed, match=r"replaces example\.com/libx"):
        driver.deploy(target(overrides=OVERRIDES))
    cluster.changed(SLOT, {"operation": {"sync": {}}})
    with pytest.raises(DeployFailed, match="being synced by others") as found:
        driver.deploy(target())
    assert found.value.passing
    cluster.changed(SLOT, {"metadata": {"deletionTimestamp": AT}})
    with pytest.raises(DeployFailed, match="being deleted"):
        driver.deploy(target())
    cluster.first = lambda asked: problem(403, "Forbidden", "no") if asked.method == "PATCH" else None
    cluster.put(SLOT, application())
    with pytest.raises(DeployFailed, match="answers 403"):
        driver.deploy(target())


def test_it_may_build_first(api: str, place: Place) -> None:
    assert isinstance(argocd.read(section(api, build=["./image.sh", "{image}"]), place), BuiltFirst)


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"application": "ingester"}, "every slot has its own"),
        ({"url": "http://ingester.example"}, "every slot has its own"),
        ({"url": "{slot}"}, "is not an address"),
        ({"image": "images.example.com/ingester:1"}, "what differs by build"),
        ({"image": None}, "what differs by build"),
        ({"helm": {"tag": "1"}}, "what differs by build"),
        ({"image": None, "helm": {"tag": "{image}"}}, r"has \{image\}"),
        ({"image": None, "revision": "{commit}", "build": ["./image.sh"]}, "build needs image"),
        ({"name": "x"}, "does not know 'name'"),
    ],
)
def test_a_section_that_can_not_be_meant_is_refused(place: Place, more: dict[str, Any], said: str) -> None:
    with pytest.raises(BadSection, match=said):
        argocd.read(section("https://127.0.0.1:9", **more), place)
