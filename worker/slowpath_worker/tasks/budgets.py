"""Evaluate the latency budgets of an environment, and update the production events of exceeded ones."""

from slowpath.core.errors import NotFound
from slowpath.evidence.metrics.service.live_samples import gather_with_sources
from slowpath.verdicts.budgets.jobs import EvaluateBudgets
from slowpath.verdicts.budgets.service import latency_budgets
from slowpath.verdicts.production_events.service import budget_events, event_updates
from slowpath_worker.job_context import JobContext
from slowpath_worker.live_samples import live_reads

__all__ = ["EvaluateBudgets", "evaluate_budgets"]


def evaluate_budgets(job: EvaluateBudgets, context: JobContext) -> None:
    """Evaluate by the newest samples; an environment deleted meanwhile is skipped."""
    live = live_reads(context)
    try:
        gathered = gather_with_sources(
            context.reading, live, lambda session: latency_budgets.gather_budgets(session, job.environment_id, live)
        )
    except NotFound:
        gathered = None
    measured = [] if gathered is None else latency_budgets.measure_budgets(gathered, context.rng())
    with context.finishing() as session:
        recorded = latency_budgets.record_budgets(session, measured)
        budget_events.close_events_of_removed_budgets(session, job.environment_id, context.clock.now())
        is_changed = budget_events.record_budget_states(session, job.environment_id, recorded)
        event_updates.enqueue_update(session, job.environment_id, is_changed=is_changed)
