"""Create notifications of events, and deliver them one at a time; failed ones are retried for days."""

from contextlib import suppress
from datetime import datetime

from slowpath.core.db_sessions import ReadSession, WriteSession
from slowpath.core.encryption import create_sealer
from slowpath.core.errors import Conflict, InvalidRequest, NotFound, SlowpathError, Unavailable
from slowpath.core.ids import ChannelId, ServiceId
from slowpath.core.settings import Settings
from slowpath.inventory.repositories.service import suspect_commits
from slowpath.sharing.notifications.errors import ReceiverGone
from slowpath.sharing.notifications.jobs import DeleteOldNotifications, DeliverNotification
from slowpath.sharing.notifications.rules import (
    CODE_HOSTS,
    ChannelKind,
    ChannelState,
    NotificationContent,
    NotificationState,
    closes_issue,
)
from slowpath.sharing.notifications.service import channels, issues, notification_content, notifications
from slowpath.sharing.notifications.service.channel_types import OutboundNotification, deliver_notification
from slowpath.sharing.notifications.tables import NotificationChannel
from slowpath.sharing.subscriptions.service.mail_outbox import enqueue_subscriber_mails
from slowpath.verdicts.bisects.jobs import BisectFinished, PullRequestStarted
from slowpath.verdicts.bisects.service import commit_comparisons
from slowpath.verdicts.bisects.service.automatic_bisects import enqueue_automatic_start
from slowpath.verdicts.regressions.jobs import BuildEvaluated, RegressionChanged, RegressionOpened
from slowpath.verdicts.regressions.service import regression_views
from slowpath_worker.job_context import JobContext, JobFailure, Postponed

__all__ = [
    "BisectFinished",
    "BuildEvaluated",
    "DeleteOldNotifications",
    "DeliverNotification",
    "PullRequestStarted",
    "RegressionChanged",
    "RegressionOpened",
    "delete_old_notifications",
    "enqueue_messages",
    "notify_bisect_finished",
    "notify_build_evaluated",
    "notify_regression_changed",
    "notify_regression_opened",
    "record_delivery_failure",
    "run_notification_delivery",
]

ORDER_PAUSE_S = 5.0
"""Pause while an earlier event of the same incident is not delivered."""


def notify_regression_opened(job: RegressionOpened, context: JobContext) -> None:
    """Notify of a confirmed regression once per channel; enqueue its package closures and an automatic bisect."""
    with context.reading() as session:
        content = notification_content.compose_regression_opened(
            session, job.regression_id, context.settings.public_url
        )
        row = regression_views.get_regression(session, job.regression_id)
        service_id, good, bad = ServiceId(row.service_id), row.good_commit, row.since_commit
    with context.finishing() as session:
        if content is not None:
            enqueue_messages(session, context.settings, content, context.clock.now())
            enqueue_automatic_start(session, job.regression_id)
            if good and bad:
                with suppress(NotFound, InvalidRequest, Conflict):  # no repository, or none that can be read
                    suspect_commits.read_closures(session, service_id, good, bad)


def notify_regression_changed(job: RegressionChanged, context: JobContext) -> None:
    """Notify of a changed regression. The job's ID identifies the event, so a repeated job sends no duplicates."""
    moment = str(context.claim.job_id)
    with context.reading() as session:
        content = notification_content.compose_regression_changed(
            session, job.regression_id, job.what, moment, context.settings.public_url
        )
    _enqueue(context, content)


def notify_build_evaluated(job: BuildEvaluated, context: JobContext) -> None:
    """Notify of an evaluated build."""
    with context.reading() as session:
        content = notification_content.compose_build_evaluated(session, job.build_id, context.settings.public_url)
    _enqueue(context, content)


def notify_bisect_finished(job: BisectFinished | PullRequestStarted, context: JobContext) -> None:
    """Notify of a finished bisect, or of a measurement that begins, once per channel; a deleted bisect is skipped."""
    with context.reading() as session:
        try:
            if commit_comparisons.waits_for_cause(session, job.bisect_id, context.clock.now()):
                raise Postponed(ORDER_PAUSE_S)
            content = notification_content.compose_ended(session, job.bisect_id, context.settings.public_url)
        except NotFound:
            content = None
    _enqueue(context, content)


def _enqueue(context: JobContext, content: NotificationContent | None) -> None:
    with context.finishing() as session:
        if content is not None:
            enqueue_messages(session, context.settings, content, context.clock.now())


def enqueue_messages(session: WriteSession, settings: Settings, content: NotificationContent, now: datetime) -> None:
    """Enqueue the messages of an event: to channels, and to subscribers of its service."""
    enqueued = notifications.enqueue_notifications(session, content)
    enqueue_subscriber_mails(session, content, enqueued.event_id, now, mail_is_sent=settings.sends_mail)


def run_notification_delivery(job: DeliverNotification, context: JobContext) -> None:
    """Send a notification and record the outcome. A channel that was turned off gets nothing."""
    with context.reading() as session:
        message = notifications.get_notification(session, job.message_id)
        channel = channels.get_channel(session, ChannelId(message.channel_id))
        waits = message.state == NotificationState.WAITING
        if waits and notifications.must_wait(session, message, ChannelKind(channel.kind)):
            raise Postponed(ORDER_PAUSE_S)
        is_sent = channel.state == ChannelState.ON and not notifications.is_outdated(
            session, message, ChannelKind(channel.kind)
        )
        content = NotificationContent.from_json(message.content)
        outbound = OutboundNotification(
            message_id=str(message.id),
            kind=ChannelKind(channel.kind),
            target=channel.target,
            secret=channels.get_channel_secret(channel, create_sealer(context.settings)),
            content=content,
            comment_id=notifications.get_thread_comment_id(session, message),
            issue_number=_find_closed_issue(session, channel, content),
        )
    if not waits or not is_sent:
        with context.finishing() as session:
            if waits:
                notifications.abandon_notification(notifications.get_notification(session, job.message_id))
        return

    now = context.clock.now()
    try:
        outside_id = deliver_notification(outbound, context.egress, context.mailer, now)
    except (Unavailable, ReceiverGone) as error:
        _retry(job, context, error)
    except InvalidRequest as error:
        with context.finishing() as session:
            notifications.record_permanent_failure(session, job.message_id, error.facts())
    else:
        with context.finishing() as session:
            notifications.record_delivered(session, job.message_id, now, outside_id)


def _find_closed_issue(session: ReadSession, channel: NotificationChannel, content: NotificationContent) -> int | None:
    """Return the issue that an event closes at a code host."""
    if ChannelKind(channel.kind) not in CODE_HOSTS or not closes_issue(content):
        return None
    return issues.find_issue_number(session, ChannelId(channel.id), content)


def _retry(job: DeliverNotification, context: JobContext, error: SlowpathError) -> None:
    now = context.clock.now()
    with context.writing() as session:
        pause_s = notifications.record_attempt_failed(session, job.message_id, now, error)
    if pause_s is not None:
        raise Postponed(pause_s)
    with context.finishing():
        pass


def record_delivery_failure(session: WriteSession, job: DeliverNotification, failure: JobFailure) -> None:
    """Record on the notification why it was abandoned."""
    notifications.record_permanent_failure(session, job.message_id, failure.problem)


def delete_old_notifications(_job: DeleteOldNotifications, context: JobContext) -> None:
    """Delete old notifications."""
    with context.finishing() as session:
        notifications.delete_old_notifications(session, context.clock.now())
