"""A recorded bisect that is imported again has the same responses."""

import json
from typing import Any
from uuid import UUID

import pytest

from example.bisects.recorded_bisect import recording
from slowpath.verdicts.bisects.service import recorded_bisects
from tests.bisects.conftest import Search, plan_of, sha, slower_from

pytestmark = pytest.mark.database
TABLES = ("bisect", "probe", "probe_measurement", "bisect_event", "repository", "commit")


def without_times(document: dict[str, Any]) -> dict[str, Any]:
    """Return what does not hang on when it was, and where."""
    keep = (
        "title",
        "sentence",
        "posterior",
        "deployments",
        "culprit",
        "signature",
        "levels",
        "evidence",
        "elsewhere",
        "state",
    )
    probes = [{name: one[name] for name in ("number", "sha", "verdict", "state")} for one in document["probes"]]
    values = [[each["value"] for each in one["measurements"]] for one in document["probes"]]
    return {
        **{name: document[name] for name in keep},
        "probes": probes,
        "values": values,
        "events": len(document["events"]),
    }


def test_a_recording_is_replayed(search: Search) -> None:
    search.begin(plan_of(8))
    before = search.run(slower_from(3))
    tables = {name: [row for (row,) in search.bench.admin.execute(f"SELECT row_to_json({name}) FROM {name}")]
              for name in TABLES}  # fmt: skip
    document = json.loads(json.dumps(recording(tables, [sha(3)])))

    repository = UUID(tables["repository"][0]["id"])
    with search.bench.worker_context.database.writing(search.scope) as session:
        place = recorded_bisects.RecordedBisectTarget(
            UUID(before["service"]["id"]), repository, None, search.scope.user_id
        )
        again = recorded_bisects.insert_recorded_bisect(session, document, place, ended_at=search.now()).id

    after = search.person.get(f"/api/v1/bisects/{again}").json()
    assert without_times(after) == without_times(before)
    assert (after["number"], after["culprit"]["sha"]) == (2, sha(3))
    took = [json.loads(json.dumps(one))["cost"]["seconds"] for one in (before, after)]
    assert took[1] == pytest.approx(took[0], abs=1)


def test_another_format_is_refused(search: Search) -> None:
    place = recorded_bisects.RecordedBisectTarget(UUID(int=1), UUID(int=2), None, None)
    with (
        search.bench.worker_context.database.writing(search.scope) as session,
        pytest.raises(ValueError, match="expected 2"),
    ):
        recorded_bisects.insert_recorded_bisect(session, {"format": 3}, place, ended_at=search.now())
