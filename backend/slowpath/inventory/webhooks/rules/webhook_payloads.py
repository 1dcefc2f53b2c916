"""Parse payloads of GitHub and GitLab. All texts in them are external.

A valid payload without relevant content is an `IgnoredEvent` with the reason. Nothing is guessed.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

from slowpath.inventory.repositories.rules import SHA, ChangedFile, CommitMetadata, FileStatus, truncate_text
from slowpath.inventory.webhooks.rules.payload_fields import Message, items, link, number, part, text, when
from slowpath.inventory.webhooks.rules.pull_request_payloads import (
    parse_gitea_review,
    parse_github_pull_request,
    parse_github_review,
    parse_gitlab_merge_request,
)
from slowpath.inventory.webhooks.rules.webhook_events import (
    CiRunEvent,
    DeploymentStatusEvent,
    IgnoredEvent,
    PushEvent,
    WebhookEvent,
)

MOST_COMMITS: Final = 2048
MOST_FILES: Final = 300
BRANCH: Final = "refs/heads/"
ZEROS: Final = "0" * 40


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
    listed = [each for each in items(message.get("commits"))[:MOST_COMMITS] if isinstance(each, Mapping)]
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
        for path in items(commit.get(status))[:MOST_FILES]
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
    pulls = [each for each in items(run.get("pull_requests")) if isinstance(each, Mapping)]
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


_GITHUB: Final[Mapping[str, Callable[[Message, str | None], WebhookEvent]]] = {
    "push": _pushed,
    "deployment_status": _deployment_status,
    "workflow_run": _workflow_run,
    "pull_request": parse_github_pull_request,
    "pull_request_review": parse_github_review,
    # Gitea and Forgejo send these with the headers of GitHub
    "pull_request_approved": parse_gitea_review,
    "pull_request_rejected": parse_gitea_review,
    "pull_request_comment": parse_gitea_review,
}
_GITLAB: Final[Mapping[str, Callable[[Message, str | None], WebhookEvent]]] = {
    "push": _pushed,
    "deployment": _deployment,
    "pipeline": _pipeline,
    "merge_request": parse_gitlab_merge_request,
}
