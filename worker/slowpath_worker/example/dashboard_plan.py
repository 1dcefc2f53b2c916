"""The dashboard of the example: deployments, and hours of metrics replayed from captured windows up to now."""

import gzip
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from slowpath_worker.example.traffic_replay import (
    ReplayRange,
    add_resource_attribute,
    first_time,
    remote_write,
    replay_history,
    shift_span_times,
)

SERIES_PER_REQUEST = 40
SEED = 4
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True)
class ExampleDashboard:
    """An investigation whose plan has deployments and a history, with the IDs created so far."""

    plan: Mapping[str, Any]
    folder: Path
    service_id: str
    environment_id: str
    builds: Mapping[str, str]
    now_ms: int

    def ago(self, minutes: float) -> int:
        """Return the time `minutes` ago in milliseconds since 1970, rounded down to a step of the history."""
        step_ms = int(self.plan["history"]["step_seconds"] * 1000)
        return (self.now_ms - round(minutes * 60_000)) // step_ms * step_ms

    def at(self, minutes: float) -> datetime:
        """Return the time `minutes` ago, as `ago`."""
        return EPOCH + timedelta(milliseconds=self.ago(minutes))


def make_history_requests(board: ExampleDashboard) -> Iterator[bytes]:
    """Yield the remote write requests of the history."""
    history = json.loads((board.folder / board.plan["history"]["file"]).read_text(encoding="utf-8"))
    series = replay_history(history, stretches(board), round(board.plan["history"]["step_seconds"] * 1000), SEED)
    for first in range(0, len(series), SERIES_PER_REQUEST):
        yield remote_write(series[first : first + SERIES_PER_REQUEST])


def stretches(board: ExampleDashboard) -> list[ReplayRange]:
    """Return the history cut at the deployments: the deployed instances restart, the others continue.

    An instance with `keeps` is not deployed: it continues with its build beside the new one, under the same load.
    """
    history, service = board.plan["history"], board.plan["service"]["name"]
    begin, end = board.ago(history["minutes"]), board.ago(0)
    deploys = board.plan["deploys"]
    commits = {each["id"]: each["commit"] for each in board.plan["builds"]}
    # Callers and callees were measured together: both replay the windows of the same variant.
    cuts = [max(begin, board.ago(each["minutes_ago"])) for each in deploys] + [end]
    ranges = []
    for deploy, start, stop in zip(deploys, cuts, cuts[1:], strict=False):
        for instance, instance_plan in history["instances"].items():
            is_deployed = instance_plan["service"] == service and "keeps" not in instance_plan
            commit = commits[deploy["build"]] if is_deployed else commits[deploys[0]["build"]]
            labels = {
                "service": instance_plan["service"],
                "job": instance_plan["job"],
                "environment": board.plan["environment"]["name"],
                "version": commit[:7],
            }
            ranges.append(
                ReplayRange(
                    instance_plan.get("keeps", deploy["build"]),
                    start,
                    stop,
                    {instance: labels},
                    ends=is_deployed and stop < end,
                    captured=instance_plan.get("captured"),
                    share=instance_plan.get("share", 1.0),
                )
            )
    return ranges


def spans_in(file: Path, environment: str, at_ms: int | None) -> bytes:
    """Return a gzip file of spans in an environment, shifted to start at `at_ms` (milliseconds since 1970), if given."""
    plain = gzip.decompress(file.read_bytes() if at_ms is None else spans_at(file, at_ms))
    return gzip.compress(add_resource_attribute(plain, "deployment.environment.name", environment), 6, mtime=0)


def spans_at(file: Path, at_ms: int) -> bytes:
    """Return a gzip file of spans, shifted to start at `at_ms` (milliseconds since 1970)."""
    plain = gzip.decompress(file.read_bytes())
    return gzip.compress(shift_span_times(plain, at_ms * 1_000_000 - first_time(plain)), 6, mtime=0)
