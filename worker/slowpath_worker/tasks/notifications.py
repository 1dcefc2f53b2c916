"""Turn events into messages, and deliver messages, one at a time; what fails waits in the jobs table, for days if need be."""

from contextlib import suppress

from slowpath.adapters.clock import SystemClock
from slowpath.adapters.mail import create_mailer
from slowpath.adapters.outside import create_outside
from slowpath.bisects.jobs import BisectEnded
from slowpath.commits.service import suspecting
from slowpath.core.errors import Conflict, NotFound, Refused, SlowpathError, Unavailable
from slowpath.core.ids import ChannelId, ServiceId
from slowpath.core.sealing import create_sealer
from slowpath.core.sessions import WriteSession
from slowpath.notifications.errors import Gone
from slowpath.notifications.jobs import Deliver, ForgetMessages
from slowpath.notifications.rules import ChannelKind, ChannelState, MessageState, Told
from slowpath.notifications.service import composing, keeping, telling
from slowpath.notifications.service.delivering import Parcel, deliver
from slowpath.regressions.jobs import BuildJudged, RegressionChanged, RegressionOpened
from slowpath.regressions.service import looking
from slowpath_worker.context import Cancelled, Context, NotYet

__all__ = [
    "BisectEnded",
    "BuildJudged",
    "Deliver",
    "ForgetMessages",
    "RegressionChanged",
    "RegressionOpened",
    "deliver_ended_badly",
    "deliver_message",
    "forget_messages",
    "tell_of_bisect",
    "tell_of_change",
    "tell_of_judgement",
    "tell_of_opened",
]


def tell_of_opened(job: RegressionOpened, context: Context) -> None:
    """Tell of a confirmed regression, through each channel once; have it found out which commits changed the program."""
    with context.reading() as session:
        told = composing.opened(session, job.regression_id, context.settings.public_url)
        row = looking.find(session, job.regression_id)
        service_id, good, bad = ServiceId(row.service_id), row.good_commit, row.since_commit
    with context.finishing() as session:
        if told is not None:
            telling.tell(session, told)
            if good and bad:
                with suppress(NotFound, Refused, Conflict):  # no repository, or none that can be read
                    suspecting.read_closures(session, service_id, good, bad)


def tell_of_change(job: RegressionChanged, context: Context) -> None:
    """Tell of what became of a regression. The job itself names the moment: carried out again, it tells nothing twice."""
    moment = str(context.claim.job_id)
    with context.reading() as session:
        told = composing.changed(session, job.regression_id, job.what, moment, context.settings.public_url)
    _tell(context, told)


def tell_of_judgement(job: BuildJudged, context: Context) -> None:
    """Tell of what is known of a build now."""
    with context.reading() as session:
        told = composing.judged(session, job.build_id, context.settings.public_url)
    _tell(context, told)


def tell_of_bisect(job: BisectEnded, context: Context) -> None:
    """Tell of a bisect that has ended, through each channel once; one that was deleted meanwhile is told of to nobody."""
    with context.reading() as session:
        try:
            told = composing.bisected(session, job.bisect_id, context.settings.public_url)
        except NotFound:
            told = None
    _tell(context, told)


def _tell(context: Context, told: Told | None) -> None:
    with context.finishing() as session:
        if told is not None:
            telling.tell(session, told)


def deliver_message(job: Deliver, context: Context) -> None:
    """Send a message and write down what came of it. A channel turned off meanwhile is told nothing."""
    with context.reading() as session:
        message = telling.find(session, job.message_id)
        channel = keeping.find(session, ChannelId(message.channel_id))
        waits, is_on = message.state == MessageState.WAITING, channel.state == ChannelState.ON
        parcel = Parcel(
            message_id=str(message.id),
            kind=ChannelKind(channel.kind),
            target=channel.target,
            secret=keeping.secret_of(channel, create_sealer(context.settings)),
            told=Told.from_json(message.content),
            comment_id=telling.comment_of(session, message),
        )
    if not waits or not is_on:
        with context.finishing() as session:
            if waits:
                telling.give_up(telling.find(session, job.message_id))
        return

    now = SystemClock().now()
    try:
        outside_id = deliver(parcel, create_outside(context.settings), create_mailer(context.settings), now)
    except (Unavailable, Gone) as error:
        _failed(job, context, error)
    except Refused as error:
        with context.finishing() as session:
            telling.refused(session, job.message_id, error.facts())
    else:
        with context.finishing() as session:
            telling.arrived(session, job.message_id, now, outside_id)


def _failed(job: Deliver, context: Context, error: SlowpathError) -> None:
    now = SystemClock().now()
    with context.writing() as session:
        pause_s = telling.failed(session, job.message_id, now, error)
    if pause_s is not None:
        raise NotYet(pause_s)
    with context.finishing():
        pass


def deliver_ended_badly(
    session: WriteSession, job: Deliver, _error: SlowpathError | Cancelled, problem: dict[str, object]
) -> None:
    """Write down with the message why it was given up."""
    telling.refused(session, job.message_id, problem)


def forget_messages(_job: ForgetMessages, context: Context) -> None:
    """Delete what was told long ago."""
    with context.finishing() as session:
        telling.forget_old(session, SystemClock().now())
