"""SELECT statements of subscriptions. Each reads only rows of the session's team."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from sqlalchemy import exists, or_, select

from slowpath.core.db_sessions import ReadSession, WriteSession
from slowpath.core.ids import ServiceId, UserId
from slowpath.core.jobs import JobRow, JobState
from slowpath.platform.accounts.tables import Membership, User
from slowpath.sharing.notifications.tables import TeamEvent
from slowpath.sharing.subscriptions.tables import MailSchedule, ServiceSubscription, SubscriberMail


@dataclass(frozen=True)
class EventSubscriber:
    """A subscription that applies to a service, with the schedule of its user."""

    subscription: ServiceSubscription
    schedule: MailSchedule | None
    time_zone: str | None
    """Of the user's account; None: that of the schedule."""


@dataclass(frozen=True)
class MailRecipient:
    """A member with a subscription."""

    user_id: UserId
    email: str


def find_subscription(
    session: ReadSession, service_id: ServiceId | None, user_id: UserId
) -> ServiceSubscription | None:
    """Return the subscription of a user to a service, or to all services."""
    found = select(ServiceSubscription).where(
        ServiceSubscription.service_id.is_not_distinct_from(service_id), ServiceSubscription.user_id == user_id
    )
    return session.scalars(found).one_or_none()


def select_subscriptions(session: ReadSession, user_id: UserId) -> Sequence[ServiceSubscription]:
    """Return the subscriptions of a user, that to all services first."""
    found = select(ServiceSubscription).where(ServiceSubscription.user_id == user_id)
    order = (ServiceSubscription.service_id.is_not(None), ServiceSubscription.created_at, ServiceSubscription.id)
    return session.scalars(found.order_by(*order)).all()


def select_subscribers(session: ReadSession, service_id: ServiceId) -> list[EventSubscriber]:
    """Return one subscription of each subscriber of a service: that to the service, else that to all services."""
    found = (
        select(ServiceSubscription, MailSchedule, User.time_zone)
        .outerjoin(MailSchedule, MailSchedule.user_id == ServiceSubscription.user_id)
        .outerjoin(User, User.id == ServiceSubscription.user_id)
        .where(or_(ServiceSubscription.service_id == service_id, ServiceSubscription.service_id.is_(None)))
        .order_by(ServiceSubscription.service_id.is_not(None), ServiceSubscription.id)
    )
    by_user = {row.user_id: EventSubscriber(row, schedule, zone) for row, schedule, zone in session.execute(found)}
    return list(by_user.values())


def find_schedule(session: ReadSession, user_id: UserId) -> MailSchedule | None:
    """Return the schedule of a user."""
    return session.scalars(select(MailSchedule).where(MailSchedule.user_id == user_id)).one_or_none()


def find_recipient(session: ReadSession, user_id: UserId) -> MailRecipient | None:
    """Return the address of a user as long as they are a member."""
    found = (
        select(User.id, User.email)
        .join(Membership, Membership.user_id == User.id)
        .where(User.id == user_id, Membership.team_id == session.team_id)
    )
    row = session.execute(found).one_or_none()
    return None if row is None else MailRecipient(UserId(row.id), row.email)


def find_mail(session: ReadSession, mail_id: UUID) -> SubscriberMail | None:
    """Return a mail that is not sent yet, by primary key."""
    return session.get(SubscriberMail, (session.team_id, mail_id))


def select_mail_events(
    session: ReadSession, mail_ids: Sequence[UUID]
) -> Sequence[tuple[SubscriberMail, ServiceSubscription, TeamEvent]]:
    """Return mails with their subscriptions and events, in the order of the events."""
    found = (
        select(SubscriberMail, ServiceSubscription, TeamEvent)
        .join(ServiceSubscription, ServiceSubscription.id == SubscriberMail.subscription_id)
        .join(TeamEvent, TeamEvent.id == SubscriberMail.event_id)
        .where(SubscriberMail.id.in_(mail_ids))
        .order_by(TeamEvent.number)
    )
    return session.execute(found).all()


def lock_held_mails(session: WriteSession, user_id: UserId) -> Sequence[SubscriberMail]:
    """Return the held mails of a user and lock them, without those that another transaction has locked."""
    found = (
        select(SubscriberMail)
        .join(ServiceSubscription, ServiceSubscription.id == SubscriberMail.subscription_id)
        .where(ServiceSubscription.user_id == user_id, SubscriberMail.is_held.is_(True))
        .order_by(SubscriberMail.id)
        .with_for_update(of=SubscriberMail, skip_locked=True)
    )
    return session.scalars(found).all()


def lock_due_mails(session: WriteSession, user_id: UserId, job_id: UUID, now: datetime) -> Sequence[SubscriberMail]:
    """Return the held mails of a user that are due and that no other open job sends, and lock them."""
    open_job = exists().where(
        JobRow.id == SubscriberMail.job_id, JobRow.state.in_((JobState.WAITING, JobState.RUNNING))
    )
    found = (
        select(SubscriberMail)
        .join(ServiceSubscription, ServiceSubscription.id == SubscriberMail.subscription_id)
        .where(
            ServiceSubscription.user_id == user_id,
            SubscriberMail.is_held.is_(True),
            or_(SubscriberMail.job_id == job_id, SubscriberMail.due_at <= now),
            or_(SubscriberMail.job_id.is_(None), SubscriberMail.job_id == job_id, ~open_job),
        )
        .order_by(SubscriberMail.id)
        .with_for_update(of=SubscriberMail, skip_locked=True)
    )
    return session.scalars(found).all()
