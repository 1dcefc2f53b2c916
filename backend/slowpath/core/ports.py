"""Protocols of external systems. Their implementations are in `adapters`."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any, Literal, Protocol

from slowpath.core.ids import BlobKey, JobId, TeamId


@dataclass(frozen=True)
class BlobInfo:
    """One blob in a listing of the store."""

    key: BlobKey
    size_bytes: int
    changed_at: datetime


class BlobStore(Protocol):
    """Bytes by key. Keys begin with the team's ID; teams share no blobs."""

    def put(self, key: BlobKey, content: Path | bytes | Iterator[bytes]) -> None:
        """Store the bytes under the key, atomically; iterators are streamed, and a file must not be changed afterwards. Raises `Unavailable`."""

    def listed(self, prefix: str) -> Iterator[Sequence[BlobInfo]]:
        """Yield the blobs below `prefix/` page by page, unordered. Raises `Unavailable`."""

    def read(self, key: BlobKey) -> bytes:
        """Return all bytes. Raises `NotFound`, `Unavailable`."""

    def read_ranges(self, key: BlobKey, ranges: Sequence[tuple[int, int]]) -> list[bytes]:
        """Return the bytes at offsets, up to lengths. Raises `NotFound`, `Unavailable`."""

    def read_range(self, key: BlobKey, offset: int, length: int) -> bytes:
        """Return `length` bytes from an offset. Raises `NotFound`, `Unavailable`."""

    def stream(self, key: BlobKey) -> Iterator[bytes]:
        """Yield the bytes in chunks. Raises `NotFound`, `Unavailable` before the first chunk."""

    def local(self, key: BlobKey) -> AbstractContextManager[Path]:
        """Provide the bytes as a local file; a temporary copy is deleted when the context ends."""

    def exists(self, key: BlobKey) -> bool:
        """Return whether the key exists. Raises `Unavailable`."""

    def delete(self, keys: Iterable[BlobKey]) -> None:
        """Delete blobs; missing keys are ignored. Raises `Unavailable`."""

    def delete_under(self, prefix: str) -> int:
        """Delete all blobs below `prefix/` and return their number. Raises `Unavailable`."""

    def check(self) -> None:
        """Check that the store is available. Raises `Unavailable`."""


class JobQueue(Protocol):
    """Transports job IDs from the relay to the workers. May lose and repeat messages: the jobs table is authoritative."""

    def send(self, job_id: JobId, queue: str, *, again: bool = False) -> None:
        """Send one job's ID to a queue; with priority if its worker died (`again`). Raises `Unavailable`."""

    def count_messages(self) -> Mapping[str, int]:
        """Return the number of messages by queue. Raises `Unavailable`."""

    def check(self) -> None:
        """Check that the broker is available. Raises `Unavailable`."""


@dataclass(frozen=True)
class RateLimitResult:
    """Result for one request: whether it is allowed, how many more are allowed now, and seconds until the next."""

    allowed: bool
    left: int
    wait_s: int


class RateLimiter(Protocol):
    """Counts attempts. If its storage is unavailable, it counts in memory and rejects no request for that reason."""

    def hit(self, key: str, *, times: int, seconds: int) -> bool:
        """Count one attempt and return whether there were at most `times` in the last `seconds`."""

    def take(self, key: str, *, times: int, seconds: int) -> RateLimitResult | None:
        """Count one request of `times` in `seconds`; None while the storage is unavailable."""

    def clear(self, key: str, *, times: int, seconds: int) -> None:
        """Reset the attempts of a key."""


@dataclass(frozen=True)
class ExternalIdentity:
    """A user's identity according to an identity provider. Only issuer and subject are permanent."""

    issuer: str
    """The issuer of OpenID Connect, or `saml:` and an entity ID: one provider may use the same name for both."""
    subject: str
    email: str | None
    email_verified: bool
    """Whether the identity provider verified the e-mail address."""
    name: str
    id_token: str = field(default="", compare=False, repr=False)
    """Identifies the issuer's session at sign-out."""
    authenticated_at: datetime | None = field(default=None, compare=False)
    """When the user signed in at the identity provider, if it states that (`auth_time`, `AuthnInstant`)."""


class OidcIssuerPort(Protocol):
    """The configured OpenID Connect issuer."""

    issuer: str

    def begin(self, *, redirect_uri: str, state: str, nonce: str, verifier: str, forces_sign_in: bool = False) -> str:
        """Return the URL to redirect the browser to; with `forces_sign_in`, the issuer asks also who is signed in there.

        Raises `AddressNotAllowed`, `UpstreamUnavailable`, `NotAuthenticated`.
        """

    def finish(
        self, *, code: str, stated_issuer: str | None, redirect_uri: str, nonce: str, verifier: str, now: datetime
    ) -> ExternalIdentity:
        """Exchange a code for the user's identity. Raises `NotAuthenticated` with the reason, `UpstreamUnavailable`."""

    def leave(self, *, id_token: str, returns_to: str) -> str | None:
        """Return the URL that ends the issuer's session; None if there is none.

        Raises `AddressNotAllowed`, `UpstreamUnavailable`, `NotAuthenticated`.
        """


class SamlProviderPort(Protocol):
    """The configured identity provider of SAML 2.0."""

    issuer: str
    """`saml:` and the entity ID."""

    def metadata(self) -> str:
        """Return our metadata (XML), for the identity provider."""

    def begin(self, *, relay_state: str, forces_sign_in: bool = False) -> tuple[str, str]:
        """Return the URL to redirect the browser to, and the ID of the request.

        With `forces_sign_in`, the identity provider asks also who is signed in there.
        """

    def finish(self, *, response: str, request_id: str) -> ExternalIdentity:
        """Return the identity that a response (base64) to this request states. Raises `NotAuthenticated`."""


class IdTokenVerifier(Protocol):
    """Verifies ID tokens of issuers that users name (OpenID Connect Discovery), such as those of CI jobs."""

    def verify(self, team_id: TeamId, issuer: str, id_token: str, *, audience: str, now: datetime) -> Mapping[str, Any]:
        """Return the claims of a token of this issuer, which the team trusts, for this audience.

        Raises `NotAuthenticated`, `AddressNotAllowed`, `UpstreamUnavailable`, and `Unavailable` if the issuer is slow.
        """


class Clock(Protocol):
    """The current time; tests use a fixed clock."""

    def now(self) -> datetime:
        """Return the current time in UTC."""


@dataclass(frozen=True)
class HttpResponse:
    """Response of an external address."""

    status: int
    content: bytes
    link: str = ""
    """The Link header, which paginated lists use."""
    token_expiration: str = ""
    """When the token of the request expires, as GitHub states it in a header."""


class EgressConnection(Protocol):
    """A connection to one resolved and checked address."""

    def get(
        self,
        path: str,
        query: Sequence[tuple[str, str]] = (),
        headers: Mapping[str, str] | None = None,
        *,
        max_bytes: int,
        seconds: float,
    ) -> HttpResponse:
        """GET a path below the address. Raises `AddressNotAllowed` for a redirect, `TooLarge`, `UpstreamUnavailable`."""

    def send(
        self,
        method: Literal["POST", "PUT", "PATCH"],
        path: str,
        content: bytes,
        headers: Mapping[str, str] | None = None,
        *,
        max_bytes: int,
        seconds: float,
    ) -> HttpResponse:
        """Send a body to a path below the address. Raises like `get`; the request may have been processed anyway."""


class EgressClient(Protocol):
    """HTTP client for addresses given by users, restricted to allowed ones (SSRF protection)."""

    def check(self, url: str) -> None:
        """Check an address without resolving its host. Raises `AddressNotAllowed`."""

    def opened(self, url: str) -> AbstractContextManager[EgressConnection]:
        """Resolve and check an address once. Raises `AddressNotAllowed`, `UpstreamUnavailable`."""


@dataclass(frozen=True)
class InternalResponse:
    """Response of this server's API; `content` is decompressed."""

    request: str
    """Path and sorted query below /api/v1."""
    status: int
    media_type: str
    content: bytes


class InternalApi(Protocol):
    """This server's API with the permissions of the current user, restricted to requests allowed in snapshots."""

    def ask(self, requests: Sequence[str], *, also: Sequence[str] = (), most_bytes: int) -> Sequence[InternalResponse]:
        """Return the responses in the order of the requests, at most `most_bytes` in total.

        Requests in `also` are optional: they are omitted if they fail, or exceed size or time.
        Raises `InvalidRequest` for a request that is not allowed or fails, `TooLarge`, `Unavailable`.
        """


@dataclass(frozen=True)
class EmailMessage:
    """One e-mail. `message_id` is the same for repeated sends."""

    to: str
    subject: str
    text: str
    message_id: str
    thread_id: str = ""
    """What the mails of one incident share; empty: the mail has no thread."""
    unsubscribe_url: str = ""
    """Where a POST without sign-in ends the subscription (RFC 8058); empty: the mail has none."""


class Mailer(Protocol):
    """Sends e-mail."""

    def send(self, mail: EmailMessage) -> None:
        """Send a mail. Raises `InvalidRequest` if it was rejected permanently, `Unavailable` if a retry may help."""
