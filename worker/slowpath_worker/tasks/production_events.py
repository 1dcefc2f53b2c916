"""Open, confirm and close the production events of an environment, and notify of them."""

from slowpath.core.errors import NotFound
from slowpath.evidence.metrics.service.live_samples import gather_with_sources
from slowpath.sharing.notifications.service import production_event_content
from slowpath.verdicts.production_events.jobs import ProductionEventChanged, UpdateProductionEvents
from slowpath.verdicts.production_events.service import event_updates, update_inputs
from slowpath_worker.job_context import JobContext
from slowpath_worker.live_samples import live_reads
from slowpath_worker.tasks.notifications import enqueue_messages

__all__ = [
    "ProductionEventChanged",
    "UpdateProductionEvents",
    "notify_production_event",
    "update_production_events",
]


def update_production_events(job: UpdateProductionEvents, context: JobContext) -> None:
    """Update the events of an environment by its newest samples; an environment deleted meanwhile is skipped."""
    live = live_reads(context)
    try:
        gathered = gather_with_sources(
            context.reading, live, lambda session: update_inputs.gather_update(session, job.environment_id, live)
        )
    except NotFound:
        gathered = None
    measured = None if gathered is None else event_updates.measure_update(gathered, context.rng())
    with context.finishing() as session:
        if gathered is not None and measured is not None:
            event_updates.record_update(session, gathered, measured, context.clock.now())


def notify_production_event(job: ProductionEventChanged, context: JobContext) -> None:
    """Notify of an event. The job's ID identifies the change, so a repeated job sends no duplicates."""
    moment = str(context.claim.job_id)
    with context.reading() as session:
        try:
            content = production_event_content.compose_production_event(
                session, job.event_id, job.what, moment, context.settings.public_url
            )
        except NotFound:
            content = None  # deleted meanwhile
    with context.finishing() as session:
        if content is not None:
            enqueue_messages(session, context.settings, content, context.clock.now())
