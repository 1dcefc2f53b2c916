"""HTTP client for addresses given by users, protected against server-side request forgery (SSRF).

A host is resolved once. If one of its IP addresses is not allowed, none is used; connections go only to the checked IP
addresses, even if the name resolves differently later. The Host header and TLS use the name. Redirects are not followed,
proxies of the environment are ignored, and responses are limited in size and time.
"""

import ipaddress
import os
import socket
import ssl
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from typing import Any, Final, Literal
from urllib.parse import urlencode

import certifi
import httpcore

from slowpath.adapters.egress_policy import (
    WEB_PORTS,
    Address,
    EgressAllowlist,
    ParsedUrl,
    is_public,
    parse_allowlist,
    parse_url,
)
from slowpath.core.errors import AddressNotAllowed, TooLarge, UpstreamUnavailable
from slowpath.core.ports import HttpResponse
from slowpath.core.settings import Settings

Resolve = Callable[[str, int], Sequence[str]]

MAX_ADDRESSES: Final = 16
CONNECT_SECONDS: Final = 5.0
FIRST_UNPRIVILEGED_PORT: Final = 1024


def resolve(host: str, port: int) -> Sequence[str]:
    """Return the IP addresses of a host from the system's resolver. Raises `OSError`."""
    return [str(found[4][0]) for found in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)]


class AllowlistedEgressClient:
    """Connects to public addresses and those on the operator's allowlist, or only to the latter."""

    def __init__(self, allowed: EgressAllowlist, *, only_listed: bool, resolver: Resolve = resolve) -> None:
        """Allow addresses by these rules."""
        self._allowed = allowed
        self._only_listed = only_listed
        self._resolve = resolver

    def check(self, url: str) -> None:
        """Check a URL without resolving its host. Raises `AddressNotAllowed`."""
        self._check_before_lookup(parse_url(url))

    @contextmanager
    def opened(self, url: str) -> Iterator["PinnedConnection"]:
        """Resolve and check an address once. Raises `AddressNotAllowed`, `UpstreamUnavailable`."""
        parsed = parse_url(url)
        peer = PinnedConnection(parsed, self._addresses(parsed))
        try:
            yield peer
        finally:
            peer.close()

    def looked_up(self, url: str) -> tuple[ParsedUrl, list[str]]:
        """Resolve and check an address for other clients (git). Raises `AddressNotAllowed`, `UpstreamUnavailable`."""
        parsed = parse_url(url)
        return parsed, self._addresses(parsed)

    def lists(self, parsed: ParsedUrl) -> bool:
        """Return whether the operator's allowlist has this host or its IP address."""
        return self._allowed.holds(parsed.literal) if parsed.literal else self._allowed.names_it(parsed.host)

    def _check_before_lookup(self, parsed: ParsedUrl) -> None:
        if parsed.literal is not None:
            self._check_addresses(parsed, [parsed.literal])
            return
        by_name = self._allowed.names_it(parsed.host)
        if not by_name and (parsed.host == "localhost" or parsed.host.endswith(".localhost")):
            raise _not_public()
        if not by_name and self._only_listed and not self._allowed.ranges:
            raise _not_listed()

    def _addresses(self, parsed: ParsedUrl) -> list[str]:
        self._check_before_lookup(parsed)
        if parsed.literal is not None:
            return [str(parsed.literal)]
        try:
            resolved = list(dict.fromkeys(self._resolve(parsed.host, parsed.port)))[:MAX_ADDRESSES]
        except (OSError, UnicodeError) as error:
            raise UpstreamUnavailable(f"The host {parsed.host} has no address.", slug="host-unknown") from error
        if not resolved:
            raise UpstreamUnavailable(f"The host {parsed.host} has no address.", slug="host-unknown")
        try:
            addresses = [ipaddress.ip_address(one) for one in resolved]  # addresses with a zone ID are not public
        except ValueError as error:
            raise _not_public() from error
        self._check_addresses(parsed, addresses)
        return [str(one) for one in addresses]

    def _check_addresses(self, parsed: ParsedUrl, addresses: Iterable[Address]) -> None:
        by_name = parsed.literal is None and self._allowed.names_it(parsed.host)
        for address in addresses:
            if self._allowed.holds(address):
                continue
            if by_name:
                # Cloud metadata services with credentials have link-local addresses, which must be listed as a range.
                if address.is_link_local or address.is_multicast or address.is_unspecified:
                    raise _not_public()
                continue
            if self._only_listed:
                raise _not_listed()
            if not is_public(address):
                raise _not_public()
            if parsed.port < FIRST_UNPRIVILEGED_PORT and parsed.port not in WEB_PORTS.values():
                raise AddressNotAllowed(
                    f"Port {parsed.port} is not allowed. Below {FIRST_UNPRIVILEGED_PORT}, only 80 and 443 are.",
                    slug="address-port",
                )


def _not_public() -> AddressNotAllowed:
    return AddressNotAllowed(
        "Private addresses are not allowed.",
        slug="address-not-public",
        remedy="An operator can add the host or its range to SLOWPATH_EGRESS_ALLOWLIST.",
    )


def _not_listed() -> AddressNotAllowed:
    return AddressNotAllowed(
        "Only addresses on the operator's allowlist are allowed, and this one is not on it.",
        slug="address-not-listed",
        remedy="An operator can add the host or its range to SLOWPATH_EGRESS_ALLOWLIST.",
    )


def _reason(error: BaseException) -> str:
    """Describe the TLS or system error behind `error`; otherwise return the error's type."""
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, ssl.SSLCertVerificationError):
            return f"its certificate is not accepted ({cause.verify_message})"
        if isinstance(cause, ssl.SSLError):
            return f"TLS failed ({cause.reason})"
        if isinstance(cause, OSError) and cause.errno:
            return os.strerror(cause.errno).lower()
        cause = cause.__cause__ or cause.__context__
    return type(error).__name__


@cache
def _trusted_context() -> ssl.SSLContext:
    """Return an SSL context that trusts certifi's authorities and those of this system."""
    context = ssl.create_default_context(cafile=certifi.where())
    context.load_default_certs()
    return context


class PinnedConnection:
    """A connection to one URL at its checked IP addresses."""

    def __init__(self, parsed: ParsedUrl, addresses: Sequence[str]) -> None:
        """Prepare the connection; the first request opens it."""
        self._url = parsed
        self._network = _PinnedNetworkBackend(parsed.host, addresses)
        host = f"[{parsed.host}]" if ":" in parsed.host else parsed.host
        port = "" if parsed.port == WEB_PORTS[parsed.scheme] else f":{parsed.port}"
        self._base = f"{parsed.scheme}://{host}{port}{parsed.path}"
        self._pool = httpcore.ConnectionPool(
            ssl_context=_trusted_context(),
            max_connections=1,
            http1=True,
            http2=False,
            network_backend=self._network,
        )

    def close(self) -> None:
        """Close the connection."""
        self._pool.close()

    def get(
        self,
        path: str,
        query: Sequence[tuple[str, str]] = (),
        headers: Mapping[str, str] | None = None,
        *,
        max_bytes: int,
        seconds: float,
    ) -> HttpResponse:
        """GET a path below the URL. Raises `AddressNotAllowed` for a redirect, `TooLarge`, `UpstreamUnavailable`."""
        target = path + (f"?{urlencode(query)}" if query else "")
        return self._exchange("GET", target, None, headers or {}, max_bytes=max_bytes, seconds=seconds)

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
        """Send a body to a path below the URL. Raises like `get`; the request may have been processed anyway."""
        sent = {"Content-Type": "application/json", "Content-Length": str(len(content)), **(headers or {})}
        return self._exchange(method, path, content, sent, max_bytes=max_bytes, seconds=seconds)

    def _exchange(
        self,
        method: str,
        path: str,
        content: bytes | None,
        headers: Mapping[str, str],
        *,
        max_bytes: int,
        seconds: float,
    ) -> HttpResponse:
        sent = {
            "Accept": "application/json",
            "Accept-Encoding": "identity",
            "User-Agent": "slowpath",
            **headers,
        }
        self._network.until = time.monotonic() + seconds
        try:
            with self._pool.stream(
                method, f"{self._base}{path}", headers=list(sent.items()), content=content
            ) as response:
                return self._read(response, max_bytes)
        except (httpcore.TimeoutException, TimeoutError) as error:
            raise UpstreamUnavailable(
                f"{self._url.host} did not respond within {seconds:g} seconds.",
                slug="answered-too-late",
                limit=seconds,
            ) from error
        except (httpcore.NetworkError, httpcore.ProtocolError, OSError) as error:
            raise UpstreamUnavailable(f"{self._url.host} did not respond: {_reason(error)}.") from error

    def _read(self, response: httpcore.Response, max_bytes: int) -> HttpResponse:
        response_headers = {name.lower(): value for name, value in response.headers}
        if 300 <= response.status < 400:
            raise AddressNotAllowed(
                f"{self._url.host} redirects to another address, which is not followed.",
                slug="address-redirects",
                remedy="Use the address to which it redirects.",
            )
        if response_headers.get(b"content-encoding", b"identity") != b"identity":
            raise UpstreamUnavailable(
                f"{self._url.host} compressed its response, although the request excludes it.", slug="answer-packed"
            )
        parts, size = [], 0
        for part in response.iter_stream():
            size += len(part)
            if size > max_bytes:
                raise TooLarge("The response is too large.", slug="answer-too-large", limit=max_bytes, unit="bytes")
            parts.append(part)
        link, expiration = (
            response_headers.get(name, b"").decode("ascii", "replace")
            for name in (b"link", b"github-authentication-token-expiration")
        )
        return HttpResponse(response.status, b"".join(parts), link, expiration)


class _PinnedNetworkBackend(httpcore.NetworkBackend):
    """Connects only to checked IP addresses, with one deadline for the whole request."""

    def __init__(self, host: str, addresses: Sequence[str]) -> None:
        self.until = 0.0
        self._host = host
        self._addresses = addresses
        self._system = httpcore.SyncBackend()

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ARG002 - the whole request has one
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.NetworkStream:
        """Connect to the first reachable IP address, without resolving the name again."""
        if host != self._host:
            raise httpcore.ConnectError(f"{host} was not checked")
        failed: Exception = httpcore.ConnectError("no address")
        for address in self._addresses:
            try:
                stream = self._system.connect_tcp(
                    address, port, min(self.left(), CONNECT_SECONDS), local_address, socket_options
                )
                return _TimedStream(stream, self)
            except (httpcore.ConnectError, httpcore.ConnectTimeout) as error:
                failed = error
        raise failed

    def left(self) -> float:
        """Return the remaining seconds. Raises `ReadTimeout` if none remain."""
        left = self.until - time.monotonic()
        if left <= 0:
            raise httpcore.ReadTimeout("the timeout has expired")
        return left


class _TimedStream(httpcore.NetworkStream):
    """A connection with the request's timeout for every read and write."""

    def __init__(self, stream: httpcore.NetworkStream, network: _PinnedNetworkBackend) -> None:
        self._stream = stream
        self._network = network

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:  # noqa: ARG002 - as in connect_tcp
        return self._stream.read(max_bytes, self._network.left())

    def write(self, buffer: bytes, timeout: float | None = None) -> None:  # noqa: ARG002 - as in connect_tcp
        self._stream.write(buffer, self._network.left())

    def close(self) -> None:
        self._stream.close()

    def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,  # noqa: ARG002 - as in connect_tcp
    ) -> httpcore.NetworkStream:
        stream = self._stream.start_tls(ssl_context, server_hostname, min(self._network.left(), CONNECT_SECONDS))
        return _TimedStream(stream, self._network)

    def get_extra_info(self, info: str) -> Any:  # noqa: ANN401 - as httpcore has it
        return self._stream.get_extra_info(info)


def create_outside(settings: Settings) -> AllowlistedEgressClient:
    """Return the egress client as configured. Raises `ValueError` for an invalid allowlist."""
    return AllowlistedEgressClient(parse_allowlist(settings.egress_allowlist), only_listed=settings.outside == "listed")
