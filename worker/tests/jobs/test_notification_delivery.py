"""Messages against real receivers on loopback, which fail, hang, repeat and go away."""

import json
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from uuid import UUID

import pytest
from aiosmtpd.controller import Controller
from pydantic import SecretStr
from standardwebhooks.webhooks import Webhook

from bootstrap_parts.machine_checks import free_port
from slowpath.adapters.egress import create_outside
from slowpath.core.db_sessions import TeamScope
from slowpath.core.encryption import create_sealer
from slowpath.core.ids import ChannelId, JobId, MessageId, new_id
from slowpath.sharing.notifications.rules import (
    DEAD_AFTER_S,
    PAUSES_S,
    USUAL_EVENTS,
    BuildContent,
    ChannelKind,
    ChannelTarget,
    NotificationContent,
    NotificationEvent,
    ProductionEventContent,
    RegressionContent,
)
from slowpath.sharing.notifications.service import channels, notifications
from slowpath.sharing.notifications.service.channels import CreatedChannel
from tests.jobs.conftest import Bench

pytestmark = pytest.mark.database

COMMIT = "5f3c1e8" + "0" * 33
SUBJECT = UUID(int=7)
Answer = tuple[int, object]


@dataclass
class ReceivedDeliveries:
    """One request as it arrived."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes

    def json(self) -> Any:  # noqa: ANN401 - whatever was sent
        return json.loads(self.body)


@dataclass
class Receiver:
    """Responds with the given answers in turn; the last one is repeated."""

    port: int = 0
    answers: list[Answer | Callable[[ReceivedDeliveries], Answer]] = field(default_factory=lambda: [(200, "ok")])
    deliveries: list[ReceivedDeliveries] = field(default_factory=list)
    hangs_s: float = 0.0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    made = Receiver()

    class Handler(BaseHTTPRequestHandler):
        def answer(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"] or 0))
            delivery = ReceivedDeliveries(self.command, self.path, dict(self.headers), body)
            made.deliveries.append(delivery)
            time.sleep(made.hangs_s)
            response = made.answers.pop(0) if len(made.answers) > 1 else made.answers[0]
            status, content = response(delivery) if callable(response) else response
            self.send_response(status)
            self.end_headers()
            self.wfile.write(content.encode() if isinstance(content, str) else json.dumps(content).encode())

        do_GET = do_POST = do_PATCH = do_PUT = answer  # noqa: N815 - as the standard library calls them

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - as the standard library calls it
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads = True
        made.port = server.server_address[1]
        thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
        thread.start()
        yield made
        server.shutdown()
        thread.join()


@dataclass(frozen=True)
class DeliveryFixture:
    """A bench whose operator allows loopback addresses, with methods for channels and notifications."""

    bench: Bench

    @contextmanager
    def writing(self) -> Iterator[Any]:
        team = self.bench.team
        with self.bench.worker_context.database.writing(TeamScope(team.id, team.owner.user_id)) as session:
            yield session

    def channel(self, ending: ChannelTarget, *, events: Sequence[NotificationEvent] = ()) -> CreatedChannel:
        settings = self.bench.worker_context.settings
        with self.writing() as session:
            added = channels.create_channel(
                session,
                create_sealer(settings),
                create_outside(settings),
                ending,
                label="x",
                events=events or sorted(USUAL_EVENTS[ending.kind]),
                service_ids=None,
                mail_is_sent=settings.sends_mail,
            )
            session.flush()
            session.expunge(added.channel)
            return added

    def enqueue(self, content: NotificationContent) -> list[MessageId]:
        with self.writing() as session:
            return notifications.enqueue_notifications(session, content).message_ids

    def test(self, channel_id: UUID) -> MessageId:
        with self.writing() as session:
            content = NotificationContent(NotificationEvent.TEST, new_id(), None, "https://slowpath.example")
            return MessageId(notifications.send_test_notification(session, ChannelId(channel_id), content).id)

    def deliver(self, message_id: MessageId) -> dict[str, Any]:
        """Carry the message's job out once, whatever it waits for, and return the message."""
        job_id = JobId(UUID(str(self.row("notification", message_id)["job_id"])))
        self.bench.change(job_id, "not_before = clock_timestamp()")
        self.bench.carry_out(job_id)
        return self.row("notification", message_id)

    def row(self, table: str, row_id: UUID) -> dict[str, Any]:
        found = self.bench.admin.execute(
            f"SELECT to_jsonb({table}) FROM {table} WHERE id = %s".encode(), (row_id,)
        ).fetchone()
        assert found is not None
        row: dict[str, Any] = found[0]
        return row


@pytest.fixture
def desk(bench: Bench) -> DeliveryFixture:
    settings = bench.worker_context.settings.model_copy(update={"egress_allowlist": "127.0.0.0/8"})
    return DeliveryFixture(bench.with_settings(settings))


def regression() -> RegressionContent:
    return RegressionContent(
        str(new_id()), 3, "shop", "new", "Clone takes more time", "Clone takes 15 % more.", COMMIT, 1.15, 1.1, 1.2, None
    )


def regression_opened() -> NotificationContent:
    return NotificationContent(
        NotificationEvent.OPENED, new_id(), None, "https://slowpath.example/r/3", None, (regression(),)
    )


def build_evaluated(
    verdict: str = "passed", pull_request: int | None = 12, commit: str = COMMIT
) -> NotificationContent:
    build = BuildContent(str(new_id()), "shop", commit, "main", pull_request, verdict, f"The build {verdict}.")
    return NotificationContent(
        NotificationEvent.JUDGED,
        new_id(),
        None,
        "https://slowpath.example/b/1",
        build,
        (regression(),) if verdict == "changed" else (),
    )


def test_a_webhook_is_signed_and_sent_once(desk: DeliveryFixture, receiver: Receiver) -> None:
    added = desk.channel(ChannelTarget(ChannelKind.WEBHOOK, f"{receiver.url}/hook"))
    content = regression_opened()
    (message_id,) = desk.enqueue(content)
    assert desk.enqueue(content) == []  # the same event again

    row = desk.deliver(message_id)
    assert (row["state"], row["failures"], row["problem"]) == ("sent", 0, None)
    (delivery,) = receiver.deliveries
    assert (delivery.method, delivery.path) == ("POST", "/hook")
    assert added.secret is not None
    payload = Webhook(added.secret).verify(delivery.body, delivery.headers)
    assert (payload["type"], payload["data"]["regressions"][0]["number"]) == ("regression.opened", 3)
    assert delivery.headers["webhook-id"] == str(message_id)

    desk.deliver(message_id)  # a late message of the relay
    assert len(receiver.deliveries) == 1


def test_a_receiver_that_fails_is_tried_again_under_the_same_id(desk: DeliveryFixture, receiver: Receiver) -> None:
    channel = desk.channel(ChannelTarget(ChannelKind.WEBHOOK, receiver.url)).channel
    receiver.answers = [(500, "not now"), (503, ""), (200, "")]
    (message_id,) = desk.enqueue(regression_opened())

    row = desk.deliver(message_id)
    assert (row["state"], row["failures"]) == ("waiting", 1)
    assert "500: not now" in row["problem"]["detail"]
    assert desk.row("notification_channel", channel.id)["failing_since"] is not None
    assert desk.deliver(message_id)["failures"] == 2

    row = desk.deliver(message_id)
    assert (row["state"], row["problem"]) == ("sent", None)
    assert desk.row("notification_channel", channel.id)["failing_since"] is None
    assert {delivery.headers["webhook-id"] for delivery in receiver.deliveries} == {str(message_id)}


def test_a_receiver_that_hangs_holds_nothing_up_for_long(
    desk: DeliveryFixture, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("slowpath.sharing.notifications.service.channel_types.SEND_SECONDS", 0.3)
    receiver.hangs_s = 2.0
    desk.channel(ChannelTarget(ChannelKind.WEBHOOK, receiver.url))
    (message_id,) = desk.enqueue(regression_opened())
    begun = time.monotonic()
    row = desk.deliver(message_id)
    assert time.monotonic() - begun < 1.5
    assert (row["state"], row["problem"]["type"]) == ("waiting", "urn:slowpath:answered-too-late")


def test_a_receiver_that_answers_gone_gets_no_more_notifications(desk: DeliveryFixture, receiver: Receiver) -> None:
    channel = desk.channel(ChannelTarget(ChannelKind.WEBHOOK, receiver.url)).channel
    receiver.answers = [(410, "moved out")]
    first, second = (desk.enqueue(regression_opened())[0] for _ in range(2))
    assert desk.deliver(first)["state"] == "abandoned"
    assert desk.row("notification_channel", channel.id)["state"] == "disabled-after-failures"
    assert desk.deliver(second)["state"] == "abandoned"
    assert len(receiver.deliveries) == 1
    assert desk.enqueue(regression_opened()) == []


def test_after_days_of_failure_a_notification_is_abandoned_and_its_channel_disabled(
    desk: DeliveryFixture, receiver: Receiver
) -> None:
    channel = desk.channel(ChannelTarget(ChannelKind.WEBHOOK, receiver.url)).channel
    receiver.answers = [(500, "")]
    (message_id,) = desk.enqueue(regression_opened())
    for _ in PAUSES_S:
        assert desk.deliver(message_id)["state"] == "waiting"
    desk.bench.admin.execute(
        f"UPDATE notification_channel SET failing_since = failing_since - interval '{DEAD_AFTER_S} seconds'".encode()
    )
    assert desk.deliver(message_id)["state"] == "abandoned"
    assert desk.row("notification_channel", channel.id)["state"] == "disabled-after-failures"

    with desk.writing() as session:
        channels.update_channel(session, ChannelId(channel.id), {"state": "on"})
        notifications.redeliver_notification(session, message_id)
    receiver.answers = [(204, "")]
    assert desk.deliver(message_id)["state"] == "sent"


def test_slack_gets_one_message(desk: DeliveryFixture, receiver: Receiver) -> None:
    desk.channel(ChannelTarget(ChannelKind.SLACK, f"{receiver.url}/services/T/B/x"))
    (message_id,) = desk.enqueue(regression_opened())
    assert desk.enqueue(build_evaluated("changed")) == []  # people are notified of regressions, not of builds
    assert desk.deliver(message_id)["state"] == "sent"
    (delivery,) = receiver.deliveries
    assert delivery.path == "/services/T/B/x"
    assert "Clone takes more time" in delivery.json()["text"]


def test_a_revoked_slack_webhook_is_disabled(desk: DeliveryFixture, receiver: Receiver) -> None:
    channel = desk.channel(ChannelTarget(ChannelKind.SLACK, f"{receiver.url}/services/T/B/x")).channel
    receiver.answers = [(404, "no_service")]
    (message_id,) = desk.enqueue(regression_opened())
    assert desk.deliver(message_id)["state"] == "abandoned"
    assert desk.row("notification_channel", channel.id)["state"] == "disabled-after-failures"


def incident(event: NotificationEvent, subject_id: UUID, state: str = "new") -> NotificationContent:
    one = replace(regression(), state=state)
    return NotificationContent(event, subject_id, None, "https://slowpath.example/r/3", None, (one,), state, state)


def test_pagerduty_has_one_alert_per_incident(desk: DeliveryFixture, receiver: Receiver) -> None:
    receiver.answers = [(202, {"status": "success"})]
    desk.channel(ChannelTarget(ChannelKind.PAGERDUTY, receiver.url, token=32 * "k"))
    assert desk.enqueue(build_evaluated("changed")) == []
    for content in (
        incident(NotificationEvent.OPENED, SUBJECT),
        incident(NotificationEvent.CHANGED, SUBJECT, "acknowledged"),
        incident(NotificationEvent.CHANGED, SUBJECT, "fixed"),
    ):
        (message_id,) = desk.enqueue(content)
        assert desk.deliver(message_id)["state"] == "sent"
    assert {delivery.path for delivery in receiver.deliveries} == {"/v2/enqueue"}
    sent = [delivery.json() for delivery in receiver.deliveries]
    assert [body["event_action"] for body in sent] == ["trigger", "acknowledge", "resolve"]
    assert {(body["routing_key"], body["dedup_key"]) for body in sent} == {(32 * "k", f"slowpath:{SUBJECT}")}


def test_opsgenie_has_one_alert_per_incident(desk: DeliveryFixture, receiver: Receiver) -> None:
    receiver.answers = [(202, {"result": "Request will be processed"})]
    desk.channel(ChannelTarget(ChannelKind.OPSGENIE, receiver.url, token=36 * "k"))
    for content in (
        incident(NotificationEvent.OPENED, SUBJECT),
        incident(NotificationEvent.CHANGED, SUBJECT, "investigating"),
        incident(NotificationEvent.CHANGED, SUBJECT, "ignored"),
    ):
        (message_id,) = desk.enqueue(content)
        assert desk.deliver(message_id)["state"] == "sent"
    alert = f"/v2/alerts/slowpath:{SUBJECT}"
    assert [delivery.path for delivery in receiver.deliveries] == [
        "/v2/alerts",
        f"{alert}/acknowledge?identifierType=alias",
        f"{alert}/close?identifierType=alias",
    ]
    assert {delivery.headers["Authorization"] for delivery in receiver.deliveries} == {f"GenieKey {36 * 'k'}"}


def test_a_retry_after_the_end_does_not_open_the_alert_again(desk: DeliveryFixture, receiver: Receiver) -> None:
    receiver.answers = [(503, "")]
    desk.channel(ChannelTarget(ChannelKind.PAGERDUTY, receiver.url, token=32 * "k"))
    (first,) = desk.enqueue(incident(NotificationEvent.OPENED, SUBJECT))
    assert desk.deliver(first)["state"] == "waiting"
    receiver.answers = [(202, "")]
    (second,) = desk.enqueue(incident(NotificationEvent.CHANGED, SUBJECT, "fixed"))
    assert desk.deliver(second)["state"] == "sent"
    assert desk.deliver(first)["state"] == "abandoned"
    assert [delivery.json()["event_action"] for delivery in receiver.deliveries] == ["trigger", "resolve"]


@pytest.mark.parametrize(("kind", "key"), [(ChannelKind.PAGERDUTY, 32 * "k"), (ChannelKind.OPSGENIE, 36 * "k")])
def test_a_trial_of_an_alert_service_opens_an_alert_and_ends_it(
    desk: DeliveryFixture, receiver: Receiver, kind: ChannelKind, key: str
) -> None:
    channel = desk.channel(ChannelTarget(kind, receiver.url, token=key)).channel
    assert desk.deliver(desk.test(channel.id))["state"] == "sent"
    assert len(receiver.deliveries) == 2
    receiver.answers = [(400, "no such key")]
    row = desk.deliver(desk.test(channel.id))
    assert (row["state"], row["problem"]["type"]) == ("abandoned", "urn:slowpath:message-refused")


def test_teams_gets_a_card_under_the_signed_address(desk: DeliveryFixture, receiver: Receiver) -> None:
    channel = desk.channel(
        ChannelTarget(ChannelKind.TEAMS, f"{receiver.url}/workflows/a/invoke?sp=1&sig=s3cret")
    ).channel
    receiver.answers = [(202, "")]
    (message_id,) = desk.enqueue(regression_opened())
    assert desk.deliver(message_id)["state"] == "sent"
    (delivery,) = receiver.deliveries
    assert delivery.path == "/workflows/a/invoke?sp=1&sig=s3cret"
    assert "Clone takes more time" in json.dumps(delivery.json()["attachments"][0]["content"])
    receiver.answers = [(404, "WorkflowNotFound")]
    assert desk.deliver(desk.test(channel.id))["state"] == "abandoned"
    row = desk.row("notification_channel", channel.id)
    assert row["state"] == "disabled-after-failures"
    assert "s3cret" not in json.dumps(row)


def production(event: NotificationEvent, state: str, ended_ms: int | None = None) -> NotificationContent:
    one = ProductionEventContent(
        str(SUBJECT), 31, "checkout", "production", state, "p99 <b>is</b> higher", "It rose.", "high", 4.2, "p99",
        0.1, 0.18, 1.8, 1.7, 1.9, None, None, 1_000_000, ended_ms,
    )  # fmt: skip
    url = "https://slowpath.example/t/x/events/31"
    return NotificationContent(event, SUBJECT, None, url, what=state, moment=state, production_event=one)


def test_grafana_has_one_annotation_per_event(desk: DeliveryFixture, receiver: Receiver) -> None:
    receiver.answers = [
        (200, {"message": "Annotation added", "id": 7}),
        (200, {"message": "Annotation updated"}),
        (404, {"message": "not found"}),  # deleted in Grafana
        (200, {"message": "Annotation added", "id": 8}),
    ]
    desk.channel(ChannelTarget(ChannelKind.GRAFANA, f"{receiver.url}/grafana", token="glsa_" + 32 * "k"))
    assert desk.enqueue(regression_opened()) == []
    first, *later = (
        desk.enqueue(content)[0]
        for content in (
            production(NotificationEvent.PRODUCTION_OPENED, "new"),
            production(NotificationEvent.PRODUCTION_UPDATED, "investigating"),
            production(NotificationEvent.PRODUCTION_CLOSED, "closed", 2_000_000),
        )
    )
    assert desk.deliver(later[1])["state"] == "waiting", "the end waits for the begin"
    assert [desk.deliver(one)["receiver_message_id"] for one in (first, *later)] == ["7", "7", "8"]
    sent = [(one.method, one.path) for one in receiver.deliveries]
    put = ("PUT", "/grafana/api/annotations/7")
    assert sent == [("POST", "/grafana/api/annotations"), put, put, ("POST", "/grafana/api/annotations")]
    bodies = [one.json() for one in receiver.deliveries]
    assert [(body["time"], body["timeEnd"]) for body in bodies] == [(1_000_000, 1_000_000)] * 2 + [
        (1_000_000, 2_000_000)
    ] * 2
    assert bodies[0]["tags"] == ["slowpath", "service:checkout", "environment:production"]
    assert "p99 &lt;b&gt;is" in bodies[0]["text"]
    assert receiver.deliveries[0].headers["Authorization"] == f"Bearer glsa_{32 * 'k'}"


@pytest.mark.parametrize(
    ("answer", "state"),
    [
        ((401, ""), "waiting"),
        ((400, "bad tags"), "abandoned"),
        ((200, {"id": "7/../8"}), "waiting"),
        ((200, "x"), "waiting"),
    ],
)
def test_an_answer_of_grafana_that_is_not_an_annotation_is_a_failure(
    desk: DeliveryFixture, receiver: Receiver, answer: Answer, state: str
) -> None:
    channel = desk.channel(ChannelTarget(ChannelKind.GRAFANA, receiver.url, token="glsa_" + 32 * "k")).channel
    receiver.answers = [answer]
    assert desk.deliver(desk.test(channel.id))["state"] == state


class CodeHostFake:
    """Keeps statuses and comments as a code host does."""

    def __init__(self) -> None:
        self.comments: dict[int, str] = {}
        self.statuses: list[dict[str, Any]] = []
        self.lost: list[str] = []
        """Methods whose next response is lost after the request was processed."""

    def __call__(self, delivery: ReceivedDeliveries) -> Answer:
        answer = self._answer(delivery)
        if delivery.method in self.lost and "status" not in delivery.path:
            self.lost.remove(delivery.method)
            return 502, "lost"
        return answer

    def _answer(self, delivery: ReceivedDeliveries) -> Answer:
        path = delivery.path.partition("?")[0]
        if "/statuses/" in path:
            self.statuses.append(delivery.json())
            return 201, {}
        if delivery.method == "GET":
            return 200, [{"id": number, "body": body} for number, body in self.comments.items()]
        if delivery.method == "POST":
            self.comments[len(self.comments) + 1] = delivery.json()["body"]
            return 201, {"id": len(self.comments)}
        number = int(path.rpartition("/")[2])
        if number not in self.comments:
            return 404, {}
        self.comments[number] = delivery.json()["body"]
        return 200, {"id": number}


@pytest.fixture
def host(receiver: Receiver) -> CodeHostFake:
    fake = CodeHostFake()
    receiver.answers = [fake]
    return fake


@pytest.mark.parametrize("kind", [ChannelKind.GITHUB, ChannelKind.GITLAB])
def test_every_build_has_a_status_and_only_a_change_a_comment(
    desk: DeliveryFixture, receiver: Receiver, host: CodeHostFake, kind: ChannelKind
) -> None:
    desk.channel(ChannelTarget(kind, receiver.url, repository="northwind/shop", token="t"))
    for verdict in ("passed", "inconclusive"):
        (message_id,) = desk.enqueue(build_evaluated(verdict))
        assert desk.deliver(message_id)["state"] == "sent"
    assert (len(host.statuses), host.comments) == (2, {})

    for _ in range(2):  # two builds of one pull request: one comment, brought up to date
        (message_id,) = desk.enqueue(build_evaluated("changed"))
        assert desk.deliver(message_id)["receiver_message_id"] == "1"
    (message_id,) = desk.enqueue(build_evaluated("passed"))
    desk.deliver(message_id)
    assert list(host.comments) == [1]
    assert "passed" in host.comments[1]

    (message_id,) = desk.enqueue(build_evaluated("changed", pull_request=13))
    desk.deliver(message_id)
    (message_id,) = desk.enqueue(build_evaluated("changed", pull_request=None))
    desk.deliver(message_id)
    assert list(host.comments) == [1, 2]
    wrong = "failed" if kind is ChannelKind.GITLAB else "failure"
    assert [status["state"] for status in host.statuses] == ["success"] * 2 + [wrong] * 2 + ["success"] + [wrong] * 2
    spelled = "/projects/northwind%2Fshop" if kind is ChannelKind.GITLAB else "/repos/northwind/shop"
    assert all(delivery.path.startswith(spelled) for delivery in receiver.deliveries)


def build_compared(verdict: str, sentence: str, *, is_announced: bool) -> NotificationContent:
    """Return the event of a build whose verdict follows from a comparison: it has no regression."""
    comparison_url = "https://slowpath.example/c/1"
    build = BuildContent(str(new_id()), "shop", COMMIT, "main", 12, verdict, sentence, is_announced, comparison_url)
    return NotificationContent(NotificationEvent.JUDGED, new_id(), None, "https://slowpath.example/b/1", build)


def test_a_warning_is_a_comment_and_no_failed_status(
    desk: DeliveryFixture, receiver: Receiver, host: CodeHostFake
) -> None:
    desk.channel(ChannelTarget(ChannelKind.GITHUB, receiver.url, repository="northwind/shop", token="t"))
    content = build_compared("passed", "Unchanged.", is_announced=False)
    assert content.build is not None
    (message_id,) = desk.enqueue(
        replace(content, build=replace(content.build, warning="Predicted to cross: a hot path."))
    )
    assert desk.deliver(message_id)["state"] == "sent"
    assert "Unchanged.**\n\nPredicted to cross: a hot path." in host.comments[1]
    assert [status["state"] for status in host.statuses] == ["success"]


@pytest.mark.parametrize("kind", [ChannelKind.GITHUB, ChannelKind.GITLAB])
def test_an_announced_comparison_has_one_comment_which_its_correction_updates(
    desk: DeliveryFixture, receiver: Receiver, host: CodeHostFake, kind: ChannelKind
) -> None:
    desk.channel(ChannelTarget(kind, receiver.url, repository="northwind/shop", token="t"))

    def deliver(content: NotificationContent) -> None:
        (message_id,) = desk.enqueue(content)
        assert desk.deliver(message_id)["state"] == "sent"

    deliver(build_compared("inconclusive", "Possible change against 0123456.", is_announced=False))
    assert host.comments == {}
    deliver(build_compared("changed", "Regressed against 0123456: 32% more CPU.", is_announced=True))
    assert list(host.comments) == [1]
    assert "Regressed against 0123456" in host.comments[1]
    assert "[Comparison](https://slowpath.example/c/1)" in host.comments[1]
    deliver(build_compared("passed", "Not confirmed.", is_announced=False))
    assert list(host.comments) == [1]
    assert "Not confirmed" in host.comments[1]
    assert "Regressed" not in host.comments[1]
    wrong = "failed" if kind is ChannelKind.GITLAB else "failure"
    assert [status["state"] for status in host.statuses] == ["success", wrong, "success"]


@pytest.mark.parametrize("kind", [ChannelKind.GITHUB, ChannelKind.GITLAB])
def test_a_pending_status_has_no_comment_and_does_not_follow_the_result(
    desk: DeliveryFixture, receiver: Receiver, host: CodeHostFake, kind: ChannelKind
) -> None:
    measured = [NotificationEvent.MEASURED]
    desk.channel(ChannelTarget(kind, receiver.url, repository="northwind/shop", token="t"), events=measured)
    desk.channel(ChannelTarget(ChannelKind.WEBHOOK, f"{receiver.url}/hook"), events=measured)

    def content(verdict: str, moment: str) -> NotificationContent:
        found = build_compared(verdict, "Slower: ×1.3.", is_announced=verdict == "changed")
        return replace(found, event=NotificationEvent.MEASURED, moment=moment)

    (pending,) = desk.enqueue(content("pending", "searching"))
    assert desk.deliver(pending)["state"] == "sent"
    (late,) = desk.enqueue(content("pending", "again"))
    result, _ = desk.enqueue(content("changed", "found"))
    assert desk.deliver(result)["state"] == "sent"
    assert desk.deliver(late)["state"] == "abandoned"
    wrong = "failed" if kind is ChannelKind.GITLAB else "failure"
    assert [status["state"] for status in host.statuses] == ["pending", wrong]
    assert len(host.comments) == 1


def test_the_pending_status_of_a_former_head_is_closed_after_the_next_one_began(
    desk: DeliveryFixture, receiver: Receiver, host: CodeHostFake
) -> None:
    measured = [NotificationEvent.MEASURED]
    desk.channel(
        ChannelTarget(ChannelKind.GITHUB, receiver.url, repository="northwind/shop", token="t"), events=measured
    )

    def content(verdict: str, commit: str, moment: str) -> NotificationContent:
        found = build_compared(verdict, "A newer commit was pushed.", is_announced=False)
        assert found.build is not None
        build = replace(found.build, commit=commit)
        return replace(found, event=NotificationEvent.MEASURED, moment=moment, build=build)

    (pending,) = desk.enqueue(content("pending", 40 * "a", "first"))
    assert desk.deliver(pending)["state"] == "sent"
    (cancelled,) = desk.enqueue(content("cancelled", 40 * "a", "cancelled"))
    (following,) = desk.enqueue(content("pending", 40 * "b", "second"))
    assert desk.deliver(following)["state"] == "sent"
    assert desk.deliver(cancelled)["state"] == "sent"
    assert [status["state"] for status in host.statuses] == ["pending", "pending", "success"]


def test_people_get_only_announced_builds(desk: DeliveryFixture, receiver: Receiver) -> None:
    desk.channel(ChannelTarget(ChannelKind.SLACK, f"{receiver.url}/services/x"), events=[NotificationEvent.JUDGED])
    assert desk.enqueue(build_compared("passed", "Unchanged.", is_announced=False)) == []
    assert desk.enqueue(build_compared("inconclusive", "Possible change.", is_announced=False)) == []
    assert len(desk.enqueue(build_compared("changed", "Regressed.", is_announced=True))) == 1


@pytest.mark.parametrize(
    ("kind", "path"), [(ChannelKind.GITHUB, "/repos/n/shop"), (ChannelKind.GITLAB, "/projects/n%2Fshop")]
)
def test_a_trial_finds_out_whether_the_token_opens_the_repository(
    desk: DeliveryFixture, receiver: Receiver, kind: ChannelKind, path: str
) -> None:
    channel = desk.channel(ChannelTarget(kind, receiver.url, repository="n/shop", token="t")).channel
    receiver.answers = [(401, {"message": "Bad credentials"}), (200, {"id": 1})]
    row = desk.deliver(desk.test(channel.id))
    assert (row["state"], row["failures"]) == ("waiting", 1)
    assert "Bad credentials" in row["problem"]["detail"]
    assert desk.deliver(desk.test(channel.id))["state"] == "sent"
    assert [(delivery.method, delivery.path) for delivery in receiver.deliveries] == [("GET", path)] * 2


def test_a_comment_is_found_again_after_a_lost_response(
    desk: DeliveryFixture, receiver: Receiver, host: CodeHostFake
) -> None:
    desk.channel(ChannelTarget(ChannelKind.GITHUB, receiver.url, repository="northwind/shop", token="t"))
    host.lost = ["POST"]
    (message_id,) = desk.enqueue(build_evaluated("changed"))
    assert desk.deliver(message_id)["state"] == "waiting"
    assert desk.deliver(message_id)["state"] == "sent"
    assert list(host.comments) == [1]


def test_a_deleted_comment_is_created_again(desk: DeliveryFixture, receiver: Receiver, host: CodeHostFake) -> None:
    desk.channel(ChannelTarget(ChannelKind.GITHUB, receiver.url, repository="northwind/shop", token="t"))
    desk.deliver(desk.enqueue(build_evaluated("changed"))[0])
    host.comments = {8: "of another author", 9: "another"}
    assert desk.deliver(desk.enqueue(build_evaluated("changed"))[0])["receiver_message_id"] == "3"


def test_a_short_commit_is_never_sent(desk: DeliveryFixture, receiver: Receiver, host: CodeHostFake) -> None:
    channel = desk.channel(
        ChannelTarget(ChannelKind.GITHUB, receiver.url, repository="northwind/shop", token="t")
    ).channel
    row = desk.deliver(desk.enqueue(build_evaluated(commit="../../user"))[0])
    assert (row["state"], receiver.deliveries) == ("abandoned", [])
    assert desk.row("notification_channel", channel.id)["state"] == "on"


class RecordingMailer:
    """A real SMTP server's handler."""

    def __init__(self) -> None:
        self.letters: list[tuple[list[str], str]] = []
        self.response = "250 OK"

    async def handle_DATA(self, server: object, session: object, envelope: Any) -> str:  # noqa: N802, ANN401 - aiosmtpd's
        if self.response.startswith("250"):
            self.letters.append((envelope.rcpt_tos, envelope.content.decode()))
        return self.response


@pytest.fixture
def post() -> Iterator[tuple[RecordingMailer, str]]:
    postman = RecordingMailer()
    port = free_port()
    controller = Controller(postman, hostname="127.0.0.1", port=port)
    controller.start()
    yield postman, f"smtp://127.0.0.1:{port}"
    controller.stop()


def test_e_mail_goes_to_each_alone_and_comes_again_as_the_same(
    desk: DeliveryFixture, post: tuple[RecordingMailer, str]
) -> None:
    postman, url = post
    changed = {"smtp_url": SecretStr(url), "mail_from": "Slowpath <slowpath@example.com>"}
    settings = desk.bench.worker_context.settings.model_copy(update=changed)
    desk = DeliveryFixture(desk.bench.with_settings(settings))
    desk.channel(ChannelTarget(ChannelKind.EMAIL, to=("ann@example.com", "ben@example.com")))

    postman.response = "451 later"
    (message_id,) = desk.enqueue(regression_opened())
    assert desk.deliver(message_id)["state"] == "waiting"
    postman.response = "250 OK"
    assert desk.deliver(message_id)["state"] == "sent"
    assert [to for to, _ in postman.letters] == [["ann@example.com"], ["ben@example.com"]]
    assert all(f"Message-ID: <{message_id}.{n}@example.com>" in text for n, (_, text) in enumerate(postman.letters))
    assert "Clone takes more time" in postman.letters[0][1]

    postman.response = "550 no such person"
    assert desk.deliver(desk.enqueue(regression_opened())[0])["state"] == "abandoned"


def test_old_delivered_notifications_are_deleted_and_pending_ones_are_not(
    desk: DeliveryFixture, receiver: Receiver
) -> None:
    desk.channel(ChannelTarget(ChannelKind.WEBHOOK, receiver.url))
    old, recent, waiting = (desk.enqueue(regression_opened())[0] for _ in range(3))
    for one in (old, recent):
        assert desk.deliver(one)["state"] == "sent"
    admin = desk.bench.admin
    for one in (old, waiting):
        admin.execute("UPDATE notification SET created_at = created_at - interval '91 days' WHERE id = %s", (one,))
    (job_id,) = admin.execute("SELECT id FROM job WHERE name = 'notifications.delete-old'").fetchone() or (None,)
    desk.bench.change(job_id, "not_before = clock_timestamp(), due_at = clock_timestamp()")
    assert desk.bench.carry_out(job_id)["state"] == "done"
    left = {row[0] for row in admin.execute("SELECT id FROM notification").fetchall()}
    assert left == {recent, waiting}
    again = admin.execute("SELECT count(*) FROM job WHERE name = 'notifications.delete-old' AND state = 'waiting'")
    assert again.fetchone() == (1,), "it is checked again tomorrow"
