"""The board of the example: deploys, and hours of metrics replayed from captured windows up to now.

All of it goes through the public API, as Prometheus and a deploy tool would send it.
"""

import gzip
import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from slowpath_cli.commands.traffic_replay import (
    REMOTE_WRITE_HEADERS,
    ReplayRange,
    first_time,
    remote_write,
    replay_history,
    shift_span_times,
)

Call = Callable[..., Any]
"""Asks the API: method, path, what httpx takes."""
LINES_AT_ONCE = 40
SEED = 4
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True)
class ExampleDashboard:
    """An investigation whose plan has deploys and a history, and what was made of it so far."""

    plan: Mapping[str, Any]
    folder: Path
    service_id: str
    environment_id: str
    builds: Mapping[str, str]
    now_ms: int

    def ago(self, minutes: float) -> int:
        """Milliseconds since 1970 of so many minutes ago, whole steps of the history."""
        step_ms = int(self.plan["history"]["step_seconds"] * 1000)
        return (self.now_ms - round(minutes * 60_000)) // step_ms * step_ms


def now_ms() -> int:
    """Milliseconds since 1970."""
    return round(time.time() * 1000)


def seed_board(call: Call, write: Callable[[bytes, Mapping[str, str]], None], board: ExampleDashboard) -> None:
    """Make the deploys known and send the history."""
    commits = {each["id"]: each["commit"] for each in board.plan["builds"]}
    for deploy in board.plan["deploys"]:
        at = EPOCH + timedelta(milliseconds=board.ago(deploy["minutes_ago"]))
        asked = {
            "service_id": board.service_id,
            "environment_id": board.environment_id,
            "build_id": board.builds[deploy["build"]],
            "commit": commits[deploy["build"]],
            "started_at": at.isoformat(),
            "commits": deploy["commits"],
        }
        call("POST", "/deployments", json=asked)
    history = json.loads((board.folder / board.plan["history"]["file"]).read_text(encoding="utf-8"))
    lines = replay_history(history, stretches(board), round(board.plan["history"]["step_seconds"] * 1000), SEED)
    for first in range(0, len(lines), LINES_AT_ONCE):
        write(remote_write(lines[first : first + LINES_AT_ONCE]), REMOTE_WRITE_HEADERS)


def stretches(board: ExampleDashboard) -> list[ReplayRange]:
    """Cut the hours of the history at the deploys: what was deployed ends and begins anew, the others run on.

    An instance that keeps a build is not deployed anew: it runs beside the new build, under the same load.
    """
    told, service = board.plan["history"], board.plan["service"]["name"]
    begin, end = board.ago(told["minutes"]), board.ago(0)
    deploys = board.plan["deploys"]
    commits = {each["id"]: each["commit"] for each in board.plan["builds"]}
    # Who calls and who is called were measured together: the windows of a variant are replayed for both.
    cuts = [max(begin, board.ago(each["minutes_ago"])) for each in deploys] + [end]
    found = []
    for deploy, start, stop in zip(deploys, cuts, cuts[1:], strict=False):
        for instance, known in told["instances"].items():
            mine = known["service"] == service and "keeps" not in known
            commit = commits[deploy["build"]] if mine else commits[deploys[0]["build"]]
            labels = {
                "service": known["service"],
                "job": known["job"],
                "environment": board.plan["environment"]["name"],
                "version": commit[:7],
            }
            found.append(
                ReplayRange(
                    known.get("keeps", deploy["build"]),
                    start,
                    stop,
                    {instance: labels},
                    ends=mine and stop < end,
                    captured=known.get("captured"),
                    share=known.get("share", 1.0),
                )
            )
    return found


def spans_at(file: Path, at_ms: int) -> bytes:
    """Return a packed file of spans, moved so that its first one begins at a time (milliseconds since 1970)."""
    plain = gzip.decompress(file.read_bytes())
    return gzip.compress(shift_span_times(plain, at_ms * 1_000_000 - first_time(plain)), 6, mtime=0)
