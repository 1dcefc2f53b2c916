"""Production baselines: measurements of both boundaries before the first deployment.

The artifacts that CI or production uploaded of both builds are the measurements of one baseline probe each. Users can inspect
and invalidate these probes like others.
"""

import secrets
from datetime import datetime
from typing import Final

from slowpath.analysis.bisect.candidate_sequence import KNOWN_BAD, KNOWN_GOOD
from slowpath.core.db_sessions import ReadSession, WriteSession
from slowpath.core.ids import BisectId, ProbeWindowId, ServiceId, new_id
from slowpath.core.jobs import enqueue
from slowpath.verdicts.bisects import queries, wording
from slowpath.verdicts.bisects.errors import InvalidBisectRequest
from slowpath.verdicts.bisects.jobs import ReadMeasurement
from slowpath.verdicts.bisects.rules.bisect_proposals import Signature
from slowpath.verdicts.bisects.rules.bisect_settings import from_json
from slowpath.verdicts.bisects.rules.bisect_states import ProbeState
from slowpath.verdicts.bisects.rules.probe_observations import BASELINE
from slowpath.verdicts.bisects.rules.search_plan import SearchPlan
from slowpath.verdicts.bisects.service import search_steps
from slowpath.verdicts.bisects.service.bisect_locks import record_bisect_event
from slowpath.verdicts.bisects.tables import Bisect, Probe, ProbeMeasurement
from slowpath.verdicts.regressions.service.commit_measurements import (
    CommitMeasurement,
    CommitMeasurements,
    SubjectQuery,
)

MOST_WINDOWS: Final = 20
"""Most artifacts per boundary: more are of the same build and place and add no information."""
NO_CALLBACK_BYTES: Final = 32


def find_production_baselines(
    commits: CommitMeasurements, signature: Signature, good: str, bad: str
) -> tuple[CommitMeasurement, CommitMeasurement] | None:
    """Return the baselines of both boundaries.

    None unless both exist, in one unit and under equal conditions.
    """
    query = SubjectQuery(signature.kind, signature.subject, signature.unit, MOST_WINDOWS)
    first, second = (commits.find_measurement(sha, query) for sha in (good, bad))
    if first is None or second is None or (first.unit, first.conditions) != (second.unit, second.conditions):
        return None
    return first, second


def require_production_baselines(
    session: ReadSession, service_id: ServiceId, signature: Signature, good: str, bad: str
) -> None:
    """Raise `InvalidBisectRequest` if there are no production baselines."""
    if find_production_baselines(CommitMeasurements(session, service_id), signature, good, bad) is None:
        raise InvalidBisectRequest(
            "There are no production baselines of both boundaries under equal conditions.",
            remedy="Turn off use_production_baselines, so that both boundaries are deployed.",
        )


def record_production_baselines(session: WriteSession, row: Bisect, plan: SearchPlan, now: datetime) -> None:
    """Record production baselines as probes if the settings use them; jobs read the values."""
    if not from_json(row.settings).use_production_baselines or queries.select_probes(session, row.id):
        return
    signature = Signature(**row.signature)
    found = find_production_baselines(
        CommitMeasurements(session, ServiceId(row.service_id)), signature, row.good_sha, row.bad_sha
    )
    if found is None:
        record_bisect_event(session, row, "baselines-unavailable", {}, now=now)
        return
    for number, (end, one) in enumerate(zip((KNOWN_GOOD, KNOWN_BAD), found, strict=True), start=1):
        unused = secrets.token_urlsafe(NO_CALLBACK_BYTES)  # no deployment exists that could call back
        probe = search_steps.make_probe(session, row, plan.build(end), number, secret=unused, now=now)
        probe.candidate, probe.purpose, probe.round = end, BASELINE, 0
        probe.state, probe.ended_at, probe.measurements_requested = ProbeState.DONE, now, 0
        session.flush()
        _add_measurements(session, row, probe, one)
    details = {
        word: wording.describe_baseline(one.value, one.unit, len(one.artifacts))
        for word, one in zip(("good", "bad"), found, strict=True)
    }
    record_bisect_event(session, row, "baselines-used", details, now=now)


def _add_measurements(session: WriteSession, row: Bisect, probe: Probe, baseline: CommitMeasurement) -> None:
    for index, one in enumerate(baseline.artifacts):
        window = ProbeMeasurement(
            team_id=session.team_id, id=new_id(), probe_id=probe.id, index=index, round=0, invalidated=False,
            artifact_ids=[str(one.id)], started_at=one.created_at, ended_at=one.created_at,
        )  # fmt: skip
        session.add(window)
        session.flush()
        enqueue(session, ReadMeasurement(ProbeWindowId(window.id), BisectId(row.id)))
