"""Parse payloads of Bitbucket Data Center. All texts in them are external; nothing is guessed."""

from collections.abc import Iterator, Mapping
from typing import Final

from slowpath.inventory.repositories.rules import SHA, CommitMetadata, truncate_text
from slowpath.inventory.repositories.rules.pull_requests import PullRequestFacts, Reviewer
from slowpath.inventory.webhooks.rules.payload_fields import Message, items, part, text
from slowpath.inventory.webhooks.rules.payload_parts import (
    BRANCH,
    MOST_COMMITS,
    ZEROS,
    make_pull_request_event,
    make_push_event,
)
from slowpath.inventory.webhooks.rules.webhook_events import IgnoredEvent, PullRequestEvent, WebhookEvent

_CHANGED: Final = frozenset({"pr:opened", "pr:from_ref_updated", "pr:reopened"})
_ENDED: Final = frozenset({"pr:merged", "pr:declined", "pr:deleted"})
_REVIEWED: Final = frozenset(
    {"pr:reviewer:approved", "pr:reviewer:needs_work", "pr:reviewer:changes_requested", "pr:comment:added"}
)
_STATES: Final = frozenset({"APPROVED", "NEEDS_WORK"})


def parse_bitbucket_server_event(event: str, message: Message) -> WebhookEvent:
    """Return the parsed payload of Bitbucket Data Center."""
    if event == "diagnostics:ping":
        return IgnoredEvent("Ping from Bitbucket: the webhook is set up.", is_ping=True)
    pull = part(message, "pullRequest")
    repository = _name_repository(
        part(message, "repository") if event == "repo:refs_changed" else part(part(pull, "toRef"), "repository")
    )
    if event == "repo:refs_changed":
        return _pushed(message, repository)
    if event in {*_CHANGED, *_ENDED, *_REVIEWED}:
        return _pull_request(event, message, repository)
    return IgnoredEvent(f"Deliveries with the event {truncate_text(event, 60)} are ignored.", repository)


def read_bitbucket_server_pull_request(pull: Message) -> PullRequestFacts | None:
    """Return the facts of a pull request of the API of Bitbucket Data Center; None if it has no result yet."""
    found = _pull_request("pr:merged", {"pullRequest": pull}, None)
    if not isinstance(found, PullRequestEvent) or (found.facts.merge is None and not found.facts.reviewers):
        return None
    return found.facts


def _pushed(message: Message, repository: str | None) -> WebhookEvent:
    """Return the heads of the pushed branches: their authors and titles are read with the next fetch."""
    pushed = []
    for change in items(message.get("changes"))[:MOST_COMMITS]:
        ref = change.get("refId") if isinstance(change, Mapping) else None
        head = change.get("toHash") if isinstance(change, Mapping) else None
        if isinstance(ref, str) and ref.startswith(BRANCH) and isinstance(head, str) and head != ZEROS:
            commits = (CommitMetadata(head),) if SHA.fullmatch(head) else ()
            pushed.append((text(ref.removeprefix(BRANCH)) or "", commits))
    return make_push_event(pushed, repository)


def _pull_request(event: str, message: Message, repository: str | None) -> WebhookEvent:
    pull = part(message, "pullRequest")
    head, base = part(pull, "fromRef"), part(pull, "toRef")
    merge = part(part(pull, "properties"), "mergeCommit").get("id") if event == "pr:merged" else None
    links = [one for one in items(part(pull, "links").get("self")) if isinstance(one, Mapping)]
    source, target = part(head, "repository").get("id"), part(base, "repository").get("id")
    reviewers = tuple(dict.fromkeys(_reviewers(event, message)))
    if event in _REVIEWED and not reviewers:
        return IgnoredEvent("The review is of the author, or of no person.", repository)
    return make_pull_request_event(
        (pull.get("id"), links[0].get("href") if links else None),
        (head.get("latestCommit"), base.get("latestCommit"), merge),
        None if event in _REVIEWED else (head.get("displayId"), base.get("displayId")), reviewers, repository,
        is_fork=source is None or source != target, is_open=event in _CHANGED,
    )  # fmt: skip


def _reviewers(event: str, message: Message) -> Iterator[Reviewer]:
    """Return whose status is one of a review, and who sent this one; never the author."""
    pull = part(message, "pullRequest")
    author = part(part(pull, "author"), "user").get("name")
    listed = (one for one in items(pull.get("reviewers")) if isinstance(one, Mapping))
    users = [part(one, "user") for one in listed if one.get("status") in _STATES]
    if event in _REVIEWED:
        users.append(part(message, "actor"))
    for user in users:
        login, email = text(user.get("name")), text(user.get("emailAddress")) or ""
        if login is not None and login != author:
            yield Reviewer(login, text(user.get("displayName")) or "", email if "@" in email else "")


def _name_repository(repository: Message) -> str | None:
    project, slug = text(part(repository, "project").get("key")), text(repository.get("slug"))
    return None if project is None or slug is None else f"{project}/{slug}"
