"""The drivers in a real runner process that is killed while it requests a deployment: one deployment, and none left over."""

import base64
import shutil
from collections.abc import Callable
from typing import Any

import pytest

from tests.collect.pprof_servers import Answering, Asked, Reply
from tests.drivers import cluster_double, github_double
from tests.drivers.cluster_double import DEPLOYMENTS, ClusterDouble, original
from tests.drivers.github_double import GitHubDouble
from tests.drivers.published_schemas import Published
from tests.drivers.test_webhook import SECRET, Receiver
from tests.runner.probe_server_double import ProbeServerDouble, lease, lending
from tests.runner.test_probe_lifecycle import Here, here  # noqa: F401 - pytest finds fixtures by name
from tests.support.git_repositories import new_repository

pytestmark = pytest.mark.processes

PORT = '["sh", "-c", "echo {port}"]'


@pytest.fixture(autouse=True)
def secrets(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLUSTER_TOKEN", cluster_double.TOKEN)
    monkeypatch.setenv("GITHUB_TOKEN", github_double.TOKEN)
    monkeypatch.setenv("SLOWPATH_WEBHOOK_SECRET", SECRET)
    assert base64.b64decode(SECRET.removeprefix("whsec_"))


def killing_at(here: Here, asks_for_a_deploy: Callable[[Asked], bool]) -> Callable[[Asked], Reply | None]:  # noqa: F811
    """Kill the runner at its first deployment request; the request is processed all the same."""
    killed: list[Asked] = []

    def first(asked: Asked) -> None:
        if not killed and asks_for_a_deploy(asked):
            killed.append(asked)
            here.kill()

    return first


def lived(here: Here, lender: ProbeServerDouble, run_id: str, deploy: str) -> dict[str, Any]:  # noqa: F811
    """Start the runner, once more when it was killed, and wait for the end of the run."""
    here.start(lender, deploy=deploy, measure=PORT)
    lender.until(lambda: here.child is None)
    here.start(lender, deploy=deploy, measure=PORT)
    end = lender.until_ended(run_id, 60)
    assert here.stop() == 0
    assert end["outcome"] == "done", here.log.read_text()
    [window] = lender.windows[run_id].values()
    return window


def test_kubernetes(here: Here) -> None:  # noqa: F811
    cluster = ClusterDouble(eager=True)
    cluster.put(f"{DEPLOYMENTS}/ingester", original())
    cluster.first = killing_at(here, lambda asked: asked.method == "PATCH")
    published = Published.of("kubernetes")
    one = lease()
    with Answering(published.checked(cluster)) as server, lending(one) as lender:
        deploy = f"""driver = "kubernetes"
api = "http://{server.address}"
namespace = "checkout"
token_env = "CLUSTER_TOKEN"
deployment = "ingester"
image = "images.example.com/ingester:{{build}}"
poll_seconds = 0.1"""
        assert lived(here, lender, one["run_id"], deploy)["value"] == 8080.0
    assert cluster.made == [f"{DEPLOYMENTS}/ingester", f"{DEPLOYMENTS}/ingester-slowpath-0"]
    assert set(cluster.things) == {f"{DEPLOYMENTS}/ingester"}
    assert published.faults == []


def test_github(here: Here) -> None:  # noqa: F811
    host = GitHubDouble(ending="success")
    host.first = killing_at(here, lambda asked: asked.method == "POST")
    published = Published.of("github")
    one = lease()
    with Answering(published.checked(host)) as server, lending(one) as lender:
        deploy = f"""driver = "github"
api = "http://{server.address}"
repository = "acme/checkout"
workflow = "slowpath.yml"
stays = false
url = "http://probe-{{slot}}.lab.example:9090"
poll_seconds = 1"""
        assert lived(here, lender, one["run_id"], deploy)["value"] == 9090.0
    assert [each["action"] for each in host.inputs] == ["deploy", "restore"]
    assert published.faults == []


def test_webhook(here: Here) -> None:  # noqa: F811
    receiver = Receiver(answer={"state": "ready", "url": "http://10.0.0.7:7070"})
    killed = killing_at(here, lambda asked: b"slowpath.deploy" in asked.body)
    one = lease()

    def receiving(asked: Asked) -> Reply:
        killed(asked)
        return receiver(asked)

    with Answering(receiving) as server, lending(one) as lender:
        deploy = f'driver = "webhook"\nto = "http://{server.address}/slowpath"\npoll_seconds = 0.1'
        assert lived(here, lender, one["run_id"], deploy)["value"] == 7070.0
    assert [each["run_id"] for each in receiver.deployed] == [one["run_id"]]
    assert receiver.seen == [f"{one['run_id']}-1"] * 2
    assert receiver.running == set()


LOOPS = "".join(f"	for i := range n {{\n		n ^= i * {n}\n	}}\n" for n in range(12))
SERVICE = "package main\n\nfunc main() { println(step(3)) }\n\nfunc step(n int) int {\n%s	return n\n}\n"
COMPILED_BY: dict[str, str] = {
    "kubernetes": """driver = "kubernetes"
api = "http://{address}"
namespace = "checkout"
token_env = "CLUSTER_TOKEN"
deployment = "ingester"
image = "images.example.com/ingester:{{build}}"
""",
    "github": """driver = "github"
api = "http://{address}"
repository = "acme/checkout"
workflow = "slowpath.yml"
url = "http://probe-{{slot}}.lab.example:9090"
""",
    "webhook": 'driver = "webhook"\nto = "http://{address}/slowpath"',
}


@pytest.mark.skipif(shutil.which("go") is None, reason="no go")
@pytest.mark.parametrize("driver", COMPILED_BY)
def test_a_culprit_is_compiled_with_any_driver_and_nothing_is_deployed(here: Here, driver: str) -> None:  # noqa: F811
    """`checkout = false`: the deployment is built elsewhere, but the runner has the repository."""
    repository = new_repository(here.folder / "mono")
    mod = {"go.mod": "module example.org/mono\n\ngo 1.22\n"}
    before = repository.commit({**mod, "cmd/service/main.go": SERVICE % ""})
    culprit = repository.commit({"cmd/service/main.go": SERVICE % LOOPS})
    inputs: dict[str, Any] = {"modules": {}, "versions": {}, "settings": {}}
    one = lease(
        purpose="compile",
        build={"commit": culprit, **inputs},
        compile={"base": {"commit": before, **inputs}, "package": "cmd/service", "tags": []},
    )
    cluster, host, receiver = ClusterDouble(eager=True), GitHubDouble(ending="success"), Receiver()
    cluster.put(f"{DEPLOYMENTS}/ingester", original())
    target: dict[str, Callable[[Asked], Reply]] = {"kubernetes": cluster, "github": host, "webhook": receiver}

    with Answering(target[driver]) as server, lending(one) as lender:
        deploy = COMPILED_BY[driver].format(address=server.address)
        here.start(lender, deploy=deploy, measure=PORT, repository=repository.folder)
        end = lender.until_ended(one["run_id"], 60)
        assert here.stop() == 0
    assert end["outcome"] == "done", here.log.read_text()
    assert lender.introduced[0]["can_compile"] is True
    [reason] = [each for each in lender.decisions[one["run_id"]] if each["function"] == "main.step"]
    assert "exceeds budget 80" in reason["candidate"]
    assert (cluster.made, host.inputs, receiver.deployed) == ([f"{DEPLOYMENTS}/ingester"], [], [])
