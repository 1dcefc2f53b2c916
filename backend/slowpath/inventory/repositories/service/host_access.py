"""Access to the API of a code host with the stored credentials of a repository there."""

import base64
import binascii
import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final
from urllib.parse import unquote, urlsplit

from slowpath.core.db_sessions import ReadSession
from slowpath.core.encryption import SecretEncryptor
from slowpath.core.errors import UpstreamUnavailable
from slowpath.core.github_app import INSTALLATION_TOKENS, JSON_HEADERS, find_api_url, is_app_credential
from slowpath.core.ids import RepositoryId
from slowpath.core.ports import EgressConnection, HttpResponse
from slowpath.inventory.repositories.errors import HostNotListed, InvalidGitCredentials
from slowpath.inventory.repositories.rules import HOST_APIS, HostApi
from slowpath.inventory.repositories.service import repositories

SECONDS: Final = 10.0
"""Per request."""
MAX_ANSWER_BYTES: Final = 4 << 20
"""A page of a hundred repositories of GitHub has about 700 kB."""
BITBUCKET_CLOUD: Final = "bitbucket.org"
TOKEN_USER: Final = repositories.TOKEN_USERS["bitbucket"]
"""The user name of access tokens of Bitbucket; other credentials there are a name and a password."""


@dataclass(frozen=True)
class HostAccess:
    """How to request the API of a code host."""

    api: HostApi
    api_url: str
    origin: str
    """Of the addresses of repositories."""
    repository: str
    """Owner and name, or groups and name, of the repository whose credentials are used."""
    secret: str = field(repr=False)
    """The stored header Authorization, or the credential of a GitHub App."""


def get_host_access(session: ReadSession, repository_id: RepositoryId, sealer: SecretEncryptor) -> HostAccess:
    """Return the access to a repository's host. Raises `RepositoryNotFound`, `HostNotListed`, `InvalidGitCredentials`."""
    row = repositories.get_repository(session, repository_id)
    if row.url is None or row.kind not in HOST_APIS:
        raise HostNotListed(
            "Only the APIs of GitHub, GitLab, Gitea and Bitbucket can be requested.",
            remedy="Enter the URL of the repository.",
        )
    secret = repositories.authorization(row, sealer)
    if secret is None:
        raise HostNotListed(
            f"The repository {row.label} has no credentials.",
            remedy="Add credentials to it, or enter the URL of the repository.",
        )
    return make_host_access(row.kind, row.url, secret)


def make_host_access(kind: str, url: str, secret: str) -> HostAccess:
    """Return the access to the API of a repository's host. `kind` is one of `HOST_APIS`."""
    parsed = urlsplit(url)
    origin, api = f"{parsed.scheme}://{parsed.netloc}", HOST_APIS[kind]
    name = unquote(parsed.path).strip("/").removesuffix(".git").rstrip("/")
    if api == "github":
        return HostAccess(api, find_api_url(url), origin, name, secret)
    if api == "bitbucket" and parsed.hostname == BITBUCKET_CLOUD:
        return HostAccess(api, f"https://api.{BITBUCKET_CLOUD}", origin, name, secret)
    if api == "bitbucket":  # Data Center: https://HOST/scm/PROJECT/NAME.git
        return HostAccess("bitbucket-server", origin, origin, name.rpartition("scm/")[2], secret)
    return HostAccess(api, origin, origin, name, secret)


@contextmanager
def authorize(
    peer: EgressConnection, access: HostAccess, permissions: Mapping[str, str], *, is_one: bool, now: datetime
) -> Iterator[dict[str, str]]:
    """Yield the headers of requests; a GitHub App gets a token for the repository, or for all that it is installed on.

    Raises `InvalidGitCredentials`, `InvalidAppCredential`, and what `peer.send` raises.
    """
    if not is_app_credential(access.secret):
        yield make_api_headers(access.api, access.secret)
        return
    name = access.repository if is_one else None
    use = INSTALLATION_TOKENS.use(
        access.secret, peer, api_url=access.api_url, repository=name, permissions=permissions, now=now
    )
    with use as token:
        yield make_api_headers(access.api, f"Bearer {token}")


def read_json(answer: HttpResponse, access: HostAccess, asked: str) -> Any:  # noqa: ANN401 - any JSON value
    """Return the value of an answer, None without one. Raises `InvalidGitCredentials`, `UpstreamUnavailable`."""
    host = urlsplit(access.api_url).netloc
    if answer.status in {401, 403}:
        raise InvalidGitCredentials(
            f"{host} answered {answer.status}: these credentials may not read {asked}.",
            slug="credentials-cannot-list",
            remedy="Use a token that may read the API, or enter the URL of the repository.",
        )
    if answer.status == 429 or answer.status >= 500:
        raise UpstreamUnavailable(f"{host} answered {answer.status} without {asked}.", slug="answer-no-list")
    try:
        return json.loads(answer.content) if answer.status == 200 else None
    except (ValueError, RecursionError):
        return None


def make_api_headers(api: HostApi, secret: str) -> dict[str, str]:
    """Return the headers that send a stored header Authorization to an API. Raises `InvalidGitCredentials`."""
    user, token = _parse(secret)
    if api == "gitlab":
        return {"PRIVATE-TOKEN": token}
    if api.startswith("bitbucket") and user not in {"", TOKEN_USER}:
        return {"Authorization": secret}
    if api == "gitea":
        return {"Authorization": f"token {token}"}
    return {"Authorization": f"Bearer {token}", **(JSON_HEADERS if api == "github" else {})}


def _parse(secret: str) -> tuple[str, str]:
    """Return user and token of a stored Authorization header; the user of a bearer token is empty."""
    kind, _, value = secret.partition(" ")
    if kind != "Basic":
        return "", value or secret
    try:
        user, _, token = base64.b64decode(value, validate=True).decode().partition(":")
    except (binascii.Error, UnicodeDecodeError) as error:
        raise InvalidGitCredentials("The stored credentials cannot be used with an API.") from error
    return user, token
