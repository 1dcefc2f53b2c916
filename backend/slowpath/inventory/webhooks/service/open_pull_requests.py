"""Ask the API of a code host for the open pull requests of a repository: webhooks report only those that change later."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Final
from urllib.parse import quote

from slowpath.core.ports import EgressConnection
from slowpath.inventory.repositories.rules import HostApi
from slowpath.inventory.repositories.rules.pull_requests import PullRequestFacts
from slowpath.inventory.repositories.service.host_access import (
    MAX_ANSWER_BYTES,
    SECONDS,
    HostAccess,
    authorize,
    read_json,
)
from slowpath.inventory.webhooks.rules.bitbucket_payloads import parse_bitbucket_event
from slowpath.inventory.webhooks.rules.github_payloads import parse_github_event
from slowpath.inventory.webhooks.rules.gitlab_payloads import read_listed_merge_request
from slowpath.inventory.webhooks.rules.payload_fields import Message
from slowpath.inventory.webhooks.rules.webhook_events import PullRequestEvent, WebhookEvent
from slowpath.inventory.webhooks.service.earlier_pull_requests import READ_PULL_REQUESTS

PER_PAGE: Final = 50
"""All hosts allow as many, but operators of Gitea can set a lower limit; only those that changed last are measured."""


@dataclass(frozen=True)
class OpenPullRequests:
    """Open pull requests that can be measured, those that changed last first."""

    facts: tuple[PullRequestFacts, ...]
    is_complete: bool
    """Whether the repository has no others."""


def list_open_pull_requests(peer: EgressConnection, access: HostAccess, now: datetime) -> OpenPullRequests:
    """Return the open pull requests of a repository without those of forks.

    Raises `InvalidGitCredentials`, `InvalidAppCredential`, `UpstreamUnavailable`, and what `peer.get` raises.
    """
    path, query = _LISTS[access.api]
    project, _, name = access.repository.partition("/")
    path = path.format(
        repository=quote(access.repository),
        id=quote(access.repository, safe=""),
        project=quote(project),
        name=quote(name),
    )
    with authorize(peer, access, READ_PULL_REQUESTS, is_one=True, now=now) as headers:
        answer = peer.get(path, query, headers, max_bytes=MAX_ANSWER_BYTES, seconds=SECONDS)
        found = read_json(answer, access, "pull requests")
    listed = found.get("values") if isinstance(found, Mapping) else found
    if not isinstance(listed, list):
        return OpenPullRequests((), is_complete=False)
    read = _READERS[access.api]
    events = (read(one) for one in listed[:PER_PAGE] if isinstance(one, Mapping))
    facts = [one.facts for one in events if isinstance(one, PullRequestEvent) and one.facts.is_open]
    return OpenPullRequests(tuple(facts), is_complete=len(listed) < PER_PAGE and access.api != "gitea")


def _read_github(pull: Message) -> WebhookEvent:
    return parse_github_event("pull_request", {"action": "synchronize", "pull_request": pull})


_READERS: Final[Mapping[HostApi, Callable[[Message], WebhookEvent]]] = {
    "github": _read_github,
    "gitea": _read_github,
    "gitlab": read_listed_merge_request,
    "bitbucket": lambda pull: parse_bitbucket_event("pullrequest:updated", {"pullrequest": pull}),
    "bitbucket-server": lambda pull: parse_bitbucket_event("pr:from_ref_updated", {"pullRequest": pull}),
}
"""Items of the lists have the fields of a webhook that reports a push, except those of GitLab."""
_LISTS: Final[Mapping[HostApi, tuple[str, list[tuple[str, str]]]]] = {
    "github": (
        "/repos/{repository}/pulls",
        [("state", "open"), ("sort", "updated"), ("direction", "desc"), ("per_page", str(PER_PAGE))],
    ),
    "gitea": (
        "/api/v1/repos/{repository}/pulls",
        [("state", "open"), ("sort", "recentupdate"), ("limit", str(PER_PAGE))],
    ),
    "gitlab": (
        "/api/v4/projects/{id}/merge_requests",
        [("state", "opened"), ("order_by", "updated_at"), ("per_page", str(PER_PAGE))],
    ),
    "bitbucket": (
        "/2.0/repositories/{repository}/pullrequests",
        [("state", "OPEN"), ("sort", "-updated_on"), ("pagelen", str(PER_PAGE))],
    ),
    "bitbucket-server": (
        "/rest/api/1.0/projects/{project}/repos/{name}/pull-requests",
        [("state", "OPEN"), ("order", "NEWEST"), ("limit", str(PER_PAGE))],
    ),
}
