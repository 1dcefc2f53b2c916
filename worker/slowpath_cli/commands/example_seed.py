"""Create the example team with real investigations through the public API.

The `investigation.json` files under `worker/example` describe them; the artifacts beside these files are real captures
(see the READMEs there). Only the recorded bisect needs the database.
"""

import json
import secrets
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx

from slowpath.analysis.kinds.registry import SPAN_SET
from slowpath_cli.commands.example_bisect import report_bisect, seed_bisect
from slowpath_cli.commands.example_builds import seed_builds
from slowpath_cli.commands.example_dashboard import now_ms, seed_board
from slowpath_cli.commands.example_repositories import RepositoryUnreadable, seed_repository
from slowpath_worker.example.dashboard_plan import ExampleDashboard, spans_at
from slowpath_worker.example.executables import read_executables

EXAMPLE = Path(__file__).resolve().parents[2] / "example"
INVESTIGATIONS = {
    "ingester": EXAMPLE / "investigation.json",
    "traces": EXAMPLE / "traces" / "investigation.json",
    "board": EXAMPLE / "board" / "investigation.json",
}
"""Plans by name. The command waits only for the comparisons of the first."""
BUILDS = "builds"
BISECTED = "ingester"
"""The investigation whose first comparison has a recorded bisect."""
NAMES = (*INVESTIGATIONS, BUILDS)
SIDECAR = ".facts.json"
EMAIL = "ada@example.org"
NAME = "Ada Example"
TEAM = "Example team"
WAIT_SECONDS = 90.0
POLL_SECONDS = 0.2
FINAL = frozenset({"done", "failed", "cancelled"})


class SeedFailed(Exception):
    """The example could not be created; the message gives the reason in one line."""


@dataclass(frozen=True)
class SeedAccount:
    """Credentials of the example's user."""

    email: str
    password: str


def seed_example(url: str, names: Sequence[str] = NAMES, runner_folder: Path | None = None) -> SeedAccount:
    """Create the named parts of the example on the server at `url`; return the credentials. Raises `SeedFailed`.

    `runner_folder`: folder for the repositories of services, which the server may read below `repositories`, and for the
    token of a runner of the service with builds.
    """
    files = [INVESTIGATIONS[name] for name in names if name in INVESTIGATIONS]
    with httpx.Client(base_url=url, headers={"Origin": url}, timeout=30) as client:
        account = _sign_up(client)
        secret = _create_runner_token(client) if runner_folder is not None and BUILDS in names else None
        environments: dict[str, str] = {}
        started_ms = now_ms()
        repositories = None if runner_folder is None else runner_folder / "repositories"
        seeded = [_seed_investigation(client, file, environments, started_ms, repositories) for file in files]
        for file, each in zip(files, seeded, strict=True):
            if "history" in each.plan:
                _seed_board(client, file, each, started_ms)
        # The list shows the newest comparison first, so the first investigation comes last.
        requested = [_create_comparisons(client, each) for each in reversed(seeded)]
        for comparisons in requested[-1:]:
            _wait(client, comparisons)
        for each in seeded:
            if "explained" in each.plan:
                _explain(client, each)
        if BISECTED in names:
            at = [name for name in names if name in INVESTIGATIONS].index(BISECTED)
            _seed_bisect(client, seeded[at], requested[-1 - at][-1])
        if BUILDS in names:  # last: its many files would delay the comparisons
            _seed_builds(client, runner_folder, secret)
    return account


def _create_runner_token(client: httpx.Client) -> str:
    """Return a token for a runner. Tokens need a recent sign-in, so it is created before all that takes long."""
    team = _call(client, "GET", "/session")["teams"][0]
    requested = {"name": "example runner", "scopes": ["runner"], "expires_in_days": None}
    return str(_call(client, "POST", f"/teams/{team['id']}/tokens", json=requested)["secret"])


def _seed_builds(client: httpx.Client, runner_folder: Path | None, secret: str | None) -> None:
    """Create the service with builds, and store the token of a runner that measures its commits."""
    call, now = partial(_call, client), datetime.now(UTC)  # noqa: TID251 - the example is of today
    file = EXAMPLE / BUILDS / "investigation.json"
    if runner_folder is None or secret is None:
        seed_builds(call, file, now)
        return
    try:
        seed_builds(call, file, now, runner_folder / "repositories")
    except (OSError, subprocess.CalledProcessError, RepositoryUnreadable) as error:
        raise SeedFailed(str(error)) from error
    token = runner_folder / "token"
    token.touch(mode=0o600)
    token.write_text(secret, encoding="ascii")


@dataclass(frozen=True)
class _SeededInvestigation:
    """An investigation with uploaded files: its plan, and the artifact IDs of each set."""

    plan: dict[str, Any]
    sets: dict[str, list[str]]
    service_id: str
    environment_id: str
    builds: dict[str, str]


def _seed_investigation(
    client: httpx.Client, file: Path, environments: dict[str, str], at_ms: int, repositories: Path | None
) -> _SeededInvestigation:
    """Create the service, builds and sets of one investigation, without its comparisons."""
    plan = json.loads(file.read_text(encoding="utf-8"))
    name = plan["environment"]["name"]
    if name not in environments:
        environments[name] = _call(client, "POST", "/environments", json=plan["environment"])["id"]
    service_id = _call(client, "POST", "/services", json=plan["service"])["id"]
    if "repository" in plan and repositories is not None:
        program, now = file.parent / plan["service"]["main_package"], datetime.fromtimestamp(at_ms // 1000, UTC)
        try:
            plan = seed_repository(
                partial(_call, client), plan, program, service_id, repositories=repositories, now=now
            )
        except (OSError, subprocess.CalledProcessError, RepositoryUnreadable) as error:
            raise SeedFailed(str(error)) from error
    commits = {each["id"]: each["commit"] for each in plan["builds"]}
    builds = _make_builds(client, plan, service_id)
    for build, content in read_executables(file.parent).items():  # first: they are decoded before any comparison
        path = f"/artifacts/{build}-{plan['service']['main_package']}"
        _call(client, "PUT", path, params={"build_id": builds[build]}, content=content)
    sets = {
        each["id"]: _upload(
            client, file.parent, each, {"build_id": builds[each["build"]], "commit": commits[each["build"]]}, at_ms
        )
        for each in plan["sets"]
    }
    return _SeededInvestigation(plan, sets, service_id, environments[name], builds)


def _seed_board(client: httpx.Client, file: Path, seeded: _SeededInvestigation, at_ms: int) -> None:
    """Create an investigation's dashboard: deployments, and the metrics of the last hours."""

    def write(content: bytes, headers: Mapping[str, str]) -> None:
        _request_server(client, "POST", "/metrics/write", content=content, headers=headers)

    board = ExampleDashboard(seeded.plan, file.parent, seeded.service_id, seeded.environment_id, seeded.builds, at_ms)
    seed_board(lambda method, path, **what: _call(client, method, path, **what), write, board)


def _seed_bisect(client: httpx.Client, searched: _SeededInvestigation, comparison_id: str) -> None:
    """Create the recorded bisect of a service's first comparison."""
    file = EXAMPLE / "bisects" / "recorded.json.gz"
    now = datetime.now(UTC)  # noqa: TID251 - the example is of today
    call = partial(_call, client)
    bisect_id = seed_bisect(call, file, searched.service_id, comparison_id, now)
    if bisect_id is None:
        print("slowpath: skipped the example's bisect, because DATABASE_URL is not set", file=sys.stderr)
    else:
        report_bisect(call, bisect_id)


def _explain(client: httpx.Client, seeded: _SeededInvestigation) -> None:
    """Request an explanation of the largest gap of a request from the execution trace recorded with its spans."""
    explained = seeded.plan["explained"]
    deadline = time.monotonic() + WAIT_SECONDS
    files = seeded.sets[explained["set"]]
    while any(_call(client, "GET", f"/artifacts/{each}")["state"] in {"received", "decoding"} for each in files):
        if time.monotonic() > deadline:
            print("slowpath: the example's spans are not decoded yet; skipped the gap explanation", file=sys.stderr)
            return
        time.sleep(POLL_SECONDS)
    [spans] = [each for each in files if _call(client, "GET", f"/artifacts/{each}")["kind"] == SPAN_SET.id]
    path = f"/span-sets/{spans}/traces/{explained['trace_id']}"
    gaps = [
        (gap["end_ns"] - gap["start_ns"], {"span": row, "gap": number})
        for row, span in enumerate(_call(client, "GET", path)["spans"])
        if (span["service"], span["kind"]) == (explained["service"], "server")
        for number, gap in enumerate(span["gaps"])
    ]
    _call(client, "POST", f"{path}/gap-explanations", json=max(gaps, key=lambda each: each[0])[1])


def _create_comparisons(client: httpx.Client, seeded: _SeededInvestigation) -> list[str]:
    """Create the comparisons of an investigation, the first one last, and return their IDs."""
    labels = {each["id"]: each["label"] for each in seeded.plan["sets"]}
    return [_compare(client, each, seeded.sets, labels) for each in reversed(seeded.plan["comparisons"])]


def _call(client: httpx.Client, method: str, path: str, **what: Any) -> Any:  # noqa: ANN401 - JSON
    return _request_server(client, method, path, **what).json()


def _request_server(client: httpx.Client, method: str, path: str, **what: Any) -> httpx.Response:  # noqa: ANN401 - as httpx
    try:
        response = client.request(method, f"/api/v1{path}", **what)
    except httpx.HTTPError as error:
        raise SeedFailed(f"{path}: {error}") from error
    if response.is_error:
        raise SeedFailed(f"{path}: {response.status_code} {response.text[:300]}")
    return response


def _sign_up(client: httpx.Client) -> SeedAccount:
    account = SeedAccount(EMAIL, f"example-{secrets.token_urlsafe(9)}")
    requested = {"email": account.email, "password": account.password, "name": NAME}
    if client.post("/api/v1/sign-up", json=requested).status_code == httpx.codes.CONFLICT:
        # An interrupted run created this user with an unknown password: create another user and team.
        account = SeedAccount(f"ada-{secrets.token_hex(3)}@example.org", account.password)
        _call(client, "POST", "/sign-up", json={**requested, "email": account.email})
    team = _call(client, "GET", "/session")["teams"][0]
    _call(client, "PATCH", f"/teams/{team['id']}", json={"name": TEAM})
    return account


def _make_builds(client: httpx.Client, plan: dict[str, Any], service_id: str) -> dict[str, str]:
    ids = {}
    for build in plan["builds"]:
        fields = {name: value for name, value in build.items() if name not in {"id", "message", "tags", "hours_ago"}}
        body = {**fields, "display_name": build.get("message"), "service_id": service_id}
        ids[build["id"]] = _call(client, "POST", "/builds", json=body)["id"]
    return ids


def _upload(
    client: httpx.Client, beside: Path, plan: dict[str, Any], build: Mapping[str, str], at_ms: int
) -> list[str]:
    """Upload the files of a set; their run metadata name the commit of its build."""
    batch = str(uuid4())
    ids = []
    files = sorted(each for each in (beside / plan["folder"]).iterdir() if not each.name.endswith(SIDECAR))
    spans = [each for each in files if ".otlp" in each.name]
    for file in files:
        sidecar = file.with_name(file.name + SIDECAR)
        facts = json.loads(sidecar.read_text(encoding="utf-8")) if sidecar.is_file() else {}
        if "commit" in facts:
            facts["commit"] = build["commit"]
        params = {"build_id": build["build_id"], "batch": batch, "run_metadata": json.dumps(facts)}
        name = f"{plan['id']}-{file.name}"
        moved = plan.get("spans_minutes_ago") if file in spans else None
        minutes = moved[spans.index(file)] if moved else None
        content = file.read_bytes() if minutes is None else spans_at(file, at_ms - round(minutes * 60_000))
        ids.append(_call(client, "PUT", f"/artifacts/{name}", params=params, content=content)["id"])
    if not ids:
        raise SeedFailed(f"no files to upload in {plan['folder']}")
    return ids


def _compare(client: httpx.Client, plan: dict[str, Any], sets: dict[str, list[str]], labels: dict[str, str]) -> str:
    sides = {side: {"artifact_ids": sets[plan[side]], "label": labels[plan[side]]} for side in ("base", "candidate")}
    comparison_id: str = _call(client, "POST", "/comparisons", json={"name": plan["name"], **sides})["id"]
    return comparison_id


def _wait(client: httpx.Client, comparison_ids: Sequence[str]) -> None:
    deadline = time.monotonic() + WAIT_SECONDS
    for comparison_id in comparison_ids:
        while (found := _call(client, "GET", f"/comparisons/{comparison_id}"))["state"] not in FINAL:
            if time.monotonic() > deadline:
                print("slowpath: the example's comparisons are not finished yet", file=sys.stderr)
                return
            time.sleep(POLL_SECONDS)
        if found["state"] != "done":
            raise SeedFailed(f"a comparison is {found['state']}: {found['problem']}")
