"""Mails to people, against a real SMTP server on loopback that fails and comes back."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import pytest
from aiosmtpd.controller import Controller
from pydantic import SecretStr

from bootstrap_parts.machine import free_port
from slowpath.accounts import service as accounts
from slowpath.accounts.jobs import MailInvitation, MailReset
from slowpath.accounts.rules.roles import Caller, Role
from slowpath.accounts.service import mailing, resetting
from slowpath.adapters.clock import SystemClock
from slowpath.catalog.service.builds import tell_build
from slowpath.core.ids import DiscussionId, JobId
from slowpath.core.sessions import Scope
from slowpath.discussions.jobs import MailMentions
from slowpath.discussions.rules import SubjectKind
from slowpath.discussions.service import subjects, talking
from slowpath.discussions.service.talking import Words
from slowpath_worker.letters import send_letter
from tests.factories.accounts import AccountsFactory, SomePerson
from tests.jobs.conftest import Bench
from tests.support.twins import CountingThrottle

pytestmark = pytest.mark.database


class Postman:
    """A real SMTP server's handler."""

    def __init__(self) -> None:
        self.letters: list[tuple[str, str]] = []
        self.says = "250 OK"

    async def handle_DATA(self, server: object, session: object, envelope: Any) -> str:  # noqa: N802, ANN401 - aiosmtpd's
        if self.says.startswith("250"):
            self.letters.append((envelope.rcpt_tos[0], envelope.content.decode()))
        return self.says


@dataclass(frozen=True)
class Office:
    """The bench with a mail server, and what arrived there."""

    bench: Bench
    postman: Postman

    def carry_out(self, name: str) -> dict[str, Any]:
        """Carry out the newest job of a name, however long it was to wait."""
        found = self.bench.admin.execute("SELECT id FROM job WHERE name = %s ORDER BY created_at DESC LIMIT 1", (name,))
        row = found.fetchone()
        assert row is not None
        self.bench.change(row[0], "not_before = clock_timestamp(), due_at = clock_timestamp()")
        return self.bench.carry_out(JobId(row[0]))


@pytest.fixture
def office(bench: Bench) -> Iterator[Office]:
    postman = Postman()
    port = free_port()
    controller = Controller(postman, hostname="127.0.0.1", port=port)
    controller.start()
    changed = {"smtp_url": SecretStr(f"smtp://127.0.0.1:{port}"), "mail_from": "Slowpath <slowpath@example.com>"}
    settings = bench.workshop.settings.model_copy(update=changed)
    yield Office(replace(bench, workshop=replace(bench.workshop, settings=settings)), postman)
    controller.stop()


def secret_in(text: str, place: str) -> str:
    found = re.search(rf"{place}(\w+)", text)
    assert found is not None, text
    return found.group(1)


def test_an_invitation_is_mailed_with_a_link_of_its_own(office: Office) -> None:
    bench = office.bench
    database, owner = bench.workshop.database, bench.team.owner.user_id
    caller = Caller(bench.team.id, owner, None, Role.OWNER, frozenset())
    now = SystemClock().now()
    with database.writing(Scope(bench.team.id, owner)) as session:
        row, _, shown = accounts.invite(session, caller, role=Role.MEMBER, email="new@example.com", days=7, now=now)
        mailing.ask_to_mail(session, row, mail_is_sent=True)

    office.postman.says = "451 later"
    assert office.carry_out(MailInvitation.name)["state"] == "waiting"
    office.postman.says = "250 OK"
    assert office.carry_out(MailInvitation.name)["state"] == "done"
    ((to, text),) = office.postman.letters
    mailed = secret_in(text, "/invitations/")
    assert (to, mailed == shown) == ("new@example.com", False)
    for secret in (mailed, shown):
        assert accounts.look_at(database, secret, now=now).id == row.id
    dump = str(bench.admin.execute("SELECT invitation::text FROM invitation").fetchall())
    dump += str(bench.admin.execute("SELECT job::text FROM job").fetchall())
    assert mailed not in dump

    with database.writing(Scope(bench.team.id, owner)) as session:
        row, _, _ = accounts.invite(session, caller, role=Role.MEMBER, email="gone@example.com", days=7, now=now)
        mailing.ask_to_mail(session, row, mail_is_sent=True)
    office.postman.says = "550 no such person"
    assert office.carry_out(MailInvitation.name)["state"] == "done"
    problem = bench.admin.execute("SELECT mailed_at, mail_problem FROM invitation WHERE id = %s", (row.id,)).fetchone()
    assert problem is not None
    assert problem[0] is None
    assert "550" in problem[1]["detail"]


def test_who_forgot_a_password_is_mailed_a_link_that_works(office: Office) -> None:
    bench = office.bench
    database, owner = bench.workshop.database, bench.team.owner
    now = SystemClock().now()
    resetting.ask_reset(
        database, CountingThrottle(), email=owner.email, address="127.0.0.1", now=now, mail_is_sent=True
    )
    office.postman.says = "451 later"
    assert office.carry_out(MailReset.name)["state"] == "waiting"
    office.postman.says = "250 OK"
    assert office.carry_out(MailReset.name)["state"] == "done"
    ((to, text),) = office.postman.letters
    assert to == owner.email
    found = resetting.find_reset(
        database, CountingThrottle(), secret_in(text, "/new-password#"), address="127.0.0.1", now=now
    )
    assert found[1] == owner.user_id
    assert office.carry_out(MailReset.name)["state"] == "done"
    assert len(office.postman.letters) == 1, "a job that is done is not done again"


def test_who_is_in_no_team_gets_the_letter_too(office: Office, people: AccountsFactory) -> None:
    bench = office.bench
    ann = people.member(bench.team)
    bench.admin.execute("DELETE FROM membership WHERE user_id = %s", (ann.user_id,))
    database, settings = bench.workshop.database, bench.workshop.settings
    now = SystemClock().now()
    for email in (ann.email, bench.team.owner.email, "nobody@example.com"):
        resetting.ask_reset(database, CountingThrottle(), email=email, address="127.0.0.1", now=now, mail_is_sent=True)
    office.postman.says = "451 later"
    assert send_letter(database, settings), "there is one"
    assert not send_letter(database, settings), "it is waited for the server"
    bench.admin.execute(
        "UPDATE password_reset SET letter_due_at = now() - interval '1 s' WHERE letter_due_at IS NOT NULL"
    )
    office.postman.says = "250 OK"
    assert send_letter(database, settings)
    ((to, text),) = office.postman.letters
    assert to == ann.email
    found = resetting.find_reset(
        database, CountingThrottle(), secret_in(text, "/new-password#"), address="127.0.0.1", now=now
    )
    assert found[1] == ann.user_id
    assert not send_letter(database, settings)
    assert len(office.postman.letters) == 1


def said(office: Office, author: SomePerson, text: str) -> DiscussionId:
    """Say something about a build; return the discussion."""
    bench = office.bench
    caller = Caller(bench.team.id, author.user_id, None, Role.MEMBER, frozenset())
    with bench.workshop.database.writing(Scope(bench.team.id, author.user_id)) as session:
        build, _ = tell_build(session, "shop", "a" * 40, {})
        subject = subjects.find(session, SubjectKind.BUILD, build.id, "", {})
        row = talking.say(session, caller, Words(text), SubjectKind.BUILD, build.id, "", subject, mail_is_sent=True)
        return DiscussionId(row.discussion_id)


def test_who_is_named_gets_one_mail_a_discussion_and_ten_minutes(office: Office, people: AccountsFactory) -> None:
    bench, owner = office.bench, office.bench.team.owner
    ann, ben = people.member(bench.team), people.member(bench.team)
    said(office, owner, f"@{ann.name} look\nhere")
    said(office, ann, f"@{ann.name} and @{ben.name}, and @{owner.name}")
    jobs = bench.admin.execute("SELECT count(*) FROM job WHERE name = %s", (MailMentions.name,)).fetchone()
    assert jobs == (1,), "what is written in one breath goes out at once"

    office.postman.says = "451 later"
    assert office.carry_out(MailMentions.name)["state"] == "waiting"
    office.postman.says = "250 OK"
    assert office.carry_out(MailMentions.name)["state"] == "done"
    letters = dict(office.postman.letters)
    assert letters.keys() == {ann.email, ben.email, owner.email}
    assert f"/t/{bench.team.slug}/builds/" in letters[ann.email]
    assert "> here" in letters[ann.email]

    office.postman.letters.clear()
    said(office, owner, f"@{ann.name} again")
    assert office.carry_out(MailMentions.name)["later"], "the next mail waits"
    assert office.postman.letters == []
    bench.admin.execute("UPDATE mention SET mailed_at = mailed_at - interval '11 minutes' WHERE mailed_at IS NOT NULL")
    assert office.carry_out(MailMentions.name)["state"] == "done"
    assert [to for to, _ in office.postman.letters] == [ann.email]


def test_who_has_read_it_or_left_or_wants_none_is_not_mailed(office: Office, people: AccountsFactory) -> None:
    bench, owner = office.bench, office.bench.team.owner
    ann, ben, eve = people.member(bench.team), people.member(bench.team), people.member(bench.team)
    said(office, owner, f"@{ann.name} and @{ben.name} and @{eve.name}")
    bench.admin.execute("UPDATE app_user SET mention_mails = false WHERE id = %s", (eve.user_id,))
    bench.admin.execute("UPDATE mention SET read_at = clock_timestamp() WHERE user_id = %s", (ann.user_id,))
    bench.admin.execute("DELETE FROM membership WHERE user_id = %s", (ben.user_id,))
    assert office.carry_out(MailMentions.name)["state"] == "done"
    assert office.postman.letters == []


def test_whoever_died_while_mailing_leaves_it_to_be_mailed(office: Office, people: AccountsFactory) -> None:
    bench, owner = office.bench, office.bench.team.owner
    ann = people.member(bench.team)
    said(office, owner, f"@{ann.name}")
    bench.admin.execute("UPDATE mention SET mail_begun_at = clock_timestamp()")
    assert office.carry_out(MailMentions.name)["later"], "somebody else has it in hand"
    bench.admin.execute("UPDATE mention SET mail_begun_at = mail_begun_at - interval '3 minutes'")
    assert office.carry_out(MailMentions.name)["state"] == "done"
    assert [to for to, _ in office.postman.letters] == [ann.email]
