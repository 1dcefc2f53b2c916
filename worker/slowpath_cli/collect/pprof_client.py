"""Asking one process over HTTP, trusting nothing that it answers.

Answers are bounded in size and time, are never unpacked on the way (a compressed answer stays compressed), and a
redirect is followed only on the same scheme, host and port: the address was typed by a person who meant that machine.
"""

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import TracebackType
from typing import Self
from urllib.parse import SplitResult, urlsplit

import httpx

from slowpath_cli.core.collect_errors import (
    InvalidArgument,
    ProfileNotOffered,
    RequestDeclined,
    ResponseRejected,
    TargetUnreachable,
)

KIB, MIB = 1024, 1024 * 1024
METRICS_BYTES = 16 * MIB
PROFILE_BYTES = 64 * MIB
TRACE_BYTES = 512 * MIB
ERROR_TEXT_BYTES = 2 * KIB
CONNECT_SECONDS = 5.0
GRACE_SECONDS = 20.0
"""What an answer may take beyond the window that was asked for: writing a profile of a large program takes seconds."""
MAX_REDIRECTS = 3


@dataclass(frozen=True)
class PprofResponse:
    """What came back. `body` is as sent, never unpacked."""

    status: int
    content_type: str
    body: bytes


@dataclass(frozen=True)
class PprofTarget:
    """Where a process shows its profiles and its metrics."""

    origin: str
    profiles_path: str
    metrics_url: str
    authority: str
    host: str
    port: int

    @classmethod
    def parse(cls, text: str, metrics_url: str | None = None) -> "PprofTarget":
        """An address as people type it: `host:port`, an origin, or the full `/debug/pprof` path. Raises `InvalidArgument`."""
        parts = _split(text if "://" in text else f"http://{text}")
        origin = f"{parts.scheme}://{parts.netloc}"
        path = parts.path.rstrip("/")
        profiles = path if path.endswith("/pprof") else f"{path}/debug/pprof"
        metrics = metrics_url or f"{origin}/metrics"
        _split(metrics)
        port = parts.port or (443 if parts.scheme == "https" else 80)
        return cls(origin, profiles, metrics, parts.netloc.rpartition("@")[2], parts.hostname or "", port)


def _split(url: str) -> SplitResult:
    try:
        parts = urlsplit(url)
        known = parts.scheme in {"http", "https"} and bool(parts.hostname) and (parts.port is None or parts.port > 0)
    except ValueError as error:
        raise InvalidArgument(f"{url!r} is not an address: {error}. Give host:port or http://host:port.") from error
    if not known:
        raise InvalidArgument(f"{url!r} is not an address of a process: give host:port or http://host:port.")
    return parts


@dataclass
class PprofClient:
    """An HTTP client for one process. Use as a context manager; not for several threads."""

    headers: Mapping[str, str] = field(default_factory=dict)
    grace_seconds: float = GRACE_SECONDS
    sent: int = field(default=0, init=False)
    """Requests made so far."""
    _http: httpx.Client = field(init=False)

    def __post_init__(self) -> None:
        self._http = httpx.Client(
            headers={"User-Agent": "slowpath-collect", **self.headers, "Accept-Encoding": "identity"},
            follow_redirects=False,
            trust_env=False,  # a proxy from the environment would see a process that is meant to be near
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._http.close()

    def get(self, url: str, *, limit_bytes: int, window_seconds: float = 0.0) -> PprofResponse:
        """GET within `limit_bytes` and `window_seconds` + `grace_seconds`. Raises the errors of this package; 2xx only."""
        for _ in range(MAX_REDIRECTS + 1):
            answer, location = self._once(url, limit_bytes, window_seconds)
            if location is None:
                return answer
            url = _same_place(url, location)
        raise ResponseRejected(f"{url} redirects more than {MAX_REDIRECTS} times.")

    def _once(self, url: str, limit_bytes: int, window_seconds: float) -> tuple[PprofResponse, str | None]:
        self.sent += 1
        allowed = window_seconds + self.grace_seconds
        timeout = httpx.Timeout(allowed, connect=CONNECT_SECONDS)
        deadline = time.monotonic() + allowed
        try:
            with self._http.stream("GET", url, timeout=timeout) as response:
                if response.has_redirect_location:
                    return PprofResponse(response.status_code, "", b""), response.headers["location"]
                if not response.is_success:
                    _decline(url, response.status_code, _read(response, url, ERROR_TEXT_BYTES, deadline, cut=True))
                body = _read(response, url, limit_bytes, deadline)
                return PprofResponse(response.status_code, response.headers.get("content-type", ""), body), None
        except httpx.ConnectError as error:
            raise TargetUnreachable(
                f"Nothing answers at {url} ({error}). Is the process running, and is this its address?"
            ) from error
        except httpx.ConnectTimeout as error:
            raise TargetUnreachable(
                f"{url} does not answer within {CONNECT_SECONDS:.0f} s: wrong host, or a firewall?"
            ) from error
        except httpx.TimeoutException as error:
            raise ResponseRejected(f"{url} was silent for {allowed:.0f} s; gave up.") from error
        except (httpx.RemoteProtocolError, httpx.ReadError, httpx.WriteError) as error:
            raise ResponseRejected(
                f"{url} broke off its answer ({error}). A WriteTimeout of the server shorter than the window does this, "
                "and so does a process that ended."
            ) from error
        except (httpx.InvalidURL, httpx.UnsupportedProtocol) as error:
            raise InvalidArgument(f"{url!r} is not an address: {error}.") from error


def _read(response: httpx.Response, url: str, limit_bytes: int, deadline: float, *, cut: bool = False) -> bytes:
    """Read a body piece by piece. A body over the limit is refused, or cut off if that is enough (texts of errors)."""
    body = bytearray()
    for piece in response.iter_raw():
        body += piece
        if len(body) > limit_bytes:
            if cut:
                return bytes(body[:limit_bytes])
            raise ResponseRejected(
                f"{url} answers with more than {limit_bytes:,} bytes, the limit for this kind. Ask for a shorter window."
            )
        if time.monotonic() > deadline:
            raise ResponseRejected(f"{url} sends too slowly: {len(body):,} bytes so far, and its time is over.")
    return bytes(body)


def _same_place(url: str, location: str) -> str:
    target = str(httpx.URL(url).join(location))
    was, now = _split(url), _split(target)
    if (was.scheme, was.hostname, was.port) != (now.scheme, now.hostname, now.port):
        raise ResponseRejected(
            f"{url} redirects to another place ({printable(target)}); not followed. If that is what you want, give it as the address."
        )
    return target


def _decline(url: str, status: int, body: bytes) -> None:
    said = printable(body.decode("utf-8", "replace").strip().split("\n")[0])
    if status == 404:
        raise ProfileNotOffered(f"{url} does not exist (404).")
    if "WriteTimeout" in said:
        raise RequestDeclined(
            f"{url}: {said}. The window is longer than the server's WriteTimeout: ask for fewer --seconds, or raise it.",
            status=status,
        )
    if status in {401, 403}:
        raise RequestDeclined(
            f"{url} wants to know who asks ({status}): give --header 'Authorization: Bearer ...'.", status=status
        )
    busy = "already in use" in said or "already enabled" in said
    raise RequestDeclined(
        f"{url} answers {status}: {said or 'without a word'}", status=status, is_transient=busy or status == 503
    )


def printable(text: str, limit: int = 200) -> str:
    """A text from outside, safe to print on a terminal: one line, no control characters, bounded."""
    kept = "".join(letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in text[: limit + 1])
    return kept[:limit] + ("…" if len(kept) > limit else "")
