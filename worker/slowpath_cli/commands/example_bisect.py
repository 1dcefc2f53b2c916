"""Create the example's finished bisect from a recording of `npm run demo:bisect`.

A bisect needs git repositories and a runner, which the example team does not have. Its rows are therefore written to the
database (DATABASE_URL), not through the API.
"""

import gzip
import json
import os
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

import slowpath.metadata  # noqa: F401 - foreign keys need the tables of all features
from slowpath.adapters.postgres import create_postgres_engine
from slowpath.core.db_sessions import Database, TeamScope
from slowpath.core.ids import TeamId, UserId
from slowpath.core.settings import Settings
from slowpath.verdicts.bisects.service import recorded_bisects

Call = Callable[..., Any]
"""Send an API request: method, path, keyword arguments of httpx. Returns the JSON response."""
MAX_TITLE_CHARACTERS = 200
FINISHED_AGO = timedelta(minutes=40)
"""Age of the example's bisect: the time since it finished."""


def seed_bisect(call: Call, file: Path, service_id: str, comparison_id: str | None, now: datetime) -> str | None:
    """Create a recorded bisect of a service and return its ID; None if DATABASE_URL is not set."""
    url = os.environ.get("DATABASE_URL")
    if not url:
        return None
    recording = json.loads(gzip.decompress(file.read_bytes()))
    repository_id = call("POST", "/repositories", json={"name": recording["repository"], "services": []})["id"]
    call("POST", f"/repositories/{repository_id}/commits", json={"commits": recording["commits"]})
    session_info = call("GET", "/session")
    scope = TeamScope(
        team_id=TeamId(UUID(session_info["teams"][0]["id"])), user_id=UserId(UUID(session_info["user"]["id"]))
    )
    comparison = UUID(comparison_id) if comparison_id else None
    target = recorded_bisects.RecordedBisectTarget(UUID(service_id), UUID(repository_id), comparison, scope.user_id)
    return _insert_bisect(url, scope, recording, target, now - FINISHED_AGO)


def report_bisect(call: Call, bisect_id: str) -> None:
    """Create and publish the report of a finished bisect."""
    bisect = call("GET", f"/bisects/{bisect_id}")
    name, cost = f"Bisect {bisect['number']}", bisect["cost"]
    title = f"{name}: {bisect['sentence']}"
    report = f"/reports/{call('POST', '/reports', json={'title': title[:MAX_TITLE_CHARACTERS]})['id']}"
    markdown = (
        f"**{bisect['sentence']}** It took {cost['deployments']} deployments; plain `git bisect` with the best of five would take about "
        f"{cost['git_bisect_best_of_5_probes']}."
    )
    call("PATCH", report, json={"blocks": [{"kind": "text", "markdown": markdown}]})
    page = f"/bisects/{bisect_id}"
    call("POST", f"{report}/snapshots", json={"title": name, "path": page, "requests": [page]})
    call("POST", f"{report}/publish")


def _insert_bisect(
    url: str,
    scope: TeamScope,
    recording: Mapping[str, Any],
    target: recorded_bisects.RecordedBisectTarget,
    ended_at: datetime,
) -> str:
    unused = {"broker_url": "memory://", "blob_url": "memory://", "secret_key": "unused"}
    engine = create_postgres_engine(Settings.model_validate({"database_url": url, **unused}), pool_size=1)
    try:
        with Database(engine).writing(scope) as session:
            return str(recorded_bisects.insert_recorded_bisect(session, recording, target, ended_at=ended_at).id)
    finally:
        engine.dispose()
