"""A Slack app against Slack's API on loopback: one message per incident, updated, with a reply per change."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import pytest

from slowpath.adapters.egress import create_outside
from slowpath.core.db_sessions import TeamScope
from slowpath.core.encryption import create_sealer
from slowpath.core.ids import JobId, new_id
from slowpath.sharing.notifications.rules import (
    USUAL_EVENTS,
    ChannelKind,
    ChannelTarget,
    NotificationContent,
    NotificationEvent,
    ProductionEventContent,
)
from slowpath.sharing.notifications.service import channels, notifications
from tests.jobs.conftest import Bench
from tests.support.fake_slack import SIGNING_SECRET, TOKEN, FakeSlack, running_slack

pytestmark = pytest.mark.database


@dataclass(frozen=True)
class SlackBench:
    """A channel of a Slack app, and Slack."""

    bench: Bench
    slack: FakeSlack

    def writing(self) -> Any:  # noqa: ANN401 - a session's context
        return self.bench.worker_context.database.writing(TeamScope(self.bench.team.id))

    def announce(self, event: NotificationEvent, subject_id: UUID, state: str = "new", moment: str = "") -> UUID:
        incident = ProductionEventContent(
            str(subject_id), 4, "shop", "prod", state, "p99 is 1.8 times as high", "It rose.", "high", 1.0, "p99",
            0.1, 0.18, 1.8, 1.7, 1.9, None, None,
        )  # fmt: skip
        content = NotificationContent(
            event, subject_id, None, "https://slowpath.example/e", what=state, moment=moment, production_event=incident
        )
        with self.writing() as session:
            (message_id,) = notifications.enqueue_notifications(session, content).message_ids
            return message_id

    def deliver(self, message_id: UUID) -> tuple[str, str]:
        """Run the job of a notification; return the states of the notification and of the job."""
        found = self.bench.admin.execute("SELECT job_id FROM notification WHERE id = %s", (message_id,)).fetchone()
        assert found is not None
        self.bench.change(JobId(found[0]), "not_before = clock_timestamp(), due_at = clock_timestamp()")
        job = self.bench.carry_out(JobId(found[0]))
        row = self.bench.admin.execute("SELECT state FROM notification WHERE id = %s", (message_id,)).fetchone()
        assert row is not None
        return str(row[0]), str(job["state"])


@pytest.fixture
def desk(bench: Bench) -> Iterator[SlackBench]:
    settings = bench.worker_context.settings.model_copy(update={"egress_allowlist": "127.0.0.0/8"})
    bench = bench.with_settings(settings)
    with running_slack() as slack:
        target = ChannelTarget(
            ChannelKind.SLACK_APP, slack.api_url, token=TOKEN, signing_secret=SIGNING_SECRET, conversation="C0123ABCD"
        )
        with bench.worker_context.database.writing(TeamScope(bench.team.id)) as session:
            channels.create_channel(
                session,
                create_sealer(settings),
                create_outside(settings),
                target,
                label="#latency",
                events=sorted(USUAL_EVENTS[ChannelKind.SLACK_APP]),
                service_ids=None,
                mail_is_sent=False,
            )
        yield SlackBench(bench, slack)


def test_an_incident_is_one_message_with_a_reply_per_change(desk: SlackBench) -> None:
    incident = new_id()
    opened = desk.announce(NotificationEvent.PRODUCTION_OPENED, incident)
    closed = desk.announce(NotificationEvent.PRODUCTION_CLOSED, incident, "closed", "1")
    assert desk.deliver(closed) == ("waiting", "waiting"), "the opening is delivered first"
    assert desk.deliver(opened) == ("sent", "done")
    ((ts, message),) = desk.slack.messages.items()
    assert message["channel"] == "C0123ABCD"
    assert [block["type"] for block in message["blocks"]][-1] == "actions"
    assert desk.deliver(closed) == ("sent", "done")
    assert desk.slack.calls == ["chat.postMessage", "chat.update", "chat.postMessage"]
    assert "is closed" in desk.slack.messages[ts]["text"]
    assert "actions" not in [block["type"] for block in desk.slack.messages[ts]["blocks"]]
    (reply,) = desk.slack.replies
    assert (reply["thread_ts"], "is closed" in reply["text"]) == (ts, True)


def test_a_message_that_was_deleted_in_slack_is_posted_again(desk: SlackBench) -> None:
    incident = new_id()
    desk.deliver(desk.announce(NotificationEvent.PRODUCTION_OPENED, incident))
    desk.slack.messages.clear()
    desk.deliver(desk.announce(NotificationEvent.PRODUCTION_UPDATED, incident, "investigating", "1"))
    assert len(desk.slack.messages) == 1
    assert desk.slack.replies == []


@pytest.mark.parametrize(
    ("problem", "states", "channel"),
    [
        ("ratelimited", ("waiting", "waiting"), "on"),
        ("not_in_channel", ("waiting", "waiting"), "on"),
        ("invalid_blocks", ("abandoned", "done"), "on"),
        ("token_revoked", ("abandoned", "done"), "disabled-after-failures"),
    ],
)
def test_errors_of_slack_are_retried_or_end_the_channel(
    desk: SlackBench, problem: str, states: tuple[str, str], channel: str
) -> None:
    desk.slack.errors["chat.postMessage"] = problem
    assert desk.deliver(desk.announce(NotificationEvent.PRODUCTION_OPENED, new_id())) == states
    row = desk.bench.admin.execute("SELECT state, problem, encrypted_secret FROM notification_channel").fetchone()
    assert row is not None
    assert row[0] == channel
    assert TOKEN.encode() not in bytes(row[2])
    assert TOKEN not in str(row[1])
