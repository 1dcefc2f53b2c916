"""Record the verdict on a build: the answers of its history and of its comparison, and the decision that combines them."""

from datetime import datetime

from slowpath.core.db_sessions import WriteSession
from slowpath.core.ids import BuildId
from slowpath.core.jobs import enqueue
from slowpath.verdicts.regressions.jobs import BuildEvaluated
from slowpath.verdicts.regressions.read_models import BuildDecision, SeriesAnswer
from slowpath.verdicts.regressions.rules import BuildVerdictState
from slowpath.verdicts.regressions.service.build_decision import (
    decide_build_verdict,
    dump_series,
    load_ancestor,
    load_series,
)
from slowpath.verdicts.regressions.service.stack_checks import describe_stack_warnings
from slowpath.verdicts.regressions.tables import BuildVerdict


def get_series_answer(row: BuildVerdict) -> SeriesAnswer | None:
    """Return the answer of the history of a branch; None before the first evaluation.

    Verdicts of earlier versions have no other answer.
    """
    if row.series_answer is not None:
        return load_series(row.series_answer)
    needs = row.required_evidence or {}
    match row.state:
        case "changed" | "passed" | "inconclusive" | "skipped" as state:
            return SeriesAnswer(state, row.sentence, needs.get("builds"), needs.get("profiles"))
    return None


def get_decision(row: BuildVerdict) -> BuildDecision | None:
    """Return the decision that the verdict on a build was made from; None before the first evaluation."""
    series = get_series_answer(row)
    if series is None:
        return None
    ancestor, warning = load_ancestor(row.ancestor_answer), describe_stack_warnings(row)
    return decide_build_verdict(series, ancestor, row.exceeded_budgets or (), warning)


def record_series_answer(
    session: WriteSession, row: BuildVerdict, answer: SeriesAnswer, regression_ids: tuple[str, ...], now: datetime
) -> None:
    """Record the answer of the history of a branch, and decide the verdict."""
    had = list(row.regression_ids)
    row.series_answer, row.regression_ids = dump_series(answer), list(regression_ids)
    record_decision(session, row, now, are_regressions_new=had != row.regression_ids)


def record_decision(
    session: WriteSession, row: BuildVerdict, now: datetime, *, are_regressions_new: bool = False
) -> None:
    """Decide the verdict from the recorded answers; enqueue its notification if it is final and new."""
    decision = get_decision(row)
    if decision is None:
        return
    is_new = row.evaluated_at is None or row.state != decision.state or are_regressions_new
    row.state, row.sentence = decision.state, decision.sentence
    row.required_evidence = (
        {"builds": decision.builds, "profiles": decision.profiles}
        if decision.builds is not None or decision.profiles is not None
        else None
    )
    if is_new:
        row.evaluated_at = now
        if decision.state != BuildVerdictState.EVALUATING:
            enqueue(session, BuildEvaluated(BuildId(row.build_id)))


def record_skipped_build(session: WriteSession, row: BuildVerdict, sentence: str, now: datetime) -> None:
    """Record that a build cannot be evaluated, and why."""
    row.ancestor_answer, row.exceeded_budgets = None, []
    record_series_answer(session, row, SeriesAnswer("skipped", sentence), (), now)
