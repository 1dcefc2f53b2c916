"""Parse payloads about pull requests: commits to measure, reviews, and merges.

A reviewer submitted a review or an approval. Whom a review was only requested of did not review.
"""

from collections.abc import Iterator
from typing import Final

from slowpath.inventory.repositories.rules import SHA, truncate_text
from slowpath.inventory.repositories.rules.pull_requests import PullRequestFacts, Reviewer
from slowpath.inventory.webhooks.rules.payload_fields import Message, items, link, number, part, text
from slowpath.inventory.webhooks.rules.webhook_events import IgnoredEvent, PullRequestEvent, ReviewEvent

_CHANGED: Final = frozenset({"opened", "synchronize", "synchronized", "reopened", "ready_for_review"})
"""Actions that may bring commits; `synchronized` is Gitea's."""
_REVIEWED: Final = frozenset({"submitted", "edited", "dismissed"})
_GITLAB_REVIEW_STATES: Final = frozenset({"reviewed", "approved", "unapproved", "requested_changes"})
_GITLAB_APPROVALS: Final = frozenset({"approved", "approval"})
"""`approval` is one of several that the rules of a project require."""

Found = PullRequestEvent | ReviewEvent | IgnoredEvent


def parse_github_pull_request(message: Message, repository: str | None) -> Found:
    """Return what GitHub or Gitea reports about a changed pull request."""
    action, pull = text(message.get("action")) or "", part(message, "pull_request")
    if action not in {*_CHANGED, "closed"}:
        return IgnoredEvent(f"The action {truncate_text(action, 60)} of a pull request is ignored.", repository)
    head, base = part(pull, "head"), part(pull, "base")
    is_fork = part(head, "repo").get("id") is None or part(head, "repo").get("id") != part(base, "repo").get("id")
    facts = _github_facts(message)
    return _changed(facts, (head.get("ref"), base.get("ref")), repository, is_fork=is_fork, is_open=action != "closed")


def parse_github_review(message: Message, repository: str | None) -> Found:
    """Return the reviewer of GitHub's event `pull_request_review`."""
    action, review = text(message.get("action")) or "", part(message, "review")
    if action not in _REVIEWED:
        return IgnoredEvent(f"The action {truncate_text(action, 60)} of a review is ignored.", repository)
    return _reviewed(message, part(review, "user"), repository)


def parse_gitea_review(message: Message, repository: str | None) -> Found:
    """Return the reviewer of Gitea's events of reviews, whose sender is the reviewer."""
    return _reviewed(message, part(message, "sender"), repository)


def parse_gitlab_merge_request(message: Message, repository: str | None) -> Found:
    """Return what GitLab reports about a merge request: commits, an approval, or states of its reviewers."""
    merge = part(message, "object_attributes")
    action = text(merge.get("action")) or ""
    has_commits = action in {"open", "reopen"} or (action == "update" and merge.get("oldrev") is not None)
    facts = _facts(
        (merge.get("iid"), merge.get("url")),
        part(merge, "last_commit").get("id"), None, merge.get("merge_commit_sha") or merge.get("squash_commit_sha")
        if action == "merge" else None, tuple(_gitlab_reviewers(message, action)),
    )  # fmt: skip
    if not has_commits and action not in {"close", "merge"}:
        if facts is not None and facts.reviewers:
            return ReviewEvent(facts, repository)
        return IgnoredEvent(f"The action {truncate_text(action, 60)} of a merge request is ignored.", repository)
    source = merge.get("source_project_id")
    is_fork = source is None or source != merge.get("target_project_id")
    branches = merge.get("source_branch"), merge.get("target_branch")
    return _changed(facts, branches, repository, is_fork=is_fork, is_open=has_commits)


def _changed(
    facts: PullRequestFacts | None,
    branches: tuple[object, object],
    repository: str | None,
    *,
    is_fork: bool,
    is_open: bool,
) -> Found:
    """Return the event of a pull request; its head and base branch are `branches`."""
    if is_fork:  # a measurement runs the code of the pull request: a fork's is anybody's
        if facts is not None and (facts.merge is not None or facts.reviewers):
            return ReviewEvent(facts, repository)
        return IgnoredEvent("Pull requests of forks are not measured.", repository)
    branch, base_branch = (text(one) for one in branches)
    if facts is None or branch is None or base_branch is None:
        return IgnoredEvent("The pull request has no number, head or branch.", repository)
    return PullRequestEvent(facts, branch, base_branch, is_open, repository)


def _reviewed(message: Message, user: Message, repository: str | None) -> Found:
    facts = _github_facts(message, _reviewer(user))
    if facts is None:
        return IgnoredEvent("The pull request has no number or head.", repository)
    author = text(part(part(message, "pull_request"), "user").get("login"))
    if not facts.reviewers or facts.reviewers[0].login == author or user.get("type") == "Bot":
        return IgnoredEvent("The review is of the author, or of no person.", repository)
    return ReviewEvent(facts, repository)


def _github_facts(message: Message, reviewer: Reviewer | None = None) -> PullRequestFacts | None:
    pull = part(message, "pull_request")
    merge = pull.get("merge_commit_sha") if pull.get("merged") is True else None  # else that of a trial merge
    return _facts(
        (pull.get("number"), pull.get("html_url")), part(pull, "head").get("sha"), part(pull, "base").get("sha"), merge,
        () if reviewer is None else (reviewer,),
    )  # fmt: skip


def _facts(
    named: tuple[object, object], head: object, base: object, merge: object, reviewers: tuple[Reviewer, ...]
) -> PullRequestFacts | None:
    """Return the facts of a pull request with a number and a head; `named` is its number and URL."""
    known, head_sha = number(named[0]), _sha(head)
    if known is None or head_sha is None:
        return None
    return PullRequestFacts(known, link(named[1]), head_sha, _sha(base), _sha(merge), reviewers)


def _gitlab_reviewers(message: Message, action: str) -> Iterator[Reviewer]:
    """Return who approved, and the assigned reviewers whose state is one of a review; former versions name no state."""
    found = [one for one in items(message.get("reviewers")) if isinstance(one, dict)]
    users = [one for one in found if one.get("state") in _GITLAB_REVIEW_STATES]
    if action in _GITLAB_APPROVALS:
        users.append(dict(part(message, "user")))
    for user in users:
        if (reviewer := _reviewer(user)) is not None:
            yield reviewer


def _reviewer(user: Message) -> Reviewer | None:
    login = text(user.get("login")) or text(user.get("username"))
    email = text(user.get("email")) or ""
    name = text(user.get("full_name")) or text(user.get("name")) or ""
    return Reviewer(login, name, email if "@" in email else "") if login is not None else None


def _sha(value: object) -> str | None:
    return value if isinstance(value, str) and SHA.fullmatch(value) else None
