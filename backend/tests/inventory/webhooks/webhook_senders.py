"""GitHub and GitLab as senders: messages with right signatures, from examples of the real ones."""

import base64
import hmac
import json
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx2
from fastapi.testclient import TestClient

EXAMPLES: dict[str, list[dict[str, Any]]] = json.loads(
    (Path(__file__).parent / "testdata" / "github.json").read_text(encoding="utf-8")
)
GITLAB_DEPLOYMENT = {
    "object_kind": "deployment", "status": "success", "status_changed_at": "2026-04-28 21:50:00 +0200",
    "deployment_id": 15, "deployable_url": "https://gitlab.example/team/app/-/jobs/796", "environment": "staging",
    "project": {"path_with_namespace": "team/app", "web_url": "https://gitlab.example/team/app"},
    "short_sha": "279484c0", "ref": "main",
    "commit_url": "https://gitlab.example/team/app/-/commit/279484c09fbe69ededfced8c1bb6e6d24616b468",
}  # fmt: skip
GITLAB_PIPELINE = {
    "object_kind": "pipeline",
    "object_attributes": {"id": 31, "ref": "main", "tag": False, "sha": "b" * 40, "status": "success"},
    "merge_request": {"iid": 7, "source_branch": "fast"},
    "project": {"path_with_namespace": "team/app", "web_url": "https://gitlab.example/team/app"},
    "commit": {
        "id": "b" * 40, "message": "Faster\n\nmuch", "timestamp": "2026-04-28T21:40:00+02:00", "author": {"name": "A"},
    },
}  # fmt: skip
GITLAB_PUSH = {
    "object_kind": "push", "ref": "refs/heads/main", "before": "a" * 40, "after": "b" * 40,
    "project": {"path_with_namespace": "team/app"},
    "commits": [{
        "id": "b" * 40, "message": "Faster\n", "timestamp": "2026-04-28T21:40:00+02:00",
        "author": {"name": "A", "email": "a@example.com"}, "added": ["a.go"], "modified": [], "removed": ["b.go"],
    }],
}  # fmt: skip


BITBUCKET: dict[str, dict[str, Any]] = json.loads(
    (Path(__file__).parent / "testdata" / "bitbucket.json").read_text(encoding="utf-8")
)
"""By event."""


def body_of(message: object) -> bytes:
    return message if isinstance(message, bytes) else json.dumps(message).encode()


def github_headers(secret: str, body: bytes, event: str, delivery_id: str | None = None) -> dict[str, str]:
    return {
        "Content-Type": "application/json",
        "X-GitHub-Event": event,
        "X-GitHub-Delivery": delivery_id or str(uuid4()),
        "X-GitHub-Hook-ID": "292430182",
        "X-Hub-Signature-256": f"sha256={hmac.new(secret.encode(), body, 'sha256').hexdigest()}",
    }


def bitbucket_headers(secret: str, body: bytes, event: str, delivery_id: str | None = None) -> dict[str, str]:
    return {
        "Content-Type": "application/json",
        "X-Event-Key": event,
        "X-Request-UUID": delivery_id or str(uuid4()),
        "X-Hub-Signature": f"sha256={hmac.new(secret.encode(), body, 'sha256').hexdigest()}",
    }


def signed_headers(secret: str, body: bytes, at: int, message_id: str = "1") -> dict[str, str]:
    """GitLab's signing, as Standard Webhooks has it."""
    key = base64.b64decode(secret.removeprefix("whsec_"))
    digest = hmac.new(key, f"{message_id}.{at}.".encode() + body, "sha256").digest()
    return {
        "Content-Type": "application/json",
        "X-Gitlab-Event": "Push Hook",
        "webhook-id": message_id,
        "webhook-timestamp": str(at),
        "webhook-signature": f"v1,{base64.b64encode(digest).decode()}",
    }


class Sender:
    """An external sender with a webhook's address and secret."""

    def __init__(self, client: TestClient, made: dict[str, Any]) -> None:
        self.client = client
        self.hook_id = made["webhook"]["id"]
        self.kind = made["webhook"]["kind"]
        self.secret = made["secret"]

    def send(
        self, message: object, event: str = "push", *, headers: dict[str, str] | None = None, **expected: str
    ) -> httpx2.Response:
        body = body_of(message)
        if headers is None and self.kind == "github":
            headers = github_headers(self.secret, body, event, expected.get("delivery_id"))
        elif headers is None and self.kind == "bitbucket":
            headers = bitbucket_headers(self.secret, body, event, expected.get("delivery_id"))
        elif headers is None:
            headers = {
                "X-Gitlab-Event": event, "X-Gitlab-Token": self.secret,
                "Idempotency-Key": expected.get("delivery_id", str(uuid4())),
            }  # fmt: skip
        answer: httpx2.Response = self.client.post(
            f"/api/v1/webhooks/{self.hook_id}/{self.kind}", content=body, headers=headers
        )
        return answer
