"""Do what messages of GitHub and GitLab say; ask them to send again what did not arrive."""

from typing import Any

from slowpath.adapters.clock import SystemClock
from slowpath.adapters.outside import create_outside
from slowpath.core.errors import SlowpathError, Unavailable
from slowpath.core.ids import HookId
from slowpath.core.sealing import create_sealer
from slowpath.core.sessions import WriteSession
from slowpath.hooks.jobs import ReconcileHook, TakeDelivery
from slowpath.hooks.service import reconciling, taking
from slowpath_worker.context import Cancelled, Context

__all__ = ["ReconcileHook", "TakeDelivery", "delivery_failed", "reconcile_failed", "reconcile_hook", "take_delivery"]


def take_delivery(job: TakeDelivery, context: Context) -> None:
    """Read what a message says, and do it together with the job's end."""
    with context.reading() as session:
        told = taking.read(session, job.delivery_id)

    with context.finishing() as session:
        if told is not None:
            taking.take(session, job.delivery_id, told, SystemClock().now())


def delivery_failed(
    session: WriteSession, job: TakeDelivery, error: SlowpathError | Cancelled, _problem: dict[str, Any]
) -> None:
    """Write down with the message why it could not be done; sent again, it is tried again."""
    detail = "Somebody cancelled it." if isinstance(error, Cancelled) else error.detail
    taking.failed(session, job.delivery_id, detail)


def reconcile_hook(job: ReconcileHook, context: Context) -> None:
    """Ask what was sent, and to send again what did not arrive."""
    with context.reading() as session:
        asked = reconciling.sender(session, job.hook_id, create_sealer(context.settings))

    now = SystemClock().now()
    again, more, problem = 0, False, None
    if asked is not None:
        try:
            with create_outside(context.settings).opened(asked.url) as peer:
                listed = asked.listed(peer, now)
                with context.reading() as session:
                    arrived = reconciling.taken(session, job.hook_id, asked.ids(listed))
                missed = asked.missed(listed, arrived, now)
                more = len(missed) > asked.most_again
                for one in missed[: asked.most_again]:
                    context.check()
                    sent = asked.ask_again(peer, one)
                    if sent is None:
                        more = True
                        break
                    again += sent
        except Unavailable:
            raise  # tried again soon
        except SlowpathError as error:
            problem = error.facts()

    with context.finishing() as session:
        reconciling.ended(session, job.hook_id, asked is not None, again, problem, now, more)


def reconcile_failed(
    session: WriteSession, job: ReconcileHook, error: SlowpathError | Cancelled, problem: dict[str, Any]
) -> None:
    """Write down why the sender could not be asked; it is asked again later."""
    told = None if isinstance(error, Cancelled) else problem
    reconciling.ended(session, HookId(job.hook_id), asked=False, missed=0, problem=told, now=SystemClock().now())
