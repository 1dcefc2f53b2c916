"""Read what payloads of several code hosts have in common: pushed commits, commits of CI runs, and pull requests."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from slowpath.inventory.repositories.rules import SHA, ChangedFile, CommitMetadata, FileStatus
from slowpath.inventory.repositories.rules.pull_requests import PullRequestFacts, Reviewer
from slowpath.inventory.webhooks.rules.payload_fields import Message, items, link, number, part, sha, text, when
from slowpath.inventory.webhooks.rules.webhook_events import IgnoredEvent, PullRequestEvent, PushedBranch, PushEvent

MOST_COMMITS: Final = 2048
MOST_FILES: Final = 300
BRANCH: Final = "refs/heads/"
ZEROS: Final = "0" * 40


def parse_push(message: Message, repository: str | None) -> PushEvent | IgnoredEvent:
    """Return the pushed commits of GitHub, Gitea or GitLab."""
    ref = message.get("ref")
    if not isinstance(ref, str) or not ref.startswith(BRANCH):
        return IgnoredEvent("Only pushes to branches are processed.", repository)
    branch = text(ref.removeprefix(BRANCH)) or ""
    if message.get("deleted") is True or message.get("after") == ZEROS:
        return IgnoredEvent(f"The branch {branch} was deleted.", repository)
    listed = [each for each in items(message.get("commits"))[:MOST_COMMITS] if isinstance(each, Mapping)]
    return make_push_event([(branch, tuple(_commits(listed, _only_parent(message, listed))))], repository)


def make_push_event(
    pushed: Sequence[tuple[str, tuple[CommitMetadata, ...]]], repository: str | None
) -> PushEvent | IgnoredEvent:
    """Return the event of a push with the commits of each branch."""
    branches = tuple(PushedBranch(branch, commits) for branch, commits in pushed if commits)
    return PushEvent(branches, repository) if branches else IgnoredEvent("The push contains no commit.", repository)


def describe_commit(message: object, author: object, at: object) -> dict[str, Any]:
    """Return the columns of a build that describe its commit."""
    title = message.split("\n")[0] if isinstance(message, str) else None
    return {"title": text(title), "author": text(author), "committed_at": when(at)}


def describe_pull_request(value: object, before: str | None, base_branch: str | None) -> dict[str, Any] | None:
    """Return the pull request of a build by its number; `before` is the URL without the number."""
    found = number(value)
    if not found:
        return None
    named = {"base_branch": base_branch} if base_branch else {}
    return {"number": found, "url": f"{before}{found}" if before else None, **named}


def make_pull_request_event(
    named: tuple[object, object],
    commits: tuple[object, object, object],
    branches: tuple[object, object] | None,
    reviewers: Sequence[Reviewer],
    repository: str | None,
    *,
    is_fork: bool = False,
    is_open: bool = False,
) -> PullRequestEvent | IgnoredEvent:
    """Return the event of a pull request with what is usable of it.

    `named` is its number and URL; `commits` are the SHAs of head, base and merge; `branches` those of head and base, None for
    a review. The pull request of a fork is never measured: that runs its code, which is anybody's.
    """
    known, head, merge = number(named[0]), sha(commits[0]), sha(commits[2])
    if known is None or head is None:
        return IgnoredEvent("The pull request has no number or head.", repository)
    facts = PullRequestFacts(known, link(named[1]), head, sha(commits[1]), merge, tuple(reviewers))
    if branches is None or is_fork:
        if merge is not None or reviewers:
            return PullRequestEvent(facts, repository)
        return IgnoredEvent("Pull requests of forks are not measured.", repository)
    branch, base_branch = (text(one) for one in branches)
    if branch is None or base_branch is None:
        return IgnoredEvent("The pull request has no branch.", repository)
    return PullRequestEvent(facts.with_branches(branch, base_branch, is_open=is_open), repository)


def read_facts(
    named: tuple[object, object], commits: tuple[object, object, object], reviewers: Sequence[Reviewer]
) -> PullRequestFacts | None:
    """Return what an API states about a pull request; None unless it was merged or reviewed."""
    found = make_pull_request_event(named, commits, None, list(dict.fromkeys(reviewers)), None)
    return found.facts if isinstance(found, PullRequestEvent) else None


def make_reviewer(user: Message) -> Reviewer | None:
    """Return a user as a reviewer; None without a login."""
    login = text(user.get("login")) or text(user.get("username"))
    email = text(user.get("email")) or ""
    name = text(user.get("full_name")) or text(user.get("name")) or ""
    return Reviewer(login, name, email if "@" in email else "") if login is not None else None


def _only_parent(message: Message, listed: Sequence[Message]) -> tuple[str, ...] | None:
    """Return the parent of a single pushed commit: the old head. The order of several is unknown."""
    before = message.get("before")
    alone = len(listed) == 1 and message.get("forced") is not True and message.get("created") is not True
    return (before,) if alone and isinstance(before, str) and SHA.fullmatch(before) and before != ZEROS else None


def _commits(listed: Sequence[Message], parents: tuple[str, ...] | None) -> Iterator[CommitMetadata]:
    for each in listed:
        known, message = each.get("id"), each.get("message")
        if not isinstance(known, str) or not SHA.fullmatch(known):
            continue
        author = part(each, "author")
        title, _, rest = (message if isinstance(message, str) else "").partition("\n")
        yield CommitMetadata(
            sha=known,
            parents=parents,
            author_name=text(author.get("name")) or "",
            author_email=text(author.get("email")) or "",
            committed_at=when(each.get("timestamp")),
            title=title.strip(),
            message=rest.strip(),
            files=_files(each),
        )


def _files(commit: Message) -> tuple[ChangedFile, ...]:
    statuses: tuple[FileStatus, ...] = ("added", "modified", "removed")
    return tuple(
        ChangedFile(path, status=status)
        for status in statuses
        for path in items(commit.get(status))[:MOST_FILES]
        if isinstance(path, str)
    )
