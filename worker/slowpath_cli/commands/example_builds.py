"""The example of a service of which every build is watched: commits, builds and profiles, as CI would have sent them.

The captures are real (see the README beside them); the commits are made up: each build's profiles are drawn from the captures
of the variant that it is of. Nobody waits for the judgements: they are made while somebody signs in.
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
"""Asks the API: method, path, what httpx takes."""
SIDECAR = ".facts.json"
HOURS_AGO = 1.0
"""When the newest build was committed."""


@dataclass(frozen=True)
class SeededBuild:
    """One build: its commit and where its profiles are drawn from."""

    sha: str
    parent: str | None
    at: datetime
    variant: str
    told: Mapping[str, Any]
    """What the plan says of its commit."""


def seed_builds(call: Call, file: Path, now: datetime) -> str:
    """Lay out what a plan says; returns the service's id."""
    plan = json.loads(file.read_text(encoding="utf-8"))
    dice = random.Random(plan["seed"])  # noqa: S311 - the same example every time; no secret
    service_id = str(call("POST", "/services", json=plan["service"])["id"])
    asked = {"name": plan["repository"], "services": [{"service_id": service_id}]}
    repository_id = call("POST", "/repositories", json=asked)["id"]
    builds = list(builds_of(plan, now))
    call("POST", f"/repositories/{repository_id}/commits", json={"commits": [commit_of(each) for each in builds]})
    for each in builds:
        _send(call, plan, each, dice.sample(_captures(file.parent, each.variant), plan["profiles"]))
    return service_id


def builds_of(plan: Mapping[str, Any], now: datetime) -> Iterator[SeededBuild]:
    """Yield the builds of a plan, oldest first; ids of commits follow from the plan alone."""
    count = sum(each["builds"] for each in plan["variants"])
    newest = now.astimezone(UTC).replace(minute=0, second=0, microsecond=0) - timedelta(hours=HOURS_AGO)
    parent, number = None, 0
    for each in plan["variants"]:
        for place in range(each["builds"]):
            little = plan["commits"][number % len(plan["commits"])]
            told = plan["changes"].get(each["variant"], little) if place == 0 else little
            sha = hashlib.sha1(f"{number} {told['title']}".encode(), usedforsecurity=False).hexdigest()
            at = newest - timedelta(minutes=plan["every_minutes"] * (count - 1 - number))
            yield SeededBuild(sha, parent, at, each["variant"], told)
            parent, number = sha, number + 1


def commit_of(build: SeededBuild) -> dict[str, Any]:
    """Return a build's commit as the API takes it."""
    files = [
        {"path": path, "status": status} for status in ("added", "modified") for path in build.told.get(status, ())
    ]
    name = str(build.told["author"])
    return {
        "sha": build.sha,
        "parents": [build.parent] if build.parent else [],
        "author_name": name,
        "author_email": f"{name.split(maxsplit=1)[0].lower()}@shop.example",
        "authored_at": build.at.isoformat(),
        "committed_at": build.at.isoformat(),
        "title": build.told["title"],
        "files": files,
    }


def _send(call: Call, plan: Mapping[str, Any], build: SeededBuild, captures: list[Path]) -> None:
    told = {
        "branch": plan["branch"],
        "title": build.told["title"],
        "author": build.told["author"],
        "committed_at": build.at.isoformat(),
        **({"parent": build.parent} if build.parent else {}),
    }
    path = f"/builds/{plan['service']['name']}/{build.sha}"
    call("POST", path, json=told)
    for number, capture in enumerate(captures):
        facts = json.loads(capture.with_name(capture.name + SIDECAR).read_text(encoding="utf-8"))
        said = {"run_metadata": json.dumps({**facts, "run": f"{build.sha[:7]}/{number}"})}
        call("PUT", f"{path}/artifacts/cpu.{number}.pb.gz", params=said, content=capture.read_bytes())


def _captures(folder: Path, variant: str) -> list[Path]:
    return sorted((folder / "artifacts" / variant).glob("*.pb.gz"))
