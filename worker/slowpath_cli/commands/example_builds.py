"""Create the example service with a build history: commits, builds and profiles, as CI uploads them.

The profiles are real captures (see the README beside them); the commits are invented. Each build's profiles are sampled
from the captures of its variant. The seed command does not wait for the verdicts.
"""

import hashlib
import json
import random
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

Call = Callable[..., Any]
"""Send an API request: method, path, keyword arguments of httpx. Returns the JSON response."""
SIDECAR = ".facts.json"
HOURS_AGO = 1.0
"""Age of the newest commit."""


@dataclass(frozen=True)
class SeededBuild:
    """One build: its commit, and the variant its profiles are sampled from."""

    sha: str
    parent: str | None
    at: datetime
    variant: str
    commit: Mapping[str, Any]
    """The commit as in the plan: title, author, added and modified files."""


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
        _send(call, plan, each, rng.sample(_captures(file.parent, each.variant), plan["profiles"]))
    return service_id


def builds_of(plan: Mapping[str, Any], now: datetime) -> Iterator[SeededBuild]:
    """Yield the builds of a plan, oldest first; the SHAs depend only on the plan."""
    count = sum(each["builds"] for each in plan["variants"])
    newest = now.astimezone(UTC).replace(minute=0, second=0, microsecond=0) - timedelta(hours=HOURS_AGO)
    parent, number = None, 0
    for each in plan["variants"]:
        for index in range(each["builds"]):
            minor = plan["commits"][number % len(plan["commits"])]
            commit = plan["changes"].get(each["variant"], minor) if index == 0 else minor
            sha = hashlib.sha1(f"{number} {commit['title']}".encode(), usedforsecurity=False).hexdigest()
            at = newest - timedelta(minutes=plan["every_minutes"] * (count - 1 - number))
            yield SeededBuild(sha, parent, at, each["variant"], commit)
            parent, number = sha, number + 1


def commit_of(build: SeededBuild) -> dict[str, Any]:
    """Return a build's commit as a request body of the API."""
    files = [
        {"path": path, "status": status} for status in ("added", "modified") for path in build.commit.get(status, ())
    ]
    name = str(build.commit["author"])
    return {
        "sha": build.sha,
        "parents": [build.parent] if build.parent else [],
        "author_name": name,
        "author_email": f"{name.split(maxsplit=1)[0].lower()}@shop.example",
        "authored_at": build.at.isoformat(),
        "committed_at": build.at.isoformat(),
        "title": build.commit["title"],
        "files": files,
    }


def _send(call: Call, plan: Mapping[str, Any], build: SeededBuild, captures: list[Path]) -> None:
    metadata = {
        "branch": plan["branch"],
        "title": build.commit["title"],
        "author": build.commit["author"],
        "committed_at": build.at.isoformat(),
        **({"parent": build.parent} if build.parent else {}),
    }
    path = f"/builds/{plan['service']['name']}/{build.sha}"
    call("POST", path, json=metadata)
    for number, capture in enumerate(captures):
        facts = json.loads(capture.with_name(capture.name + SIDECAR).read_text(encoding="utf-8"))
        params = {"run_metadata": json.dumps({**facts, "run": f"{build.sha[:7]}/{number}"})}
        call("PUT", f"{path}/artifacts/cpu.{number}.pb.gz", params=params, content=capture.read_bytes())


def _captures(folder: Path, variant: str) -> list[Path]:
    return sorted((folder / "artifacts" / variant).glob("*.pb.gz"))
