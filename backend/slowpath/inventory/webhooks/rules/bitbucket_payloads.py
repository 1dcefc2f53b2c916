"""Parse payloads of Bitbucket Cloud, and by their other names of events those of Bitbucket Data Center.

All texts in them are external; nothing is guessed. Pull requests of Bitbucket Cloud have abbreviated SHAs of 12 digits.
A reviewer approved, requested changes or commented.
"""

from collections.abc import Iterable, Iterator, Mapping
from email.utils import parseaddr
from itertools import chain
from typing import Final

from slowpath.inventory.repositories.rules import SHA, CommitMetadata, truncate_text
from slowpath.inventory.repositories.rules.pull_requests import PullRequestFacts, Reviewer
from slowpath.inventory.webhooks.rules.bitbucket_server_payloads import parse_bitbucket_server_event
from slowpath.inventory.webhooks.rules.payload_fields import Message, items, part, text, when
from slowpath.inventory.webhooks.rules.payload_parts import (
    MOST_COMMITS,
    make_pull_request_event,
    make_push_event,
    read_facts,
)
from slowpath.inventory.webhooks.rules.webhook_events import IgnoredEvent, WebhookEvent

_CHANGED: Final = frozenset({"created", "updated"})
_ENDED: Final = frozenset({"fulfilled", "rejected"})
_REVIEWED: Final = frozenset(
    {"approved", "unapproved", "changes_request_created", "changes_request_removed", "comment_created"}
)
_STATES: Final = frozenset({"approved", "changes_requested"})


def parse_bitbucket_event(event: str, message: Message) -> WebhookEvent:
    """Return the parsed payload of Bitbucket Cloud or Data Center."""
    repository = text(part(message, "repository").get("full_name"))
    subject, _, action = event.partition(":")
    if event == "repo:push":
        return _pushed(message, repository)
    if subject == "pullrequest" and action in {*_CHANGED, *_ENDED, *_REVIEWED}:
        return _pull_request(action, message, repository)
    if subject in {"pr", "diagnostics"} or event == "repo:refs_changed":
        return parse_bitbucket_server_event(event, message)
    return IgnoredEvent(f"Deliveries with the event {truncate_text(event, 60)} are ignored.", repository)


def read_bitbucket_pull_request(pull: Message) -> PullRequestFacts | None:
    """Return the facts of a pull request of the API of Bitbucket Cloud; None if it has no result yet."""
    source, target = part(pull, "source"), part(pull, "destination")
    merge = part(pull, "merge_commit").get("hash") if pull.get("state") == "MERGED" else None
    commented = (
        one for one in items(pull.get("participants")) if isinstance(one, Mapping) and one.get("participated_on")
    )
    return read_facts(
        (pull.get("id"), part(part(pull, "links"), "html").get("href")),
        (part(source, "commit").get("hash"), part(target, "commit").get("hash"), merge),
        _reviewers(pull, *(part(one, "user") for one in commented)),
    )


def _reviewers(pull: Message, *others: Message) -> tuple[Reviewer, ...]:
    """Return the participants of a pull request who approved or requested changes, and others; never its author."""
    participants = (one for one in items(pull.get("participants")) if isinstance(one, Mapping))
    users = (part(one, "user") for one in participants if one.get("approved") is True or one.get("state") in _STATES)
    author = part(pull, "author").get("uuid")
    found = (_reviewer(one) for one in chain(users, others) if author is None or one.get("uuid") != author)
    return tuple(dict.fromkeys(one for one in found if one is not None))


def _is_fork(pull: Message) -> bool:
    """Return whether the commits of a pull request are in another repository, or in one that was deleted."""
    source, target = (part(part(pull, side), "repository").get("uuid") for side in ("source", "destination"))
    return source is None or source != target


def _pushed(message: Message, repository: str | None) -> WebhookEvent:
    changes = (one for one in items(part(message, "push").get("changes")) if isinstance(one, Mapping))
    branches = [one for one in changes if part(one, "new").get("type") == "branch"]
    pushed = [(text(part(one, "new").get("name")) or "", tuple(_commits(one))) for one in branches[:MOST_COMMITS]]
    return make_push_event(pushed, repository)


def _commits(change: Message) -> Iterator[CommitMetadata]:
    """Return the commits of a changed branch, its head last: Bitbucket lists the newest first, and not all."""
    listed: Iterable[object] = items(change.get("commits"))[:MOST_COMMITS]
    by_sha = {
        one["hash"]: one
        for one in (*reversed(tuple(listed)), part(part(change, "new"), "target"))
        if isinstance(one, Mapping) and isinstance(one.get("hash"), str) and SHA.fullmatch(one["hash"])
    }
    for known, one in by_sha.items():
        name, email = parseaddr(text(part(one, "author").get("raw")) or "")
        title, _, rest = (text_value if isinstance(text_value := one.get("message"), str) else "").partition("\n")
        parents = [each.get("hash") for each in items(one.get("parents")) if isinstance(each, Mapping)]
        are_known = bool(parents) and all(isinstance(each, str) and SHA.fullmatch(each) for each in parents)
        yield CommitMetadata(
            sha=known,
            parents=tuple(str(each) for each in parents) if are_known else None,
            author_name=text(name) or text(part(part(one, "author"), "user").get("display_name")) or "",
            author_email=text(email) or "",
            committed_at=when(one.get("date")),
            title=title.strip(),
            message=rest.strip(),
        )


def _pull_request(action: str, message: Message, repository: str | None) -> WebhookEvent:
    pull = part(message, "pullrequest")
    source, target = part(pull, "source"), part(pull, "destination")
    merge = part(pull, "merge_commit").get("hash") if action == "fulfilled" else None
    commits = part(source, "commit").get("hash"), part(target, "commit").get("hash"), merge
    others = (part(message, "actor"),) if action in _REVIEWED else ()
    reviewers = _reviewers(pull, *others)
    if action in _REVIEWED and not reviewers:
        return IgnoredEvent("The review is of the author, or of no person.", repository)
    return make_pull_request_event(
        (pull.get("id"), part(part(pull, "links"), "html").get("href")), commits,
        None if action in _REVIEWED else (part(source, "branch").get("name"), part(target, "branch").get("name")),
        reviewers, repository, is_fork=_is_fork(pull), is_open=action in _CHANGED,
    )  # fmt: skip


def _reviewer(user: Message) -> Reviewer | None:
    login = text(user.get("nickname")) or text(user.get("username"))
    return None if login is None else Reviewer(login, text(user.get("display_name")) or "")
