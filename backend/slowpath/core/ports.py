"""Everything outside the process wall that can fail, as protocols. Real twins live in `adapters`."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Literal, Protocol

from slowpath.core.ids import BlobKey, JobId


@dataclass(frozen=True)
class BlobInfo:
    """One blob as a list of the store tells of it."""

    key: BlobKey
    size_bytes: int
    changed_at: datetime


class BlobStore(Protocol):
    """Bytes by key. Keys begin with the team's id; nothing is shared between teams."""

    def put(self, key: BlobKey, content: Path | bytes | Iterator[bytes]) -> None:
        """Store the bytes under the key, whole or not at all; of pieces only few are held at once. Raises `Unavailable`."""

    def listed(self, prefix: str) -> Iterator[Sequence[BlobInfo]]:
        """Yield what lies beneath `prefix/`, some at a time, in no order. Raises `Unavailable`."""

    def read(self, key: BlobKey) -> bytes:
        """Return all bytes. Raises `NotFound`, `Unavailable`."""

    def read_range(self, key: BlobKey, offset: int, length: int) -> bytes:
        """Return so many bytes from an offset. Raises `NotFound`, `Unavailable`."""

    def stream(self, key: BlobKey) -> Iterator[bytes]:
        """Yield the bytes in chunks. Raises `NotFound`, `Unavailable` before the first chunk."""

    def local(self, key: BlobKey) -> AbstractContextManager[Path]:
        """Give the bytes as a local file that is gone (if it was a copy) when the context ends."""

    def exists(self, key: BlobKey) -> bool:
        """Tell whether something is stored under the key."""

    def delete(self, keys: Iterable[BlobKey]) -> None:
        """Remove what is there; keys of nothing are passed over."""

    def delete_under(self, prefix: str) -> int:
        """Remove every blob whose key begins with `prefix/`; returns how many there were."""

    def check(self) -> None:
        """Raise `Unavailable` when the store does not answer."""


class JobQueue(Protocol):
    """The carrier of job ids from the relay to the workers. May lose and double: the jobs table is the truth."""

    def send(self, job_id: JobId, queue: str, *, again: bool = False) -> None:
        """Send one job's id to a queue; one whose worker died (`again`) before all others. Raises `Unavailable`."""

    def count_messages(self) -> Mapping[str, int]:
        """Return how many messages lie in each queue. Raises `Unavailable`."""

    def check(self) -> None:
        """Raise `Unavailable` when the carrier does not answer."""


@dataclass(frozen=True)
class RateLimitResult:
    """What one request took of a rate: whether it may pass, how many more may now, and when the next may."""

    allowed: bool
    left: int
    wait_s: int


class RateLimiter(Protocol):
    """Counts tries. When what it counts in does not answer it counts in memory, and never refuses for that."""

    def hit(self, key: str, *, times: int, seconds: int) -> bool:
        """Count one try and tell whether there were at most `times` in the last `seconds`."""

    def take(self, key: str, *, times: int, seconds: int) -> RateLimitResult | None:
        """Count one request of `times` in `seconds`; nothing when what it counts in does not answer."""

    def clear(self, key: str, *, times: int, seconds: int) -> None:
        """Forget the tries of this key."""


@dataclass(frozen=True)
class OidcIdentity:
    """Who somebody is, as the issuer told it. Only issuer and subject name them for ever."""

    issuer: str
    subject: str
    email: str | None
    email_verified: bool
    """Whether the issuer vouches that the e-mail is theirs."""
    name: str
    id_token: str = field(default="", compare=False, repr=False)
    """By which the issuer knows later which session of its own is to end."""


class OidcIssuerPort(Protocol):
    """The one whom the operator lets people sign in with (OpenID Connect)."""

    issuer: str

    def begin(self, *, redirect_uri: str, state: str, nonce: str, verifier: str) -> str:
        """Return the address to send a browser to. Raises `AddressRefused`, `DidNotAnswer`, `NotSignedIn`."""

    def finish(
        self, *, code: str, told_issuer: str | None, redirect_uri: str, nonce: str, verifier: str, now: datetime
    ) -> OidcIdentity:
        """Return who came back with a code, or raise `NotSignedIn` saying what is not believed, `DidNotAnswer`."""

    def leave(self, *, id_token: str, returns_to: str) -> str | None:
        """Return the address at which the issuer ends its own session of a browser; None if it names none.

        Raises `AddressRefused`, `DidNotAnswer`, `NotSignedIn`.
        """


class Clock(Protocol):
    """What time it is; a quiet twin stands still in tests."""

    def now(self) -> datetime:
        """Return the time, with its zone (UTC)."""


@dataclass(frozen=True)
class HttpResponse:
    """What an address outside said."""

    status: int
    content: bytes
    link: str = ""
    """The header Link, by which lists say where they go on."""


class EgressConnection(Protocol):
    """One address outside that was resolved and checked; whatever is asked goes to what was checked."""

    def get(
        self,
        path: str,
        query: Sequence[tuple[str, str]] = (),
        headers: Mapping[str, str] | None = None,
        *,
        max_bytes: int,
        seconds: float,
    ) -> HttpResponse:
        """Ask for a path below the address. Raises `AddressRefused` on a redirect, `TooLarge`, `DidNotAnswer`."""

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
        """Send a body to a path below the address. Raises as `get` does; what was sent may have arrived all the same."""


class EgressClient(Protocol):
    """The world beyond, at addresses that people give: only what may be asked is asked."""

    def check(self, url: str) -> None:
        """Raise `AddressRefused` for an address that is refused by its spelling alone; nothing is looked up."""

    def opened(self, url: str) -> AbstractContextManager[EgressConnection]:
        """Resolve and check an address once. Raises `AddressRefused`, `DidNotAnswer`."""


@dataclass(frozen=True)
class InternalResponse:
    """What our own API said to whoever asks; `content` is unpacked."""

    request: str
    """Path and sorted query below /api/v1."""
    status: int
    media_type: str
    content: bytes


class InternalApi(Protocol):
    """Our own API, asked with the rights of whoever is asking now, for what may be frozen and nothing else."""

    def ask(self, requests: Sequence[str], *, also: Sequence[str] = (), most_bytes: int) -> Sequence[InternalResponse]:
        """Return the answers in the order of the requests; all together are at most `most_bytes`.

        What is asked for `also` goes along as far as there is room and time; what is not answered is left out.
        Raises `Refused` naming a request that may not be asked or is not answered, `TooLarge`, `Unavailable`.
        """


@dataclass(frozen=True)
class EmailMessage:
    """One e-mail. `message_id` is what makes a repeated one the same one."""

    to: str
    subject: str
    text: str
    message_id: str


class Mailer(Protocol):
    """Hands e-mail to a server."""

    def send(self, mail: EmailMessage) -> None:
        """Hand one over. Raises `Refused` when the server will never take it, `Unavailable` when it may later."""
