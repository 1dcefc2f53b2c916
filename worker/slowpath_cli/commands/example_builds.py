"""Create the example service with a build history: commits, builds and profiles, as CI uploads them.

Each build's profiles are sampled from the captures of its variant. The seed command does not wait for the verdicts.
With a folder for repositories, the commits are those of a repository that is written there, so that they can be bisected.
"""

import json
import random
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from slowpath_cli.commands.example_repositories import Call, link_repository
from slowpath_worker.example.build_plan import SIDECAR, SeededBuild, builds_of, captures_of, commit_of, metadata_of
from slowpath_worker.example.quoter_repository import write_repository

REPOSITORY = "quoter.git"


def seed_builds(call: Call, file: Path, now: datetime, repositories: Path | None = None) -> str:
    """Create the service, commits and builds of a plan and return the service's ID.

    `repositories`: folder that the server may read, for the repository of the service. Without it, only the metadata of
    its commits is pushed. Raises `RepositoryUnreadable`.
    """
    plan = json.loads(file.read_text(encoding="utf-8"))
    rng = random.Random(plan["seed"])  # noqa: S311 - the same example every time; no secret
    service_id = str(call("POST", "/services", json=plan["service"])["id"])
    builds = list(builds_of(plan, now))
    if repositories is None:
        repository = {"name": plan["repository"], "services": [{"service_id": service_id}]}
        repository_id = call("POST", "/repositories", json=repository)["id"]
        call("POST", f"/repositories/{repository_id}/commits", json={"commits": [commit_of(each) for each in builds]})
    else:
        target = repositories.resolve() / REPOSITORY
        builds = write_repository(target, file.parent, plan, builds)
        link_repository(call, plan["repository"], target, service_id)
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
