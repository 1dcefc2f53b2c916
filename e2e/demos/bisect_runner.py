"""The runner of the bisect demo: configuration, token, and process."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from demos.example_pipeline import free_ports
from example.bisects.generated_histories import Histories
from example.bisects.split_repositories import MONO
from support.demo_user import DemoUser

SLOTS = 2
"""One slot for the control, and one for the probes."""
CLOSING_SECONDS = 30.0


def token_of(person: DemoUser) -> str:
    """Create an API token with only the scope `runner`."""
    (team,) = person.call("GET", "/session")["teams"]
    token_request = {"name": "runner", "scopes": ["runner"], "expires_in_days": 1}
    return str(person.call("POST", f"/teams/{team['id']}/tokens", json=token_request)["secret"])


def file_of(made: Histories, folder: Path) -> Path:
    """Write the runner's configuration and return its path."""
    ports = free_ports(SLOTS)
    python = [sys.executable, "-m"]
    address = "127.0.0.1:{port}"
    deploy = [*python, "example.bisects.deploy_ingester", "--dir", "{dir}", "--out", "{out}", "--listen", address]
    shared = str(folder / "shared")
    measure = [*python, "example.bisects.measure_ingester", "--address", address, "--out", "{out}", "--shared", shared]
    repositories = {"" if each.module == MONO else each.module: str(each.folder) for each in made.repositories}
    lines = [
        "[runner]", 'name = "demo"', f"slots = {SLOTS}", f"work = {json.dumps(str(folder / 'runner'))}", 'environment = ["PYTHONPATH"]',
        "", "[repositories]", *(f"{json.dumps(module)} = {json.dumps(place)}" for module, place in repositories.items()),
        "", "[deploy]", f"command = {json.dumps(deploy)}", f"ports = {json.dumps(list(ports))}",
        f'health = {{ url = "http://{address}/healthz", within = 90 }}',
        "", "[measure]", f"command = {json.dumps(measure)}", "",
    ]  # fmt: skip
    path = folder / "runner.toml"
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


@contextmanager
def runner(person: DemoUser, made: Histories, folder: Path) -> Iterator[Path]:
    """Run the runner during the block; yield its log file."""
    log_file = folder / "runner.log"
    environment = {**os.environ, "SLOWPATH_URL": person.url, "SLOWPATH_TOKEN": token_of(person)}
    command = [sys.executable, "-m", "slowpath_cli.main", "runner", "--config", str(file_of(made, folder))]
    with log_file.open("wb") as log:
        child = subprocess.Popen(command, env=environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        try:
            yield log_file
        finally:
            child.terminate()
            try:
                child.wait(CLOSING_SECONDS)
            except subprocess.TimeoutExpired:
                child.kill()
                child.wait()
