"""What production measured of the good and of the bad end, before anything was deployed for a search.

The files that CI or production sent of both builds are read as windows of one deploy each. They become probes of purpose `known`: rows as all
others, so that a person can look at them and leave them out, and the search stays a function of rows.
"""

import secrets
from datetime import datetime
from typing import Final

from slowpath.analysis.bisect.line import KNOWN_BAD, KNOWN_GOOD
from slowpath.bisects import queries, wording
from slowpath.bisects.errors import BisectRefused
from slowpath.bisects.jobs import ReadWindow
from slowpath.bisects.rules.offers import Signature
from slowpath.bisects.rules.plans import Plan
from slowpath.bisects.rules.settings import from_json
from slowpath.bisects.rules.states import ProbeState
from slowpath.bisects.rules.tried import KNOWN
from slowpath.bisects.service import stepping
from slowpath.bisects.service.holding import write
from slowpath.bisects.tables import Bisect, Probe, ProbeWindow
from slowpath.core.ids import BisectId, ProbeWindowId, ServiceId, new_id
from slowpath.core.jobs import enqueue
from slowpath.core.sessions import ReadSession, WriteSession
from slowpath.regressions.service.measured import Commits, OfCommit, Wanted

MOST_WINDOWS: Final = 20
"""Files of an end: more say no more, since they are of one build in one place."""
NO_CALLBACK_BYTES: Final = 32


def known(commits: Commits, signature: Signature, good: str, bad: str) -> tuple[OfCommit, OfCommit] | None:
    """Return what was measured of both ends; nothing where that is not known of both, in one unit and under equal conditions."""
    wanted = Wanted(signature.kind, signature.subject, signature.unit, MOST_WINDOWS)
    first, second = (commits.told(sha, wanted) for sha in (good, bad))
    if first is None or second is None or (first.unit, first.conditions) != (second.unit, second.conditions):
        return None
    return first, second


def check(session: ReadSession, service_id: ServiceId, signature: Signature, good: str, bad: str) -> None:
    """Raise `BisectRefused` where nothing is known of the ends."""
    if known(Commits(session, service_id), signature, good, bad) is None:
        raise BisectRefused(
            "Production did not measure this of both ends under equal conditions.",
            remedy="Leave known_ends out, so that both ends are deployed.",
        )


def lay(session: WriteSession, row: Bisect, plan: Plan, now: datetime) -> None:
    """Write down as probes what production measured of the ends, if the search is to begin with it; jobs read the values."""
    if not from_json(row.settings).known_ends or queries.probes(session, row.id):
        return
    signature = Signature(**row.signature)
    found = known(Commits(session, ServiceId(row.service_id)), signature, row.good_sha, row.bad_sha)
    if found is None:
        write(session, row, "unknown", {}, now=now)
        return
    for number, (end, one) in enumerate(zip((KNOWN_GOOD, KNOWN_BAD), found, strict=True), start=1):
        nobody = secrets.token_urlsafe(NO_CALLBACK_BYTES)  # nothing was deployed that could call back
        probe = stepping.new_probe(session, row, plan.build(end), number, secret=nobody, now=now)
        probe.candidate, probe.purpose, probe.round = end, KNOWN, 0
        probe.state, probe.ended_at, probe.windows_wanted = ProbeState.DONE, now, 0
        session.flush()
        _lay_windows(session, row, probe, one)
    said = {
        word: wording.measured(one.value, one.unit, len(one.artifacts))
        for word, one in zip(("good", "bad"), found, strict=True)
    }
    write(session, row, "known", said, now=now)


def _lay_windows(session: WriteSession, row: Bisect, probe: Probe, told: OfCommit) -> None:
    for index, one in enumerate(told.artifacts):
        window = ProbeWindow(
            team_id=session.team_id, id=new_id(), probe_id=probe.id, index=index, round=0, annulled=False,
            artifact_ids=[str(one.id)], started_at=one.created_at, ended_at=one.created_at,
        )  # fmt: skip
        session.add(window)
        session.flush()
        enqueue(session, ReadWindow(ProbeWindowId(window.id), BisectId(row.id)))
