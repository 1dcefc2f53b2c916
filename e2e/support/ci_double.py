"""Double of CI and a code host for a demo: pushes commits, uploads profiles of builds, and sends signed webhooks."""

import hmac
import json
import random
import time
import uuid
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx

from support.demo_repository import EXAMPLE, Change, Step
from support.demo_user import DemoFailed, DemoUser, call
from support.receiver_doubles import SLACK_PATH, TOKEN, ReceiverDoubles

REPOSITORY = "shop/quoter"
PROFILES = 3
MAX_PENDING = 16
"""Limit of builds that wait for their verdict."""
WAIT_SECONDS = 120.0
POLL_SECONDS = 0.25
UNSETTLED = frozenset({"pending", "evaluating"})


def pool() -> dict[str, list[Path]]:
    """Return the captures by variant. Raises `DemoFailed` if there are none."""
    found = {folder.name: sorted(folder.glob("*.pb.gz")) for folder in sorted((EXAMPLE / "artifacts").iterdir())}
    if not found:
        raise DemoFailed(f"no captures in {EXAMPLE / 'artifacts'}")
    return found


@dataclass
class BuildOutcome:
    """The time of one build from the webhook of CI to its verdict, in seconds."""

    build_id: str
    sent: float
    took_s: float | None = None


@dataclass
class Team:
    """A team with a service, repository, webhook and notification channels."""

    person: DemoUser
    service_id: str
    hook_path: str
    secret: str
    watched: list[BuildOutcome] = field(default_factory=list)


def set_up(person: DemoUser, host: Path, receivers: ReceiverDoubles | None) -> Team:
    """Create service, repository, webhook and channels through the API; no channels without receivers."""
    service = person.call("POST", "/services", json={"name": "quoter"})
    repository = person.call(
        "POST",
        "/repositories",
        json={"name": REPOSITORY, "url": f"file://{host}", "services": [{"service_id": service["id"]}]},
    )
    webhook = {"name": "GitHub", "kind": "github", "repository_id": repository["id"], "service_ids": [service["id"]]}
    created = person.call("POST", "/webhooks", json=webhook)
    for channel in _channels(receivers) if receivers else ():
        secret = person.call("POST", "/notification-channels", json=channel)["secret"]
        if secret and receivers:
            receivers.webhook_secret = secret
    return Team(person, service["id"], f"/webhooks/{created['webhook']['id']}/github", created["secret"])


def _channels(receivers: ReceiverDoubles) -> list[dict[str, Any]]:
    return [
        {"name": "code host", "kind": "github", "url": f"{receivers.url}/github", "repository": REPOSITORY, "token": TOKEN},
        {"name": "#performance", "kind": "slack", "url": f"{receivers.url}{SLACK_PATH}"},
        {"name": "on-call", "kind": "email", "recipients": ["oncall@shop.example"]},
        {"name": "internal tool", "kind": "webhook", "url": f"{receivers.url}/webhook"},
    ]  # fmt: skip


class Ci:
    """Sends the builds of a team, with a limited number waiting for their verdicts."""

    def __init__(self, team: Team, rng: random.Random, profiles: int = PROFILES) -> None:
        """Sample `profiles` captures for each build."""
        self._team = team
        self._rng = rng
        self._profiles = profiles
        self._pool = pool()
        self._pending: deque[BuildOutcome] = deque()
        upload = {"name": "ci", "scopes": ["upload"], "expires_in_days": 1}
        person = team.person
        (membership,) = call(person.http, "GET", "/session")["teams"]
        secret = person.call("POST", f"/teams/{membership['id']}/tokens", json=upload)["secret"]
        self._http = httpx.Client(base_url=person.url, timeout=60, headers={"Authorization": f"Bearer {secret}"})

    def send(self, step: Step, push: Callable[[Step], None]) -> None:
        """Push a build's commits, upload its profiles, and send the webhook of the finished CI run."""
        self._wait(MAX_PENDING - 1)
        push(step)
        self._send_webhook("push", _push(step))
        facts = _facts(step)
        received = call(self._http, "POST", f"/builds/quoter/{step.built.sha}", json=facts)
        for number, path in enumerate(self._rng.sample(self._pool[step.variant], self._profiles)):
            sidecar = path.with_name(f"{path.name}.facts.json").read_text(encoding="utf-8")
            metadata = {**json.loads(sidecar), "run": f"{step.number}/{number}"}
            call(
                self._http,
                "PUT",
                f"/builds/quoter/{step.built.sha}/artifacts/cpu.{number}.pb.gz",
                content=path.read_bytes(),
                params={"run_metadata": json.dumps(metadata)},
            )
        self._send_webhook("workflow_run", _run(step))
        watched = BuildOutcome(str(received["build"]["id"]), time.monotonic())
        self._team.watched.append(watched)
        self._pending.append(watched)

    def finish(self) -> None:
        """Wait for the verdicts of all builds."""
        self._wait(0)

    def _wait(self, max_pending: int) -> None:
        """Wait until at most `max_pending` builds have no verdict. Raises `DemoFailed`."""
        deadline = time.monotonic() + WAIT_SECONDS
        while True:
            for each in list(self._pending):
                verdict = self._team.person.call("GET", f"/builds/{each.build_id}/verdict")
                if verdict["state"] in UNSETTLED:
                    break  # builds are evaluated approximately in the order they were sent
                each.took_s = time.monotonic() - each.sent
                self._pending.remove(each)
            if len(self._pending) <= max_pending:
                return
            if time.monotonic() > deadline:
                raise DemoFailed(f"{len(self._pending)} builds have no verdict after {WAIT_SECONDS:.0f} s")
            time.sleep(POLL_SECONDS)

    def _send_webhook(self, event: str, message: Mapping[str, Any]) -> None:
        body = json.dumps(message).encode()
        headers = {
            "Content-Type": "application/json",
            "X-GitHub-Event": event,
            "X-GitHub-Delivery": str(uuid.UUID(int=self._rng.getrandbits(128), version=4)),
            "X-GitHub-Hook-ID": "292430182",
            "X-Hub-Signature-256": f"sha256={hmac.new(self._team.secret.encode(), body, 'sha256').hexdigest()}",
        }
        call(self._http, "POST", self._team.hook_path, content=body, headers=headers)


def _repository() -> dict[str, str]:
    return {"full_name": REPOSITORY, "html_url": f"https://code.shop.example/{REPOSITORY}"}


def _push(step: Step) -> dict[str, Any]:
    commits = [
        {
            "id": each.sha,
            "message": each.title,
            "timestamp": each.at.isoformat(),
            "author": {"name": each.author, "email": each.email},
            "added": list(each.added),
            "modified": list(each.modified),
            "removed": [],
        }
        for each in step.pushed
    ]
    before = step.pushed[0].parents[0] if step.pushed[0].parents else "0" * 40
    payload = {
        "ref": "refs/heads/main",
        "before": before,
        "after": step.built.sha,
        "created": not step.pushed[0].parents,
    }
    return {**payload, "deleted": False, "forced": False, "commits": commits, "repository": _repository()}


def pull_request_of(step: Step) -> int:
    """Return the number of the pull request of a build's commits."""
    return 1 + step.number


def _facts(step: Step) -> dict[str, Any]:
    built: Change = step.built
    number = pull_request_of(step)
    facts: dict[str, Any] = {
        "branch": "main",
        "title": built.title,
        "author": built.author,
        "committed_at": built.at.isoformat(),
        "pull_request": {"number": number, "url": f"https://code.shop.example/{REPOSITORY}/pull/{number}"},
    }
    return facts | ({"parent": built.parents[0]} if built.parents else {})


def _run(step: Step) -> dict[str, Any]:
    built = step.built
    run = {
        "head_sha": built.sha,
        "head_branch": "main",
        "html_url": f"https://code.shop.example/{REPOSITORY}/actions/runs/{9_000_000 + step.number}",
        "pull_requests": [],
        "head_commit": {"message": built.title, "timestamp": built.at.isoformat(), "author": {"name": built.author}},
    }
    return {"action": "completed", "workflow_run": run, "repository": _repository()}


def quantile(watched: Sequence[BuildOutcome], share: float) -> float:
    """Return the quantile of the seconds until the verdict."""
    durations = sorted(each.took_s for each in watched if each.took_s is not None)
    return durations[min(len(durations) - 1, int(share * len(durations)))] if durations else float("nan")
