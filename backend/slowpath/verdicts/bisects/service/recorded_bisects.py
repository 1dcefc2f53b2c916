"""Lay out a search that ran elsewhere, as its rows were then: the example team's. Nothing of it is deployed or searched again."""

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
    """Where a recorded search belongs to in this team."""

    service_id: UUID
    repository_id: UUID
    """The main one. Those of modules are known by their names alone."""
    comparison_id: UUID | None
    by: UserId | None


def insert_recorded_bisect(
    session: WriteSession, told: Mapping[str, Any], place: RecordedBisectTarget, *, ended_at: datetime
) -> Bisect:
    """Write the rows of a recorded search that has ended; its times, in seconds since its start, are moved so that it ended then.

    Raises `ValueError` where the recording has another format.
    """
    if told.get("format") != FORMAT:
        raise ValueError(f"a recorded bisect has format {FORMAT}, this one {told.get('format')}")
    began = ended_at - timedelta(seconds=told["seconds"])
    queries.lock_team(session)
    bisect = _bisect(session, told["bisect"], place, began, ended_at)
    session.add(bisect)
    session.flush()
    for each in told["probes"]:
        _lay_out_probe(session, bisect, each, began)
    for each in told["events"]:
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
    session: WriteSession, told: Mapping[str, Any], place: RecordedBisectTarget, began: datetime, ended_at: datetime
) -> Bisect:
    return Bisect(
        team_id=session.team_id,
        id=new_id(),
        created_at=began,
        number=queries.next_number(session),
        title=told["title"],
        service_id=place.service_id,
        repository_id=place.repository_id,
        regression_id=None,
        comparison_id=place.comparison_id,
        good_sha=told["good_sha"],
        bad_sha=told["bad_sha"],
        state=told["state"],
        signature=told["signature"],
        settings={**told["settings"], "module_repositories": {}},
        plan={**told["plan"], "modules": {}},
        outcome=told["outcome"],
        created_by=place.by,
        started_at=_moment(began, told["started_at"]),
        finished_at=ended_at,
    )


def _lay_out_probe(session: WriteSession, bisect: Bisect, told: Mapping[str, Any], began: datetime) -> None:
    run_id = new_id()
    probe = Probe(
        team_id=session.team_id,
        id=new_id(),
        bisect_id=bisect.id,
        run_id=run_id,
        callback_hash=hashlib.sha256(run_id.bytes).digest(),  # nobody can call back: no secret has this hash
        **{name: told[name] for name in PROBE},
        **{name: _moment(began, told[name]) for name in MOMENTS},
    )
    session.add(probe)
    session.flush()
    for each in told["measurements"]:
        read = {name: each[name] for name in ("index", "round", "value", "verdict", "problem", "invalidated")}
        times = {name: _moment(began, each[name]) for name in ("started_at", "ended_at")}
        session.add(
            ProbeMeasurement(team_id=session.team_id, id=new_id(), probe_id=probe.id, artifact_ids=[], **read, **times)
        )


def _moment(began: datetime, seconds: float | None) -> datetime | None:
    return None if seconds is None else began + timedelta(seconds=seconds)
