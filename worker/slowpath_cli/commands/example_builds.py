"""Create the example service with a build history: commits, builds and profiles, as CI uploads them.

Each build's profiles are sampled from the captures of its variant. The seed command does not wait for the verdicts.
With a folder for repositories, the commits are those of a repository that is written there, so that they can be bisected.
"""

import json
import random
import time
from collections.abc import Callable, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from slowpath_worker.example.build_plan import SIDECAR, SeededBuild, builds_of, captures_of, commit_of, metadata_of
from slowpath_worker.example.quoter_repository import write_repository

Call = Callable[..., Any]
"""Send an API request: method, path, keyword arguments of httpx. Returns the JSON response."""


REPOSITORY = "quoter.git"
FETCH_SECONDS = 60.0
POLL_SECONDS = 0.2


class RepositoryUnreadable(Exception):
    """The server did not fetch the example's repository; the message gives the reason."""


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
        _link_repository(call, plan["repository"], target, service_id)
    for each in builds:
        _send(call, plan, each, rng.sample(captures_of(file.parent, each.variant), plan["profiles"]))
    return service_id


def _link_repository(call: Call, name: str, target: Path, service_id: str) -> None:
    """Create a repository with the address of a folder, and wait until it is fetched. Raises `RepositoryUnreadable`."""
    services = [{"service_id": service_id, "main_package": "."}]
    created = call("POST", "/repositories", json={"name": name, "url": target.as_uri(), "services": services})
    deadline = time.monotonic() + FETCH_SECONDS
    while (found := call("GET", f"/repositories/{created['id']}"))["fetched_at"] is None:
        if found["problem"] is not None or time.monotonic() > deadline:
            reason = (found["problem"] or {}).get("detail") or f"It took longer than {FETCH_SECONDS:.0f} s."
            raise RepositoryUnreadable(f"the repository {name} could not be fetched: {reason}")
        time.sleep(POLL_SECONDS)


def _send(call: Call, plan: Mapping[str, Any], build: SeededBuild, captures: list[Path]) -> None:
    metadata = {**metadata_of(build, plan["branch"]), "committed_at": build.at.isoformat()}
    path = f"/builds/{plan['service']['name']}/{build.sha}"
    call("POST", path, json=metadata)
    for number, capture in enumerate(captures):
        facts = json.loads(capture.with_name(capture.name + SIDECAR).read_text(encoding="utf-8"))
        params = {"run_metadata": json.dumps({**facts, "run": f"{build.sha[:7]}/{number}"})}
        call("PUT", f"{path}/artifacts/cpu.{number}.pb.gz", params=params, content=capture.read_bytes())
