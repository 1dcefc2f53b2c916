"""The snippets of the CI documentation run here against the whole app over HTTP."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from fastapi.testclient import TestClient
from sqlalchemy import Engine

from slowpath.core.db_sessions import Database
from slowpath.core.ids import new_id
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
from tests.support.app_under_test import AppUnderTest, built, settings_for
from tests.support.databases import TestDatabase
from tests.support.served_app import served

pytestmark = [
    pytest.mark.database,
    pytest.mark.skipif(not (shutil.which("curl") and shutil.which("jq")), reason="curl and jq are not here"),
]

DOCS = Path(__file__).resolve().parents[3] / "frontend" / "docs"
COMMIT = "4f2c9e1d0b7a4f2c9e1d0b7a4f2c9e1d0b7a4f2c"
HOSTILE = 'Faster "maps" $(touch hacked); `touch hacked`\n\nsecond line'
PLAIN = {"PATH": os.environ["PATH"], "NO_PROXY": "127.0.0.1"}


@pytest.fixture
def token(people: AccountsFactory, team: SomeTeam) -> str:  # noqa: F811 - a fixture's name
    return people.token(team, TokenScope.UPLOAD).secret


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "profiles").mkdir()
    for number in range(2):
        (tmp_path / "profiles" / f"cpu.{number} of a run.pprof").write_bytes(b"%d" % number)
    return tmp_path


def run(script: str, folder: Path, environ: dict[str, str]) -> subprocess.CompletedProcess[str]:
    command = ["bash", "-euo", "pipefail", "-c", script]
    return subprocess.run(
        command, cwd=folder, env=PLAIN | environ, capture_output=True, text=True, timeout=60, check=False
    )


def builds(client: TestClient) -> list[dict[str, Any]]:  # noqa: F811 - a fixture's name
    listed = client.get("/api/v1/builds").json()["items"]
    return [client.get(f"/api/v1/builds/{each['id']}").json() for each in listed]  # the list has no dependencies


def names(client: TestClient) -> set[str]:  # noqa: F811 - a fixture's name
    return {each["name"] for each in client.get("/api/v1/artifacts").json()["items"]}


def store_verdict(database: TestDatabase, build: dict[str, Any], team: SomeTeam, state: str) -> None:  # noqa: F811 - a fixture's name
    with database.as_admin() as admin:
        admin.execute("DELETE FROM build_verdict")
        admin.execute(
            "INSERT INTO build_verdict (team_id, id, build_id, service_id, branch, ordered_at, state, sentence)"
            " VALUES (%s, %s, %s, %s, 'main', now(), %s, 'Clone takes more time')",
            (team.id, new_id(), build["id"], build["service_id"], state),
        )


def test_curl_in_five_lines(app: AppUnderTest, client: TestClient, token: str, folder: Path) -> None:  # noqa: F811
    blocks = re.findall(r"```sh\n(.*?)```", (DOCS / "ci.md").read_text(encoding="utf-8"), flags=re.DOTALL)
    lines, form = blocks[0], blocks[1]
    assert len(lines.strip().splitlines()) == 5
    (folder / "go.mod").write_text("module x\n\nrequire a.example/b v1.2.3\n", encoding="utf-8")
    for name in ("cpu.0.pprof", "cpu.1.pprof", "cpu.1.pprof.metadata.json"):
        (folder / name).write_text('{"requests": 4}' if name.endswith("json") else name, encoding="utf-8")
    with served(app) as url:
        script = f"{lines}\n{form}".replace("https://slowpath.example", url).replace("$(git rev-parse HEAD)", COMMIT)
        done = run(script, folder, {"SLOWPATH_TOKEN": token})

    assert done.returncode == 0, done.stdout + done.stderr
    [build] = builds(client)
    assert (build["commit"], build["branch"], build["dependencies"]) == (COMMIT, "main", {"a.example/b": "v1.2.3"})
    assert names(client) == {"cpu.0 of a run.pprof", "cpu.1 of a run.pprof", "cpu.0.pprof", "cpu.1.pprof"}


def with_command_line(database: TestDatabase, engine: Engine, folder: Path) -> AppUnderTest:  # noqa: F811
    """Return the app with a file for this machine that starts the command line of this checkout."""
    packages = folder / "packages"
    packages.mkdir()
    start = f'#!/bin/sh\necho "$1" >> "{folder}/commands"\nexec "{sys.executable}" -m slowpath_cli.main "$@"\n'
    for platform in ("linux-amd64", "linux-arm64"):
        (packages / f"slowpath-{platform}").write_text(start, encoding="utf-8")
    return built(Database(engine), settings_for(database.app_url, cli_packages=packages))


@pytest.mark.parametrize("is_served", [True, False], ids=["command line", "curl"])
def test_the_action_of_github(
    app: AppUnderTest, client: TestClient, emptied: TestDatabase, engine: Engine, team: SomeTeam, token: str, folder: Path,  # noqa: F811
    is_served: bool,
) -> None:  # fmt: skip
    used = with_command_line(emptied, engine, folder) if is_served else app
    action = yaml.safe_load((DOCS / "ci" / "action.yml").read_text(encoding="utf-8"))
    [step] = action["runs"]["steps"]
    assert "${{" not in step["run"], "what others wrote must not become a part of the script"
    environ = {
        "SLOWPATH_TOKEN": token, "TEAM": "", "SERVICE": "Ingester & co", "FILES": "profiles/*.pprof", "RUN_METADATA": '{"requests": 5}',
        "WAIT": "0", "GATE": "true", "BASE_BRANCH": "main", "COMMIT": COMMIT, "BRANCH": "fast/er", "PARENT": "a" * 40, "TITLE": HOSTILE,
        "AUTHOR": "a", "NUMBER": "7", "LINK": "https://github.com/o/r/pull/7", "RUN": "https://github.com/o/r/actions/runs/1",
        "GITHUB_OUTPUT": str(folder / "output"), "GITHUB_PATH": str(folder / "path"), "RUNNER_TEMP": str(folder / "temp"),
    }  # fmt: skip
    of_job = {"GITHUB_OUTPUT", "GITHUB_PATH", "RUNNER_TEMP"}
    assert set(environ) - of_job | {"SLOWPATH_URL"} == set(step["env"])
    codes = {}
    with served(used) as url:
        environ["SLOWPATH_URL"] = f"{url}/"
        first = run(step["run"], folder, environ)
        assert first.returncode == 0, first.stdout + first.stderr
        [build] = builds(client)
        for state in ("passed", "inconclusive", "changed"):
            store_verdict(emptied, build, team, state)
            done = run(step["run"], folder, environ | {"WAIT": "20"})
            codes[state] = done.returncode
            assert token not in done.stdout + done.stderr
        nothing = run(step["run"], folder, environ | {"FILES": "nowhere/*"})
        denied = run(step["run"], folder, environ | {"SLOWPATH_TOKEN": "wrong"})
        installed = run(step["run"], folder, environ | {"SERVICE": "", "FILES": ""})

    assert (folder / "commands").exists() == (folder / "path").exists() == is_served
    assert installed.returncode == (0 if is_served else 2)
    assert codes == {"passed": 0, "inconclusive": 0, "changed": 1}
    assert nothing.returncode == 2
    assert denied.returncode not in {0, 1}
    assert (build["branch"], build["parent"], build["title"]) == (
        "fast/er",
        "a" * 40,
        HOSTILE.split("\n", maxsplit=1)[0],
    )
    assert (build["author"], build["pull_request"]) == (
        "a",
        {"number": 7, "url": "https://github.com/o/r/pull/7", "base_branch": "main"},
    )
    assert names(client) == {"cpu.0 of a run.pprof", "cpu.1 of a run.pprof"}
    assert client.get("/api/v1/artifacts").json()["items"][0]["run_metadata"] == {"requests": 5}
    assert f"build={build['id']}\nverdict=pending\n" in (folder / "output").read_text(encoding="utf-8")
    assert not (folder / "hacked").exists()


def test_the_job_of_gitlab(
    app: AppUnderTest, client: TestClient, emptied: TestDatabase, team: SomeTeam, token: str, folder: Path,  # noqa: F811
) -> None:  # fmt: skip
    job = yaml.safe_load((DOCS / "ci" / "gitlab.yml").read_text(encoding="utf-8"))["slowpath"]
    script = "\n".join(job["script"]).replace("/tmp/", f"{folder}/")
    environ = {
        "SLOWPATH_TOKEN": token, "CI_PROJECT_NAME": "ingester", "CI_COMMIT_SHA": COMMIT, "CI_COMMIT_REF_NAME": "main",
        "CI_COMMIT_TITLE": HOSTILE.split("\n", maxsplit=1)[0], "CI_COMMIT_AUTHOR": "A <a@example.com>",
        "CI_PIPELINE_URL": "https://gitlab.example/p/7", "CI_COMMIT_TIMESTAMP": "2026-11-21T10:00:00+01:00",
        "CI_MERGE_REQUEST_IID": "5",
    }  # fmt: skip
    codes = {}
    with served(app) as url:
        environ["SLOWPATH_URL"] = url
        document = json.dumps({"branch": "main"})
        client.post(f"/api/v1/builds/ingester/{COMMIT}", content=document, headers={"Content-Type": "application/json"})
        for state in ("passed", "changed"):
            store_verdict(emptied, builds(client)[0], team, state)
            done = run(script, folder, environ)
            codes[state] = done.returncode
            assert token not in done.stdout + done.stderr

    assert codes == {"passed": 0, "changed": 1}, done.stdout + done.stderr
    [build] = builds(client)
    assert (build["title"], build["pull_request"]["number"]) == (HOSTILE.split("\n", maxsplit=1)[0], 5)
    assert names(client) == {"cpu.0 of a run.pprof", "cpu.1 of a run.pprof"}
    assert not (folder / "hacked").exists()
