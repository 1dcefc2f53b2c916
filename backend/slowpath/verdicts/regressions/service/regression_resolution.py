"""The end of a regression: later builds held against both the good and the bad ones (fixed, better, still slower)."""

from datetime import datetime
from typing import Any
from uuid import UUID

from slowpath.analysis.builds.fix_verification import RecoveryEvidence, evaluate_recovery
from slowpath.core.db_sessions import WriteSession
from slowpath.core.ids import RegressionId, new_id
from slowpath.verdicts.regressions import queries, wording
from slowpath.verdicts.regressions.rules import RegressionState
from slowpath.verdicts.regressions.service import evidence_comparisons
from slowpath.verdicts.regressions.service.evaluation_inputs import EvaluationInputs
from slowpath.verdicts.regressions.service.triage import record_event, set_state
from slowpath.verdicts.regressions.tables import Regression, RegressionEvidence

STATES = {"fixed": RegressionState.FIXED, "improved": RegressionState.IMPROVED}


def resolve_if_fixed(session: WriteSession, ground: EvaluationInputs, row: Regression, now: datetime) -> None:
    """Close a regression if its newest builds are as good as the good ones; say so if they are better than the bad ones only."""
    since, line = ground.index_of(row.since_build_id), ground.lines.get(row.kind)
    number = None if line is None else line.index(row.subject)
    if since is None or line is None or number is None or line.unit_of(row.subject) != row.unit:
        return
    first = ground.index_of_commit(row.first_commit)
    good_until = min(since, since if first is None else first)
    bad_from = max(since, ground.index_of(_last_proof(session, row)) or 0)
    told = evaluate_recovery(
        line.values[number], good_until, bad_from, higher_is_worse=line.higher_is_worse(row.subject)
    )
    if told is None:
        return
    facts = _close(ground, row, told, now)
    _cite(session, ground, row, facts, good_until=good_until, bad=range(bad_from, told.index))
    record_event(session, row, told.proof, facts, by_person=False)


def _last_proof(session: WriteSession, row: Regression) -> UUID | None:
    """The build since which it is known to be less slow: from there on it is held against that level."""
    proofs = [each for each in queries.evidence(session, RegressionId(row.id)) if each.kind == "fix-verification"]
    return UUID(str(proofs[-1].details["build_id"])) if proofs else None


def _close(ground: EvaluationInputs, row: Regression, told: RecoveryEvidence, now: datetime) -> dict[str, Any]:
    """Put the regression into its last state, if it is over; return what was found."""
    build = ground.places[told.index].build
    if told.proof in STATES:
        set_state(row, STATES[told.proof], now)
        row.fixed_build_id, row.fixed_commit = build.id, build.commit
    return {
        "sentence": wording.describe_fix(told, build.commit),
        "build_id": str(build.id),
        "commit": build.commit,
        "proof": told.proof,
        "good": told.good,
        "bad": told.bad,
        "now": told.now,
        "ratio": told.ratio,
        "low": told.low,
        "high": told.high,
    }


def _cite(
    session: WriteSession,
    ground: EvaluationInputs,
    row: Regression,
    facts: dict[str, Any],
    *,
    good_until: int,
    bad: range,
) -> None:
    """Compare the builds since with both the good and the bad ones, and let the regression cite that."""
    later = [place.build for place in ground.places[bad.stop :]]
    sides = {
        "good": [place.build for place in reversed(ground.places[:good_until])],
        "bad": [place.build for place in reversed(ground.places[bad.start : bad.stop])],
    }
    for against, builds in sides.items():
        name = f"Is it fixed? {row.title} (against the {against} build)"[:200]
        session.add(
            RegressionEvidence(
                team_id=session.team_id,
                id=new_id(),
                regression_id=row.id,
                kind="fix-verification",
                comparison_id=evidence_comparisons.enqueue_evidence_comparison(session, name, builds, later)
                if builds
                else None,
                build_id=ground.places[bad.stop].build.id,
                details=facts | {"against": against},
            )
        )
