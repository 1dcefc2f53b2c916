"""Insert a recorded bisect, such as that of the example team.

Nothing of it is deployed or searched again.
"""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from slowpath.core.db_sessions import WriteSession
from slowpath.core.ids import UserId, new_id
from slowpath.verdicts.bisects import queries
from slowpath.verdicts.bisects.rules import search_plan
from slowpath.verdicts.bisects.service.bisect_summaries import update_bisect_summary
from slowpath.verdicts.bisects.tables import Bisect, BisectEvent, Probe, ProbeMeasurement

FORMAT = 2
PROBE = (
    "number", "build", "candidate", "purpose", "round", "state", "slot", "reason", "log_tail", "verified_candidate",
    "measurements_requested", "good_verdicts", "bad_verdicts",
)  # fmt: skip
MOMENTS = ("queued_at", "leased_at", "deployed_at", "ready_at", "ended_at")


@dataclass(frozen=True)
class RecordedBisectTarget:
    """Service, repository and user of this team for a recorded bisect."""

    service_id: UUID
    repository_id: UUID
    """The main repository. Those of modules are known by name only."""
    comparison_id: UUID | None
    by: UserId | None


def insert_recorded_bisect(
    session: WriteSession, recording: Mapping[str, Any], place: RecordedBisectTarget, *, ended_at: datetime
) -> Bisect:
    """Insert the rows of a finished recorded bisect, moved in time to end at `ended_at`.

    Raises `ValueError` for another format.
    """
    if recording.get("format") != FORMAT:
        raise ValueError(f"unknown format of a recorded bisect: {recording.get('format')}, expected {FORMAT}")
    began = ended_at - timedelta(seconds=recording["seconds"])
    queries.lock_team(session)
    bisect = _bisect(session, recording["bisect"], place, began, ended_at)
    session.add(bisect)
    session.flush()
    for each in recording["probes"]:
        _insert_probe(session, bisect, each, began)
    for each in recording["events"]:
        at, known = _moment(began, each["occurred_at"]), {"kind": each["kind"], "details": each["details"]}
        who = place.by if each["by_a_person"] else None
        session.add(
            BisectEvent(
                team_id=session.team_id,
                id=new_id(),
                bisect_id=bisect.id,
                created_at=at,
                occurred_at=at,
                actor=who,
                **known,
            )
        )
    session.flush()
    assert bisect.plan is not None
    update_bisect_summary(session, bisect, search_plan.from_json(bisect.plan))
    session.flush()
    return bisect


def _bisect(
    session: WriteSession,
    recording: Mapping[str, Any],
    place: RecordedBisectTarget,
    began: datetime,
    ended_at: datetime,
) -> Bisect:
    return Bisect(
        team_id=session.team_id,
        id=new_id(),
        created_at=began,
        number=queries.next_number(session),
        title=recording["title"],
        service_id=place.service_id,
        repository_id=place.repository_id,
        regression_id=None,
        comparison_id=place.comparison_id,
        good_sha=recording["good_sha"],
        bad_sha=recording["bad_sha"],
        state=recording["state"],
        signature=recording["signature"],
        settings={**recording["settings"], "module_repositories": {}},
        plan={**recording["plan"], "modules": {}},
        outcome=recording["outcome"],
        created_by=place.by,
        started_at=_moment(began, recording["started_at"]),
        finished_at=ended_at,
    )


def _insert_probe(session: WriteSession, bisect: Bisect, recording: Mapping[str, Any], began: datetime) -> None:
    run_id = new_id()
    probe = Probe(
        team_id=session.team_id,
        id=new_id(),
        bisect_id=bisect.id,
        run_id=run_id,
        callback_hash=hashlib.sha256(run_id.bytes).digest(),  # no callback secret has this hash
        **{name: recording[name] for name in PROBE},
        **{name: _moment(began, recording[name]) for name in MOMENTS},
    )
    session.add(probe)
    session.flush()
    for each in recording["measurements"]:
        read = {name: each[name] for name in ("index", "round", "value", "verdict", "problem", "invalidated")}
        times = {name: _moment(began, each[name]) for name in ("started_at", "ended_at")}
        session.add(
            ProbeMeasurement(team_id=session.team_id, id=new_id(), probe_id=probe.id, artifact_ids=[], **read, **times)
        )


def _moment(began: datetime, seconds: float | None) -> datetime | None:
    return None if seconds is None else began + timedelta(seconds=seconds)
