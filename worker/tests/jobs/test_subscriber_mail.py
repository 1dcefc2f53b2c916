"""Mails to subscribers against a real SMTP server: at once, or held back and sent together, once, also after restarts."""

import email
import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from email.message import Message
from threading import Thread
from typing import Any
from uuid import UUID

import pytest
from aiosmtpd.controller import Controller
from pydantic import SecretStr

from bootstrap_parts.machine_checks import free_port
from slowpath.core.db_sessions import TeamScope
from slowpath.core.ids import JobId, ServiceId, UserId, new_id
from slowpath.inventory.catalog.service import ensure_service
from slowpath.sharing.notifications.rules import (
    BisectContent,
    NotificationContent,
    NotificationEvent,
    ProductionEventContent,
)
from slowpath.sharing.subscriptions.jobs import SendHeldMails, SendSubscriberMail
from slowpath.sharing.subscriptions.rules import MailFrequency, MailTimes
from slowpath.sharing.subscriptions.service import mail_schedules, service_subscriptions
from slowpath_worker.tasks.notifications import enqueue_messages
from tests.factories.accounts import AccountsFactory
from tests.jobs.conftest import Bench

pytestmark = pytest.mark.database

DIGEST = MailTimes(MailFrequency.DAILY, time_zone="Europe/Berlin")


@dataclass
class Inbox:
    """The handler of a real SMTP server: what arrived, and how it responds."""

    response: str = "250 OK"
    mails: list[Message] = field(default_factory=list)

    async def handle_DATA(self, server: object, session: object, envelope: Any) -> str:  # noqa: N802, ANN401 - aiosmtpd's
        if self.response.startswith("250"):
            self.mails.append(email.message_from_bytes(envelope.content))
        return self.response

    def texts(self) -> list[str]:
        return [str(mail.get_payload(decode=True).decode()) for mail in self.mails]  # type: ignore[union-attr]


@dataclass(frozen=True)
class MailBench:
    """A team with a service, and a mail server."""

    bench: Bench
    inbox: Inbox
    service_id: ServiceId

    def writing(self) -> Any:  # noqa: ANN401 - a session's context
        return self.bench.worker_context.database.writing(TeamScope(self.bench.team.id))

    def subscribe(self, user_id: UserId, service_id: ServiceId | None, **wanted: Any) -> None:  # noqa: ANN401
        with self.writing() as session:
            service_subscriptions.subscribe(session, service_id, user_id, **wanted)

    def schedule(self, user_id: UserId, times: MailTimes) -> None:
        with self.writing() as session:
            mail_schedules.set_mail_times(session, user_id, times, self.bench.worker_context.clock.now())

    def announce(self, content: NotificationContent) -> None:
        context = self.bench.worker_context
        with self.writing() as session:
            enqueue_messages(session, context.settings, content, context.clock.now())

    def jobs(self, name: str) -> list[JobId]:
        found = self.bench.admin.execute("SELECT id FROM job WHERE name = %s ORDER BY created_at", (name,))
        return [JobId(job_id) for (job_id,) in found.fetchall()]

    def run(self, job_id: JobId) -> str:
        self.bench.change(job_id, "not_before = clock_timestamp(), due_at = clock_timestamp()")
        return str(self.bench.carry_out(job_id)["state"])

    def run_all(self) -> None:
        for name in (SendSubscriberMail.name, SendHeldMails.name):
            for job_id in self.jobs(name):
                if self.bench.row(job_id)["state"] == "waiting":
                    assert self.run(job_id) == "done"

    def pass_time(self) -> None:
        self.bench.admin.execute("UPDATE subscriber_mail SET due_at = clock_timestamp() - interval '1 minute'")

    def waiting(self) -> int:
        row = self.bench.admin.execute("SELECT count(*) FROM subscriber_mail").fetchone()
        assert row is not None
        return int(row[0])


@pytest.fixture
def mails(bench: Bench) -> Iterator[MailBench]:
    inbox, port = Inbox(), free_port()
    controller = Controller(inbox, hostname="127.0.0.1", port=port)
    controller.start()
    changed = {"smtp_url": SecretStr(f"smtp://127.0.0.1:{port}"), "mail_from": "Slowpath <slowpath@example.com>"}
    settings = bench.worker_context.settings.model_copy(update=changed)
    with bench.worker_context.database.writing(TeamScope(bench.team.id)) as session:
        service_id = ServiceId(ensure_service(session, "shop").id)
    yield MailBench(bench.with_settings(settings), inbox, service_id)
    controller.stop()


def production(
    service_id: ServiceId, event: NotificationEvent, severity: str, subject_id: UUID | None = None
) -> NotificationContent:
    described = ProductionEventContent(
        id=str(new_id()), number=4, service="shop", environment="prod", state="new", title="p99 is 1.8 times as high",
        sentence="It rose.", severity=severity, added_seconds_per_second=1.0, signal="p99", before=0.1, after=0.18,
        ratio=1.8, ratio_low=1.7, ratio_high=1.9, commit=None, assignee=None,
    )  # fmt: skip
    return NotificationContent(
        event, subject_id or new_id(), service_id, "https://slowpath.example/e", moment="1", production_event=described
    )


def bisect(service_id: ServiceId, number: int = 1) -> NotificationContent:
    found = BisectContent(str(new_id()), number, "shop", "found", "p99", f"Commit {number} is the culprit.")
    return NotificationContent(
        NotificationEvent.BISECTED, new_id(), service_id, "https://slowpath.example/b", bisect=found
    )


def test_each_subscriber_gets_the_chosen_events_once(mails: MailBench, people: AccountsFactory) -> None:
    ann, ben, gone = (people.member(mails.bench.team) for _ in range(3))
    mails.subscribe(ann.user_id, None)
    mails.subscribe(ann.user_id, mails.service_id, min_severity="high")
    mails.subscribe(ben.user_id, None, events=[NotificationEvent.PRODUCTION_OPENED])
    mails.subscribe(gone.user_id, mails.service_id)
    mails.bench.admin.execute("DELETE FROM membership WHERE user_id = %s", (gone.user_id,))
    low = production(mails.service_id, NotificationEvent.PRODUCTION_OPENED, "low")
    high = production(mails.service_id, NotificationEvent.PRODUCTION_OPENED, "high")
    for content in (low, low, high, bisect(mails.service_id)):
        mails.announce(content)
    mails.run_all()
    arrived = sorted((str(mail["To"]), str(mail["Subject"])[:30]) for mail in mails.inbox.mails)
    assert [to for to, _ in arrived] == sorted([ann.email] * 2 + [ben.email] * 2)
    assert mails.waiting() == 0, "those to a former member were dropped"


def test_a_mail_has_a_link_that_ends_its_subscription_by_one_click(mails: MailBench, people: AccountsFactory) -> None:
    ann = people.member(mails.bench.team)
    mails.subscribe(ann.user_id, mails.service_id)
    mails.announce(bisect(mails.service_id))
    (job_id,) = mails.jobs(SendSubscriberMail.name)
    mails.inbox.response = "451 later"
    assert mails.run(job_id) == "waiting"
    assert mails.waiting() == 1
    mails.inbox.response = "250 OK"
    assert mails.run(job_id) == "done"
    ((mail,), (text,)) = mails.inbox.mails, mails.inbox.texts()
    link = str(mail["List-Unsubscribe"]).strip("<>")
    assert mail["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    assert "/unsubscribe/" in link
    assert link in text
    assert "You are subscribed to this service." in text
    assert "/settings?tab=account" in text


def test_mails_of_one_incident_are_one_thread(mails: MailBench, people: AccountsFactory) -> None:
    ann = people.member(mails.bench.team)
    mails.subscribe(ann.user_id, mails.service_id)
    incident = new_id()
    for event in (NotificationEvent.PRODUCTION_OPENED, NotificationEvent.PRODUCTION_CLOSED):
        mails.announce(production(mails.service_id, event, "low", incident))
    mails.announce(production(mails.service_id, NotificationEvent.PRODUCTION_OPENED, "low"))
    mails.run_all()
    first, second, other = mails.inbox.mails
    assert first["References"] == second["References"] == second["In-Reply-To"]
    assert other["References"] != first["References"]
    assert first["Message-ID"] != second["Message-ID"]
    assert second["Subject"] == f"Re: {first['Subject']}"
    assert "is closed" in mails.inbox.texts()[1]


def test_held_mails_are_sent_together_once(mails: MailBench, people: AccountsFactory) -> None:
    ann = people.member(mails.bench.team)
    mails.subscribe(ann.user_id, mails.service_id)
    mails.schedule(ann.user_id, DIGEST)
    for number in (1, 2, 3):
        mails.announce(bisect(mails.service_id, number))
    assert mails.jobs(SendSubscriberMail.name) == []
    jobs = mails.jobs(SendHeldMails.name)
    assert mails.run(jobs[0]) == "done"
    assert mails.inbox.mails == [], "a job that runs before the time sends nothing"
    assert mails.waiting() == 3
    mails.pass_time()
    mails.run_all()
    ((text,), (mail,)) = mails.inbox.texts(), mails.inbox.mails
    assert mail["Subject"].startswith("[Slowpath] Daily digest: 3 events, first Bisect 1 of shop")
    assert [f"Commit {number} is" in text for number in (1, 2, 3)] == [True] * 3
    assert "Times are in Europe/Berlin." in text
    assert len(re.findall(r"^\d{4}-\d\d-\d\d \d\d:\d\d CES?T  ", text, re.MULTILINE)) == 3
    assert mail["List-Unsubscribe"] is not None
    assert mails.waiting() == 0


def test_high_severity_is_not_held_back(mails: MailBench, people: AccountsFactory) -> None:
    ann = people.member(mails.bench.team)
    mails.subscribe(ann.user_id, mails.service_id)
    mails.schedule(ann.user_id, DIGEST)
    for severity in ("high", "medium"):
        mails.announce(production(mails.service_id, NotificationEvent.PRODUCTION_OPENED, severity))
    mails.run_all()
    assert len(mails.inbox.mails) == 1
    mails.schedule(ann.user_id, replace(DIGEST, is_high_severity_immediate=False))
    mails.announce(production(mails.service_id, NotificationEvent.PRODUCTION_OPENED, "high"))
    mails.run_all()
    assert len(mails.inbox.mails) == 1
    assert mails.waiting() == 2


def test_jobs_at_the_same_time_send_each_held_mail_once(mails: MailBench, people: AccountsFactory) -> None:
    ann = people.member(mails.bench.team)
    mails.subscribe(ann.user_id, mails.service_id)
    mails.schedule(ann.user_id, DIGEST)
    for number in range(6):
        mails.announce(bisect(mails.service_id, number))
    mails.pass_time()
    jobs = mails.jobs(SendHeldMails.name)
    for job_id in jobs:
        mails.bench.change(job_id, "not_before = clock_timestamp(), due_at = clock_timestamp()")
    threads = [Thread(target=mails.bench.carry_out, args=(job_id,)) for job_id in jobs[:3]]
    # A connection of psycopg is shared: the rows are read after the threads have ended.
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    mails.run_all()
    whole = "".join(mails.inbox.texts())
    assert [whole.count(f"Commit {number} is") for number in range(6)] == [1] * 6


def test_a_worker_that_dies_before_sending_loses_nothing(mails: MailBench, people: AccountsFactory) -> None:
    ann = people.member(mails.bench.team)
    mails.subscribe(ann.user_id, mails.service_id)
    mails.schedule(ann.user_id, DIGEST)
    mails.announce(bisect(mails.service_id, 1))
    mails.pass_time()
    mails.inbox.response = "451 later"
    (job_id,) = mails.jobs(SendHeldMails.name)
    assert mails.run(job_id) == "waiting", "the mails are claimed by this job, and nothing was sent"
    mails.announce(bisect(mails.service_id, 2))
    mails.pass_time()
    mails.bench.change(job_id, "state = 'failed'")
    mails.inbox.response = "250 OK"
    assert mails.run(mails.jobs(SendHeldMails.name)[1]) == "done"
    (text,) = mails.inbox.texts()
    assert "Commit 1 is" in text
    assert "Commit 2 is" in text


def test_a_changed_schedule_applies_to_what_is_held_back(mails: MailBench, people: AccountsFactory) -> None:
    ann = people.member(mails.bench.team)
    mails.subscribe(ann.user_id, mails.service_id)
    mails.schedule(ann.user_id, DIGEST)
    mails.announce(bisect(mails.service_id, 1))
    mails.schedule(ann.user_id, MailTimes())
    assert mails.run(mails.jobs(SendHeldMails.name)[-1]) == "done"
    assert len(mails.inbox.mails) == 1


def test_unsubscribing_drops_what_is_held_back(mails: MailBench, people: AccountsFactory) -> None:
    ann = people.member(mails.bench.team)
    mails.subscribe(ann.user_id, mails.service_id)
    mails.schedule(ann.user_id, DIGEST)
    mails.announce(bisect(mails.service_id, 1))
    with mails.writing() as session:
        service_subscriptions.unsubscribe(session, mails.service_id, ann.user_id)
    mails.run_all()
    assert mails.inbox.mails == []


def test_a_rejected_mail_is_not_sent_again(mails: MailBench, people: AccountsFactory) -> None:
    ann = people.member(mails.bench.team)
    mails.subscribe(ann.user_id, mails.service_id)
    mails.announce(bisect(mails.service_id))
    mails.inbox.response = "550 no such user"
    (job_id,) = mails.jobs(SendSubscriberMail.name)
    assert mails.run(job_id) == "failed"
    assert mails.waiting() == 0
