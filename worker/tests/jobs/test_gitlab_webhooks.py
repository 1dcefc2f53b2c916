"""Failed webhook deliveries are read from GitLab, with a server that responds as documented by GitLab."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from fastapi.testclient import TestClient

from slowpath.adapters.egress import create_outside
from tests.conftest import asker, client, role  # noqa: F401 - pytest finds fixtures by name
from tests.inventory.webhooks.test_gitlab_missed_deliveries import event
from tests.inventory.webhooks.webhook_senders import GITLAB_PUSH, Sender
from tests.jobs.conftest import Bench
from tests.jobs.test_github_webhooks import get_webhook, hook, near, run  # noqa: F401 - pytest finds fixtures by name
from tests.support.app_under_test import AppUnderTest

pytestmark = pytest.mark.database

TOKEN = "glpat-of_the_api_and_secret"
PROJECT = "/api/v4/projects/team%2Fback%2Fapp"
A_PAGE = 20
A_MINUTE = 5
"""So many are sent again."""


@dataclass
class GitLab:
    """GitLab's API, as far as it is asked."""

    url: str = ""
    address: str = ""
    alert_status: str = "executable"
    status: int = 200
    events: list[Any] = field(default_factory=list)
    """Newest first."""
    sends: int = A_MINUTE
    asked: list[str] = field(default_factory=list)
    tokens: set[str | None] = field(default_factory=set)

    def got(self, path: str, query: dict[str, list[str]]) -> object:
        page, size = (int(query[name][0]) for name in ("page", "per_page"))
        rows = self.events
        if path == f"{PROJECT}/hooks":
            elsewhere = {"id": 3, "url": "https://elsewhere.example/hook", "alert_status": "executable"}
            rows = [elsewhere, {"id": 7, "url": self.address, "alert_status": self.alert_status, "project_id": 1}]
        elif path != f"{PROJECT}/hooks/7/events":
            return None
        return rows[(page - 1) * size : page * size]


@contextmanager
def answering() -> Iterator[GitLab]:
    gitlab = GitLab()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked = urlsplit(self.path)
            found = gitlab.got(asked.path, parse_qs(asked.query))
            self._answer(gitlab.status if found is not None else 404, found)

        def do_POST(self) -> None:
            gitlab.sends -= 1
            limited = {"message": {"error": "This endpoint has been requested too many times. Try again later."}}
            self._answer(*((201, {"response_status": 200}) if gitlab.sends >= 0 else (429, limited)))

        def _answer(self, status: int, document: object) -> None:
            gitlab.asked.append(f"{self.command} {self.path.removeprefix(PROJECT)}")
            gitlab.tokens.add(self.headers["PRIVATE-TOKEN"])
            content = json.dumps(document).encode()
            self.send_response(status)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - as the base has it
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.02,))
    thread.start()
    gitlab.url = f"http://127.0.0.1:{server.server_address[1]}/api/v4"
    try:
        yield gitlab
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def watched(client: TestClient, app: AppUnderTest, gitlab: GitLab, near: Bench) -> Sender:  # noqa: F811 - fixtures' names
    """Return a webhook whose sender has an API; the operator allows loopback addresses."""
    app.app.state.outside = create_outside(near.worker_context.settings)
    sender = hook(client, app, kind="gitlab", target="team/back/app", api={"url": gitlab.url, "token": TOKEN})
    gitlab.address = get_webhook(client, sender)["address"]
    return sender


def waits_s(bench: Bench) -> float:
    found = bench.admin.execute(
        "SELECT extract(epoch FROM due_at - now()) FROM job WHERE name = 'webhooks.reconcile' AND state = 'waiting'"
    ).fetchall()
    ((seconds,),) = found
    return float(seconds)


def test_a_missed_delivery_is_requested_once_and_arrives(
    client: TestClient,  # noqa: F811 - a fixture's name
    near: Bench,  # noqa: F811
    app: AppUnderTest,
) -> None:
    with answering() as gitlab:
        sender = watched(client, app, gitlab, near)
        sender.send(GITLAB_PUSH, "Push Hook", delivery_id="arrived")
        gitlab.events = [
            event(4, "arrived", "504"), event(3, "lost", "internal error"), event(2, "well", "200"), event(1, "well"),
        ]  # fmt: skip

        run(near, "webhooks.reconcile")
        first = list(gitlab.asked)
        sender.send({**GITLAB_PUSH, "after": "c" * 40}, "Push Hook", delivery_id="lost")
        run(near, "webhooks.reconcile")

    looked = ["GET /hooks?page=1&per_page=100", "GET /hooks/7/events?page=1&per_page=20"]
    assert first == [*looked, "POST /hooks/7/events/3/resend"]
    assert gitlab.asked[3:] == looked, "what has arrived meanwhile is not asked for"
    assert gitlab.tokens == {TOKEN}
    assert get_webhook(client, sender)["problem"] is None
    assert waits_s(near) > 50 * 60


def test_no_more_are_asked_for_than_gitlab_sends_and_the_rest_comes_a_minute_later(
    client: TestClient,  # noqa: F811
    near: Bench,  # noqa: F811
    app: AppUnderTest,
) -> None:
    with answering() as gitlab:
        sender = watched(client, app, gitlab, near)
        gitlab.events = [event(30 - number, f"lost {number}") for number in range(A_PAGE + 3)]
        run(near, "webhooks.reconcile")
        first, soon, mark = list(gitlab.asked), waits_s(near), get_webhook(client, sender)["reconciled_at"]
        gitlab.events = gitlab.events[:2]
        gitlab.sends = 1
        run(near, "webhooks.reconcile")
        limited = gitlab.asked[len(first) :]

    assert [asked for asked in first if asked.startswith("POST")] == [
        f"POST /hooks/7/events/{number}/resend" for number in (8, 9, 10, 11, 12)
    ]
    assert first[1:3] == ["GET /hooks/7/events?page=1&per_page=20", "GET /hooks/7/events?page=2&per_page=20"]
    assert 0 < soon < 120
    assert mark is None, "not all was looked through"
    assert [asked[:4] for asked in limited[2:]] == ["POST", "POST"], "asked to slow down"
    assert get_webhook(client, sender)["missed_count"] == 1
    assert get_webhook(client, sender)["problem"] is None
    assert 0 < waits_s(near) < 120


@pytest.mark.parametrize(
    ("status", "alert_status", "why"),
    [
        (403, "executable", "GitLab returned 403"),
        (200, "disabled", "disabled the webhook"),
        (200, "", "has no webhook"),
    ],
)
def test_a_refusing_host_is_recorded_and_queried_again_later(
    client: TestClient, near: Bench, app: AppUnderTest, status: int, alert_status: str, why: str,  # noqa: F811
) -> None:  # fmt: skip
    with answering() as gitlab:
        sender = watched(client, app, gitlab, near)
        gitlab.status, gitlab.alert_status = status, alert_status
        gitlab.address = gitlab.address if alert_status else "https://elsewhere.example/"
        run(near, "webhooks.reconcile")

    problem = get_webhook(client, sender)["problem"]
    assert why in problem["detail"]
    assert TOKEN not in json.dumps(problem)
    assert waits_s(near) > 50 * 60
