"""`npm run demo:bisect`: from a regression to the guilty commit two repositories below, with real builds, processes and profiles.

Three git repositories are written: a monorepo that pins a database that pins a library. In the library a tidy-up takes some copying out
into a helper whose frame makes the stack of every batch grow. Builds of the service from before and after some months of commits are
uploaded, with real profiles of both; a regression is known. Somebody presses *Start bisect*, a runner is started with its one command,
and without another touch the search ends at the library's commit; the report is written and shared.
The last line of the output is one JSON object: `{"levels": [{"repository", "culprit", "deploys"}], "truth", "deploys", "git_bisect_deploys",
"seconds"}`. Exit code 1 if it is wrong.
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
MOST_SECONDS, POLL_SECONDS = 1500.0, 1.0
SIGNATURE = "CPU in stack growth"
"""As the dialog words `CATEGORY`."""
RUNNING = frozenset({"planned", "waiting-approval", "searching", "paused"})
SETTINGS: dict[str, Any] = {
    "control": True, "slots": 2, "window_seconds": 4, "warm_up_seconds": 0,
    "most_windows": 1, "deployment_seconds": 120, "lease_timeout_seconds": 60,
}  # fmt: skip
"""What the script fills in on the page (e2e/demos/bisect-start.spec.ts)."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Play the story; returns the exit code."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    options = _options(given)
    url = os.environ.get("SLOWPATH_URL")
    if url is None or INSIDE not in os.environ:
        return _beside_a_stack(given)
    try:
        told = play(url, options)
    except DemoFailed as error:
        print(f"demo: {error}", file=sys.stderr)
        return 1
    right = [one["culprit"] for one in told["levels"]] == told["truth"]
    if not right:
        print("demo: that is not where it is", file=sys.stderr)
    print(json.dumps(told) if options.json else "\n".join(f"{name}: {value}" for name, value in told.items()))
    return 0 if right else 1


def _beside_a_stack(arguments: Sequence[str]) -> int:
    """Play beside a stack that reads repositories in a folder of ours."""
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
    """The whole story; returns what the last line says. Raises `DemoFailed`."""
    began = time.monotonic()
    folder = Path(os.environ[FOLDER])
    made = written(folder / "histories", options.seed)
    service = set_up(sign_up(url), made)
    _tell("three repositories are written; both ends are built and profiled")
    send_builds(service, made, captured(made, folder, _tell), options.seed)
    known = regression(service)
    _tell(f"regression {known['number']}: {known['title']}: {known['sentence']} ({time.monotonic() - began:.0f} s)")
    bisect_id = _started(service, known["id"], by_page=not options.no_page)
    searched = time.monotonic()
    with runner(service.person, made, folder) as said:
        found = _followed(service, bisect_id, said)
    _tell(f"the search took {time.monotonic() - searched:.0f} s, all of it {time.monotonic() - began:.0f} s")
    if options.record:
        write(options.record, recording(_rows(service.person), made.truth))
    if not options.no_page:
        _reported(service, found)
    return told_of(found, made, time.monotonic() - began)


def _rows(person: DemoUser) -> dict[str, list[dict[str, Any]]]:
    """Return the team's rows of which a recording is made, out of the stack that was brought up for this demo alone."""
    names = ("bisect", "probe", "probe_measurement", "bisect_event", "repository", "commit")
    unused = {"broker_url": "memory://", "blob_url": "memory://", "secret_key": "unused"}
    settings = Settings.model_validate({"database_url": os.environ["DATABASE_URL"], **unused})
    scope = TeamScope(team_id=TeamId(UUID(person.call("GET", "/session")["teams"][0]["id"])))
    with Database(create_postgres_engine(settings, pool_size=1)).reading(scope) as session:
        asked = {name: text(f'SELECT row_to_json("{name}") FROM "{name}"') for name in names}  # noqa: S608 - names of ours
        return {name: list(session.scalars(each)) for name, each in asked.items()}


def _started(service: Service, regression_id: str, *, by_page: bool) -> str:
    """Press *Start bisect* on the regression's page; without a browser, ask the API for the same."""
    person = service.person
    if by_page:
        told = {
            "DEMO_PATH": f"/t/{person.team_slug}/regressions/{regression_id}",
            "DEMO_SIGNATURE": SIGNATURE,
        }
        seen = in_browser(person, "bisect-start.spec.ts", told)
        if seen is not None:
            return str(seen["bisect_id"])
        _tell("no browser here: the bisect is started without a page")
    kind, subject = CATEGORY
    asked = {"regression_id": regression_id, "signature": {"kind": kind, "subject": subject}, "settings": SETTINGS}
    return str(person.call("POST", "/bisects", json=asked)["id"])


def _followed(service: Service, bisect_id: str, said: Path) -> dict[str, Any]:
    """Watch until the search has ended; returns it. Raises `DemoFailed`."""
    deadline, known, shown = time.monotonic() + MOST_SECONDS, "", 0
    while time.monotonic() < deadline:
        found: dict[str, Any] = service.person.call("GET", f"/bisects/{bisect_id}")
        if found["sentence"] != known:
            known = found["sentence"]
            _tell(f"  {known}")
        for one in found["probes"]:
            if one["number"] > shown:
                shown = one["number"]
                _tell(f"  [{one['number']}] {one['purpose']}: {one['sha'][:12]} {one['title']}")
        if found["state"] not in RUNNING:
            if found["state"] != "found":
                raise DemoFailed(
                    f"it ended as {found['state']}: {found['sentence']} {found['problem'] or ''}{_tail(said)}"
                )
            return found
        if found["state"] == "paused":
            raise DemoFailed(f"it was paused: {found['pause_reason']}{_tail(said)}")
        time.sleep(POLL_SECONDS)
    raise DemoFailed(f"it did not end within {MOST_SECONDS:.0f} s{_tail(said)}")


def _tail(said: Path) -> str:
    return f"\n{said.read_text(encoding='utf-8', errors='replace')[-1500:]}"


def _reported(service: Service, found: dict[str, Any]) -> None:
    """Press *Write the report*, share it, and open it signed out. Raises `DemoFailed`."""
    person = service.person
    told = {
        "DEMO_PATH": f"/t/{person.team_slug}/bisects/{found['id']}",
        "DEMO_TEAM": person.team_slug,
        "DEMO_CULPRIT": found["culprit"]["sha"][:7],
    }
    seen = in_browser(person, "bisect-report.spec.ts", told)
    _tell(f"the report shows it signed out: {seen['title']}" if seen else "no browser here: no report was written")


def told_of(found: dict[str, Any], made: Histories, seconds: float) -> dict[str, Any]:
    """What the last line says."""
    levels: list[dict[str, Any]] = []
    keys = sorted((level["key"] for level in found["levels"]), key=len)
    at = Counter(
        [key for key in keys if one["level"].startswith(key)][-1]  # what was opened in vain counts where it was opened
        for one in found["probes"]
        if one["state"] != "unbuildable"
    )
    for level in found["levels"]:
        deploys = at[level["key"]]
        culprit = (level["culprit"] or {}).get("sha")
        if levels and levels[-1]["repository"] == level["repository"]:  # the branch of a merge is no level of its own
            levels[-1] = {**levels[-1], "culprit": culprit, "deploys": levels[-1]["deploys"] + deploys}
        else:
            levels.append({"repository": level["repository"], "culprit": culprit, "deploys": deploys})
    cost = found["cost"]
    return {
        "levels": levels, "truth": made.truth, "deploys": cost["deploys"], "git_bisect_deploys": cost["git_bisect_best_of_5_probes"],
        "seconds": round(seconds),
    }  # fmt: skip


def _tell(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def _options(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="npm run demo:bisect --", description="From a regression to the guilty commit, two repositories below."
    )
    parser.add_argument("--json", action="store_true", help="end with one line of JSON")
    parser.add_argument("--seed", type=int, default=1, help="draws commits and culprits (default 1)")
    parser.add_argument("--no-page", action="store_true", help="start it and look at it without a browser")
    parser.add_argument("--record", type=Path, help="write what the example team lays out of it into this file")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main())
