"""Parse payloads of GitHub and GitLab. All texts in them are external.

A valid payload without relevant content is an `IgnoredEvent` with the reason. Nothing is guessed.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Final

from slowpath.inventory.repositories.rules import SHA, ChangedFile, CommitMetadata, FileStatus, truncate_text

Message = Mapping[str, Any]
MAX_TEXT: Final = 200
MAX_URL: Final = 2000
MOST_COMMITS: Final = 2048
MOST_FILES: Final = 300
BRANCH: Final = "refs/heads/"
ZEROS: Final = "0" * 40


@dataclass(frozen=True)
class PushEvent:
    """Commits were pushed to a branch."""

    branch: str
    commits: tuple[CommitMetadata, ...]
    repository: str | None = None


@dataclass(frozen=True)
class DeploymentStatusEvent:
    """A deployment event in one of the formats of the catalog."""

    message: Message
    names_service: bool
    """Whether the event names the service."""
    repository: str | None = None


@dataclass(frozen=True)
class CiRunEvent:
    """A CI run of a commit."""

    commit: str
    metadata: Mapping[str, Any] = field(default_factory=dict)
    """Columns of a build."""
    repository: str | None = None


@dataclass(frozen=True)
class PullRequestEvent:
    """A pull request of the repository itself was opened, got commits, or was closed."""

    number: int
    url: str | None
    head: str
    base: str | None
    """Head of the base branch; GitLab does not name it."""
    branch: str
    base_branch: str
    is_open: bool
    repository: str | None = None


@dataclass(frozen=True)
class IgnoredEvent:
    """An event that requires no action."""

    why: str
    repository: str | None = None
    is_ping: bool = False
    """Whether the code host only checks the address: then the delivery is done, not ignored."""


WebhookEvent = PushEvent | DeploymentStatusEvent | CiRunEvent | PullRequestEvent | IgnoredEvent


def parse_github_event(event: str, message: Message) -> WebhookEvent:
    """Return the parsed payload of GitHub."""
    repository = text(part(message, "repository").get("full_name"))
    if event == "ping":
        return IgnoredEvent("Ping from GitHub: the webhook is set up.", repository, is_ping=True)
    reader = _GITHUB.get(event)
    if reader is None:
        return IgnoredEvent(f"Deliveries with the event {truncate_text(event, 60)} are ignored.", repository)
    return reader(message, repository)


def parse_gitlab_event(message: Message) -> WebhookEvent:
    """Return the parsed payload of GitLab."""
    repository = text(part(message, "project").get("path_with_namespace"))
    kind = text(message.get("object_kind")) or ""
    reader = _GITLAB.get(kind)
    if reader is None:
        return IgnoredEvent(f"Deliveries with the event {kind or '(missing)'} are ignored.", repository)
    return reader(message, repository)


def _pushed(message: Message, repository: str | None) -> WebhookEvent:
    ref = message.get("ref")
    if not isinstance(ref, str) or not ref.startswith(BRANCH):
        return IgnoredEvent("Only pushes to branches are processed.", repository)
    branch = text(ref.removeprefix(BRANCH)) or ""
    if message.get("deleted") is True or message.get("after") == ZEROS:
        return IgnoredEvent(f"The branch {branch} was deleted.", repository)
    listed = [each for each in _list(message.get("commits"))[:MOST_COMMITS] if isinstance(each, Mapping)]
    commits = tuple(_commits(listed, _only_parent(message, listed)))
    return (
        PushEvent(branch, commits, repository) if commits else IgnoredEvent("The push contains no commit.", repository)
    )


def _only_parent(message: Message, listed: Sequence[Message]) -> tuple[str, ...] | None:
    """Return the parent of a single pushed commit: the old head. The order of several is unknown."""
    before = message.get("before")
    alone = len(listed) == 1 and message.get("forced") is not True and message.get("created") is not True
    return (before,) if alone and isinstance(before, str) and SHA.fullmatch(before) and before != ZEROS else None


def _commits(listed: Sequence[Message], parents: tuple[str, ...] | None) -> Iterator[CommitMetadata]:
    for each in listed:
        sha, message = each.get("id"), each.get("message")
        if not isinstance(sha, str) or not SHA.fullmatch(sha):
            continue
        author = part(each, "author")
        title, _, rest = (message if isinstance(message, str) else "").partition("\n")
        yield CommitMetadata(
            sha=sha,
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
        for path in _list(commit.get(status))[:MOST_FILES]
        if isinstance(path, str)
    )


def _deployment_status(message: Message, repository: str | None) -> WebhookEvent:
    state = text(part(message, "deployment_status").get("state"))
    if state != "success":
        return IgnoredEvent(f"The deployment state is {state or 'missing'}; only success is recorded.", repository)
    names = text(part(part(message, "deployment"), "payload").get("service")) is not None
    return DeploymentStatusEvent(message, names, repository)


def _deployment(message: Message, repository: str | None) -> WebhookEvent:
    status = text(message.get("status"))
    if status != "success":
        return IgnoredEvent(f"The deployment status is {status or 'missing'}; only success is recorded.", repository)
    return DeploymentStatusEvent(message, names_service=False, repository=repository)


def _workflow_run(message: Message, repository: str | None) -> WebhookEvent:
    run = part(message, "workflow_run")
    commit, head = run.get("head_sha"), part(run, "head_commit")
    if not isinstance(commit, str) or not SHA.fullmatch(commit):
        return IgnoredEvent("The run has no commit.", repository)
    pulls = [each for each in _list(run.get("pull_requests")) if isinstance(each, Mapping)]
    base_branch = text(part(pulls[0], "base").get("ref")) if pulls else None
    home = link(part(message, "repository").get("html_url"))
    metadata = {
        "branch": text(run.get("head_branch")),
        "ci_url": link(run.get("html_url")),
        "pull_request": _pull_request(pulls[0].get("number"), f"{home}/pull/" if home else None, base_branch)
        if pulls
        else None,
        **_of_commit(head.get("message"), part(head, "author").get("name"), head.get("timestamp")),
    }
    return CiRunEvent(commit, {name: value for name, value in metadata.items() if value}, repository)


def _pipeline(message: Message, repository: str | None) -> WebhookEvent:
    run, commit = part(message, "object_attributes"), part(message, "commit")
    sha = run.get("sha")
    if not isinstance(sha, str) or not SHA.fullmatch(sha):
        return IgnoredEvent("The pipeline has no commit.", repository)
    merge, home = part(message, "merge_request"), link(part(message, "project").get("web_url"))
    metadata = {
        "branch": text(merge.get("source_branch")) or (None if run.get("tag") is True else text(run.get("ref"))),
        "ci_url": link(run.get("url")) or (f"{home}/-/pipelines/{number(run.get('id'))}" if home else None),
        "pull_request": _pull_request(
            merge.get("iid"), f"{home}/-/merge_requests/" if home else None, text(merge.get("target_branch"))
        ),
        **_of_commit(commit.get("message"), part(commit, "author").get("name"), commit.get("timestamp")),
    }
    return CiRunEvent(sha, {name: value for name, value in metadata.items() if value}, repository)


def _of_commit(message: object, author: object, at: object) -> dict[str, Any]:
    title = message.split("\n")[0] if isinstance(message, str) else None
    return {"title": text(title), "author": text(author), "committed_at": when(at)}


def _pull_request(value: object, before: str | None, base_branch: str | None) -> dict[str, Any] | None:
    found = number(value)
    if not found:
        return None
    named = {"base_branch": base_branch} if base_branch else {}
    return {"number": found, "url": f"{before}{found}" if before else None, **named}


def _github_pull_request(message: Message, repository: str | None) -> WebhookEvent:
    action, pull = text(message.get("action")) or "", part(message, "pull_request")
    head, base = part(pull, "head"), part(pull, "base")
    is_fork = part(head, "repo").get("id") is None or part(head, "repo").get("id") != part(base, "repo").get("id")
    if action not in {*_CHANGED, "closed"}:
        return IgnoredEvent(f"The action {truncate_text(action, 60)} of a pull request is ignored.", repository)
    return _changed_pull_request(
        (pull.get("number"), pull.get("html_url")), (head.get("sha"), base.get("sha")), (head.get("ref"), base.get("ref")),
        repository, is_fork=is_fork, is_open=action != "closed",
    )  # fmt: skip


def _gitlab_merge_request(message: Message, repository: str | None) -> WebhookEvent:
    merge = part(message, "object_attributes")
    action = text(merge.get("action")) or ""
    has_commits = action in {"open", "reopen"} or (action == "update" and merge.get("oldrev") is not None)
    if not has_commits and action not in {"close", "merge"}:
        return IgnoredEvent(f"The action {truncate_text(action, 60)} of a merge request is ignored.", repository)
    source = merge.get("source_project_id")
    return _changed_pull_request(
        (merge.get("iid"), merge.get("url")), (part(merge, "last_commit").get("id"), None),
        (merge.get("source_branch"), merge.get("target_branch")), repository,
        is_fork=source is None or source != merge.get("target_project_id"), is_open=has_commits,
    )  # fmt: skip


def _changed_pull_request(
    named: tuple[object, object],
    shas: tuple[object, object],
    branches: tuple[object, object],
    repository: str | None,
    *,
    is_fork: bool,
    is_open: bool,
) -> WebhookEvent:
    """Return the event of a pull request: number and URL, head and base commit, head and base branch."""
    if is_fork:  # a measurement runs the code of the pull request: a fork's is anybody's
        return IgnoredEvent("Pull requests of forks are not measured.", repository)
    known, head, base = number(named[0]), shas[0], shas[1]
    branch, base_branch = (text(one) for one in branches)
    if known is None or not isinstance(head, str) or not SHA.fullmatch(head) or branch is None or base_branch is None:
        return IgnoredEvent("The pull request has no number, head or branch.", repository)
    base_sha = base if isinstance(base, str) and SHA.fullmatch(base) else None
    return PullRequestEvent(known, link(named[1]), head, base_sha, branch, base_branch, is_open, repository)


_CHANGED: Final = frozenset({"opened", "synchronize", "reopened", "ready_for_review"})
_GITHUB: Final[Mapping[str, Callable[[Message, str | None], WebhookEvent]]] = {
    "push": _pushed,
    "deployment_status": _deployment_status,
    "workflow_run": _workflow_run,
    "pull_request": _github_pull_request,
}
_GITLAB: Final[Mapping[str, Callable[[Message, str | None], WebhookEvent]]] = {
    "push": _pushed,
    "deployment": _deployment,
    "pipeline": _pipeline,
    "merge_request": _gitlab_merge_request,
}


def part(whole: Message, key: str) -> Message:
    """Return a nested object; an empty one if it is missing."""
    found = whole.get(key)
    return found if isinstance(found, Mapping) else {}


def text(value: object) -> str | None:
    """Return a short text of one line; None if it is missing."""
    if not isinstance(value, str):
        return None
    shown = "".join(" " if char < " " or char == "\x7f" else char for char in truncate_text(value, MAX_TEXT))
    return shown.strip() or None


def link(value: object) -> str | None:
    """Return a web URL; None if it is missing or invalid."""
    known = isinstance(value, str) and len(value) <= MAX_URL and value.startswith(("https://", "http://"))
    return truncate_text(value, MAX_URL) if known and isinstance(value, str) and value.isprintable() else None


def number(value: object) -> int | None:
    """Return a positive number that JSON represents exactly; None if it is missing or invalid."""
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 < value <= 2**53 else None


def when(value: object) -> datetime | None:
    """Return a time with its zone in the format of GitHub or GitLab; None if it is missing or invalid."""
    if not isinstance(value, str):
        return None
    try:
        known = datetime.fromisoformat(value.replace(" UTC", "+00:00").replace(" +", "+").replace(" -", "-"))
    except ValueError:
        return None
    known = known if known.tzinfo else known.replace(tzinfo=UTC)
    return known if 1970 < known.year < 2200 else None


def _list(value: object) -> Sequence[Any]:
    return value if isinstance(value, list) else ()
