"""Link the services of the example to repositories that are written to a folder the server may read."""

import time
from collections.abc import Callable, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from slowpath.commit_names import short_commit
from slowpath_worker.example.ingester_repository import write_repository

Call = Callable[..., Any]
"""Send an API request: method, path, keyword arguments of httpx. Returns the JSON response."""

FETCH_SECONDS = 60.0
POLL_SECONDS = 0.2


class RepositoryUnreadable(Exception):
    """The server did not fetch the example's repository; the message gives the reason."""


def link_repository(call: Call, name: str, target: Path, service_id: str) -> None:
    """Create a repository with the address of a folder, and wait until it is fetched. Raises `RepositoryUnreadable`."""
    services = [{"service_id": service_id, "main_package": "."}]
    created = call("POST", "/repositories", json={"name": name, "url": target.as_uri(), "services": services})
    deadline = time.monotonic() + FETCH_SECONDS
    while (found := call("GET", f"/repositories/{created['id']}"))["fetched_at"] is None:
        if found["problem"] is not None or time.monotonic() > deadline:
            reason = (found["problem"] or {}).get("detail") or f"It took longer than {FETCH_SECONDS:.0f} s."
            raise RepositoryUnreadable(f"the repository {name} could not be fetched: {reason}")
        time.sleep(POLL_SECONDS)


def seed_repository(
    call: Call, plan: Mapping[str, Any], program: Path, service_id: str, *, repositories: Path, now: datetime
) -> dict[str, Any]:
    """Write and link the repository of a plan's program; return the plan with its commits in place of the made-up ones.

    Raises `RepositoryUnreadable`, `OSError`, `CalledProcessError`.
    """
    target = repositories.resolve() / f"{program.name}.git"
    shas = write_repository(target, program, plan, now)
    link_repository(call, plan["repository"]["name"], target, service_id)
    made_up = {each["id"]: each["commit"] for each in plan["builds"]}
    return {
        **plan,
        "builds": [{**each, "commit": shas[each["id"]]} for each in plan["builds"]],
        "sets": [
            {
                **each,
                "label": each["label"].replace(short_commit(made_up[each["build"]]), short_commit(shas[each["build"]])),
            }
            for each in plan["sets"]
        ],
    }
