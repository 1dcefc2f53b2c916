"""Parse payloads of GitHub, and of Gitea and Forgejo, which send theirs with the headers of GitHub.

All texts in them are external. A valid payload without relevant content is an `IgnoredEvent` with the reason; nothing is
guessed. A reviewer submitted a review: whom one was only requested of did not review.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from slowpath.inventory.repositories.rules import SHA, truncate_text
from slowpath.inventory.repositories.rules.pull_requests import PullRequestFacts
from slowpath.inventory.webhooks.rules.payload_fields import Message, items, link, part, text
from slowpath.inventory.webhooks.rules.payload_parts import (
    describe_commit,
    describe_pull_request,
    make_pull_request_event,
    make_reviewer,
    parse_push,
    read_facts,
)
from slowpath.inventory.webhooks.rules.webhook_events import (
    CiRunEvent,
    DeploymentStatusEvent,
    IgnoredEvent,
    PullRequestEvent,
    WebhookEvent,
)

_CHANGED: Final = frozenset({"opened", "synchronize", "synchronized", "reopened", "ready_for_review"})
"""Actions that may bring commits; `synchronized` is Gitea's."""
_REVIEWED: Final = frozenset({"submitted", "edited", "dismissed"})
_NOT_SUBMITTED: Final = frozenset({"PENDING", "REQUEST_REVIEW"})
"""States of reviews of the API; the second is Gitea's for one that was requested."""


def parse_github_event(event: str, message: Message) -> WebhookEvent:
    """Return the parsed payload of GitHub or Gitea."""
    repository = text(part(message, "repository").get("full_name"))
    if event == "ping":
        return IgnoredEvent("Ping from GitHub: the webhook is set up.", repository, is_ping=True)
    reader = _READERS.get(event)
    if reader is None:
        return IgnoredEvent(f"Deliveries with the event {truncate_text(event, 60)} are ignored.", repository)
    return reader(message, repository)


def _deployment_status(message: Message, repository: str | None) -> WebhookEvent:
    state = text(part(message, "deployment_status").get("state"))
    if state != "success":
        return IgnoredEvent(f"The deployment state is {state or 'missing'}; only success is recorded.", repository)
    names = text(part(part(message, "deployment"), "payload").get("service")) is not None
    return DeploymentStatusEvent(message, names, repository)


def _workflow_run(message: Message, repository: str | None) -> WebhookEvent:
    run = part(message, "workflow_run")
    commit, head = run.get("head_sha"), part(run, "head_commit")
    if not isinstance(commit, str) or not SHA.fullmatch(commit):
        return IgnoredEvent("The run has no commit.", repository)
    pulls = [each for each in items(run.get("pull_requests")) if isinstance(each, Mapping)]
    base_branch = text(part(pulls[0], "base").get("ref")) if pulls else None
    home = link(part(message, "repository").get("html_url"))
    metadata = {
        "branch": text(run.get("head_branch")),
        "ci_url": link(run.get("html_url")),
        "pull_request": describe_pull_request(pulls[0].get("number"), f"{home}/pull/" if home else None, base_branch)
        if pulls
        else None,
        **describe_commit(head.get("message"), part(head, "author").get("name"), head.get("timestamp")),
    }
    return CiRunEvent(commit, {name: value for name, value in metadata.items() if value}, repository)


def _pull_request(message: Message, repository: str | None) -> WebhookEvent:
    action, pull = text(message.get("action")) or "", part(message, "pull_request")
    if action not in {*_CHANGED, "closed"}:
        return IgnoredEvent(f"The action {truncate_text(action, 60)} of a pull request is ignored.", repository)
    head, base = part(pull, "head"), part(pull, "base")
    merge = pull.get("merge_commit_sha") if pull.get("merged") is True else None  # else that of a trial merge
    is_fork = part(head, "repo").get("id") is None or part(head, "repo").get("id") != part(base, "repo").get("id")
    return make_pull_request_event(
        (pull.get("number"), pull.get("html_url")), (head.get("sha"), base.get("sha"), merge),
        (head.get("ref"), base.get("ref")), (), repository, is_fork=is_fork, is_open=action != "closed",
    )  # fmt: skip


def _review(message: Message, repository: str | None) -> WebhookEvent:
    action = text(message.get("action")) or ""
    if action not in _REVIEWED:
        return IgnoredEvent(f"The action {truncate_text(action, 60)} of a review is ignored.", repository)
    return _reviewed(message, part(part(message, "review"), "user"), repository)


def _gitea_review(message: Message, repository: str | None) -> WebhookEvent:
    """Return the reviewer of Gitea's events of reviews, who is their sender."""
    return _reviewed(message, part(message, "sender"), repository)


def _reviewed(message: Message, user: Message, repository: str | None) -> PullRequestEvent | IgnoredEvent:
    pull, reviewer = part(message, "pull_request"), make_reviewer(user)
    author = text(part(pull, "user").get("login"))
    if reviewer is None or reviewer.login == author or user.get("type") == "Bot":
        return IgnoredEvent("The review is of the author, or of no person.", repository)
    merge = pull.get("merge_commit_sha") if pull.get("merged") is True else None
    commits = part(pull, "head").get("sha"), part(pull, "base").get("sha"), merge
    return make_pull_request_event((pull.get("number"), pull.get("html_url")), commits, None, (reviewer,), repository)


def read_github_pull_request(pull: Message, reviews: Sequence[object]) -> PullRequestFacts | None:
    """Return the facts of a pull request of the API of GitHub or Gitea with its reviews; None if it has no result yet."""
    author = text(part(pull, "user").get("login"))
    submitted = (one for one in reviews if isinstance(one, Mapping) and one.get("state") not in _NOT_SUBMITTED)
    users = [part(one, "user") for one in submitted]
    reviewers = [make_reviewer(user) for user in users if user.get("type") != "Bot"]
    merge = pull.get("merge_commit_sha") if pull.get("merged_at") is not None else None
    return read_facts(
        (pull.get("number"), pull.get("html_url")),
        (part(pull, "head").get("sha"), part(pull, "base").get("sha"), merge),
        [one for one in reviewers if one is not None and one.login != author],
    )


_READERS: Final[Mapping[str, Callable[[Message, str | None], WebhookEvent]]] = {
    "push": parse_push,
    "deployment_status": _deployment_status,
    "workflow_run": _workflow_run,
    "pull_request": _pull_request,
    "pull_request_review": _review,
    "pull_request_approved": _gitea_review,
    "pull_request_rejected": _gitea_review,
    "pull_request_comment": _gitea_review,
}
