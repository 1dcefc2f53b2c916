"""Process webhook deliveries of code hosts, and request missed ones again."""

from slowpath.core.db_sessions import WriteSession
from slowpath.core.encryption import create_sealer
from slowpath.core.errors import SlowpathError, Unavailable
from slowpath.core.ids import HookId
from slowpath.inventory.repositories.errors import CommitNotFound
from slowpath.inventory.webhooks.jobs import ProcessDelivery, ReconcileDeliveries
from slowpath.inventory.webhooks.service import delivery_processing, delivery_reconciliation
from slowpath_worker.job_context import Cancelled, JobContext, JobFailure, Postponed

__all__ = [
    "ProcessDelivery",
    "ReconcileDeliveries",
    "process_delivery",
    "reconcile_deliveries",
    "record_processing_failure",
    "record_reconciliation_failure",
]

FETCHED_AFTER_S = 5.0
"""A delivery names commits that are being fetched."""


def process_delivery(job: ProcessDelivery, context: JobContext) -> None:
    """Parse a delivery, and apply it together with the job's end."""
    with context.reading() as session:
        delivery = delivery_processing.parse_delivery(session, job.delivery_id)

    try:
        with context.finishing() as session:
            if delivery is not None:
                delivery_processing.process_delivery(session, job.delivery_id, delivery, context.clock.now())
    except CommitNotFound as unknown:
        with context.writing() as session:
            waits = delivery_processing.wait_for_commits(session, job.delivery_id, context.clock.now())
        if not waits:
            raise
        raise Postponed(FETCHED_AFTER_S) from unknown


def record_processing_failure(session: WriteSession, job: ProcessDelivery, failure: JobFailure) -> None:
    """Record on the delivery why it failed; a redelivery is processed again."""
    detail = "A user cancelled the processing." if isinstance(failure.error, Cancelled) else failure.error.detail
    delivery_processing.record_delivery_failure(session, job.delivery_id, detail)


def reconcile_deliveries(job: ReconcileDeliveries, context: JobContext) -> None:
    """List sent deliveries at the provider, and request missed ones again."""
    now = context.clock.now()
    with context.reading() as session:
        provider = delivery_reconciliation.get_provider(session, job.hook_id, create_sealer(context.settings), now)
    redelivered, more, problem = 0, False, None
    if provider is not None:
        try:
            with context.egress.opened(provider.url) as connection:
                listed = provider.listed(connection, now)
                with context.reading() as session:
                    arrived = delivery_reconciliation.list_received_ids(session, job.hook_id, provider.ids(listed))
                missed = provider.missed(listed, arrived, now)
                more = len(missed) > provider.most_again
                for missed_delivery in missed[: provider.most_again]:
                    context.check()
                    sent = provider.ask_again(connection, missed_delivery)
                    if sent is None:
                        more = True
                        break
                    redelivered += sent
        except Unavailable:
            raise  # retried soon
        except SlowpathError as error:
            problem = error.facts()

    with context.finishing() as session:
        delivery_reconciliation.record_reconciliation(
            session, job.hook_id, provider is not None, redelivered, problem, now, more
        )


def record_reconciliation_failure(session: WriteSession, job: ReconcileDeliveries, failure: JobFailure) -> None:
    """Record why the provider could not be queried; it is queried again later."""
    problem = None if isinstance(failure.error, Cancelled) else failure.problem
    delivery_reconciliation.record_reconciliation(
        session, HookId(job.hook_id), asked=False, missed=0, problem=problem, now=failure.at
    )
