"""GitHub Apps instead of stored tokens: where a token of GitHub is accepted, an app credential is accepted, too.

A credential is `github-app:APP_ID:INSTALLATION_ID:KEY`, one line; KEY is the PEM file of the app's private key in base64. It
is stored and encrypted like a token. Each use gets an installation access token for one repository with the permissions of
that use; it is valid for an hour, and reused in this process until five minutes before its end.
"""

import base64
import binascii
import json
import re
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Any, Final
from urllib.parse import urlsplit

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey
from cryptography.hazmat.primitives.serialization import load_pem_private_key
from joserfc import jwt
from joserfc.jwk import RSAKey

from slowpath.core.errors import InvalidRequest, UpstreamUnavailable
from slowpath.core.ports import EgressConnection

PREFIX: Final = "github-app:"
CREDENTIAL: Final = re.compile(
    r"github-app:(?P<app>[A-Za-z0-9.]{1,40}):(?P<installation>[0-9]{1,20}):(?P<key>[A-Za-z0-9+/]{500,3800}={0,2})"
)
TOKEN: Final = re.compile(r"[A-Za-z0-9_.~+/=-]{10,2000}")
MIN_KEY_BITS: Final = 2048
JWT_BACKDATED_SECONDS: Final = 60
"""The clocks of both sides may differ."""
JWT_SECONDS: Final = 540
"""GitHub allows ten minutes."""
MAX_TOKEN_SECONDS: Final = 3600.0
RENEWED_BEFORE_SECONDS: Final = 300.0
MAX_CACHED: Final = 500
MAX_ANSWER_BYTES: Final = 256 << 10
EXCHANGE_SECONDS: Final = 15.0
JSON_HEADERS: Final = {"Accept": "application/vnd.github+json", "X-GitHub-Api-Version": "2022-11-28"}

READ_CODE: Final = {"contents": "read"}
WRITE_STATUSES: Final = {"pull_requests": "write", "statuses": "write"}
WRITE_ISSUES: Final = {"issues": "write"}

Permissions = Mapping[str, str]


class InvalidAppCredential(InvalidRequest):
    """The credential of a GitHub App is malformed, or GitHub rejects it."""

    slug = "app-credential-invalid"


@dataclass(frozen=True)
class _Credential:
    app_id: str
    installation_id: str
    key: RSAKey


def is_app_credential(secret: str) -> bool:
    """Return whether a secret is meant as the credential of a GitHub App."""
    return secret.startswith(PREFIX)


def check_app_credential(secret: str) -> None:
    """Check the form of a credential and its private key. Raises `InvalidAppCredential`."""
    _parse(secret)


def _parse(secret: str) -> _Credential:
    malformed = InvalidAppCredential(
        "The credential of the GitHub App is not github-app:APP_ID:INSTALLATION_ID:KEY with a private RSA key.",
        limit=MIN_KEY_BITS,
        unit="bits of the key at least",
        remedy='Print it with: echo "github-app:APP_ID:INSTALLATION_ID:$(base64 -w0 private-key.pem)"',
    )
    parts = CREDENTIAL.fullmatch(secret)
    if parts is None:
        raise malformed
    try:
        key = load_pem_private_key(base64.b64decode(parts["key"], validate=True), None)
    except (binascii.Error, UnsupportedAlgorithm, ValueError, TypeError) as error:
        raise malformed from error
    if not isinstance(key, RSAPrivateKey) or key.key_size < MIN_KEY_BITS:
        raise malformed
    return _Credential(parts["app"], parts["installation"], RSAKey.import_key(key))


def make_app_headers(secret: str, now: datetime) -> dict[str, str]:
    """Return the headers by which the app itself authenticates: a JWT (RS256). Raises `InvalidAppCredential`."""
    return _headers_of(_parse(secret), now)


def _headers_of(credential: _Credential, now: datetime) -> dict[str, str]:
    issued = int(now.timestamp()) - JWT_BACKDATED_SECONDS
    claims = {"iss": credential.app_id, "iat": issued, "exp": issued + JWT_BACKDATED_SECONDS + JWT_SECONDS}
    return {"Authorization": f"Bearer {jwt.encode({'alg': 'RS256'}, claims, credential.key)}", **JSON_HEADERS}


def find_api_url(repository_url: str) -> str:
    """Return the URL of the API for a repository: of github.com, or of a GitHub Enterprise Server."""
    parsed = urlsplit(repository_url)
    if parsed.hostname in {"github.com", "www.github.com"}:
        return "https://api.github.com"
    return f"{parsed.scheme}://{parsed.netloc}/api/v3"


def find_repository_name(repository: str) -> str:
    """Return the name of a repository from its URL or from owner/name."""
    return urlsplit(repository).path.rstrip("/").rpartition("/")[2].removesuffix(".git")


class InstallationTokens:
    """Gets installation access tokens and caches them in this process."""

    def __init__(self, monotonic: Callable[[], float] = time.monotonic) -> None:
        """Set the clock for the age of a token: one that never jumps."""
        self._monotonic = monotonic
        self._lock = threading.Lock()
        self._cached: dict[bytes, tuple[str, float]] = {}

    @contextmanager
    def use(
        self,
        secret: str,
        peer: EgressConnection,
        *,
        api_url: str,
        repository: str | None,
        permissions: Permissions,
        now: datetime,
    ) -> Iterator[str]:
        """Yield a token for one repository (None: all of the installation); a secret that is no app credential is the token itself.

        After an error inside the block the next use gets another token. Raises `InvalidAppCredential`,
        `UpstreamUnavailable`, and what `EgressConnection.send` raises.
        """
        if not is_app_credential(secret):
            yield secret
            return
        name = None if repository is None else find_repository_name(repository)
        key = sha256(
            "\n".join([api_url, name or "", json.dumps(permissions, sort_keys=True), secret]).encode()
        ).digest()
        token = self._find(key)
        if token is None:
            token, seconds = self._exchange(_parse(secret), peer, name, permissions, now)
            self._store(key, token, seconds)
        try:
            yield token
        except Exception:
            with self._lock:
                self._cached.pop(key, None)
            raise

    def _find(self, key: bytes) -> str | None:
        with self._lock:
            token, until = self._cached.get(key, ("", 0.0))
            return token if self._monotonic() < until else None

    def _store(self, key: bytes, token: str, seconds: float) -> None:
        with self._lock:
            now = self._monotonic()
            if len(self._cached) >= MAX_CACHED:
                self._cached = {each: held for each, held in self._cached.items() if held[1] > now}
            if len(self._cached) < MAX_CACHED:
                self._cached[key] = token, now + seconds - RENEWED_BEFORE_SECONDS

    def _exchange(
        self, credential: _Credential, peer: EgressConnection, name: str | None, permissions: Permissions, now: datetime
    ) -> tuple[str, float]:
        """Return a new token and the seconds that it is valid for."""
        answer = peer.send(
            "POST",
            f"/app/installations/{credential.installation_id}/access_tokens",
            json.dumps(
                {**({} if name is None else {"repositories": [name]}), "permissions": dict(permissions)}
            ).encode(),
            {**_headers_of(credential, now), "Content-Type": "application/json"},
            max_bytes=MAX_ANSWER_BYTES,
            seconds=EXCHANGE_SECONDS,
        )
        if answer.status in {401, 403, 404, 422}:
            wanted = ", ".join(f"{one}: {level}" for one, level in sorted(permissions.items()))
            where = "" if name is None else f" on the repository {name}"
            raise InvalidAppCredential(
                f"GitHub answered {answer.status} to the GitHub App {credential.app_id}: {_REASONS[answer.status]}",
                remedy=f"Install the app{where} with the permissions {wanted}, or enter the credential again.",
            )
        try:
            content: dict[str, Any] = json.loads(answer.content) if answer.status == 201 else {}
            token, ends = content["token"], datetime.fromisoformat(content["expires_at"])
            left = ends - now
        except (ValueError, TypeError, KeyError, RecursionError) as error:
            raise UpstreamUnavailable(
                f"GitHub answered {answer.status} without an access token.", slug="answer-no-token"
            ) from error
        if not isinstance(token, str) or not TOKEN.fullmatch(token) or left <= timedelta(0):
            raise UpstreamUnavailable("GitHub returned an access token that cannot be used.", slug="answer-no-token")
        return token, min(left.total_seconds(), MAX_TOKEN_SECONDS)


def make_git_header(token: str) -> str:
    """Return the header Authorization with which git reads a repository of GitHub."""
    return "Basic " + base64.b64encode(f"x-access-token:{token}".encode()).decode()


_REASONS: Final = {
    401: "the key does not belong to the app, or the clock of this server is wrong.",
    403: "the app is suspended, or may not do this.",
    404: "there is no such installation.",
    422: "the app is not installed on the repository, or has not all permissions.",
}
INSTALLATION_TOKENS: Final = InstallationTokens()
"""Of this process."""
