"""Slack's Web API over HTTP on loopback: messages are stored, updated and deleted as in Slack."""

import hashlib
import hmac
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

TOKEN = "xoxb-1234567890-of-the-tests"
SIGNING_SECRET = "0123456789abcdef0123456789abcdef"


@dataclass
class FakeSlack:
    """Messages by ID, replies, ephemeral texts and people."""

    port: int = 0
    messages: dict[str, dict[str, Any]] = field(default_factory=dict)
    replies: list[dict[str, Any]] = field(default_factory=list)
    ephemeral: list[dict[str, Any]] = field(default_factory=list)
    people: dict[str, dict[str, Any]] = field(default_factory=dict)
    errors: dict[str, str] = field(default_factory=dict)
    """Error by method."""
    calls: list[str] = field(default_factory=list)

    @property
    def api_url(self) -> str:
        return f"http://127.0.0.1:{self.port}/api"

    def add_person(self, user: str, email: str | None, **described: Any) -> None:  # noqa: ANN401 - any member
        self.people[user] = {"id": user, "tz": "Europe/Berlin", "is_email_confirmed": True, **described}
        self.people[user]["profile"] = {} if email is None else {"email": email}

    def answer(self, method: str, sent: dict[str, Any]) -> dict[str, Any]:
        self.calls.append(method)
        if method in self.errors:
            return {"ok": False, "error": self.errors[method]}
        if method == "users.info":
            user = self.people.get(sent["user"])
            return {"ok": True, "user": user} if user else {"ok": False, "error": "user_not_found"}
        if method == "chat.postEphemeral":
            self.ephemeral.append(sent)
        elif method == "chat.update":
            if sent["ts"] not in self.messages:
                return {"ok": False, "error": "message_not_found"}
            self.messages[sent["ts"]] = sent
        elif "thread_ts" in sent:
            self.replies.append(sent)
        else:
            ts = f"1700000000.{len(self.calls):06d}"
            self.messages[ts] = sent
            return {"ok": True, "channel": sent["channel"], "ts": ts}
        return {"ok": True}


@contextmanager
def running_slack() -> Iterator[FakeSlack]:
    """Serve Slack while the block runs."""
    slack = FakeSlack()

    class Handler(BaseHTTPRequestHandler):
        def respond(self) -> None:
            parts = urlsplit(self.path)
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            sent = json.loads(body) if body else {name: one[0] for name, one in parse_qs(parts.query).items()}
            is_known = self.headers.get("Authorization") == f"Bearer {TOKEN}"
            answer = (
                slack.answer(parts.path.rsplit("/", 1)[1], sent) if is_known else {"ok": False, "error": "invalid_auth"}
            )
            self.send_response(200)
            self.end_headers()
            self.wfile.write(json.dumps(answer).encode())

        do_GET = do_POST = respond  # noqa: N815 - as the standard library calls them

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - as the standard library calls it
            """Write no log."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads = True
        slack.port = server.server_address[1]
        thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
        thread.start()
        yield slack
        server.shutdown()
        thread.join()


def make_press(user: str, action: str, value: str, /, **changed: Any) -> bytes:  # noqa: ANN401 - any member
    """Return the body of a pressed button."""
    payload = {
        "type": "block_actions",
        "user": {"id": user},
        "container": {"type": "message", "channel_id": "C0123ABCD"},
        "actions": [{"type": "button", "action_id": action, "value": value}],
        "message": {"text": "x" * 20_000},
        **changed,
    }
    return urlencode({"payload": json.dumps(payload)}).encode()


def sign(body: bytes, at: float, secret: str = SIGNING_SECRET) -> dict[str, str]:
    """Return the headers with which Slack sends a body."""
    signature = hmac.new(secret.encode(), f"v0:{int(at)}:".encode() + body, hashlib.sha256).hexdigest()
    return {
        "Content-Type": "application/x-www-form-urlencoded",
        "X-Slack-Request-Timestamp": str(int(at)),
        "X-Slack-Signature": f"v0={signature}",
    }
