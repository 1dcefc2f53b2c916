"""List the repositories at a code host that the credentials of a known repository can read."""

import base64
import binascii
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final
from urllib.parse import urlsplit

from slowpath.core.db_sessions import ReadSession
from slowpath.core.encryption import SecretEncryptor
from slowpath.core.errors import UpstreamUnavailable
from slowpath.core.github_app import INSTALLATION_TOKENS, JSON_HEADERS, READ_CODE, find_api_url, is_app_credential
from slowpath.core.ids import RepositoryId
from slowpath.core.ports import EgressConnection, HttpResponse
from slowpath.inventory.repositories import queries
from slowpath.inventory.repositories.errors import HostNotListed, InvalidGitCredentials
from slowpath.inventory.repositories.read_models import HostRepositories, HostRepository
from slowpath.inventory.repositories.service import repositories

SECONDS: Final = 10.0
"""Per request."""
MAX_ANSWER_BYTES: Final = 4 << 20
"""A page of a hundred repositories of GitHub has about 700 kB."""
MOST_PAGES: Final = 10
PER_PAGE: Final = 100
NAME: Final = re.compile(r"[\w.-]{1,255}(?:/[\w.-]{1,255}){1,20}", re.ASCII)
BRANCH: Final = re.compile(r"[^\x00-\x20\x7f]{1,250}")
MOST_DESCRIPTION: Final = 300


@dataclass(frozen=True)
class HostAccess:
    """How to request the list of a code host."""

    kind: str
    api_url: str
    origin: str
    secret: str = field(repr=False)
    url: str
    """Of the repository whose credentials are used."""
    known_urls: frozenset[str]
    """URLs of the repositories that the team has."""


def get_host_access(session: ReadSession, repository_id: RepositoryId, sealer: SecretEncryptor) -> HostAccess:
    """Return the access to a repository's host. Raises `RepositoryNotFound`, `HostNotListed`, `InvalidGitCredentials`."""
    row = repositories.get_repository(session, repository_id)
    if row.url is None or row.kind not in _LISTS:
        raise HostNotListed(
            "Only the repositories of GitHub, GitLab and Gitea can be listed.",
            remedy="Enter the URL of the repository.",
        )
    secret = repositories.authorization(row, sealer)
    if secret is None:
        raise HostNotListed(
            f"The repository {row.label} has no credentials.",
            remedy="Add credentials to it, or enter the URL of the repository.",
        )
    parsed = urlsplit(row.url)
    origin = f"{parsed.scheme}://{parsed.netloc}"
    api_url = find_api_url(row.url) if row.kind == "github" else origin
    return HostAccess(
        row.kind, api_url, origin, read_token(secret), row.url, frozenset(queries.repository_urls(session))
    )


def list_host_repositories(peer: EgressConnection, access: HostAccess, now: datetime) -> HostRepositories:
    """Request the list, at most 1,000 repositories. Raises `InvalidGitCredentials`, and what `peer.get` raises."""
    if not is_app_credential(access.secret):
        path, headers = _LISTS[access.kind]
        return _read_pages(peer, access, path, {**headers, **token_headers(access.kind, access.secret)})
    use = INSTALLATION_TOKENS.use(
        access.secret, peer, api_url=access.api_url, repository=None, permissions=READ_CODE, now=now
    )
    with use as token:
        return _read_pages(
            peer, access, "/installation/repositories", {**JSON_HEADERS, **token_headers("github", token)}
        )


def _read_pages(peer: EgressConnection, access: HostAccess, path: str, headers: Mapping[str, str]) -> HostRepositories:
    found: dict[str, HostRepository] = {}
    for page in range(1, MOST_PAGES + 1):
        query = [("per_page", str(PER_PAGE)), ("limit", str(PER_PAGE)), ("page", str(page)), *_ORDER[access.kind]]
        answer = peer.get(path, query, headers, max_bytes=MAX_ANSWER_BYTES, seconds=SECONDS)
        listed = _read(answer, access)
        for one in listed:
            parsed = _parse(one, access)
            if parsed is not None:
                found.setdefault(parsed.url, parsed)
        if not listed:  # a host may return fewer per page than requested
            return HostRepositories(list(found.values()), is_complete=True)
    return HostRepositories(list(found.values()), is_complete=False)


def _read(answer: HttpResponse, access: HostAccess) -> list[Any]:
    host = urlsplit(access.api_url).netloc
    if answer.status in {401, 403}:
        raise InvalidGitCredentials(
            f"{host} answered {answer.status}: these credentials may not list repositories.",
            slug="credentials-cannot-list",
            remedy="Use a token that may read the API, or enter the URL of the repository.",
        )
    try:
        content = json.loads(answer.content) if answer.status == 200 else None
    except (ValueError, RecursionError):
        content = None
    listed = content.get("repositories") if isinstance(content, dict) else content
    if not isinstance(listed, list):
        raise UpstreamUnavailable(
            f"{host} answered {answer.status} without a list of repositories.", slug="answer-no-list"
        )
    return listed[:PER_PAGE]


def _parse(one: object, access: HostAccess) -> HostRepository | None:
    """Return a repository of the host's answer; None unless it has a name and an address at this host."""
    if not isinstance(one, dict):
        return None
    name = one.get("path_with_namespace") or one.get("full_name")
    url = one.get("http_url_to_repo") or one.get("clone_url")
    branch, description = one.get("default_branch"), one.get("description")
    if not isinstance(name, str) or not NAME.fullmatch(name) or not isinstance(url, str):
        return None
    if not url.startswith(f"{access.origin}/") or not url.removesuffix(".git").endswith(f"/{name}"):
        return None  # credentials are for this host only
    bare = url.removesuffix(".git")
    return HostRepository(
        name,
        url,
        " ".join(description.split())[:MOST_DESCRIPTION] if isinstance(description, str) else "",
        branch if isinstance(branch, str) and BRANCH.fullmatch(branch) else None,
        bool({bare, f"{bare}.git"} & access.known_urls),
    )


def read_token(secret: str) -> str:
    """Return the token in a stored Authorization header; the credential of an app is returned as it is."""
    kind, _, value = secret.partition(" ")
    if kind != "Basic":
        return value or secret
    try:
        return base64.b64decode(value, validate=True).decode().partition(":")[2]
    except (binascii.Error, UnicodeDecodeError) as error:
        raise InvalidGitCredentials("The stored credentials cannot be used with an API.") from error


def token_headers(kind: str, token: str) -> dict[str, str]:
    """Return the headers that send a token to the API of a kind of host."""
    if kind == "gitlab":
        return {"PRIVATE-TOKEN": token}
    return {"Authorization": f"token {token}" if kind == "gitea" else f"Bearer {token}"}


_LISTS: Final[Mapping[str, tuple[str, Mapping[str, str]]]] = {
    "github": ("/user/repos", JSON_HEADERS),
    "gitlab": ("/api/v4/projects", {}),
    "gitea": ("/api/v1/user/repos", {}),
}
"""Path and headers of the list, by kind of host."""
_ORDER: Final[Mapping[str, list[tuple[str, str]]]] = {
    "github": [("sort", "pushed")],
    "gitlab": [("membership", "true"), ("simple", "true"), ("order_by", "last_activity_at")],
    "gitea": [],
}
