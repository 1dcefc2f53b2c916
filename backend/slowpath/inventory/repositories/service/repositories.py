"""Create, update and delete repositories. Credentials are stored encrypted and sent only to their host."""

import base64
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, cast
from urllib.parse import urlsplit

from slowpath.core.db_sessions import ReadSession, WriteSession
from slowpath.core.encryption import DecryptionError, SecretEncryptor
from slowpath.core.git_ports import GitRemotePolicy
from slowpath.core.github_app import check_app_credential, is_app_credential
from slowpath.core.ids import RepositoryId, ServiceId, new_id
from slowpath.core.jobs import enqueue, enqueue_unless_pending
from slowpath.inventory.catalog.service import catalog_entries
from slowpath.inventory.repositories import queries
from slowpath.inventory.repositories.errors import (
    InvalidGitCredentials,
    RepositoryNotFetched,
    RepositoryNotFound,
    RepositoryUrlTaken,
    TooManyRepositories,
)
from slowpath.inventory.repositories.jobs import DeleteRepositoryMirror, FetchRepository, PollRepository
from slowpath.inventory.repositories.queries import After
from slowpath.inventory.repositories.read_models import RepositoryWithServices
from slowpath.inventory.repositories.rules import (
    LOOKS_AGAIN_AFTER_S,
    LOOKS_AT_FAULTY_AFTER_S,
    MOST_REPOSITORIES,
    MOST_TAGS,
    Credentials,
    RepositoryKind,
)
from slowpath.inventory.repositories.rules.code_host_links import LINKED_KINDS
from slowpath.inventory.repositories.tables import Repository, ServiceRepository

TOKEN: Final = re.compile(r"[\x21-\x7e]+")
TOKEN_USERS: Final[Mapping[str, str]] = {
    "github": "x-access-token",
    "gitlab": "oauth2",
    "bitbucket": "x-token-auth",
    "gitea": "oauth2",
}
"""The user name for a token: these code hosts accept the token as a password."""
HOST_NAMES: Final[Mapping[str, RepositoryKind]] = {
    "github": "github",
    "gitlab": "gitlab",
    "bitbucket": "bitbucket",
    "gitea": "gitea",
    "codeberg": "gitea",
}
"""Kind by the first part of a host's name."""


@dataclass(frozen=True)
class GitCredentials:
    """Credentials as they were entered."""

    kind: Credentials
    token: str = ""
    username: str = ""
    password: str = ""

    def header(self, of: str) -> str | None:
        """Return the Authorization header for a kind of host, or the credential of a GitHub App. Raises `InvalidGitCredentials`."""
        if self.kind == "none":
            return None
        if self.kind == "bearer":
            if not TOKEN.fullmatch(self.token):
                raise InvalidGitCredentials("A token is needed: visible characters of ASCII, without spaces.")
            if is_app_credential(self.token):
                if of != "github":
                    raise InvalidGitCredentials("Only repositories at GitHub accept the credential of a GitHub App.")
                check_app_credential(self.token)
                return self.token  # each fetch gets an access token with it
            if of not in TOKEN_USERS:
                return f"Bearer {self.token}"
            return _basic(TOKEN_USERS[of], self.token)
        if not self.username or ":" in self.username:
            raise InvalidGitCredentials("The user name is missing or contains a colon.")
        return _basic(self.username, self.password)


@dataclass(frozen=True)
class ServiceSource:
    """A service that is built from a repository."""

    service_id: ServiceId
    directory: str
    main_package: str


def list_repositories(session: ReadSession, after: After, limit: int) -> list[RepositoryWithServices]:
    """Return repositories, newest first."""
    return _with_services(session, queries.repositories(session, after, limit))


def get_repository(session: ReadSession, repository_id: RepositoryId) -> Repository:
    """Return one repository. Raises `RepositoryNotFound`."""
    return _there(queries.repository(session, repository_id))


def get_repository_with_services(session: ReadSession, row: Repository) -> RepositoryWithServices:
    """Return a repository with the services that are built from it."""
    return _with_services(session, [row])[0]


def create_repository(
    session: WriteSession,
    sealer: SecretEncryptor,
    remotes: GitRemotePolicy,
    *,
    label: str,
    url: str | None,
    kind: RepositoryKind | None,
    web_url: str | None,
    file_template: str | None = None,
    sign_in: GitCredentials,
    credentials_of: RepositoryId | None = None,
    services: Sequence[ServiceSource],
) -> Repository:
    """Create a repository, and fetch it if it has a URL; `credentials_of` is a repository whose credentials are used.

    Raises `AddressNotAllowed`, `InvalidGitCredentials`, `RepositoryUrlTaken`, `TooManyRepositories`, `ServiceNotFound`.
    """
    _require_room(session)
    row = Repository(team_id=session.team_id, id=new_id(), label=label, branch_heads={})
    other = None if credentials_of is None else get_repository(session, credentials_of)
    _place(
        session, remotes, row, url, cast("RepositoryKind", other.kind) if other is not None and kind is None else kind
    )
    row.web_url, row.file_template = web_url or guess_web_url(row.kind, row.url), file_template
    if other is None:
        _seal(row, sealer, sign_in)
    else:
        _copy_credentials(row, sealer, other)
    session.add(row)
    session.flush()
    _build(session, row, services)
    if row.url is not None:
        enqueue_unless_pending(session, FetchRepository(RepositoryId(row.id)))
    return row


def create_pushed_repository(session: WriteSession, *, label: str, services: Sequence[ServiceSource]) -> Repository:
    """Create a repository whose commits are pushed: without URL and credentials.

    Raises `TooManyRepositories`, `ServiceNotFound`.
    """
    _require_room(session)
    row = Repository(
        team_id=session.team_id, id=new_id(), label=label, branch_heads={}, kind="pushed", credentials="none"
    )
    session.add(row)
    session.flush()
    _build(session, row, services)
    return row


def _require_room(session: ReadSession) -> None:
    there = queries.count_repositories(session)
    if there >= MOST_REPOSITORIES:
        raise TooManyRepositories(
            "The team has reached its limit of repositories.",
            limit=MOST_REPOSITORIES,
            actual=there,
            unit="repositories",
        )


def update_repository(
    session: WriteSession,
    sealer: SecretEncryptor,
    remotes: GitRemotePolicy,
    repository_id: RepositoryId,
    *,
    values: Mapping[str, Any],
    sign_in: GitCredentials | None,
    services: Sequence[ServiceSource] | None,
) -> Repository:
    """Update label, url, kind, web_url, file_template, credentials or services. Raises as `create_repository` does.

    Stored credentials are never sent to another host.
    """
    row = _there(queries.lock_repository(session, repository_id))
    before = row.url, row.kind
    if "url" in values or "kind" in values:
        url = values.get("url", row.url)
        if url != row.url and row.credentials != "none" and sign_in is None and _origin(url) != _origin(row.url):
            raise InvalidGitCredentials(
                "The URL has another host, and the stored credentials belong to the old host.",
                slug="credentials-needed-again",
                remedy="Send the credentials together with the URL.",
            )
        _place(session, remotes, row, url, values.get("kind", None if url != row.url else row.kind))
        row.web_url = guess_web_url(row.kind, row.url)
    if "label" in values:
        row.label = values["label"]
    if "web_url" in values:
        row.web_url = values["web_url"] or guess_web_url(row.kind, row.url)
    if "file_template" in values:
        row.file_template = values["file_template"]
    if sign_in is not None:
        _seal(row, sealer, sign_in)
    elif row.credentials == "bearer" and row.kind != before[1]:
        raise InvalidGitCredentials(
            "The stored token belongs to another kind of code host.",
            slug="credentials-needed-again",
            remedy="Enter the token again.",
        )
    if services is not None:
        _build(session, row, services)
    if row.url is not None and (row.url != before[0] or sign_in is not None):
        row.problem = None
        enqueue_unless_pending(session, FetchRepository(repository_id))
    return row


def delete_repository(session: WriteSession, repository_id: RepositoryId) -> Repository:
    """Delete a repository with its commits. Raises `RepositoryNotFound`."""
    row = get_repository(session, repository_id)
    session.delete(row)
    if row.url is not None:
        enqueue(session, DeleteRepositoryMirror(repository_id))
    return row


def enqueue_fetch(session: WriteSession, repository_id: RepositoryId, *, after_s: float = 0.0) -> None:
    """Enqueue a fetch of a repository, once. Raises `RepositoryNotFound`, `RepositoryNotFetched`."""
    if _there(queries.lock_repository(session, repository_id)).url is None:
        raise RepositoryNotFetched("This repository has no URL to fetch from: its commit metadata is pushed.")
    enqueue_unless_pending(session, FetchRepository(repository_id), after_s=after_s)


def authorization(row: Repository, sealer: SecretEncryptor) -> str | None:
    """Return the header for a repository's host, or the credential of a GitHub App. Raises `InvalidGitCredentials` if the key has changed."""
    if row.encrypted_credentials is None:
        return None
    try:
        return sealer.unseal(row.encrypted_credentials, row.team_id, row.id)
    except DecryptionError as error:
        raise InvalidGitCredentials(
            "The credentials of this repository cannot be decrypted: SLOWPATH_SECRET_KEY has changed.",
            slug="credentials-unreadable",
            remedy="Enter the credentials again.",
        ) from error


def record_fetch(
    session: WriteSession,
    repository_id: RepositoryId,
    *,
    heads: Mapping[str, str],
    tags: Mapping[str, str],
    default_branch: str | None,
    at: datetime,
) -> None:
    """Record a successful fetch."""
    row = get_repository(session, repository_id)
    row.branch_heads, row.default_branch, row.fetched_at, row.problem = dict(heads), default_branch, at, None
    row.tags = dict(sorted(tags.items())[:MOST_TAGS])
    enqueue_unless_pending(session, PollRepository(repository_id), after_s=LOOKS_AGAIN_AFTER_S)


def record_fetch_failure(session: WriteSession, repository_id: RepositoryId, problem: dict[str, Any]) -> None:
    """Record a failed fetch; known commits remain."""
    row = queries.repository(session, repository_id)
    if row is not None:
        row.problem = problem
        enqueue_unless_pending(session, PollRepository(repository_id), after_s=LOOKS_AT_FAULTY_AFTER_S)


def poll_repository(session: WriteSession, repository_id: RepositoryId, now: datetime) -> None:
    """Enqueue a fetch unless one ran recently; a deleted repository is ignored."""
    row = queries.repository(session, repository_id)
    if row is None or row.url is None:
        return
    since_s = LOOKS_AGAIN_AFTER_S if row.fetched_at is None else (now - row.fetched_at).total_seconds()
    if row.problem is None and since_s < LOOKS_AGAIN_AFTER_S:
        enqueue_unless_pending(session, PollRepository(repository_id), after_s=LOOKS_AGAIN_AFTER_S - since_s)
    else:
        enqueue_unless_pending(session, FetchRepository(repository_id))


def guess_web_url(kind: str, url: str | None) -> str | None:
    """Return the web URL of a repository at a known code host."""
    if url is None or kind not in LINKED_KINDS:
        return None
    return url.rstrip("/").removesuffix(".git")


def guess_host_kind(url: str) -> RepositoryKind:
    """Detect the kind of a host by its name."""
    host = (urlsplit(url).hostname or "").lower()
    return HOST_NAMES.get(host.split(".", 1)[0], "other") if "." in host else "other"


def _place(
    session: WriteSession, remotes: GitRemotePolicy, row: Repository, url: str | None, kind: RepositoryKind | None
) -> None:
    if url is None:
        row.kind, row.url = "pushed", None
        return
    remotes.check(url)
    taken = queries.repository_at(session, url)
    if taken is not None and taken.id != row.id:
        raise RepositoryUrlTaken(
            f"The repository {taken.label} already has this URL.", remedy="Change that repository, or use another URL."
        )
    row.url, row.kind = url, guess_host_kind(url) if kind in {None, "pushed"} else str(kind)


def _seal(row: Repository, sealer: SecretEncryptor, sign_in: GitCredentials) -> None:
    header = sign_in.header(row.kind)
    row.credentials = sign_in.kind
    row.encrypted_credentials = None if header is None else sealer.seal(header, row.team_id, row.id)


def _copy_credentials(row: Repository, sealer: SecretEncryptor, other: Repository) -> None:
    if _origin(row.url) != _origin(other.url) or row.kind != other.kind:
        raise InvalidGitCredentials(
            f"The credentials of {other.label} belong to another host.",
            slug="credentials-of-another-host",
            remedy="Enter the credentials of this host.",
        )
    secret = authorization(other, sealer)
    row.credentials = other.credentials
    row.encrypted_credentials = None if secret is None else sealer.seal(secret, row.team_id, row.id)


def _build(session: WriteSession, row: Repository, services: Sequence[ServiceSource]) -> None:
    """Link services to a repository. This ends a service's link to another repository."""
    by_service = {one.service_id: one for one in services}
    for built in queries.services_of(session, [row.id]):
        if built.service_id not in by_service:
            session.delete(built)
    session.flush()
    for service_id, one in by_service.items():
        catalog_entries.service(session, service_id)
        found = queries.service_repository(session, service_id)
        if found is None:
            found = ServiceRepository(team_id=session.team_id, id=new_id(), service_id=service_id)
            session.add(found)
        found.repository_id, found.directory, found.main_package = row.id, one.directory, one.main_package
    session.flush()


def _with_services(session: ReadSession, rows: Sequence[Repository]) -> list[RepositoryWithServices]:
    ids = [row.id for row in rows]
    built = queries.services_of(session, ids)
    names = queries.service_names(session, [one.service_id for one in built])
    counts = queries.count_commits(session, ids)
    fetching = queries.fetching(session, ids)
    return [
        RepositoryWithServices(
            row,
            [(one, names[one.service_id]) for one in built if one.repository_id == row.id],
            counts.get(row.id, 0),
            row.id in fetching,
        )
        for row in rows
    ]


def _basic(username: str, password: str) -> str:
    try:
        pair = f"{username}:{password}".encode()
    except UnicodeEncodeError as error:
        raise InvalidGitCredentials("The user name or the password contains an invalid character.") from error
    return "Basic " + base64.b64encode(pair).decode()


def _origin(url: str | None) -> tuple[str, str]:
    parts = urlsplit(url or "")
    return parts.scheme, parts.netloc.lower()


def _there(row: Repository | None) -> Repository:
    if row is None:
        raise RepositoryNotFound("The team has no such repository.")
    return row
