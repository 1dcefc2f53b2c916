"""The build history of the example: commits and builds, with the captures that each build's profiles are sampled from.

The profiles are real captures (see the README beside them); the commits are invented.
"""

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

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


def metadata_of(build: SeededBuild, branch: str) -> dict[str, Any]:
    """Return a build's metadata as CI sends it; times are datetimes."""
    return {
        "branch": branch,
        "title": build.commit["title"],
        "author": build.commit["author"],
        "committed_at": build.at,
        **({"parent": build.parent} if build.parent else {}),
    }


def captures_of(folder: Path, variant: str) -> list[Path]:
    """Return the captured profiles of a variant."""
    return sorted((folder / "artifacts" / variant).glob("*.pb.gz"))
