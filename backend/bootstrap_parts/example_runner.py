"""The runner of the example: deploys and measures commits of the example's repository only, on this machine.

Its configuration is written at each start, because it has paths of the project and a free port. Without the token that the
seed command writes there is no runner.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

from bootstrap_parts.child_processes import ChildProcess, clean_environment, spawn
from bootstrap_parts.install_steps import find_go, go_environment
from bootstrap_parts.machine_checks import listen_on, make_folder
from bootstrap_parts.project_paths import ROOT, VENV_PYTHON
from bootstrap_parts.stack import Stack
from bootstrap_parts.supervisor import Service

LOCAL_REPOSITORIES = "SLOWPATH_LOCAL_REPOSITORIES"
_SERVICE = "quoter"
_MEASUREMENT_SECONDS = 5
"""What a measurement of it takes; its script has the same."""


def runner_folder(data: Path) -> Path:
    """Return the folder of the example's repositories, token and runner below a data folder."""
    return data / "example"


def allow_repositories(stack: Stack) -> None:
    """Let the server read the folder of the example's repositories, beside those that the user allows."""
    folder = make_folder(runner_folder(stack.data) / "repositories")
    allowed = [one for one in os.environ.get(LOCAL_REPOSITORIES, "").split(":") if one]
    stack.environment[LOCAL_REPOSITORIES] = ":".join([*allowed, str(folder)])


def start_runner(stack: Stack, address: str) -> None:
    """Start the runner if the example has one. It gets no address or secret of the server besides its token."""
    folder = runner_folder(stack.data)
    try:
        token = (folder / "token").read_text(encoding="ascii").strip()
    except (OSError, UnicodeDecodeError):
        return
    config = folder / "runner.toml"
    config.write_text(make_config(folder, _free_port()), encoding="utf-8")
    go, path = find_go(), os.environ.get("PATH", os.defpath)
    environment = {
        **clean_environment(),
        **go_environment(),
        "PATH": path if go is None else f"{go.parent}:{path}",
        "SLOWPATH_URL": address,
        "SLOWPATH_TOKEN": token,
    }

    def launch() -> ChildProcess:
        command = [str(VENV_PYTHON), "-m", "slowpath_cli.main", "runner", "--config", str(config)]
        return spawn(
            "runner", command, mark=stack.mark, environment=environment, log=stack.logs / "runner.log", folder=ROOT
        )

    stack.supervisor.launch(Service("runner", launch, is_required=False))


def make_config(folder: Path, port: int) -> str:
    """Return the configuration: one slot, one repository, one service."""
    address, shared = "127.0.0.1:{port}", str(folder / "shared")
    python = [str(VENV_PYTHON), "-m"]
    deploy = [*python, f"example.builds.deploy_{_SERVICE}", "--dir", "{dir}", "--out", "{out}", "--listen", address]
    measure = [*python, f"example.builds.measure_{_SERVICE}", "--address", address, "--out", "{out}"]
    measure += ["--shared", shared]
    return "\n".join(
        [
            "[runner]",
            'name = "example"',
            f"work = {json.dumps(str(folder / 'runner'))}",
            "[repositories]",
            f'"" = {json.dumps(str(folder / "repositories" / f"{_SERVICE}.git"))}',
            "[allow]",
            f"services = {json.dumps([_SERVICE])}",
            "modules = []",
            f"variants = {json.dumps(['GODEBUG', 'GOGC', 'GOMAXPROCS', 'GOMEMLIMIT', 'pgo', 'revert'])}",
            "[deploy]",
            f"command = {json.dumps(deploy)}",
            f"ports = {json.dumps([port])}",
            f'health = {{ url = "http://{address}/healthz", within = 90 }}',
            "[measure]",
            f"command = {json.dumps(measure)}",
            f"takes = {_MEASUREMENT_SECONDS}",
            "",
        ]
    )


def _free_port() -> int:
    with listen_on(0) as drawn:
        port: int = drawn.getsockname()[1]
    return port
