"""Process webhook deliveries of GitHub and GitLab, and request missed ones again."""

from slowpath.core.db_sessions import WriteSession
from slowpath.core.encryption import create_sealer
from slowpath.core.errors import SlowpathError, Unavailable
from slowpath.core.ids import HookId
from slowpath.inventory.webhooks.jobs import ProcessDelivery, ReconcileDeliveries
from slowpath.inventory.webhooks.service import delivery_processing, delivery_reconciliation
from slowpath_worker.job_context import Cancelled, JobContext, JobFailure

__all__ = [
    "ProcessDelivery",
    "ReconcileDeliveries",
    "process_delivery",
    "reconcile_deliveries",
    "record_processing_failure",
    "record_reconciliation_failure",
]


def process_delivery(job: ProcessDelivery, context: JobContext) -> None:
    """Parse a delivery, and apply it together with the job's end."""
    with context.reading() as session:
        delivery = delivery_processing.parse_delivery(session, job.delivery_id)

    with context.finishing() as session:
        if delivery is not None:
            delivery_processing.process_delivery(session, job.delivery_id, delivery, context.clock.now())


def record_processing_failure(session: WriteSession, job: ProcessDelivery, failure: JobFailure) -> None:
    """Record on the delivery why it failed; a redelivery is processed again."""
    detail = "A user cancelled it." if isinstance(failure.error, Cancelled) else failure.error.detail
    delivery_processing.record_delivery_failure(session, job.delivery_id, detail)


def reconcile_deliveries(job: ReconcileDeliveries, context: JobContext) -> None:
    """List sent deliveries at the provider, and request missed ones again."""
    with context.reading() as session:
        asked = delivery_reconciliation.get_provider(session, job.hook_id, create_sealer(context.settings))

    now = context.clock.now()
    again, more, problem = 0, False, None
    if asked is not None:
        try:
            with context.egress.opened(asked.url) as connection:
                listed = asked.listed(connection, now)
                with context.reading() as session:
                    arrived = delivery_reconciliation.list_received_ids(session, job.hook_id, asked.ids(listed))
                missed = asked.missed(listed, arrived, now)
                more = len(missed) > asked.most_again
                for one in missed[: asked.most_again]:
                    context.check()
                    sent = asked.ask_again(connection, one)
                    if sent is None:
                        more = True
                        break
                    again += sent
        except Unavailable:
            raise  # tried again soon
        except SlowpathError as error:
            problem = error.facts()

    with context.finishing() as session:
        delivery_reconciliation.record_reconciliation(
            session, job.hook_id, asked is not None, again, problem, now, more
        )


def record_reconciliation_failure(session: WriteSession, job: ReconcileDeliveries, failure: JobFailure) -> None:
    """Record why the provider could not be queried; it is queried again later."""
    problem = None if isinstance(failure.error, Cancelled) else failure.problem
    delivery_reconciliation.record_reconciliation(
        session, HookId(job.hook_id), asked=False, missed=0, problem=problem, now=failure.at
    )
