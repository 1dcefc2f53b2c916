"""Create the example's dashboard through the public API: deployments, and metrics as Prometheus sends them."""

import time
from collections.abc import Callable, Mapping
from typing import Any

from slowpath_worker.example.dashboard_plan import ExampleDashboard, make_history_requests
from slowpath_worker.example.traffic_replay import REMOTE_WRITE_HEADERS

Call = Callable[..., Any]
"""Send an API request: method, path, keyword arguments of httpx. Returns the JSON response."""


def now_ms() -> int:
    """Return the current time in milliseconds since 1970."""
    return round(time.time() * 1000)


def seed_board(call: Call, write: Callable[[bytes, Mapping[str, str]], None], board: ExampleDashboard) -> None:
    """Create the deployments and send the history."""
    commits = {each["id"]: each["commit"] for each in board.plan["builds"]}
    for deploy in board.plan["deploys"]:
        body = {
            "service_id": board.service_id,
            "environment_id": board.environment_id,
            "build_id": board.builds[deploy["build"]],
            "commit": commits[deploy["build"]],
            "started_at": board.at(deploy["minutes_ago"]).isoformat(),
            "commits": deploy["commits"],
        }
        call("POST", "/deployments", json=body)
    for content in make_history_requests(board):
        write(content, REMOTE_WRITE_HEADERS)
