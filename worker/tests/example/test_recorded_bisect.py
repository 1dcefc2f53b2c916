"""The recorded bisect: imported into a team, its pages show how the commit was found."""

import gzip
import json
import re
from datetime import UTC, datetime, timedelta
from pathlib import Path
from uuid import UUID

import pytest
from fastapi.testclient import TestClient

from slowpath.core.db_sessions import TeamScope
from slowpath.verdicts.bisects.service import recorded_bisects
from slowpath.verdicts.bisects.wording import describe_event
from tests.conftest import (  # noqa: F401 - pytest finds fixtures by name
    app,
    asker,
    client,
    emptied,
    engine,
    migrated,
    people,
    role,
    team,
)
from tests.factories.accounts import SomeTeam
from tests.support.app_under_test import AppUnderTest

FILE = Path(__file__).resolve().parents[2] / "example" / "bisects" / "recorded.json.gz"
ENDED = datetime(2026, 11, 21, 12, tzinfo=UTC)


@pytest.mark.database
def test_its_pages_show_how_the_commit_was_found(app: AppUnderTest, team: SomeTeam, client: TestClient) -> None:  # noqa: F811
    document = json.loads(gzip.decompress(FILE.read_bytes()))
    service = client.post("/api/v1/services", json={"name": "ingester"}).json()["id"]
    repository = client.post("/api/v1/repositories", json={"name": document["repository"], "services": []}).json()["id"]
    commits = client.post(f"/api/v1/repositories/{repository}/commits", json={"commits": document["commits"]})
    assert commits.json() == {"new": len(document["commits"])}
    me = team.owner.user_id
    with app.database.writing(TeamScope(team_id=team.id, user_id=me)) as session:
        place = recorded_bisects.RecordedBisectTarget(UUID(service), UUID(repository), None, me)
        id_ = recorded_bisects.insert_recorded_bisect(session, document, place, ended_at=ENDED).id

    [row] = client.get("/api/v1/bisects").json()["items"]
    assert (row["state"], row["culprit"]["sha"]) == ("found", document["truth"][-1])
    found = client.get(f"/api/v1/bisects/{id_}").json()
    culprits = [level["culprit"]["sha"] for level in found["levels"] if level["culprit"]]
    assert [sha for sha in culprits if sha in document["truth"]] == document["truth"]
    assert found["good"]["title"]
    assert found["bad"]["title"]
    assert len(found["probes"]) == len(document["probes"])
    assert all(one["value"] is not None for probe in found["probes"] for one in probe["measurements"])
    assert found["cost"]["deployments"] < found["cost"]["git_bisect_best_of_3_probes"]
    assert datetime.fromisoformat(found["finished_at"]) == ENDED
    assert datetime.fromisoformat(found["probes"][0]["queued_at"]) > ENDED - timedelta(seconds=document["seconds"])
    assert found["posterior"] > 0.95
    assert all(describe_event(one["kind"], one["details"]) != one["kind"] for one in document["events"])


def test_titles_have_no_space_before_a_percent_sign() -> None:
    assert re.search(r"\d %", gzip.decompress(FILE.read_bytes()).decode()) is None
