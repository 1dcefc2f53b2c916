"""Emails to users, against a real SMTP server on loopback that fails and recovers."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from aiosmtpd.controller import Controller
from pydantic import SecretStr

from bootstrap_parts.machine_checks import free_port
from slowpath.adapters.smtp_mailer import create_mailer
from slowpath.adapters.system_clock import SystemClock
from slowpath.core.db_sessions import TeamScope
from slowpath.core.ids import DiscussionId, JobId
from slowpath.core.local_times import format_local_time
from slowpath.inventory.catalog.service.build_registration import upsert_build
from slowpath.platform.accounts import service as accounts
from slowpath.platform.accounts.jobs import MailInvitation, MailPasswordReset
from slowpath.platform.accounts.rules.roles import Caller, Role
from slowpath.platform.accounts.service import invitation_mail, password_resets
from slowpath.sharing.discussions.jobs import MailMentions
from slowpath.sharing.discussions.rules import SubjectKind
from slowpath.sharing.discussions.service import comments, discussion_subjects
from slowpath.sharing.discussions.service.comments import CommentDraft
from slowpath_worker.password_reset_mail import send_next_reset_mail
from tests.factories.accounts import AccountsFactory, SomePerson
from tests.jobs.conftest import Bench
from tests.support.fakes import CountingThrottle

pytestmark = pytest.mark.database


class RecordingAccountMailer:
    """A real SMTP server's handler."""

    def __init__(self) -> None:
        self.letters: list[tuple[str, str]] = []
        self.response = "250 OK"

    async def handle_DATA(self, server: object, session: object, envelope: Any) -> str:  # noqa: N802, ANN401 - aiosmtpd's
        if self.response.startswith("250"):
            self.letters.append((envelope.rcpt_tos[0], envelope.content.decode()))
        return self.response


@dataclass(frozen=True)
class MailFixture:
    """The bench with a mail server, and what arrived there."""

    bench: Bench
    postman: RecordingAccountMailer

    def carry_out(self, name: str) -> dict[str, Any]:
        """Carry out the newest job of a name, however long it was to wait."""
        found = self.bench.admin.execute("SELECT id FROM job WHERE name = %s ORDER BY created_at DESC LIMIT 1", (name,))
        row = found.fetchone()
        assert row is not None
        self.bench.change(row[0], "not_before = clock_timestamp(), due_at = clock_timestamp()")
        return self.bench.carry_out(JobId(row[0]))


@pytest.fixture
def office(bench: Bench) -> Iterator[MailFixture]:
    postman = RecordingAccountMailer()
    port = free_port()
    controller = Controller(postman, hostname="127.0.0.1", port=port)
    controller.start()
    changed = {"smtp_url": SecretStr(f"smtp://127.0.0.1:{port}"), "mail_from": "Slowpath <slowpath@example.com>"}
    settings = bench.worker_context.settings.model_copy(update=changed)
    yield MailFixture(bench.with_settings(settings), postman)
    controller.stop()


def secret_in(text: str, place: str) -> str:
    found = re.search(rf"{place}(\w+)", text)
    assert found is not None, text
    return found.group(1)


def test_an_invitation_email_has_its_own_link(office: MailFixture) -> None:
    bench = office.bench
    database, owner = bench.worker_context.database, bench.team.owner.user_id
    caller = Caller(bench.team.id, owner, None, Role.OWNER, frozenset())
    now = SystemClock().now()
    with database.writing(TeamScope(bench.team.id, owner)) as session:
        row, _, shown = accounts.create_invitation(
            session, caller, role=Role.MEMBER, email="new@example.com", days=7, now=now
        )
        invitation_mail.enqueue_invitation_mail(session, row, mail_is_sent=True)
        expires_at = row.expires_at
    bench.admin.execute("UPDATE app_user SET time_zone = 'Asia/Dubai' WHERE id = %s", (owner,))

    office.postman.response = "451 later"
    assert office.carry_out(MailInvitation.name)["state"] == "waiting"
    office.postman.response = "250 OK"
    assert office.carry_out(MailInvitation.name)["state"] == "done"
    ((to, text),) = office.postman.letters
    mailed = secret_in(text, "/invitations/")
    assert f"until {format_local_time(expires_at, 'Asia/Dubai')}." in text
    assert "UTC+04." in text
    assert (to, mailed == shown) == ("new@example.com", False)
    for secret in (mailed, shown):
        assert accounts.preview_invitation(database, secret, now=now).id == row.id
    dump = str(bench.admin.execute("SELECT invitation::text FROM invitation").fetchall())
    dump += str(bench.admin.execute("SELECT job::text FROM job").fetchall())
    assert mailed not in dump

    with database.writing(TeamScope(bench.team.id, owner)) as session:
        row, _, _ = accounts.create_invitation(
            session, caller, role=Role.MEMBER, email="gone@example.com", days=7, now=now
        )
        invitation_mail.enqueue_invitation_mail(session, row, mail_is_sent=True)
    office.postman.response = "550 no such person"
    assert office.carry_out(MailInvitation.name)["state"] == "done"
    problem = bench.admin.execute("SELECT mailed_at, mail_error FROM invitation WHERE id = %s", (row.id,)).fetchone()
    assert problem is not None
    assert problem[0] is None
    assert "550" in problem[1]["detail"]


def test_a_password_reset_email_has_a_working_link(office: MailFixture) -> None:
    bench = office.bench
    database, owner = bench.worker_context.database, bench.team.owner
    now = SystemClock().now()
    password_resets.request_password_reset(
        database, CountingThrottle(), email=owner.email, address="127.0.0.1", now=now, mail_is_sent=True
    )
    office.postman.response = "451 later"
    assert office.carry_out(MailPasswordReset.name)["state"] == "waiting"
    office.postman.response = "250 OK"
    assert office.carry_out(MailPasswordReset.name)["state"] == "done"
    ((to, text),) = office.postman.letters
    assert to == owner.email
    found = password_resets.get_password_reset(
        database, CountingThrottle(), secret_in(text, "/password-reset/confirm#"), address="127.0.0.1", now=now
    )
    assert found[1] == owner.user_id
    assert office.carry_out(MailPasswordReset.name)["state"] == "done"
    assert len(office.postman.letters) == 1, "a job that is done is not done again"


def test_a_person_without_a_team_gets_the_email_too(office: MailFixture, people: AccountsFactory) -> None:
    bench = office.bench
    ann = people.member(bench.team)
    bench.admin.execute("DELETE FROM membership WHERE user_id = %s", (ann.user_id,))
    database, settings = bench.worker_context.database, bench.worker_context.settings
    now = SystemClock().now()
    for email in (ann.email, bench.team.owner.email, "nobody@example.com"):
        password_resets.request_password_reset(
            database, CountingThrottle(), email=email, address="127.0.0.1", now=now, mail_is_sent=True
        )
    office.postman.response = "451 later"
    assert send_next_reset_mail(database, settings, create_mailer(settings), SystemClock()), "there is one"
    assert not send_next_reset_mail(database, settings, create_mailer(settings), SystemClock()), (
        "it is waited for the server"
    )
    bench.admin.execute("UPDATE password_reset SET mail_due_at = now() - interval '1 s' WHERE mail_due_at IS NOT NULL")
    office.postman.response = "250 OK"
    assert send_next_reset_mail(database, settings, create_mailer(settings), SystemClock())
    ((to, text),) = office.postman.letters
    assert to == ann.email
    found = password_resets.get_password_reset(
        database, CountingThrottle(), secret_in(text, "/password-reset/confirm#"), address="127.0.0.1", now=now
    )
    assert found[1] == ann.user_id
    assert not send_next_reset_mail(database, settings, create_mailer(settings), SystemClock())
    assert len(office.postman.letters) == 1


def create_comment(office: MailFixture, author: SomePerson, text: str) -> DiscussionId:
    """Say something about a build; return the discussion."""
    bench = office.bench
    caller = Caller(bench.team.id, author.user_id, None, Role.MEMBER, frozenset())
    with bench.worker_context.database.writing(TeamScope(bench.team.id, author.user_id)) as session:
        build, _ = upsert_build(session, "shop", "a" * 40, {})
        subject = discussion_subjects.get_subject(session, SubjectKind.BUILD, build.id, "", {})
        row = comments.create_comment(
            session, caller, CommentDraft(text), SubjectKind.BUILD, build.id, "", subject, mail_is_sent=True
        )
        return DiscussionId(row.discussion_id)


def test_mentions_are_mailed_once_per_discussion_and_ten_minutes(office: MailFixture, people: AccountsFactory) -> None:
    bench, owner = office.bench, office.bench.team.owner
    ann, ben = people.member(bench.team), people.member(bench.team)
    create_comment(office, owner, f"@{ann.name} look\nhere")
    create_comment(office, ann, f"@{ann.name} and @{ben.name}, and @{owner.name}")
    jobs = bench.admin.execute("SELECT count(*) FROM job WHERE name = %s", (MailMentions.name,)).fetchone()
    assert jobs == (1,), "what is written in one breath goes out at once"

    office.postman.response = "451 later"
    assert office.carry_out(MailMentions.name)["state"] == "waiting"
    office.postman.response = "250 OK"
    assert office.carry_out(MailMentions.name)["state"] == "done"
    letters = dict(office.postman.letters)
    assert letters.keys() == {ann.email, ben.email, owner.email}
    assert f"/t/{bench.team.slug}/builds/" in letters[ann.email]
    assert "> here" in letters[ann.email]

    office.postman.letters.clear()
    create_comment(office, owner, f"@{ann.name} again")
    assert office.carry_out(MailMentions.name)["later"], "the next mail waits"
    assert office.postman.letters == []
    bench.admin.execute("UPDATE mention SET mailed_at = mailed_at - interval '11 minutes' WHERE mailed_at IS NOT NULL")
    assert office.carry_out(MailMentions.name)["state"] == "done"
    assert [to for to, _ in office.postman.letters] == [ann.email]


def test_readers_former_members_and_unsubscribed_users_are_not_mailed(
    office: MailFixture, people: AccountsFactory
) -> None:
    bench, owner = office.bench, office.bench.team.owner
    ann, ben, eve = people.member(bench.team), people.member(bench.team), people.member(bench.team)
    create_comment(office, owner, f"@{ann.name} and @{ben.name} and @{eve.name}")
    bench.admin.execute("UPDATE app_user SET email_on_mention = false WHERE id = %s", (eve.user_id,))
    bench.admin.execute("UPDATE mention SET read_at = clock_timestamp() WHERE user_id = %s", (ann.user_id,))
    bench.admin.execute("DELETE FROM membership WHERE user_id = %s", (ben.user_id,))
    assert office.carry_out(MailMentions.name)["state"] == "done"
    assert office.postman.letters == []


def test_an_interrupted_mail_is_sent_again(office: MailFixture, people: AccountsFactory) -> None:
    bench, owner = office.bench, office.bench.team.owner
    ann = people.member(bench.team)
    create_comment(office, owner, f"@{ann.name}")
    bench.admin.execute("UPDATE mention SET mail_begun_at = clock_timestamp()")
    assert office.carry_out(MailMentions.name)["later"], "another worker holds its lease"
    bench.admin.execute("UPDATE mention SET mail_begun_at = mail_begun_at - interval '3 minutes'")
    assert office.carry_out(MailMentions.name)["state"] == "done"
    assert [to for to, _ in office.postman.letters] == [ann.email]
