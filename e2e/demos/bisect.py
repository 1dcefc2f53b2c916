"""`npm run demo:bisect`: from a regression to its culprit commit in a dependency of a dependency.

Builds, processes and profiles are real. The demo generates three git repositories: a monorepo that pins a database, which
pins a library. A refactoring in the library moves copying into a helper function whose frame makes the stack of every batch
grow. The demo uploads builds from before and after months of commits, with profiles, which gives a regression. It presses
*Start bisect* in a browser and starts a runner with one command; the search must find the library's commit. Then it writes
and shares the report.

The last line of the output is one JSON object: `{"levels": [{"repository", "culprit", "deploys"}], "truth", "deploys",
"git_bisect_deploys", "seconds"}`. Exit code 1 if the result is wrong.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from uuid import UUID

from sqlalchemy import text

from demos.bisect_runner import runner
from demos.bisect_team import CATEGORY, Service, captured, regression, send_builds, set_up
from demos.browser import in_browser
from example.bisects.generated_histories import Histories, written
from example.bisects.recorded_bisect import recording, write
from slowpath.adapters.postgres import create_postgres_engine
from slowpath.core.db_sessions import Database, TeamScope
from slowpath.core.ids import TeamId
from slowpath.core.settings import Settings
from support.demo_user import DemoFailed, DemoUser, sign_up

ROOT = Path(__file__).resolve().parents[2]
FOLDER = "SLOWPATH_LOCAL_REPOSITORIES"
INSIDE = "SLOWPATH_DEMO_BISECT"
MAX_SECONDS, POLL_SECONDS = 1500.0, 1.0
SIGNATURE = "CPU in stack growth"
"""Label of `CATEGORY` in the dialog."""
RUNNING = frozenset({"planned", "waiting-approval", "searching", "paused"})
SETTINGS: dict[str, Any] = {
    "control": True, "slots": 2, "measurement_seconds": 4, "warm_up_seconds": 0,
    "max_measurements_per_probe": 1, "deployment_seconds": 120, "lease_timeout_seconds": 60,
}  # fmt: skip
"""The values that e2e/demos/bisect-start.spec.ts enters on the page."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the demo and return its exit code."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    options = _options(given)
    url = os.environ.get("SLOWPATH_URL")
    if url is None or INSIDE not in os.environ:
        return _run_on_stack(given)
    try:
        result = play(url, options)
    except DemoFailed as error:
        print(f"demo: {error}", file=sys.stderr)
        return 1
    is_correct = [one["culprit"] for one in result["levels"]] == result["truth"]
    if not is_correct:
        print("demo: the result is not the true culprit", file=sys.stderr)
    print(json.dumps(result) if options.json else "\n".join(f"{name}: {value}" for name, value in result.items()))
    return 0 if is_correct else 1


def _run_on_stack(arguments: Sequence[str]) -> int:
    """Run the demo on a stack that may read repositories in a temporary folder."""
    with tempfile.TemporaryDirectory(prefix="slowpath-demo-") as folder:
        environment = {
            **os.environ, INSIDE: "1", FOLDER: folder, "PYTHONPATH": f"{ROOT / 'e2e'}:{ROOT / 'worker'}:{ROOT / 'backend'}",
            "GOPROXY": f"file://{folder}/histories/proxy", "GOMODCACHE": f"{folder}/modules", "GOFLAGS": "-modcacherw",
            "GOSUMDB": "off", "GOTOOLCHAIN": "local", "CGO_ENABLED": "0",
        }  # fmt: skip
        command = [sys.executable, str(ROOT / "backend" / "bootstrap.py"), "stack", "--"]
        command += [sys.executable, "-m", "demos.bisect", *arguments]
        return subprocess.run(command, env=environment, check=False).returncode


def play(url: str, options: argparse.Namespace) -> dict[str, Any]:
    """Run the whole demo and return its result. Raises `DemoFailed`."""
    began = time.monotonic()
    folder = Path(os.environ[FOLDER])
    made = written(folder / "histories", options.seed)
    service = set_up(sign_up(url), made)
    _print("generated three repositories; building and profiling both boundaries")
    send_builds(service, made, captured(made, folder, _print), options.seed)
    known = regression(service)
    _print(f"regression {known['number']}: {known['title']}: {known['sentence']} ({time.monotonic() - began:.0f} s)")
    bisect_id = _start_bisect(service, known["id"], by_page=not options.no_page)
    searched = time.monotonic()
    with runner(service.person, made, folder) as runner_log:
        found = _wait_for_end(service, bisect_id, runner_log)
    _print(f"the search took {time.monotonic() - searched:.0f} s, the demo {time.monotonic() - began:.0f} s")
    if options.record:
        write(options.record, recording(_rows(service.person), made.culprits))
    if not options.no_page:
        _write_report(service, found)
    return bisect_report(found, made, time.monotonic() - began)


def _rows(person: DemoUser) -> dict[str, list[dict[str, Any]]]:
    """Return the team's rows for a recording, from the database of the demo's stack."""
    names = ("bisect", "probe", "probe_measurement", "bisect_event", "repository", "commit")
    unused = {"broker_url": "memory://", "blob_url": "memory://", "secret_key": "unused"}
    settings = Settings.model_validate({"database_url": os.environ["DATABASE_URL"], **unused})
    scope = TeamScope(team_id=TeamId(UUID(person.call("GET", "/session")["teams"][0]["id"])))
    with Database(create_postgres_engine(settings, pool_size=1)).reading(scope) as session:
        requested = {name: text(f'SELECT row_to_json("{name}") FROM "{name}"') for name in names}  # noqa: S608 - constant names
        return {name: list(session.scalars(each)) for name, each in requested.items()}


def _start_bisect(service: Service, regression_id: str, *, by_page: bool) -> str:
    """Press *Start bisect* on the regression's page; without a browser, create the bisect by the API."""
    person = service.person
    if by_page:
        result = {
            "DEMO_PATH": f"/t/{person.team_slug}/regressions/{regression_id}",
            "DEMO_SIGNATURE": SIGNATURE,
        }
        seen = in_browser(person, "bisect-start.spec.ts", result)
        if seen is not None:
            return str(seen["bisect_id"])
        _print("no browser: started the bisect by the API")
    kind, subject = CATEGORY
    requested = {"regression_id": regression_id, "signature": {"kind": kind, "subject": subject}, "settings": SETTINGS}
    return str(person.call("POST", "/bisects", json=requested)["id"])


def _wait_for_end(service: Service, bisect_id: str, runner_log: Path) -> dict[str, Any]:
    """Print the progress until the search has finished; return the bisect. Raises `DemoFailed`."""
    deadline, known, shown = time.monotonic() + MAX_SECONDS, "", 0
    while time.monotonic() < deadline:
        found: dict[str, Any] = service.person.call("GET", f"/bisects/{bisect_id}")
        if found["sentence"] != known:
            known = found["sentence"]
            _print(f"  {known}")
        for one in found["probes"]:
            if one["number"] > shown:
                shown = one["number"]
                _print(f"  [{one['number']}] {one['purpose']}: {one['sha'][:12]} {one['title']}")
        if found["state"] not in RUNNING:
            if found["state"] != "found":
                raise DemoFailed(
                    f"the bisect ended as {found['state']}: {found['sentence']} {found['problem'] or ''}{_tail(runner_log)}"
                )
            return found
        if found["state"] == "paused":
            raise DemoFailed(f"the bisect was paused: {found['pause_reason']}{_tail(runner_log)}")
        time.sleep(POLL_SECONDS)
    raise DemoFailed(f"the bisect did not finish within {MAX_SECONDS:.0f} s{_tail(runner_log)}")


def _tail(runner_log: Path) -> str:
    return f"\n{runner_log.read_text(encoding='utf-8', errors='replace')[-1500:]}"


def _write_report(service: Service, found: dict[str, Any]) -> None:
    """Press *Write the report*, share it, and open it without a session. Raises `DemoFailed`."""
    person = service.person
    result = {
        "DEMO_PATH": f"/t/{person.team_slug}/bisects/{found['id']}",
        "DEMO_TEAM": person.team_slug,
        "DEMO_CULPRIT": found["culprit"]["sha"][:7],
    }
    seen = in_browser(person, "bisect-report.spec.ts", result)
    _print(f"the report opens without a session: {seen['title']}" if seen else "no browser: skipped the report")


def bisect_report(found: dict[str, Any], made: Histories, seconds: float) -> dict[str, Any]:
    """Return the JSON object of the last line."""
    levels: list[dict[str, Any]] = []
    keys = sorted((level["key"] for level in found["levels"]), key=len)
    at = Counter(
        [key for key in keys if one["level"].startswith(key)][
            -1
        ]  # probes of an expansion without result count for its level
        for one in found["probes"]
        if one["state"] != "unbuildable"
    )
    for level in found["levels"]:
        deploys = at[level["key"]]
        culprit = (level["culprit"] or {}).get("sha")
        if levels and levels[-1]["repository"] == level["repository"]:  # the branch of a merge is not a separate level
            levels[-1] = {**levels[-1], "culprit": culprit, "deploys": levels[-1]["deploys"] + deploys}
        else:
            levels.append({"repository": level["repository"], "culprit": culprit, "deploys": deploys})
    cost = found["cost"]
    return {
        "levels": levels, "truth": made.culprits, "deploys": cost["deployments"], "git_bisect_deploys": cost["git_bisect_best_of_5_probes"],
        "seconds": round(seconds),
    }  # fmt: skip


def _print(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def _options(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="npm run demo:bisect --",
        description="Find the culprit commit of a regression in a dependency of a dependency.",
    )
    parser.add_argument("--json", action="store_true", help="print the result as one line of JSON")
    parser.add_argument("--seed", type=int, default=1, help="seed of commits and culprits (default: 1)")
    parser.add_argument("--no-page", action="store_true", help="use the API instead of a browser")
    parser.add_argument("--record", type=Path, help="write a recording for the example team to this file")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main())
