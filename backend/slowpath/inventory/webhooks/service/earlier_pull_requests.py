"""Ask the API of a code host for the pull request of a commit, with its reviewers: webhooks report only later ones."""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any, Final
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
from slowpath.inventory.webhooks.rules.bitbucket_payloads import read_bitbucket_pull_request
from slowpath.inventory.webhooks.rules.bitbucket_server_payloads import read_bitbucket_server_pull_request
from slowpath.inventory.webhooks.rules.github_payloads import read_github_pull_request
from slowpath.inventory.webhooks.rules.gitlab_payloads import read_gitlab_merge_request
from slowpath.inventory.webhooks.rules.payload_fields import Message, items, number

READ_PULL_REQUESTS: Final = {"contents": "read", "pull_requests": "read"}
"""Permissions of a GitHub App."""
PER_PAGE: Final = "100"
Ask = Callable[..., Any]
"""Requests a path with query parameters; returns the JSON value of the answer."""


def find_pull_request(peer: EgressConnection, access: HostAccess, sha: str, now: datetime) -> PullRequestFacts | None:
    """Return the pull request of a commit, of several a merged one; None if it has none that was reviewed or merged.

    Raises `InvalidGitCredentials`, `InvalidAppCredential`, `UpstreamUnavailable`, and what `peer.get` raises.
    """
    with authorize(peer, access, READ_PULL_REQUESTS, is_one=True, now=now) as headers:

        def ask(path: str, *query: tuple[str, str]) -> Any:  # noqa: ANN401 - any JSON value
            answer = peer.get(path, query, headers, max_bytes=MAX_ANSWER_BYTES, seconds=SECONDS)
            return read_json(answer, access, "pull requests")

        return _READERS[access.api](ask, access.repository, sha)


def _ask_github(ask: Ask, repository: str, sha: str) -> PullRequestFacts | None:
    at = f"/repos/{quote(repository)}"
    pull = _choose(ask(f"{at}/commits/{sha}/pulls", ("per_page", PER_PAGE)), "merged_at")
    known = number(pull.get("number"))
    if known is None:
        return None
    return read_github_pull_request(pull, items(ask(f"{at}/pulls/{known}/reviews", ("per_page", PER_PAGE))))


def _ask_gitea(ask: Ask, repository: str, sha: str) -> PullRequestFacts | None:
    at = f"/api/v1/repos/{quote(repository)}"
    pull = _object(ask(f"{at}/commits/{sha}/pull"))
    known = number(pull.get("number"))
    return None if known is None else read_github_pull_request(pull, items(ask(f"{at}/pulls/{known}/reviews")))


def _ask_gitlab(ask: Ask, repository: str, sha: str) -> PullRequestFacts | None:
    at = f"/api/v4/projects/{quote(repository, safe='')}"
    merge = _choose(ask(f"{at}/repository/commits/{sha}/merge_requests"), "merged_at")
    known = number(merge.get("iid"))
    if known is None:
        return None
    at = f"{at}/merge_requests/{known}"
    notes = ask(f"{at}/notes", ("per_page", PER_PAGE))
    return read_gitlab_merge_request(merge, _object(ask(f"{at}/approvals")), items(notes))


def _ask_bitbucket(ask: Ask, repository: str, sha: str) -> PullRequestFacts | None:
    at = f"/2.0/repositories/{quote(repository)}"
    listed = _object(ask(f"{at}/commit/{sha}/pullrequests")).get("values")
    known = number(_choose(listed, "merge_commit").get("id"))
    return None if known is None else read_bitbucket_pull_request(_object(ask(f"{at}/pullrequests/{known}")))


def _ask_bitbucket_server(ask: Ask, repository: str, sha: str) -> PullRequestFacts | None:
    project, _, name = repository.partition("/")
    found = ask(f"/rest/api/1.0/projects/{quote(project)}/repos/{quote(name)}/commits/{sha}/pull-requests")
    return read_bitbucket_server_pull_request(_choose(_object(found).get("values"), "closedDate"))


def _choose(listed: object, merged: str) -> Message:
    """Return the first pull request that was merged, else the first; an empty one without any."""
    pulls: Sequence[Message] = [one for one in items(listed) if isinstance(one, Mapping)]
    return next((one for one in pulls if one.get(merged) is not None), pulls[0] if pulls else {})


def _object(value: object) -> Message:
    return value if isinstance(value, Mapping) else {}


_READERS: Final[Mapping[HostApi, Callable[[Ask, str, str], PullRequestFacts | None]]] = {
    "github": _ask_github,
    "gitlab": _ask_gitlab,
    "gitea": _ask_gitea,
    "bitbucket": _ask_bitbucket,
    "bitbucket-server": _ask_bitbucket_server,
}
