"""HTTP client for the pprof and metrics endpoints of one untrusted process.

Responses are limited in size and time and are not decompressed. Redirects are followed only to the same scheme, host and
port.
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
ERROR_TEXT_BYTES = 2 * KIB
CONNECT_SECONDS = 5.0
GRACE_SECONDS = 20.0
"""Time a response may take beyond the requested window: writing a profile of a large program takes seconds."""
MAX_REDIRECTS = 3


@dataclass(frozen=True)
class PprofResponse:
    """A response; `body` is as sent, not decompressed."""

    status: int
    content_type: str
    body: bytes


@dataclass(frozen=True)
class PprofTarget:
    """Addresses of the profiles and metrics of a process."""

    origin: str
    profiles_path: str
    metrics_url: str
    authority: str
    host: str
    port: int

    @classmethod
    def parse(cls, text: str, metrics_url: str | None = None) -> "PprofTarget":
        """Parse `host:port`, an origin, or the URL of `/debug/pprof`. Raises `InvalidArgument`."""
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
        is_valid = parts.scheme in {"http", "https"} and bool(parts.hostname) and (parts.port is None or parts.port > 0)
    except ValueError as error:
        raise InvalidArgument(f"{url!r} is not an address: {error}. Use host:port or http://host:port.") from error
    if not is_valid:
        raise InvalidArgument(f"{url!r} is not an address of a process. Use host:port or http://host:port.")
    return parts


@dataclass
class PprofClient:
    """An HTTP client for one process. Use as a context manager; not thread-safe."""

    headers: Mapping[str, str] = field(default_factory=dict)
    grace_seconds: float = GRACE_SECONDS
    sent: int = field(default=0, init=False)
    """Number of requests sent."""
    _http: httpx.Client = field(init=False)

    def __post_init__(self) -> None:
        self._http = httpx.Client(
            headers={"User-Agent": "slowpath-collect", **self.headers, "Accept-Encoding": "identity"},
            follow_redirects=False,
            trust_env=False,  # connect directly: the process is on a private network, not behind a proxy
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._http.close()

    def get(self, url: str, *, limit_bytes: int, window_seconds: float = 0.0) -> PprofResponse:
        """GET a URL, limited to `limit_bytes` and `window_seconds` + `grace_seconds`. Raises `CollectError` unless 2xx."""
        for _ in range(MAX_REDIRECTS + 1):
            result, location = self._send_request(url, limit_bytes, window_seconds)
            if location is None:
                return result
            url = _resolve_redirect(url, location)
        raise ResponseRejected(f"{url} redirects more than {MAX_REDIRECTS} times.")

    def _send_request(self, url: str, limit_bytes: int, window_seconds: float) -> tuple[PprofResponse, str | None]:
        self.sent += 1
        timeout_s = window_seconds + self.grace_seconds
        timeout = httpx.Timeout(timeout_s, connect=CONNECT_SECONDS)
        deadline = time.monotonic() + timeout_s
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
                f"No connection to {url} ({error}). Check that the process is running and that the address is correct."
            ) from error
        except httpx.ConnectTimeout as error:
            raise TargetUnreachable(
                f"{url} did not accept a connection within {CONNECT_SECONDS:.0f} s. Check the host and the firewall."
            ) from error
        except httpx.TimeoutException as error:
            raise ResponseRejected(f"{url} sent no data for {timeout_s:.0f} s.") from error
        except (httpx.RemoteProtocolError, httpx.ReadError, httpx.WriteError) as error:
            raise ResponseRejected(
                f"{url} closed the connection before the end of the response ({error}). Causes: the server's WriteTimeout is "
                "shorter than the window, or the process ended."
            ) from error
        except (httpx.InvalidURL, httpx.UnsupportedProtocol) as error:
            raise InvalidArgument(f"{url!r} is not an address: {error}.") from error


def _read(response: httpx.Response, url: str, limit_bytes: int, deadline: float, *, cut: bool = False) -> bytes:
    """Read a body. Raises `ResponseRejected` above the limit; with `cut`, truncates it (for error texts)."""
    body = bytearray()
    for piece in response.iter_raw():
        body += piece
        if len(body) > limit_bytes:
            if cut:
                return bytes(body[:limit_bytes])
            raise ResponseRejected(
                f"The response of {url} exceeds the limit of {limit_bytes:,} bytes. Use a shorter window."
            )
        if time.monotonic() > deadline:
            raise ResponseRejected(f"The response of {url} is too slow: {len(body):,} bytes when the timeout expired.")
    return bytes(body)


def _resolve_redirect(url: str, location: str) -> str:
    target = str(httpx.URL(url).join(location))
    original, redirected = _split(url), _split(target)
    if (original.scheme, original.hostname, original.port) != (redirected.scheme, redirected.hostname, redirected.port):
        raise ResponseRejected(
            f"{url} redirects to another host ({printable(target)}), which is not followed. Use that address if it is correct."
        )
    return target


def _decline(url: str, status: int, body: bytes) -> None:
    message = printable(body.decode("utf-8", "replace").strip().split("\n")[0])
    if status == 404:
        raise ProfileNotOffered(f"{url} does not exist (404).")
    if "WriteTimeout" in message:
        raise RequestDeclined(
            f"{url}: {message}. The window is longer than the server's WriteTimeout. Reduce --seconds, or increase WriteTimeout.",
            status=status,
        )
    if status in {401, 403}:
        raise RequestDeclined(
            f"{url} requires authentication ({status}). Use --header 'Authorization: Bearer ...'.", status=status
        )
    busy = "already in use" in message or "already enabled" in message
    raise RequestDeclined(
        f"{url} responded with {status}: {message or 'no message'}", status=status, is_transient=busy or status == 503
    )


def printable(text: str, limit: int = 200) -> str:
    """Return untrusted text made safe for a terminal: one line, no control characters, at most `limit` characters."""
    safe = "".join(char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in text[: limit + 1])
    return safe[:limit] + ("…" if len(safe) > limit else "")
