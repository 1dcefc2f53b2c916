"""The example team: real investigations, laid out through the public API as a person would.

What is laid out is said in the `investigation.json` files under `worker/example`; the artifacts beside them are real
captures (see the READMEs there). Nothing is written past the API, so the example can show nothing
that a user could not have made.
"""

import json
import secrets
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

from slowpath_cli.commands.example_bisect import report_bisect, seed_bisect
from slowpath_cli.commands.example_builds import seed_builds
from slowpath_cli.commands.example_dashboard import ExampleDashboard, now_ms, seed_board, spans_at

EXAMPLE = Path(__file__).resolve().parents[2] / "example"
INVESTIGATIONS = {
    "ingester": EXAMPLE / "investigation.json",
    "traces": EXAMPLE / "traces" / "investigation.json",
    "board": EXAMPLE / "board" / "investigation.json",
}
"""The first is waited for; the others are still worked on while somebody signs in."""
BUILDS = "builds"
SEARCHED = "ingester"
"""Of this one's first comparison a bisect was recorded."""
NAMES = (*INVESTIGATIONS, BUILDS)
SIDECAR = ".facts.json"
EMAIL = "ada@example.org"
NAME = "Ada Example"
TEAM = "Example team"
WAIT_SECONDS = 90.0
POLL_SECONDS = 0.2
FINAL = frozenset({"done", "failed", "cancelled"})


class SeedFailed(Exception):
    """The example could not be laid out; the message says why in one line."""


@dataclass(frozen=True)
class SeedAccount:
    """How to sign in."""

    email: str
    password: str


def seed_example(url: str, names: Sequence[str] = NAMES) -> SeedAccount:
    """Lay out the example, or the investigations named, on the server at `url`; returns how to sign in. Raises `SeedFailed`."""
    files = [INVESTIGATIONS[name] for name in names if name in INVESTIGATIONS]
    with httpx.Client(base_url=url, headers={"Origin": url}, timeout=30) as client:
        account = _sign_up(client)
        environments: dict[str, str] = {}
        begun_ms = now_ms()
        laid_out = [_lay_out(client, file, environments, begun_ms) for file in files]
        for file, each in zip(files, laid_out, strict=True):
            if "history" in each.plan:
                _seed_board(client, file, each, begun_ms)
        # The last one made stands first in the list: the one to begin with.
        asked = [_ask(client, each) for each in reversed(laid_out)]
        for comparisons in asked[-1:]:
            _wait(client, comparisons)
        for each in laid_out:
            if "explained" in each.plan:
                _explain(client, each)
        if SEARCHED in names:
            at = [name for name in names if name in INVESTIGATIONS].index(SEARCHED)
            _seed_bisect(client, laid_out[at], asked[-1 - at][-1])
        if BUILDS in names:  # last: its many files would keep the comparisons waiting
            seed_builds(partial(_call, client), EXAMPLE / "builds" / "investigation.json", datetime.now(UTC))  # noqa: TID251 - the example is of today
    return account


@dataclass(frozen=True)
class _SeededInvestigation:
    """An investigation whose files are uploaded: what is to be compared, and the artifacts of each set."""

    plan: dict[str, Any]
    sets: dict[str, list[str]]
    service_id: str
    environment_id: str
    builds: dict[str, str]


def _lay_out(client: httpx.Client, file: Path, environments: dict[str, str], at_ms: int) -> _SeededInvestigation:
    """One investigation without its comparisons: its service, builds and sets."""
    plan = json.loads(file.read_text(encoding="utf-8"))
    name = plan["environment"]["name"]
    if name not in environments:
        environments[name] = _call(client, "POST", "/environments", json=plan["environment"])["id"]
    service_id = _call(client, "POST", "/services", json=plan["service"])["id"]
    builds = _make_builds(client, plan, service_id)
    sets = {each["id"]: _upload(client, file.parent, each, builds[each["build"]], at_ms) for each in plan["sets"]}
    return _SeededInvestigation(plan, sets, service_id, environments[name], builds)


def _seed_board(client: httpx.Client, file: Path, laid_out: _SeededInvestigation, at_ms: int) -> None:
    """Lay out what the board shows beside an investigation: deploys, and the metrics of the last hours."""

    def write(content: bytes, headers: Mapping[str, str]) -> None:
        _ask_server(client, "POST", "/metrics/write", content=content, headers=headers)

    board = ExampleDashboard(
        laid_out.plan, file.parent, laid_out.service_id, laid_out.environment_id, laid_out.builds, at_ms
    )
    seed_board(lambda method, path, **what: _call(client, method, path, **what), write, board)


def _seed_bisect(client: httpx.Client, searched: _SeededInvestigation, comparison_id: str) -> None:
    """Lay out what a recorded bisect of a service's first comparison found."""
    file = EXAMPLE / "bisects" / "recorded.json.gz"
    now = datetime.now(UTC)  # noqa: TID251 - the example is of today
    call = partial(_call, client)
    made = seed_bisect(call, file, searched.service_id, comparison_id, now)
    if made is None:
        print("the example's bisect is left out: DATABASE_URL is not set", file=sys.stderr)
    else:
        report_bisect(call, made)


def _explain(client: httpx.Client, laid_out: _SeededInvestigation) -> None:
    """Have the largest gap of a request explained from the execution trace that was recorded beside its spans."""
    wanted = laid_out.plan["explained"]
    deadline = time.monotonic() + WAIT_SECONDS
    files = laid_out.sets[wanted["set"]]
    while any(_call(client, "GET", f"/artifacts/{each}")["state"] in {"received", "decoding"} for each in files):
        if time.monotonic() > deadline:
            print("the example's spans are still being read", file=sys.stderr)
            return
        time.sleep(POLL_SECONDS)
    [spans] = [each for each in files if _call(client, "GET", f"/artifacts/{each}")["kind"] == "spans"]
    path = f"/span-sets/{spans}/traces/{wanted['trace_id']}"
    gaps = [
        (gap["end_ns"] - gap["start_ns"], {"span": row, "gap": number})
        for row, span in enumerate(_call(client, "GET", path)["spans"])
        if (span["service"], span["kind"]) == (wanted["service"], "server")
        for number, gap in enumerate(span["gaps"])
    ]
    _call(client, "POST", f"{path}/explanations", json=max(gaps, key=lambda each: each[0])[1])


def _ask(client: httpx.Client, laid_out: _SeededInvestigation) -> list[str]:
    """Ask for the comparisons of an investigation, the first one last; returns their ids."""
    labels = {each["id"]: each["label"] for each in laid_out.plan["sets"]}
    return [_compare(client, each, laid_out.sets, labels) for each in reversed(laid_out.plan["comparisons"])]


def _call(client: httpx.Client, method: str, path: str, **what: Any) -> Any:  # noqa: ANN401 - JSON
    return _ask_server(client, method, path, **what).json()


def _ask_server(client: httpx.Client, method: str, path: str, **what: Any) -> httpx.Response:  # noqa: ANN401 - as httpx
    try:
        answer = client.request(method, f"/api/v1{path}", **what)
    except httpx.HTTPError as error:
        raise SeedFailed(f"{path}: {error}") from error
    if answer.is_error:
        raise SeedFailed(f"{path}: {answer.status_code} {answer.text[:300]}")
    return answer


def _sign_up(client: httpx.Client) -> SeedAccount:
    account = SeedAccount(EMAIL, f"example-{secrets.token_urlsafe(9)}")
    asked = {"email": account.email, "password": account.password, "name": NAME}
    if client.post("/api/v1/sign-up", json=asked).status_code == httpx.codes.CONFLICT:
        # An earlier try broke off, and nobody knows its password: another Ada, another team.
        account = SeedAccount(f"ada-{secrets.token_hex(3)}@example.org", account.password)
        _call(client, "POST", "/sign-up", json={**asked, "email": account.email})
    team = _call(client, "GET", "/session")["teams"][0]
    _call(client, "PATCH", f"/teams/{team['id']}", json={"name": TEAM})
    return account


def _make_builds(client: httpx.Client, plan: dict[str, Any], service_id: str) -> dict[str, str]:
    ids = {}
    for build in plan["builds"]:
        said = {name: value for name, value in build.items() if name not in {"id", "message"}}
        known = {**said, "display_name": build.get("message"), "service_id": service_id}
        ids[build["id"]] = _call(client, "POST", "/builds", json=known)["id"]
    return ids


def _upload(client: httpx.Client, beside: Path, wanted: dict[str, Any], build_id: str, at_ms: int) -> list[str]:
    batch = str(uuid4())
    ids = []
    files = sorted(each for each in (beside / wanted["folder"]).iterdir() if not each.name.endswith(SIDECAR))
    spans = [each for each in files if ".otlp" in each.name]
    for file in files:
        sidecar = file.with_name(file.name + SIDECAR)
        facts = sidecar.read_text() if sidecar.is_file() else "{}"
        about = {"build_id": build_id, "batch": batch, "run_metadata": facts}
        name = f"{wanted['id']}-{file.name}"
        moved = wanted.get("spans_minutes_ago") if file in spans else None
        minutes = moved[spans.index(file)] if moved else None
        content = file.read_bytes() if minutes is None else spans_at(file, at_ms - round(minutes * 60_000))
        ids.append(_call(client, "PUT", f"/artifacts/{name}", params=about, content=content)["id"])
    if not ids:
        raise SeedFailed(f"nothing to upload in {wanted['folder']}")
    return ids


def _compare(client: httpx.Client, wanted: dict[str, Any], sets: dict[str, list[str]], labels: dict[str, str]) -> str:
    sides = {
        side: {"artifact_ids": sets[wanted[side]], "label": labels[wanted[side]]} for side in ("base", "candidate")
    }
    made: str = _call(client, "POST", "/comparisons", json={"name": wanted["name"], **sides})["id"]
    return made


def _wait(client: httpx.Client, comparison_ids: Sequence[str]) -> None:
    deadline = time.monotonic() + WAIT_SECONDS
    for comparison_id in comparison_ids:
        while (found := _call(client, "GET", f"/comparisons/{comparison_id}"))["state"] not in FINAL:
            if time.monotonic() > deadline:
                print("the example is still being compared", file=sys.stderr)
                return
            time.sleep(POLL_SECONDS)
        if found["state"] != "done":
            raise SeedFailed(f"a comparison is {found['state']}: {found['problem']}")
