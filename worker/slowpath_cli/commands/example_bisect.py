"""The example of a finished bisect: a recorded run of `npm run demo:bisect`, whose rows are laid out as they were then.

A search needs git repositories and a runner, which the example team has not; so this one part of the example is written by the
verbs of bisects beside the server, where its database is known.
"""

import gzip
import json
import os
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

import slowpath.metadata  # noqa: F401 - its rows refer to rows of features that are not named here; all tables must be known
from slowpath.adapters.postgres import create_postgres_engine
from slowpath.core.db_sessions import Database, TeamScope
from slowpath.core.ids import TeamId, UserId
from slowpath.core.settings import Settings
from slowpath.verdicts.bisects.service import recorded_bisects

Call = Callable[..., Any]
"""Asks the API: method, path, what httpx takes."""
TITLE_MOST = 200
ENDED = timedelta(minutes=40)
"""How long ago it ended."""


def seed_bisect(call: Call, file: Path, service_id: str, comparison_id: str | None, now: datetime) -> str | None:
    """Lay out a recorded bisect of a service; returns its id, or nothing where the database is out of reach."""
    url = os.environ.get("DATABASE_URL")
    if not url:
        return None
    told = json.loads(gzip.decompress(file.read_bytes()))
    repository_id = call("POST", "/repositories", json={"name": told["repository"], "services": []})["id"]
    call("POST", f"/repositories/{repository_id}/commits", json={"commits": told["commits"]})
    known = call("GET", "/session")
    scope = TeamScope(team_id=TeamId(UUID(known["teams"][0]["id"])), user_id=UserId(UUID(known["user"]["id"])))
    comparison = UUID(comparison_id) if comparison_id else None
    place = recorded_bisects.RecordedBisectTarget(UUID(service_id), UUID(repository_id), comparison, scope.user_id)
    return _laid_out(url, scope, told, place, now - ENDED)


def report_bisect(call: Call, bisect_id: str) -> None:
    """Write the report of a bisect that has ended, and publish it."""
    found = call("GET", f"/bisects/{bisect_id}")
    name, cost = f"Bisect {found['number']}", found["cost"]
    title = f"{name}: {found['sentence']}"
    report = f"/reports/{call('POST', '/reports', json={'title': title[:TITLE_MOST]})['id']}"
    prose = (
        f"**{found['sentence']}** It took {cost['deploys']} deploys; plain `git bisect` with the best of five would take about "
        f"{cost['git_bisect_best_of_5_probes']}."
    )
    call("PATCH", report, json={"blocks": [{"kind": "prose", "markdown": prose}]})
    page = f"/bisects/{bisect_id}"
    call("POST", f"{report}/views", json={"title": name, "path": page, "requests": [page]})
    call("POST", f"{report}/publish")


def _laid_out(
    url: str,
    scope: TeamScope,
    told: Mapping[str, Any],
    place: recorded_bisects.RecordedBisectTarget,
    ended_at: datetime,
) -> str:
    unused = {"broker_url": "memory://", "blob_url": "memory://", "secret_key": "unused"}
    engine = create_postgres_engine(Settings.model_validate({"database_url": url, **unused}), pool_size=1)
    try:
        with Database(engine).writing(scope) as session:
            return str(recorded_bisects.insert_recorded_bisect(session, told, place, ended_at=ended_at).id)
    finally:
        engine.dispose()
