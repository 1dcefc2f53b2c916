"""The lines that the set-up page and the README copy run here against the whole app over HTTP."""

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from slowpath.platform.accounts.rules.roles import TokenScope
from tests.conftest import (  # noqa: F401 - pytest finds fixtures by name
    app,
    asker,
    client,
    emptied,
    engine,
    migrated,
    people,
    role,
    team,
)
from tests.factories.accounts import AccountsFactory, SomeTeam
from tests.support.app_under_test import AppUnderTest
from tests.support.served_app import served

pytestmark = [
    pytest.mark.database,
    pytest.mark.skipif(not (shutil.which("curl") and shutil.which("node")), reason="curl and node are not here"),
]

ROOT = Path(__file__).resolve().parents[3]
ROLLDOWN = ROOT / "node_modules" / ".bin" / "rolldown"
LINES = ROOT / "frontend" / "src" / "features" / "operations" / "setup" / "setup-lines.ts"
PRINT_LINES = """
import { SETUP_STEPS } from './lines.mjs';
const at = { origin: process.argv[2], service: 'ingester', cli: { fetched: [], word: 'slowpath' } };
console.log(JSON.stringify(SETUP_STEPS.map(({ id, scope, lines }) => ({ id, scope, lines: lines(at) }))));
"""


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    folder = tmp_path / "repository"
    folder.mkdir()
    (folder / "cpu.pprof").write_bytes(b"a profile")
    git = ("git", "-C", str(folder), "-c", "user.name=a", "-c", "user.email=a@example.com")
    subprocess.run([*git, "init", "-q", "-b", "main"], check=True)
    subprocess.run([*git, "add", "."], check=True)
    subprocess.run([*git, "commit", "-q", "-m", "a commit"], check=True)
    return folder


def steps_of_the_page(origin: str, folder: Path) -> dict[str, tuple[str | None, list[str]]]:
    subprocess.run(
        [ROLLDOWN, str(LINES), "-f", "esm", "-o", str(folder / "lines.mjs")], check=True, capture_output=True
    )
    (folder / "print.mjs").write_text(PRINT_LINES, encoding="utf-8")
    printed = subprocess.run(["node", "print.mjs", origin], cwd=folder, check=True, capture_output=True, text=True)
    return {each["id"]: (each["scope"], each["lines"]) for each in json.loads(printed.stdout)}


def run(lines: list[str], folder: Path) -> None:
    script = "\n".join(line for line in lines if "/debug/pprof/" not in line)  # the profile is in the folder
    command = ["bash", "-euo", "pipefail", "-c", script]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, script + done.stdout + done.stderr


@pytest.mark.processes
def test_the_server_accepts_the_lines_of_the_set_up_page(
    app: AppUnderTest, client: TestClient, people: AccountsFactory, team: SomeTeam, repository: Path, tmp_path: Path,  # noqa: F811
) -> None:  # fmt: skip
    with served(app) as url:
        steps = steps_of_the_page(url, tmp_path)
        for name in ("upload", "build", "deployment"):
            scope, lines = steps[name]
            assert scope is not None
            secret = people.token(team, TokenScope(scope)).secret
            run([re.sub(r"PASTE-A-TOKEN-WITH-THE-SCOPE-[A-Z]+", secret, line) for line in lines], repository)

    [build] = client.get("/api/v1/builds").json()["items"]
    [deployment] = client.get("/api/v1/deployments").json()["items"]
    assert build["branch"] == "main"
    assert deployment["build_id"] == build["id"]
    assert {each["name"] for each in client.get("/api/v1/artifacts").json()["items"]} == {"cpu.pprof"}


def test_the_server_accepts_the_deployment_of_the_readme(
    app: AppUnderTest, client: TestClient, people: AccountsFactory, team: SomeTeam, tmp_path: Path,  # noqa: F811
) -> None:  # fmt: skip
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    [line] = [line for line in readme.splitlines() if line.startswith("curl") and "/api/v1/" in line]
    secret = people.token(team, TokenScope.DEPLOY).secret
    with served(app) as url:
        run(
            [f"SLOWPATH_TOKEN={secret}", line.replace("curl ", "curl -sSf ").replace("https://slowpath.example", url)],
            tmp_path,
        )

    [deployment] = client.get("/api/v1/deployments").json()["items"]
    assert deployment["commit"] == "9b6e24d"
