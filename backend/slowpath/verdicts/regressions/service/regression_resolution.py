"""Resolve regressions: compare later builds with both the good and the bad ones."""

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


def resolve_if_fixed(session: WriteSession, inputs: EvaluationInputs, row: Regression, now: datetime) -> None:
    """Close a regression if its newest builds are as good as the good ones.

    Record an improvement over the bad ones.
    """
    since, line = inputs.index_of(row.since_build_id), inputs.lines.get(row.kind)
    number = None if line is None else line.index(row.subject)
    if since is None or line is None or number is None or line.unit_of(row.subject) != row.unit:
        return
    first = inputs.index_of_commit(row.first_commit)
    good_until = min(since, since if first is None else first)
    bad_from = max(since, inputs.index_of(_last_proof(session, row)) or 0)
    recovery = evaluate_recovery(
        line.values[number], good_until, bad_from, higher_is_worse=line.higher_is_worse(row.subject)
    )
    if recovery is None:
        return
    facts = _close(inputs, row, recovery, now)
    _cite(session, inputs, row, facts, good_until=good_until, bad=range(bad_from, recovery.index))
    record_event(session, row, recovery.proof, facts, by_person=False)


def _last_proof(session: WriteSession, row: Regression) -> UUID | None:
    """Return the build since which it is less slow: later evidence is relative to that level."""
    proofs = [
        each for each in queries.select_evidence(session, RegressionId(row.id)) if each.kind == "fix-verification"
    ]
    return UUID(str(proofs[-1].details["build_id"])) if proofs else None


def _close(inputs: EvaluationInputs, row: Regression, recovery: RecoveryEvidence, now: datetime) -> dict[str, Any]:
    """Set the final state of the regression if it recovered; return the details of the evidence."""
    build = inputs.places[recovery.index].build
    if recovery.proof in STATES:
        set_state(row, STATES[recovery.proof], now)
        row.fixed_build_id, row.fixed_commit = build.id, build.commit
    return {
        "sentence": wording.describe_fix(recovery, build.commit),
        "build_id": str(build.id),
        "commit": build.commit,
        "proof": recovery.proof,
        "good": recovery.good,
        "bad": recovery.bad,
        "now": recovery.now,
        "ratio": recovery.ratio,
        "low": recovery.low,
        "high": recovery.high,
    }


def _cite(
    session: WriteSession,
    inputs: EvaluationInputs,
    row: Regression,
    facts: dict[str, Any],
    *,
    good_until: int,
    bad: range,
) -> None:
    """Compare the builds since with both the good and the bad ones, as evidence of the regression."""
    later = [place.build for place in inputs.places[bad.stop :]]
    sides = {
        "good": [place.build for place in reversed(inputs.places[:good_until])],
        "bad": [place.build for place in reversed(inputs.places[bad.start : bad.stop])],
    }
    for against, builds in sides.items():
        name = f"Fix verification: {row.title} (against the {against} build)"[:200]
        session.add(
            RegressionEvidence(
                team_id=session.team_id,
                id=new_id(),
                regression_id=row.id,
                kind="fix-verification",
                comparison_id=evidence_comparisons.enqueue_evidence_comparison(session, name, builds, later)
                if builds
                else None,
                build_id=inputs.places[bad.stop].build.id,
                details=facts | {"against": against},
            )
        )
