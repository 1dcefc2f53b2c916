"""Decide whether an event is over, and state what proves it."""

from collections.abc import Sequence

from slowpath.analysis.kinds.metrics.changes.level_measurement import LevelMeasurement
from slowpath.verdicts.production_events import wording
from slowpath.verdicts.production_events.rules.event_ends import (
    LEAST_LOAD_SHARE,
    SETTLED_AFTER,
    ClosedReasonName,
    EndDecision,
    EventBudget,
    LaterDeployment,
    ProofItem,
    find_fix,
    find_rollback,
    is_back,
    is_recovered,
)
from slowpath.verdicts.production_events.rules.event_states import EventKind
from slowpath.verdicts.production_events.service.triage import stated_fix
from slowpath.verdicts.production_events.tables import ProductionEvent


def decide_end(
    row: ProductionEvent,
    level: LevelMeasurement,
    later: Sequence[LaterDeployment],
    *,
    budgets: Sequence[EventBudget] = (),
    has_change_points: bool,
    floor: float,
) -> EndDecision:
    """Return whether latency is at its former level again and no budget is exceeded, and what brought it there.

    The verdict on a deployment alone compares instances, not times: such an event ends only after another deployment.
    An event of an absolute budget alone ends when the budget is certainly not exceeded.
    """
    if row.kind in (EventKind.LOAD, EventKind.GAUGE):
        return _decide_level_end(row, level, later)
    absolute = [each for each in budgets if each.increase is None]
    if row.cause == "budget" and not has_change_points:
        return decide_budget_end(absolute)
    floor = min([floor, *(1 + each.increase for each in budgets if each.increase is not None)])
    recovered = is_recovered(level, floor) and all(each.proof == "holds" for each in absolute)
    rollback, fix = find_rollback(row.former_commit, later), find_fix(stated_fix(row), later)
    proof = [_prove_latency(row.signal, level, is_recovered(level, floor)), _prove_load(level)]
    proof += _prove_budgets(absolute)
    proof += _prove_deployments(row, rollback, fix)
    if not recovered or not (has_change_points or later):
        return EndDecision(None, "", tuple(proof))
    return _end(row, proof, (rollback, fix), wording.describe_recovery(row.signal, level.recent_ratio or 1.0))


def join_event(number: int) -> EndDecision:
    """Return the end of an event of load or of a gauge: the latency of its service changed together with it."""
    sentence = wording.describe_joined(number)
    return EndDecision("joined", sentence, (ProofItem("end", sentence, "holds"),))


def _decide_level_end(row: ProductionEvent, level: LevelMeasurement, later: Sequence[LaterDeployment]) -> EndDecision:
    """Return whether load or a gauge is nearer to its former level again, or the load has lasted for a day.

    A gauge is compared at a comparable load, if the load is known.
    """
    name = row.gauge or wording.SIGNAL_WORDS[row.signal]
    rollback, fix = find_rollback(row.former_commit, later), find_fix(stated_fix(row), later)
    recovered = is_back(level, row.ratio)
    sentence = wording.describe_level_now(name, level.recent_ratio, (level.recent_ratio_low, level.recent_ratio_high))
    proof = [ProofItem("level", sentence, "unknown" if recovered is None else "holds" if recovered else "fails")]
    if row.kind == EventKind.GAUGE and level.load_share is not None:
        proof.append(_prove_load(level))
    is_over = all(each.state == "holds" for each in proof)
    proof += _prove_deployments(row, rollback, fix)
    if is_over:
        return _end(row, proof, (rollback, fix), wording.describe_level_recovery(name, level.recent_ratio or 1.0))
    if row.kind == EventKind.LOAD and (row.checked_at or row.detected_at) - row.occurred_at >= SETTLED_AFTER:
        sentence = wording.describe_settled()
        return EndDecision("settled", sentence, (ProofItem("end", sentence, "holds"), *proof))
    return EndDecision(None, "", tuple(proof))


def _end(
    row: ProductionEvent,
    proof: Sequence[ProofItem],
    deployed: tuple[LaterDeployment | None, LaterDeployment | None],
    recovery: str,
) -> EndDecision:
    """Return the end of a recovered event: by a rollback, by the stated fix, or without either."""
    rollback, fix = deployed
    reason: ClosedReasonName
    if rollback is not None and row.commit:
        reason, sentence = "rolled-back", wording.describe_rollback(row.commit)
    elif fix is not None:
        reason, sentence = "fixed", wording.describe_fix(fix.name)
    else:
        reason, sentence = "recovered", recovery
    return EndDecision(reason, sentence, (ProofItem("end", sentence, "holds"), *proof))


def _prove_deployments(
    row: ProductionEvent, rollback: LaterDeployment | None, fix: LaterDeployment | None
) -> list[ProofItem]:
    proof: list[ProofItem] = []
    if row.former_commit:
        sentence = wording.describe_rollback_state(row.former_commit, rollback)
        proof.append(_prove_deployment("rollback", sentence, rollback))
    if row.fixed_commit:
        proof.append(_prove_deployment("fix", wording.describe_fix_state(row.fixed_commit, fix), fix))
    return proof


def decide_budget_end(budgets: Sequence[EventBudget]) -> EndDecision:
    """Return the end of an event that only budgets opened."""
    proof = _prove_budgets(budgets)
    if not budgets or any(each.proof != "holds" for each in budgets):
        return EndDecision(None, "", tuple(proof))
    sentence = wording.describe_within_budget(budgets[0].sentence)
    return EndDecision("recovered", sentence, (ProofItem("end", sentence, "holds"), *proof))


def end_without_budget() -> EndDecision:
    """Return the end of an event whose budgets were removed: nothing states any more that its latency is too high."""
    sentence = wording.describe_removed_budget()
    return EndDecision("budget-removed", sentence, (ProofItem("end", sentence, "holds"),))


def _prove_budgets(budgets: Sequence[EventBudget]) -> list[ProofItem]:
    return [ProofItem(f"budget-{number}", each.sentence, each.proof) for number, each in enumerate(budgets, 1)]


def _prove_latency(signal: str, level: LevelMeasurement, recovered: bool | None) -> ProofItem:
    sentence = wording.describe_level(signal, level.recent_ratio, level.recent_ratio_high)
    return ProofItem("latency", sentence, "unknown" if recovered is None else "holds" if recovered else "fails")


def _prove_load(level: LevelMeasurement) -> ProofItem:
    sentence = wording.describe_load(level.load_share, LEAST_LOAD_SHARE)
    if level.load_share is None:
        return ProofItem("load", sentence, "unknown")
    return ProofItem("load", sentence, "holds" if level.load_share >= LEAST_LOAD_SHARE else "fails")


def _prove_deployment(name: str, sentence: str, found: LaterDeployment | None) -> ProofItem:
    return ProofItem(name, sentence, "holds" if found is not None else "unknown")
