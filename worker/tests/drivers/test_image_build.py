"""Images built by a command before they are deployed: real processes, and a cluster on loopback."""

import json
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from slowpath_cli.runner.core.driver_interface import (
    BuildFailed,
    DeploymentDriver,
    DeploymentFailed,
    DeploymentStatus,
    DeploymentTarget,
    DriverEnvironment,
    Handle,
    InvalidDriverConfig,
    ModuleOverride,
)
from slowpath_cli.runner.drivers import read_driver
from slowpath_cli.runner.drivers.image_build import BuildThenDeployDriver, dump_target, load_target
from tests.collect.pprof_servers import Answering
from tests.drivers.cluster_double import DEPLOYMENTS, NAMESPACE, TOKEN, ClusterDouble, original
from tests.drivers.deploy_targets import COMMIT, LIBRARY, RUN, target
from tests.drivers.published_schemas import Published

pytestmark = pytest.mark.processes

CLONE = f"{DEPLOYMENTS}/ingester-slowpath-0"


@pytest.fixture
def cluster() -> ClusterDouble:
    double = ClusterDouble()
    double.put(f"{DEPLOYMENTS}/ingester", original())
    double.made.clear()
    return double


@pytest.fixture
def api(cluster: ClusterDouble, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    monkeypatch.setenv("CLUSTER_TOKEN", TOKEN)
    published = Published.of("kubernetes")
    with Answering(published.checked(cluster)) as server:
        yield f"http://{server.address}"
    assert published.faults == []


def driver_at(api: str, place: DriverEnvironment, script: str, **more: Any) -> DeploymentDriver:  # noqa: ANN401 - as TOML has it
    section = {
        "api": api, "namespace": NAMESPACE, "token_env": "CLUSTER_TOKEN", "deployment": "ingester",
        "image": "images.example.com/ingester:{build}", "build": [sys.executable, "-c", script, "{image}", "{commit}"],
    }  # fmt: skip
    return read_driver("kubernetes", section | more, place)


def ended(driver: DeploymentDriver, handle: Handle) -> DeploymentStatus:
    """Ask until the building is over."""
    for _ in range(400):
        found = driver.status(handle, None)
        if found.state != "building":
            return found
        time.sleep(0.02)
    raise AssertionError(found)


def of(tmp_path: Path, **changes: Any) -> DeploymentTarget:  # noqa: ANN401 - any field of a target
    (tmp_path / "out").mkdir(exist_ok=True)
    return target(out=tmp_path / "out", **changes)


def test_an_image_is_built_once_and_then_deployed(
    api: str, place: DriverEnvironment, cluster: ClusterDouble, tmp_path: Path
) -> None:
    wait = tmp_path / "go on"
    log = tmp_path / "builds"
    script = f"""import os, sys, time
open({str(log)!r}, "a").write(" ".join(sys.argv[1:]) + "\\n")
while not os.path.exists({str(wait)!r}): time.sleep(0.01)
print("pushed")"""
    driver = driver_at(api, place, script)
    driver.prepare()
    required = of(tmp_path, overrides={"example.com/libx": ModuleOverride(commit=LIBRARY, dir=tmp_path)})
    handle = json.loads(json.dumps(driver.deploy(required)))
    assert driver.status(handle, None).state == "building"
    assert driver.endpoints(handle) == {}
    assert cluster.made == []
    again = driver_at(api, place, script)  # as after being killed
    assert json.loads(json.dumps(again.deploy(required))) == handle
    wait.touch()
    assert ended(again, handle) == DeploymentStatus("rolling", "no pod yet")
    image = cluster.things[CLONE]["spec"]["template"]["spec"]["containers"][0]["image"]
    assert log.read_text(encoding="utf-8") == f"{image} {COMMIT}\n"
    cluster.roll_out(CLONE)
    assert driver_at(api, place, script).status(handle, None).state == "ready"
    assert driver.endpoints(handle)["url"] == "http://10.0.0.1:8080"
    assert cluster.made == [CLONE]
    driver.restore(RUN)
    assert CLONE not in cluster.things
    driver.restore(RUN)


def test_an_excluded_candidate_is_not_deployed_again(
    api: str, place: DriverEnvironment, cluster: ClusterDouble, tmp_path: Path
) -> None:
    driver = driver_at(api, place, "")
    handle = driver.deploy(of(tmp_path))
    ended(driver, handle)
    del cluster.things[CLONE]
    assert driver.status(handle, None).state == "failed"
    assert cluster.made == [CLONE]


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        ("print('main.go:3: undefined: x'); raise SystemExit(125)", "main.go:3: undefined: x"),
        ("print('no space left'); raise SystemExit(1)", "exited with 1: no space left"),
    ],
)
def test_an_image_that_cannot_be_built_deploys_nothing(
    api: str, place: DriverEnvironment, cluster: ClusterDouble, tmp_path: Path, script: str, expected: str
) -> None:
    driver = driver_at(api, place, script)
    handle = driver.deploy(of(tmp_path))
    try:
        detail = ended(driver, handle).detail
    except BuildFailed as error:
        detail = str(error)
    assert expected in detail
    assert cluster.made == []
    assert isinstance(driver, BuildThenDeployDriver)
    assert script.split("'")[1] in driver.log(RUN)


def test_another_attempt_builds_anew(
    api: str, place: DriverEnvironment, cluster: ClusterDouble, tmp_path: Path
) -> None:
    log = tmp_path / "builds"
    script = f"open({str(log)!r}, 'a').write('x'); raise SystemExit(0 if len(open({str(log)!r}).read()) > 1 else 75)"
    driver = driver_at(api, place, script)
    handle = driver.deploy(of(tmp_path))
    with pytest.raises(DeploymentFailed) as found:
        ended(driver, handle)
    assert found.value.is_transient
    driver.restore(RUN)
    handle = driver.deploy(of(tmp_path, attempt=2))
    assert ended(driver, handle).state == "rolling"
    driver.restore(RUN)


def test_building_is_ended_with_its_run(api: str, place: DriverEnvironment, tmp_path: Path) -> None:
    driver = driver_at(api, place, "import time; time.sleep(600)")
    handle = driver.deploy(of(tmp_path))
    assert driver.status(handle, None).state == "building"
    driver.restore(RUN)
    assert driver.status(handle, None).state == "failed"


def test_a_target_is_written_and_read_whole(tmp_path: Path) -> None:
    overrides = {
        "a.example/b": ModuleOverride(commit=LIBRARY, dir=tmp_path),
        "c.example/d": ModuleOverride(version="v1.2.3"),
    }
    for required in (target(), target(overrides=overrides, port=8080, attempt=3, dir=tmp_path, callback=None)):
        assert load_target(json.loads(json.dumps(dump_target(required)))) == required
        assert replace(required, attempt=9) != required


def test_an_invalid_build_section_is_refused(api: str, place: DriverEnvironment) -> None:
    with pytest.raises(InvalidDriverConfig, match="nonsense"):
        driver_at(api, place, "", build=["x", "{nonsense}"])
    with pytest.raises(InvalidDriverConfig, match="a list"):
        driver_at(api, place, "", build="make image")
