"""CI and a code host for a demo: commits are pushed, builds upload their profiles, runs end; every message is signed."""

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
AHEAD = 16
"""Builds that may be on their way to their judgement."""
WAIT_SECONDS = 120.0
POLL_SECONDS = 0.25
UNSETTLED = frozenset({"waiting", "judging"})


def pool() -> dict[str, list[Path]]:
    """The captures by variant. Raises `DemoFailed` if they are not there."""
    found = {folder.name: sorted(folder.glob("*.pb.gz")) for folder in sorted((EXAMPLE / "artifacts").iterdir())}
    if not found:
        raise DemoFailed(f"there are no captures in {EXAMPLE / 'artifacts'}")
    return found


@dataclass
class BuildOutcome:
    """How long one build took from the word of CI to its judgement, in seconds."""

    build_id: str
    sent: float
    took_s: float | None = None


@dataclass
class Team:
    """A team whose service is watched: its service, repository, hook and channels."""

    person: DemoUser
    service_id: str
    hook_path: str
    secret: str
    watched: list[BuildOutcome] = field(default_factory=list)


def set_up(person: DemoUser, host: Path, receivers: ReceiverDoubles | None) -> Team:
    """Lay everything out as a person would in the settings; without receivers nobody but the page is told."""
    service = person.call("POST", "/services", json={"name": "quoter"})
    repository = person.call(
        "POST",
        "/repositories",
        json={"name": REPOSITORY, "url": f"file://{host}", "services": [{"service_id": service["id"]}]},
    )
    wanted = {"name": "GitHub", "kind": "github", "repository_id": repository["id"], "service_ids": [service["id"]]}
    made = person.call("POST", "/webhooks", json=wanted)
    for channel in _channels(receivers) if receivers else ():
        secret = person.call("POST", "/notification-channels", json=channel)["secret"]
        if secret and receivers:
            receivers.webhook_secret = secret
    return Team(person, service["id"], f"/webhooks/{made['hook']['id']}/github", made["secret"])


def _channels(receivers: ReceiverDoubles) -> list[dict[str, Any]]:
    return [
        {"name": "code host", "kind": "github", "url": f"{receivers.url}/github", "repository": REPOSITORY, "token": TOKEN},
        {"name": "#performance", "kind": "slack", "url": f"{receivers.url}{SLACK_PATH}"},
        {"name": "those on call", "kind": "email", "to": ["oncall@shop.example"]},
        {"name": "our own tool", "kind": "webhook", "url": f"{receivers.url}/webhook"},
    ]  # fmt: skip


class Ci:
    """Sends a team's builds, one after the other, as many ahead of their judgements as may be."""

    def __init__(self, team: Team, dice: random.Random, profiles: int = PROFILES) -> None:
        """Draw `profiles` captures for each build."""
        self._team = team
        self._dice = dice
        self._profiles = profiles
        self._pool = pool()
        self._under_way: deque[BuildOutcome] = deque()
        upload = {"name": "ci", "scopes": ["upload"], "expires_in_days": 1}
        person = team.person
        (mine,) = call(person.http, "GET", "/session")["teams"]
        secret = person.call("POST", f"/teams/{mine['id']}/tokens", json=upload)["secret"]
        self._http = httpx.Client(base_url=person.url, timeout=60, headers={"Authorization": f"Bearer {secret}"})

    def send(self, step: Step, push: Callable[[Step], None]) -> None:
        """Push a build's commits, upload its profiles, and say that CI has run."""
        self._wait(AHEAD - 1)
        push(step)
        self._told("push", _push(step))
        facts = _facts(step)
        received = call(self._http, "POST", f"/builds/quoter/{step.built.sha}", json=facts)
        for number, path in enumerate(self._dice.sample(self._pool[step.variant], self._profiles)):
            said = path.with_name(f"{path.name}.facts.json").read_text(encoding="utf-8")
            loads = {**json.loads(said), "run": f"{step.number}/{number}"}
            call(
                self._http,
                "PUT",
                f"/builds/quoter/{step.built.sha}/artifacts/cpu.{number}.pb.gz",
                content=path.read_bytes(),
                params={"run_metadata": json.dumps(loads)},
            )
        self._told("workflow_run", _run(step))
        watched = BuildOutcome(str(received["build"]["id"]), time.monotonic())
        self._team.watched.append(watched)
        self._under_way.append(watched)

    def finish(self) -> None:
        """Wait until everything that was sent is judged."""
        self._wait(0)

    def _wait(self, most: int) -> None:
        """Wait until at most so many builds are not judged."""
        deadline = time.monotonic() + WAIT_SECONDS
        while True:
            for each in list(self._under_way):
                judged = self._team.person.call("GET", f"/builds/{each.build_id}/verdict")
                if judged["state"] in UNSETTLED:
                    break  # they are judged in about the order in which they were sent
                each.took_s = time.monotonic() - each.sent
                self._under_way.remove(each)
            if len(self._under_way) <= most:
                return
            if time.monotonic() > deadline:
                raise DemoFailed(f"{len(self._under_way)} builds are not judged after {WAIT_SECONDS:.0f} s")
            time.sleep(POLL_SECONDS)

    def _told(self, event: str, message: Mapping[str, Any]) -> None:
        body = json.dumps(message).encode()
        headers = {
            "Content-Type": "application/json",
            "X-GitHub-Event": event,
            "X-GitHub-Delivery": str(uuid.UUID(int=self._dice.getrandbits(128), version=4)),
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
    told = {"ref": "refs/heads/main", "before": before, "after": step.built.sha, "created": not step.pushed[0].parents}
    return {**told, "deleted": False, "forced": False, "commits": commits, "repository": _repository()}


def pull_request_of(step: Step) -> int:
    """Return the number of the pull request by which a build's commits came."""
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
    """Return after how many seconds so large a share of builds was judged."""
    took = sorted(each.took_s for each in watched if each.took_s is not None)
    return took[min(len(took) - 1, int(share * len(took)))] if took else float("nan")
