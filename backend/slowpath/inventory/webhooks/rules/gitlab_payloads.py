"""Parse payloads of GitLab. All texts in them are external; nothing is guessed."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final

from slowpath.inventory.repositories.rules import SHA, truncate_text
from slowpath.inventory.repositories.rules.pull_requests import PullRequestFacts, Reviewer
from slowpath.inventory.webhooks.rules.payload_fields import Message, items, link, number, part, text
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
    WebhookEvent,
)

_REVIEW_STATES: Final = frozenset({"reviewed", "approved", "unapproved", "requested_changes"})
_APPROVALS: Final = frozenset({"approved", "approval"})
"""`approval` is one of several that the rules of a project require."""


def parse_gitlab_event(_event: str, message: Message) -> WebhookEvent:
    """Return the parsed payload of GitLab, which names its kind."""
    repository = text(part(message, "project").get("path_with_namespace"))
    kind = text(message.get("object_kind")) or ""
    reader = _READERS.get(kind)
    if reader is None:
        return IgnoredEvent(f"Deliveries with the event {kind or '(missing)'} are ignored.", repository)
    return reader(message, repository)


def _deployment(message: Message, repository: str | None) -> WebhookEvent:
    status = text(message.get("status"))
    if status != "success":
        return IgnoredEvent(f"The deployment status is {status or 'missing'}; only success is recorded.", repository)
    return DeploymentStatusEvent(message, names_service=False, repository=repository)


def _pipeline(message: Message, repository: str | None) -> WebhookEvent:
    run, commit = part(message, "object_attributes"), part(message, "commit")
    sha = run.get("sha")
    if not isinstance(sha, str) or not SHA.fullmatch(sha):
        return IgnoredEvent("The pipeline has no commit.", repository)
    merge, home = part(message, "merge_request"), link(part(message, "project").get("web_url"))
    metadata = {
        "branch": text(merge.get("source_branch")) or (None if run.get("tag") is True else text(run.get("ref"))),
        "ci_url": link(run.get("url")) or (f"{home}/-/pipelines/{number(run.get('id'))}" if home else None),
        "pull_request": describe_pull_request(
            merge.get("iid"), f"{home}/-/merge_requests/" if home else None, text(merge.get("target_branch"))
        ),
        **describe_commit(commit.get("message"), part(commit, "author").get("name"), commit.get("timestamp")),
    }
    return CiRunEvent(sha, {name: value for name, value in metadata.items() if value}, repository)


def _merge_request(message: Message, repository: str | None) -> WebhookEvent:
    """Return what is reported about a merge request: commits, an approval, or states of its reviewers."""
    merge = part(message, "object_attributes")
    action = text(merge.get("action")) or ""
    has_commits = action in {"open", "reopen"} or (action == "update" and merge.get("oldrev") is not None)
    changes_commits = has_commits or action in {"close", "merge"}
    reviewers = tuple(_reviewers(message, action))
    if not changes_commits and not reviewers:
        return IgnoredEvent(f"The action {truncate_text(action, 60)} of a merge request is ignored.", repository)
    source = merge.get("source_project_id")
    merged = merge.get("merge_commit_sha") or merge.get("squash_commit_sha") if action == "merge" else None
    return make_pull_request_event(
        (merge.get("iid"), merge.get("url")), (part(merge, "last_commit").get("id"), None, merged),
        (merge.get("source_branch"), merge.get("target_branch")) if changes_commits else None, reviewers, repository,
        is_fork=source is None or source != merge.get("target_project_id"), is_open=has_commits,
    )  # fmt: skip


def _reviewers(message: Message, action: str) -> Iterator[Reviewer]:
    """Return who approved, and the assigned reviewers whose state is one of a review; former versions name no state."""
    found = [one for one in items(message.get("reviewers")) if isinstance(one, Mapping)]
    users = [one for one in found if one.get("state") in _REVIEW_STATES]
    if action in _APPROVALS:
        users.append(part(message, "user"))
    for user in users:
        if (reviewer := make_reviewer(user)) is not None:
            yield reviewer


def read_gitlab_merge_request(merge: Message, approvals: Message, notes: Sequence[object]) -> PullRequestFacts | None:
    """Return the facts of a merge request of GitLab's API with who approved or commented; None if it has no result yet."""
    author = text(part(merge, "author").get("username"))
    approved = [part(one, "user") for one in items(approvals.get("approved_by")) if isinstance(one, Mapping)]
    written = [one for one in notes if isinstance(one, Mapping) and one.get("system") is False]
    reviewers = [make_reviewer(user) for user in (*approved, *(part(one, "author") for one in written))]
    is_merged = merge.get("state") == "merged"
    return read_facts(
        (merge.get("iid"), merge.get("web_url")),
        (
            merge.get("sha"),
            None,
            merge.get("merge_commit_sha") or merge.get("squash_commit_sha") if is_merged else None,
        ),
        [one for one in reviewers if one is not None and one.login != author],
    )


def read_listed_merge_request(merge: Message) -> WebhookEvent:
    """Return an open merge request of a list of GitLab's API as the event of a push to it."""
    source = merge.get("source_project_id")
    return make_pull_request_event(
        (merge.get("iid"), merge.get("web_url")), (merge.get("sha"), None, None),
        (merge.get("source_branch"), merge.get("target_branch")), (), None,
        is_fork=source is None or source != merge.get("target_project_id"), is_open=merge.get("state") == "opened",
    )  # fmt: skip


_READERS: Final[Mapping[str, Callable[[Message, str | None], WebhookEvent]]] = {
    "push": parse_push,
    "deployment": _deployment,
    "pipeline": _pipeline,
    "merge_request": _merge_request,
}
