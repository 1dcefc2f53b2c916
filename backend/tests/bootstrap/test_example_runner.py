"""The example is bisected by the runner of the start: from its regression to the commit, without an input."""

import os
import re
import signal
import subprocess
import time
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from bootstrap_parts import example_runner
from slowpath_cli.runner.core.driver_interface import DriverEnvironment
from slowpath_cli.runner.core.runner_config import parse_config
from slowpath_cli.runner.drivers import read_driver
from tests.bootstrap.start_process import Start, wait_until_gone

CULPRIT = "Discounts stay in the order in which they were written"
FOUND_SECONDS = 600.0
EXAMPLE_SECONDS = 240.0
"""For a start with the example, on a machine with other work."""


@pytest.fixture
def data(tmp_path: Path) -> Iterator[Path]:
    """A data folder; whatever a failing test has left running for it is ended."""
    folder = tmp_path / "data"
    yield folder
    for line in wait_until_gone(folder, 0):
        os.kill(int(line.split()[0]), signal.SIGKILL)


def test_the_runner_serves_one_repository_and_one_service(tmp_path: Path) -> None:
    config = parse_config(tomllib.loads(example_runner.make_config(tmp_path, 4711)), {}, tmp_path)
    assert dict(config.repositories) == {"": str(tmp_path / "repositories" / "quoter.git")}
    assert (config.allow.services, config.allow.modules) == (("quoter",), ())
    assert (config.slots, config.ports, dict(config.environment)) == (1, (4711,), {})
    read_driver(config.driver, config.deploy, DriverEnvironment(config.name, tmp_path, {}))


@pytest.mark.processes
@pytest.mark.takes_long
def test_a_bisect_of_the_example_s_regression_names_its_commit(data: Path) -> None:
    start = Start.begin(data, with_example=True)
    start.wait_until_ready(EXAMPLE_SECONDS)
    with httpx.Client(base_url=f"{start.address}/api/v1", headers={"Origin": start.address}, timeout=30) as client:
        sign_in(client, data)
        regression = wait_for(lambda: client.get("/regressions").json()["items"], 120)[0]
        repository = str(data / "example" / "repositories" / "quoter.git")
        command = ["git", "log", "--format=%H", "--fixed-strings", f"--grep={CULPRIT}", "main"]
        done = subprocess.run(command, cwd=repository, check=True, capture_output=True, text=True)
        elsewhere = client.post("/repositories", json={"name": "other", "url": data.as_uri()})
        assert elsewhere.json()["type"].endswith("address-local"), elsewhere.text
        # everything that the start page offers by default; less time per probe
        settings = {"warm_up_seconds": 0, "max_measurements_per_probe": 2}
        created = client.post("/bisects", json={"regression_id": regression["id"], "settings": settings})
        assert created.status_code == 201, created.text
        bisect = wait_for(lambda: ended(client, created.json()["id"]), FOUND_SECONDS)
        assert (bisect["state"], bisect["culprit"]["sha"]) == ("found", done.stdout.strip()), bisect["sentence"]
    assert start.stop(signal.SIGINT) == 0
    assert wait_until_gone(data, 1) == []


def sign_in(client: httpx.Client, data: Path) -> None:
    found = re.search(r"as (\S+) with the password (\S+)", (data / "example.txt").read_text())
    assert found is not None
    response = client.post("/session", json={"email": found[1], "password": found[2]})
    assert response.status_code == 201, response.text


def ended(client: httpx.Client, bisect_id: str) -> dict[str, Any] | None:
    bisect: dict[str, Any] = client.get(f"/bisects/{bisect_id}").json()
    return None if bisect["finished_at"] is None and bisect["state"] != "paused" else bisect


def wait_for(read: Callable[[], Any], seconds: float) -> Any:  # noqa: ANN401 - JSON
    deadline = time.monotonic() + seconds
    while not (found := read()):
        assert time.monotonic() < deadline
        time.sleep(1)
    return found
