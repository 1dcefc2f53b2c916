"""`npm run demo:dashboard`: from a running pipeline to a latency change point and its cause, on a temporary stack.

A distributor and three ingesters run as real processes. A real Prometheus (Debian's package, unpacked without root) scrapes
their histograms and forwards them by remote write; their OpenTelemetry exporters send spans. Then a slower build of the
distributor is deployed: the dashboard must attribute the change point to this deployment, and the spans of both builds must
show the gap that has grown. The last line of the output is one JSON object: `{"seconds_to_board", "marked_deploy",
"expected_deploy", "amplification", "gap_edge", "prometheus"}`: the seconds from Prometheus's start to the first latency on
the dashboard; the commits of the attributed and of the actual deployment; calls of ingesters per request of the distributor.
"""

import argparse
import gzip
import json
import os
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
import numpy as np

from demos.compare import UNFINISHED
from demos.example_pipeline import Pipeline, built, go_command, sending_metrics
from slowpath.analysis.formats.column_file import ColumnFile, read_columns
from support.demo_user import DemoFailed, DemoUser, sign_up

BASE = "5d21e8b07f3c94a6e1b80c2d7f4963a5be108d72"
SLOWER = "a84f3c19d65b720ef8c14e93b2d7056a91ce3f48"
"""Commits of the demo: both builds have the same sources, and differ in a flag."""
ENVIRONMENT = "production"
ROUTE = "POST /api/v1/push"
SERVICE = "distributor"
WARM_SECONDS = 15.0
"""Time until the distributor's buffer of writes is full and its latency is stable."""
BOARD_SECONDS = 60.0
EARLY = timedelta(seconds=20)
"""Allowed time of the change point before the deployment: a few scrapes."""
COMPARE_SECONDS = 120.0
SPANS_SECONDS = 90.0
SETS = 2
"""Number of span sets on each side of the deployment, of half a minute each."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the demo and return its exit code."""
    options = _options(arguments)
    url = options.url or os.environ.get("SLOWPATH_URL")
    if not url:
        print("demo: SLOWPATH_URL is not set. Run `npm run demo:dashboard`, which starts a server.", file=sys.stderr)
        return 2
    try:
        result = play(url, options)
    except DemoFailed as error:
        print(f"demo: {error}", file=sys.stderr)
        return 1
    print(json.dumps(result) if options.json else "\n".join(f"{name}: {value}" for name, value in result.items()))
    return 0


def play(url: str, options: argparse.Namespace) -> dict[str, Any]:
    """Run the whole demo and return its result."""
    person = sign_up(url)
    with tempfile.TemporaryDirectory(prefix="slowpath-demo-") as name, ExitStack() as stack:
        folder, go = Path(name), go_command()
        programs = {commit: built(go, commit, folder / commit[:7]) for commit in (BASE, SLOWER)}
        pipeline = stack.enter_context(Pipeline(programs[BASE], url, person.token, options.rate, options.series))
        _deploy(person, BASE)
        pipeline.deploy(programs[BASE], "zero-copy")
        time.sleep(WARM_SECONDS)
        began = time.monotonic()
        sender = stack.enter_context(sending_metrics(url, person.token, pipeline.targets, folder, options.prometheus))
        board = _wait_for_latency(person, began)
        seconds = time.monotonic() - began
        _print(f"the dashboard shows the distributor's p99 {seconds:.1f} s after Prometheus's start ({sender})")
        time.sleep(max(0.0, options.before - seconds))
        deploy = _deploy(person, SLOWER)
        deployed_at = datetime.fromisoformat(deploy["started_at"])
        pipeline.deploy(programs[SLOWER], "copy")
        _print(f"deployed {SLOWER[:7]}")
        marked, board = _wait_for_mark(person, deployed_at, options.after)
        sides = _sets_around(person, str(board.environment_id), deployed_at)
    _print(
        f"p99 before {board.p99(None, deployed_at) * 1000:.1f} ms, after {board.p99(deployed_at, None) * 1000:.1f} ms"
    )
    return {
        "seconds_to_board": round(seconds, 1),
        "marked_deploy": marked,
        "expected_deploy": SLOWER,
        "amplification": board.amplification(),
        "gap_edge": _grown_gap(person, sides),
        "prometheus": sender,
    }


@dataclass(frozen=True)
class DashboardOutcome:
    """The content of a dashboard."""

    columns: ColumnFile

    @property
    def header(self) -> dict[str, Any]:
        """Return the header of the document."""
        return dict(self.columns.header)

    @property
    def environment_id(self) -> str | None:
        """Return the environment's ID, or None."""
        environment = self.header["environment"]
        return None if environment is None else str(environment["id"])

    def row(self) -> int | None:
        """Return the index of the distributor's row, or None."""
        names = [each["service"]["name"] for each in self.header["rows"]]
        return names.index(SERVICE) if SERVICE in names else None

    def p99(self, start: datetime | None, end: datetime | None) -> float:
        """Return the median of the distributor's p99 (seconds) in a time range; NaN without data."""
        column = self.columns.arrays.get(f"r{self.row()}_p99")
        if column is None:
            return float("nan")
        values = np.asarray(column, np.float64)
        times = self.header["from_ms"] + self.header["step_ms"] * np.arange(len(values))
        low, high = (None if at is None else at.timestamp() * 1000 for at in (start, end))
        inside = (times >= (low or 0)) & (times <= (high or np.inf)) & ~np.isnan(values)
        return float(np.median(values[inside])) if inside.any() else float("nan")

    def amplification(self) -> float | None:
        """Return the calls of ingesters per request of the distributor."""
        ids = {each["service"]["id"]: each["service"]["name"] for each in self.header["rows"]}
        for edge in self.header["edges"]:
            if (ids.get(edge["caller"]), ids.get(edge["callee"])) == (SERVICE, "ingester"):
                return round(float(edge["ratio"]), 2)
        return None

    def marked(self, since: datetime) -> str | None:
        """Return the commit of the deployment that caused a later change of the distributor, or whose verdict is slower."""
        commits = {each["id"]: each["commit"] for each in self.header["deployments"]}
        services = {each["service"]["id"] for each in self.header["rows"] if each["service"]["name"] == SERVICE}
        early_ms = (since - EARLY).timestamp() * 1000
        for change in self.header["changes"]:
            if change["service_id"] in services and change["at_ms"] >= early_ms and change["cause"] == "deployment":
                return str(commits.get(change["deployment_id"]))
        newest = [each for each in self.header["deployments"] if each["at_ms"] >= early_ms]
        slower = (each["commit"] for each in newest if each["verdict"] == "slower")
        return next(slower, None)


def _board(person: DemoUser) -> DashboardOutcome:
    """Return the last twenty minutes of the dashboard. Raises `DemoFailed`."""
    query = {"from": (datetime.now(UTC) - timedelta(minutes=20)).isoformat()}  # noqa: TID251 - a demo runs now
    try:
        response = person.http.get("/api/v1/dashboard", params=query)
    except httpx.HTTPError as error:
        raise DemoFailed(f"the dashboard: {error}") from error
    if response.is_error:
        raise DemoFailed(f"the dashboard: {response.status_code} {response.text[:300]}")
    body = response.content
    return DashboardOutcome(read_columns(gzip.decompress(body) if body[:2] == b"\x1f\x8b" else body, "slowpath.board"))


def _wait_for_latency(person: DemoUser, began: float) -> DashboardOutcome:
    while True:
        shown = _board(person)
        if not np.isnan(shown.p99(None, None)):
            return shown
        if time.monotonic() - began > BOARD_SECONDS:
            raise DemoFailed(f"no latency on the dashboard after {BOARD_SECONDS:.0f} s: {shown.header['empty']}")
        time.sleep(0.5)


def _wait_for_mark(person: DemoUser, since: datetime, seconds: float) -> tuple[str | None, DashboardOutcome]:
    """Wait until the dashboard attributes a change point; None after `seconds`."""
    deadline = time.monotonic() + seconds
    while True:
        shown = _board(person)
        marked = shown.marked(since)
        if marked is not None or time.monotonic() > deadline:
            return marked, shown
        time.sleep(2.0)


def _deploy(person: DemoUser, commit: str) -> dict[str, Any]:
    """Send a deployment event like a deploy tool."""
    message = {
        "service": SERVICE,
        "environment": ENVIRONMENT,
        "commit": commit,
        "commits": [
            {"id": commit, "title": "Unmarshal labels into strings of their own" if commit == SLOWER else "Start"}
        ],
    }
    deployment: dict[str, Any] = person.call("POST", "/deployment-events", json=message)
    return deployment


def _sets_around(person: DemoUser, environment_id: str, deployed_at: datetime) -> dict[str, list[str]]:
    """Wait for span sets that end before a deployment and that begin after it; return their IDs by side."""
    deadline = time.monotonic() + SPANS_SECONDS
    while True:
        query = {
            "environment_id": environment_id,
            "from": (deployed_at - timedelta(hours=1)).isoformat(),
            "to": (deployed_at + timedelta(hours=1)).isoformat(),
        }
        sides: dict[str, list[str]] = {"base": [], "candidate": []}
        for each in person.call("GET", "/span-sets", params=query):
            if datetime.fromisoformat(each["ended_at"]) <= deployed_at:
                sides["base"].append(each["id"])
            elif datetime.fromisoformat(each["began_at"]) >= deployed_at:
                sides["candidate"].append(each["id"])
        if all(len(ids) >= SETS for ids in sides.values()) or time.monotonic() > deadline:
            return sides
        time.sleep(2.0)


def _grown_gap(person: DemoUser, sides: dict[str, list[str]]) -> str | None:
    """Return the significant gap that has grown most between the span sets, or None."""
    if not all(sides.values()):
        _print("no span set on one side of the deployment")
        return None
    requested_sides = {side: {"artifact_ids": ids, "label": side} for side, ids in sides.items()}
    comparison = person.call("POST", "/comparisons", json={"name": "Around the deploy", **requested_sides})
    deadline = time.monotonic() + COMPARE_SECONDS
    while comparison["state"] in UNFINISHED and time.monotonic() < deadline:
        time.sleep(0.5)
        comparison = person.call("GET", f"/comparisons/{comparison['id']}")
    if comparison["state"] != "done":
        raise DemoFailed(f"the comparison of spans is {comparison['state']}: {comparison['problem']}")
    for finding in comparison["result"]["findings"]:
        _print(f"  {finding['sentence']}")
    grown = [
        str(each["subject"])
        for each in comparison["result"]["findings"]
        if (each["kind"], each["direction"]) == ("spans.gap", "worse")
    ]
    # Prefer gaps of the request's span to gaps in the spans of its calls.
    return next((each for each in grown if each.startswith(f"{SERVICE}/{ROUTE}|")), next(iter(grown), None))


def _print(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="npm run demo:dashboard --", description="Attribute a latency change point to a deployment."
    )
    parser.add_argument("--json", action="store_true", help="print the result as one line of JSON")
    parser.add_argument(
        "--prometheus", choices=["real", "client"], help="sender of metrics (default: a real Prometheus, if available)"
    )
    parser.add_argument("--rate", type=float, default=120.0, help="writes per second (default: 120)")
    parser.add_argument("--series", type=int, default=300, help="series per write, with 14 strings each (default: 300)")
    parser.add_argument("--before", type=float, default=130.0, help="seconds until the slower build (default: 130)")
    parser.add_argument(
        "--after", type=float, default=180.0, help="maximum seconds to wait for the change point (default: 180)"
    )
    parser.add_argument("--url", help="a running server (default: $SLOWPATH_URL)")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main())
