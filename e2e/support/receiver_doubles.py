"""Doubles of notification receivers for a demo, on loopback: a code host's API, Slack, a webhook and a mail server.

Requests are validated against the vendors' documentation; invalid ones are rejected and recorded as complaints.
"""

import json
import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Annotated, Any, Literal

from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP, Envelope, Session
from pydantic import BaseModel, ConfigDict, Field, HttpUrl, ValidationError
from standardwebhooks.webhooks import Webhook, WebhookVerificationError


class StrictModel(BaseModel):
    """Rejects fields that the vendor does not document."""

    model_config = ConfigDict(extra="forbid")


class StatusBody(StrictModel):
    """GitHub, `POST /repos/{owner}/{repo}/statuses/{sha}`."""

    state: Literal["error", "failure", "pending", "success"]
    target_url: HttpUrl | None = None
    description: Annotated[str, Field(max_length=140)] | None = None
    context: Annotated[str, Field(max_length=255)] = "default"


class CommentBody(StrictModel):
    """GitHub, `POST /repos/{owner}/{repo}/issues/{issue_number}/comments`, and PATCH of one."""

    body: Annotated[str, Field(min_length=1, max_length=65_536)]


class SlackText(StrictModel):
    """Slack, a text object."""

    type: Literal["mrkdwn", "plain_text"]
    text: Annotated[str, Field(min_length=1, max_length=3_000)]
    emoji: bool = True


class SlackTitle(StrictModel):
    """Slack, the text of a header."""

    type: Literal["plain_text"]
    text: Annotated[str, Field(min_length=1, max_length=150)]
    emoji: bool = True


class SlackHeader(StrictModel):
    """Slack, a header block."""

    type: Literal["header"]
    text: SlackTitle


class SlackSection(StrictModel):
    """Slack, a section block."""

    type: Literal["section"]
    text: SlackText


class SlackBody(StrictModel):
    """Slack, an incoming webhook."""

    text: Annotated[str, Field(min_length=1, max_length=40_000)]
    mrkdwn: bool = True
    blocks: Annotated[list[SlackHeader | SlackSection], Field(max_length=50)]
    unfurl_links: bool = True


class WebhookBody(StrictModel):
    """Standard Webhooks, the payload it recommends."""

    type: Annotated[str, Field(pattern=r"^[a-zA-Z0-9_.]+$")]
    timestamp: str
    data: dict[str, Any]


@dataclass
class ReceivedRequests:
    """All received requests."""

    statuses: dict[tuple[str, str], list[StatusBody]] = field(default_factory=dict)
    """By commit and context, oldest first; the code host shows the newest."""
    comments: dict[int, tuple[int, str]] = field(default_factory=dict)
    """Pull request and text by comment ID."""
    comments_changed: int = 0
    slack: list[SlackBody] = field(default_factory=list)
    webhooks: dict[str, WebhookBody] = field(default_factory=dict)
    mails: list[str] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)


STATUS = re.compile(r"/github/repos/([\w.-]+/[\w.-]+)/statuses/([0-9a-f]{40})")
COMMENTS = re.compile(r"/github/repos/([\w.-]+/[\w.-]+)/issues/(\d+)/comments")
COMMENT = re.compile(r"/github/repos/([\w.-]+/[\w.-]+)/issues/comments/(\d+)")
TOKEN = "made-up-token-of-a-demo"  # noqa: S105 - not a real token
SLACK_PATH = "/services/T00000000/B00000000/made-up"


class ReceiverDoubles:
    """The receivers of one demo."""

    def __init__(self, mail_port: int) -> None:
        """Set the port of the mail server; nothing listens yet."""
        self.received = ReceivedRequests()
        self.mail_port = mail_port
        self.port = 0
        self.webhook_secret: str | None = None
        self._lock = threading.Lock()

    @property
    def url(self) -> str:
        """Return the URL of the HTTP receivers."""
        return f"http://127.0.0.1:{self.port}"

    def take(self, method: str, path: str, headers: dict[str, str], body: bytes) -> tuple[int, object]:
        """Process one request like the vendor; return status and body."""
        with self._lock:
            try:
                return self._dispatch(method, path.partition("?")[0], headers, body)
            except (ValidationError, ValueError, WebhookVerificationError) as error:
                self.received.complaints.append(f"{method} {path}: {error}"[:500])
                return 422, {"message": "Validation Failed"}

    def take_mail(self, envelope: Envelope) -> None:
        """Store one e-mail."""
        content = envelope.content
        with self._lock:
            self.received.mails.append(
                content.decode("utf-8", "replace") if isinstance(content, bytes) else str(content)
            )

    def _dispatch(self, method: str, path: str, headers: dict[str, str], body: bytes) -> tuple[int, object]:
        if path.startswith("/github/"):
            return self._github(method, path, headers, body)
        if method == "POST" and path == SLACK_PATH:
            self.received.slack.append(SlackBody.model_validate_json(body))
            return 200, "ok"
        if method == "POST" and path == "/webhook" and self.webhook_secret is not None:
            Webhook(self.webhook_secret).verify(body, headers)
            self.received.webhooks[headers["webhook-id"]] = WebhookBody.model_validate_json(body)
            return 204, ""
        raise ValueError("no such endpoint")

    def _github(self, method: str, path: str, headers: dict[str, str], body: bytes) -> tuple[int, object]:
        if headers.get("authorization") != f"Bearer {TOKEN}" or headers.get("x-github-api-version") != "2022-11-28":
            raise ValueError("a request to GitHub needs a token and a version")
        comments = self.received.comments
        if method == "POST" and (found := STATUS.fullmatch(path)):
            status = StatusBody.model_validate_json(body)
            self.received.statuses.setdefault((found[2], status.context), []).append(status)
            return 201, {"id": len(self.received.statuses), **status.model_dump(mode="json")}
        if found := COMMENTS.fullmatch(path):
            if method == "GET":
                return 200, [
                    {"id": key, "body": text} for key, (pull, text) in comments.items() if pull == int(found[2])
                ]
            comment_id = 1_000 + len(comments)
            comments[comment_id] = (int(found[2]), CommentBody.model_validate_json(body).body)
            return 201, {"id": comment_id}
        if method == "PATCH" and (found := COMMENT.fullmatch(path)) and int(found[2]) in comments:
            pull, _ = comments[int(found[2])]
            comments[int(found[2])] = (pull, CommentBody.model_validate_json(body).body)
            self.received.comments_changed += 1
            return 200, {"id": int(found[2])}
        raise ValueError("GitHub has no such endpoint")


@contextmanager
def receiving(mail_port: int) -> Iterator[ReceiverDoubles]:
    """Run all receivers during the block."""
    receivers = ReceiverDoubles(mail_port)
    mail = Controller(_Mailbox(receivers.take_mail), hostname="127.0.0.1", port=mail_port)
    with ThreadingHTTPServer(("127.0.0.1", 0), _handler(receivers)) as server:
        server.daemon_threads = True
        receivers.port = int(server.server_address[1])
        thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
        thread.start()
        mail.start()
        try:
            yield receivers
        finally:
            mail.stop()
            server.shutdown()
            thread.join()


def _handler(receivers: ReceiverDoubles) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def answer(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"] or 0))
            headers = {name.lower(): value for name, value in self.headers.items()}
            status, content = receivers.take(self.command, self.path, headers, body)
            encoded = content.encode() if isinstance(content, str) else json.dumps(content).encode()
            self.send_response(status)
            self.send_header("Content-Length", str(len(encoded)))
            self.end_headers()
            self.wfile.write(encoded)

        do_GET = do_POST = do_PATCH = answer  # noqa: N815 - names of the standard library

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - name of the standard library
            """Log nothing."""

    return Handler


class _Mailbox:
    """Mail handler that passes messages on."""

    def __init__(self, take: Callable[[Envelope], None]) -> None:
        self._take = take

    async def handle_DATA(self, _server: SMTP, _session: Session, envelope: Envelope) -> str:  # noqa: N802 - name of aiosmtpd
        self._take(envelope)
        return "250 OK"
