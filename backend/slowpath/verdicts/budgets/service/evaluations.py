"""Record what an evaluation of a budget shows."""

from slowpath.core.db_sessions import WriteSession
from slowpath.core.ids import new_id
from slowpath.verdicts.budgets import queries
from slowpath.verdicts.budgets.read_models import BudgetMeasurement
from slowpath.verdicts.budgets.tables import BudgetEvaluation


def record_evaluation(session: WriteSession, measured: BudgetMeasurement) -> None:
    """Record an evaluation in place of the former one of the budget in its environment."""
    row = queries.lock_evaluation(session, measured.budget_id, measured.environment_id)
    if row is None:
        row = BudgetEvaluation(
            team_id=session.team_id,
            id=new_id(),
            budget_id=measured.budget_id,
            environment_id=measured.environment_id,
        )
        session.add(row)
    interval = measured.interval
    row.state, row.is_announced, row.sentence = measured.state, measured.is_announced, measured.sentence
    row.value = None if interval is None else interval.value
    row.low = None if interval is None else interval.low
    row.high = None if interval is None else interval.high
    row.requests_per_second = measured.requests_per_second
    row.build_id, row.deployment_id, row.evaluated_at = measured.build_id, measured.deployment_id, measured.at
    session.flush()
