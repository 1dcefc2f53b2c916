"""Issues of regressions at a code host on loopback: one per subject, however often it is asked for or attempted."""

import json
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from uuid import UUID

import pytest
from fastapi.testclient import TestClient

from slowpath.adapters.egress import create_outside
from slowpath.core.db_sessions import TeamScope
from slowpath.core.encryption import create_sealer
from slowpath.core.ids import JobId, ServiceId, new_id
from slowpath.inventory.catalog.service import ensure_service
from slowpath.platform.accounts.rules.roles import Role
from slowpath.sharing.notifications.jobs import CreateIssue, DeliverNotification
from slowpath.sharing.notifications.rules import ChannelKind, ChannelTarget, NotificationEvent
from slowpath.sharing.notifications.service import channels
from slowpath.verdicts.regressions.jobs import RegressionChanged
from slowpath.verdicts.regressions.tables import Regression
from tests.factories.accounts import AccountsFactory
from tests.jobs.conftest import Bench
from tests.support.app_under_test import AppUnderTest

pytestmark = pytest.mark.database

EVIL = "/close\n/label ~secret @everyone #1 [x](http://evil) <img src=x>"
TOKEN = "example-token-77"


@dataclass
class FakeTracker:
    """The issues of one repository of GitHub and of GitLab."""

    port: int = 0
    issues: list[dict[str, Any]] = field(default_factory=list)
    status: int = 201
    loses_answer: bool = False
    link: str = "https://code.example/shop/issues/1"
    comments: list[dict[str, Any]] = field(default_factory=list)
    changes: list[dict[str, Any]] = field(default_factory=list)
    refuses_changes: int = 0
    """How many changes of an issue are answered by 503."""

    def respond(self, method: str, path: str, sent: dict[str, Any]) -> tuple[int, object]:
        if "/issues/1" in path:
            return self.respond_of_issue(method, path.partition("?")[0], sent)
        if method == "GET":
            return 200, self.issues
        if self.status != 201:
            return self.status, {"message": "no"}
        number = len(self.issues) + 1
        named = {"number": number, "iid": number, "html_url": self.link, "web_url": self.link}
        self.issues.append({**sent, **named})
        return (502, "") if self.loses_answer else (201, self.issues[-1])

    def respond_of_issue(self, method: str, path: str, sent: dict[str, Any]) -> tuple[int, object]:
        if self.status != 201:
            return self.status, {"message": "no"}
        if method == "GET":
            return 200, self.comments
        if path.endswith(("/comments", "/notes")):
            self.comments.append({"id": len(self.comments) + 1, **sent})
            return 201, self.comments[-1]
        if self.refuses_changes > 0:
            self.refuses_changes -= 1
            return 503, {}
        self.changes.append(sent)
        return 200, self.issues[0]


@dataclass(frozen=True)
class IssueBench:
    """A regression, a channel of GitHub and one of GitLab, and their issues."""

    bench: Bench
    tracker: FakeTracker
    owner: TestClient
    regression_id: UUID
    channel_ids: dict[ChannelKind, str]

    @property
    def path(self) -> str:
        return f"/api/v1/linked-issues/regression/{self.regression_id}"

    def request(self, kind: ChannelKind = ChannelKind.GITHUB) -> dict[str, Any]:
        answer = self.owner.post(self.path, json={"channel_id": self.channel_ids[kind]})
        assert answer.status_code == 202, answer.text
        found: dict[str, Any] = answer.json()
        return found

    def jobs(self) -> list[JobId]:
        found = self.bench.admin.execute("SELECT id FROM job WHERE name = %s ORDER BY created_at", (CreateIssue.name,))
        return [JobId(job_id) for (job_id,) in found.fetchall()]

    def run(self) -> str:
        job_id = self.jobs()[-1]
        self.bench.change(job_id, "not_before = clock_timestamp(), due_at = clock_timestamp()")
        return str(self.bench.carry_out(job_id)["state"])

    def choose_ends(self) -> None:
        """Let both channels close issues."""
        for channel_id in self.channel_ids.values():
            chosen = {"events": ["build.evaluated", "regression.updated", "production-event.closed"]}
            answer = self.owner.patch(f"/api/v1/notification-channels/{channel_id}", json=chosen)
            assert answer.status_code == 200, answer.text

    def change(self, **fields: str) -> list[JobId]:
        """Change the regression, and return the deliveries that this causes."""
        changed = self.owner.patch(f"/api/v1/regressions/{self.regression_id}", json=fields)
        assert changed.status_code == 200, changed.text
        wanted = "SELECT id FROM job WHERE name = %s AND state = 'waiting' ORDER BY created_at"
        for (job_id,) in self.bench.admin.execute(wanted, (RegressionChanged.name,)).fetchall():
            self.bench.carry_out(JobId(job_id))
        found = self.bench.admin.execute(wanted, (DeliverNotification.name,)).fetchall()
        return [JobId(job_id) for (job_id,) in found]

    def deliver(self, job_id: JobId) -> str:
        self.bench.change(job_id, "not_before = clock_timestamp(), due_at = clock_timestamp()")
        return str(self.bench.carry_out(job_id)["state"])

    def stored(self) -> dict[str, Any]:
        found: dict[str, Any] = self.owner.get(self.path).json()
        return found


@pytest.fixture
def tracker() -> Iterator[FakeTracker]:
    made = FakeTracker()

    class Handler(BaseHTTPRequestHandler):
        def respond(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            assert TOKEN in str(self.headers)
            status, answer = made.respond(self.command, self.path, json.loads(body) if body else {})
            self.send_response(status)
            self.end_headers()
            self.wfile.write(json.dumps(answer).encode())

        do_GET = do_POST = do_PATCH = do_PUT = respond  # noqa: N815 - as the standard library calls them

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - as the standard library calls it
            """Write no log."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads = True
        made.port = server.server_address[1]
        thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
        thread.start()
        yield made
        server.shutdown()
        thread.join()


@pytest.fixture
def desk(bench: Bench, app: AppUnderTest, tracker: FakeTracker) -> IssueBench:
    settings = bench.worker_context.settings.model_copy(update={"egress_allowlist": "127.0.0.0/8"})
    bench, regression_id, channel_ids = bench.with_settings(settings), new_id(), {}
    with bench.worker_context.database.writing(TeamScope(bench.team.id)) as session:
        service_id = ServiceId(ensure_service(session, "shop").id)
        session.add(
            Regression(
                team_id=bench.team.id,
                id=regression_id,
                number=3,
                service_id=service_id,
                branch="main",
                state="new",
                confirmed=True,
                title=EVIL,
                sentence=EVIL,
                kind="profile.function",
                subject="Clone",
                unit="share",
                direction="worse",
                ratio=1.15,
                ratio_low=1.1,
                ratio_high=1.2,
                since_commit="a" * 40,
            )
        )
        for kind in (ChannelKind.GITHUB, ChannelKind.GITLAB):
            target = ChannelTarget(kind, f"http://127.0.0.1:{tracker.port}", repository="northwind/shop", token=TOKEN)
            made = channels.create_channel(
                session, create_sealer(settings), create_outside(settings), target, label=kind,
                events=[NotificationEvent.JUDGED], service_ids=[str(service_id)], mail_is_sent=False,
            )  # fmt: skip
            channel_ids[kind] = str(made.channel.id)
    owner = app.asked(cookie=bench.team.owner.cookie, team=bench.team.id)
    return IssueBench(bench, tracker, owner, regression_id, channel_ids)


@pytest.mark.parametrize("kind", [ChannelKind.GITHUB, ChannelKind.GITLAB])
def test_an_issue_is_created_once_and_its_link_is_shown(desk: IssueBench, kind: ChannelKind) -> None:
    assert desk.stored()["state"] is None
    assert len(desk.stored()["trackers"]) == 2
    assert desk.request(kind)["state"] == "creating"
    assert desk.request(kind)["state"] == "creating", "a second click"
    assert len(desk.jobs()) == 1
    assert desk.run() == "done"
    shown = desk.request(kind)
    assert (shown["state"], shown["number"], shown["url"]) == ("created", 1, desk.tracker.link)
    assert len(desk.jobs()) == 1
    (issue,) = desk.tracker.issues
    text = issue["body"] if kind is ChannelKind.GITHUB else issue["description"]
    lines = text.splitlines()
    assert f"/regressions/{desk.regression_id})" in lines[-1]
    assert not any(line.startswith("/") for line in (issue["title"], *lines)), "no command of GitLab"
    assert "@everyone" not in text + issue["title"]
    assert "~secret" not in text.replace("\\~secret", "")
    assert "<img" not in text
    assert "×1.15" in text


def test_an_attempt_whose_answer_was_lost_creates_no_second_issue(desk: IssueBench) -> None:
    desk.tracker.loses_answer = True
    desk.request()
    assert desk.run() == "waiting"
    assert len(desk.tracker.issues) == 1
    assert desk.run() == "done"
    assert len(desk.tracker.issues) == 1
    assert desk.stored()["number"] == 1


@pytest.mark.parametrize(
    ("status", "remedy"),
    [(403, "Create a channel whose token may write issues"), (404, "Create a channel"), (410, "Turn them on")],
)
def test_an_error_names_its_remedy_and_can_be_tried_again(desk: IssueBench, status: int, remedy: str) -> None:
    desk.tracker.status = status
    desk.request()
    assert desk.run() == "done"
    failed = desk.stored()
    assert failed["state"] == "failed"
    assert failed["problem"]["resolution"].startswith(remedy)
    assert TOKEN not in json.dumps(failed)
    desk.tracker.status = 201
    assert desk.request()["state"] == "creating"
    assert desk.run() == "done"
    assert desk.stored()["state"] == "created"


@pytest.mark.parametrize("link", ["javascript:alert(1)", "https://", "https://x\n.example", None])
def test_a_link_that_is_no_address_of_the_web_is_not_stored(desk: IssueBench, link: Any) -> None:  # noqa: ANN401
    desk.tracker.link = link
    desk.request()
    assert desk.run() == "waiting"
    assert desk.stored()["url"] is None


def test_an_issue_needs_a_repository_of_the_service_and_the_right_to_write(
    desk: IssueBench, app: AppUnderTest, people: AccountsFactory
) -> None:
    body = {"channel_id": desk.channel_ids[ChannelKind.GITHUB]}
    viewer = people.member(desk.bench.team, Role.VIEWER)
    client = app.asked(cookie=viewer.cookie, team=desk.bench.team.id)
    assert client.post(desk.path, json=body).status_code == 403
    other = people.team()
    stranger = app.asked(cookie=other.owner.cookie, team=other.id)
    assert stranger.post(desk.path, json=body).status_code == 404
    assert stranger.get(desk.path).status_code == 404
    assert desk.owner.post(desk.path, json={"channel_id": str(new_id())}).status_code == 404
    desk.owner.patch(f"/api/v1/notification-channels/{body['channel_id']}", json={"state": "off"})
    assert desk.owner.post(desk.path, json=body).status_code == 422
    assert desk.jobs() == []


@pytest.mark.parametrize("kind", [ChannelKind.GITHUB, ChannelKind.GITLAB])
def test_an_issue_is_commented_on_and_closed_when_its_regression_is_fixed(desk: IssueBench, kind: ChannelKind) -> None:
    desk.choose_ends()
    desk.request(kind)
    assert desk.run() == "done"
    assert desk.change(state="investigating") == [], "it has not ended"

    desk.tracker.refuses_changes = 1
    [delivery] = desk.change(state="fixed")
    assert desk.deliver(delivery) == "waiting", "the code host was unavailable"
    assert desk.deliver(delivery) == "done"
    [comment] = desk.tracker.comments
    assert f"/regressions/{desk.regression_id})" in comment["body"]
    assert not any(line.startswith("/") for line in comment["body"].splitlines()), "no command of GitLab"
    ends = {ChannelKind.GITHUB: {"state": "closed"}, ChannelKind.GITLAB: {"state_event": "close"}}
    assert desk.tracker.changes == [ends[kind]]
    assert desk.change(assignee_id=str(desk.bench.team.owner.user_id)) == [], "it was closed already"


def test_issues_remain_open_where_the_channel_did_not_choose_ends(desk: IssueBench) -> None:
    desk.request()
    assert desk.run() == "done"
    assert desk.change(state="fixed") == []


def test_a_regression_without_an_issue_closes_none(desk: IssueBench) -> None:
    desk.choose_ends()
    assert desk.change(state="fixed") == []


def test_a_token_that_may_not_close_an_issue_is_stated(desk: IssueBench) -> None:
    desk.choose_ends()
    desk.request()
    assert desk.run() == "done"
    [delivery] = desk.change(state="not-a-regression")
    desk.tracker.status = 403
    assert desk.deliver(delivery) == "done"
    path = f"/api/v1/notification-channels/{desk.channel_ids[ChannelKind.GITHUB]}/notifications"
    [message] = desk.owner.get(path).json()["items"]
    assert message["state"] == "abandoned"
    assert "may not change it" in message["problem"]["detail"]
