"""Create the example service with a build history: commits, builds and profiles, as CI uploads them.

Each build's profiles are sampled from the captures of its variant. The seed command does not wait for the verdicts.
"""

import json
import random
from collections.abc import Callable, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from slowpath_worker.example.build_plan import SIDECAR, SeededBuild, builds_of, captures_of, commit_of, metadata_of

Call = Callable[..., Any]
"""Send an API request: method, path, keyword arguments of httpx. Returns the JSON response."""


def seed_builds(call: Call, file: Path, now: datetime) -> str:
    """Create the service, commits and builds of a plan and return the service's ID."""
    plan = json.loads(file.read_text(encoding="utf-8"))
    rng = random.Random(plan["seed"])  # noqa: S311 - the same example every time; no secret
    service_id = str(call("POST", "/services", json=plan["service"])["id"])
    repository = {"name": plan["repository"], "services": [{"service_id": service_id}]}
    repository_id = call("POST", "/repositories", json=repository)["id"]
    builds = list(builds_of(plan, now))
    call("POST", f"/repositories/{repository_id}/commits", json={"commits": [commit_of(each) for each in builds]})
    for each in builds:
        _send(call, plan, each, rng.sample(captures_of(file.parent, each.variant), plan["profiles"]))
    return service_id


def _send(call: Call, plan: Mapping[str, Any], build: SeededBuild, captures: list[Path]) -> None:
    metadata = {**metadata_of(build, plan["branch"]), "committed_at": build.at.isoformat()}
    path = f"/builds/{plan['service']['name']}/{build.sha}"
    call("POST", path, json=metadata)
    for number, capture in enumerate(captures):
        facts = json.loads(capture.with_name(capture.name + SIDECAR).read_text(encoding="utf-8"))
        params = {"run_metadata": json.dumps({**facts, "run": f"{build.sha[:7]}/{number}"})}
        call("PUT", f"{path}/artifacts/cpu.{number}.pb.gz", params=params, content=capture.read_bytes())
