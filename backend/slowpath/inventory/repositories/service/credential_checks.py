"""Ask a code host whether the credentials of a repository work, and when its token expires."""

import json
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from typing import Final, Literal
from urllib.parse import urlsplit

from slowpath.core.errors import SlowpathError
from slowpath.core.github_app import (
    INSTALLATION_TOKENS,
    READ_CODE,
    InvalidAppCredential,
    find_api_url,
    is_app_credential,
    make_git_header,
)
from slowpath.core.ports import EgressClient, HttpResponse
from slowpath.inventory.repositories.rules import HOST_APIS
from slowpath.inventory.repositories.service.host_access import make_api_headers, make_host_access

SECONDS: Final = 10.0
"""Per request."""
MAX_ANSWER_BYTES: Final = 256 << 10
CAPABILITIES: Final = (("service", "git-upload-pack"),)
GIT_HEADERS: Final = {"Git-Protocol": "version=2"}
"""With version 2 of the protocol a host answers its capabilities, not its references."""
GITHUB_TIMES: Final = ("%Y-%m-%d %H:%M:%S UTC", "%Y-%m-%d %H:%M:%S %z")
CredentialState = Literal["valid", "refused", "unknown"]


@dataclass(frozen=True)
class CredentialCheck:
    """Whether credentials can read a repository now, and until when; `detail`: what the host answered."""

    state: CredentialState
    expires_at: datetime | None = None
    detail: str = ""


def check_credentials(egress: EgressClient, kind: str, url: str, authorization: str, now: datetime) -> CredentialCheck:
    """Request the capabilities of a repository with its credentials, and the expiry of its token where the host states it."""
    try:
        refused = _refusal(egress, url, authorization, now)
    except InvalidAppCredential as error:
        return CredentialCheck("refused", None, str(error))
    except SlowpathError as error:
        return CredentialCheck("unknown", None, str(error))
    if refused is not None:
        return CredentialCheck("refused", None, refused)
    if is_app_credential(authorization):
        return CredentialCheck("valid", None, "Each use gets its own token of the GitHub App.")
    try:
        return CredentialCheck("valid", _expiry(egress, kind, url, authorization))
    except SlowpathError:
        return CredentialCheck("valid")  # the API need not be reachable to read a repository


def _refusal(egress: EgressClient, url: str, authorization: str, now: datetime) -> str | None:
    """Return how the host refuses to serve the repository with these credentials, or None."""
    header = authorization
    if is_app_credential(authorization):
        api_url = find_api_url(url)
        with egress.opened(api_url) as peer, INSTALLATION_TOKENS.use(
            authorization, peer, api_url=api_url, repository=url, permissions=READ_CODE, now=now
        ) as token:  # fmt: skip
            header = make_git_header(token)
    parsed = urlsplit(url)
    with egress.opened(f"{parsed.scheme}://{parsed.netloc}") as peer:
        answer = peer.get(
            f"{parsed.path.rstrip('/')}/info/refs", CAPABILITIES, {**GIT_HEADERS, "Authorization": header},
            max_bytes=MAX_ANSWER_BYTES, seconds=SECONDS,
        )  # fmt: skip
    if answer.status in {401, 403, 404}:
        return f"{parsed.netloc} answered {answer.status} for this repository."
    return None


def _expiry(egress: EgressClient, kind: str, url: str, authorization: str) -> datetime | None:
    """Return when a token expires, as GitHub or GitLab states it; None if it does not, or nothing is stated."""
    if HOST_APIS.get(kind) not in {"github", "gitlab"}:
        return None
    access = make_host_access(kind, url, authorization)
    path = f"/repos/{access.repository}" if access.api == "github" else "/api/v4/personal_access_tokens/self"
    headers = make_api_headers(access.api, authorization)
    with egress.opened(access.api_url) as peer:
        answer = peer.get(path, (), headers, max_bytes=MAX_ANSWER_BYTES, seconds=SECONDS)
    return _parse_github_time(answer.token_expiration) if access.api == "github" else _read_gitlab_expiry(answer)


def _parse_github_time(text: str) -> datetime | None:
    for pattern in GITHUB_TIMES:
        try:
            found = datetime.strptime(text, pattern)  # noqa: DTZ007 - the first pattern is in UTC
            return found.replace(tzinfo=UTC) if found.tzinfo is None else found.astimezone(UTC)
        except (ValueError, OverflowError):
            continue
    return None


def _read_gitlab_expiry(answer: HttpResponse) -> datetime | None:
    """Return the day on which a token expires, at midnight UTC. Tokens without a scope for the API get no answer."""
    try:
        content = json.loads(answer.content) if answer.status == 200 else None
        day = content.get("expires_at") if isinstance(content, dict) else None
        return datetime.combine(date.fromisoformat(day), time(), UTC) if isinstance(day, str) else None
    except (ValueError, RecursionError):
        return None
