"""HTTP to addresses that people give, which may point at what they must not reach.

A host is resolved once. If one of its addresses is not to be asked, none is; connections go to the checked addresses and
nowhere else, whatever the name says later. The name stays in the Host header and in TLS. Nothing is redirected, no proxy is
taken from the environment, answers end at a size and at a time.
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
LEAST_FREE_PORT: Final = 1024


def resolve(host: str, port: int) -> Sequence[str]:
    """Ask the system for the addresses of a host. Raises `OSError`."""
    return [str(found[4][0]) for found in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)]


class AllowlistedEgressClient:
    """Asks public addresses and those that the operator lists, or only the listed ones."""

    def __init__(self, allowed: EgressAllowlist, *, only_listed: bool, resolver: Resolve = resolve) -> None:
        """Ask by these rules."""
        self._allowed = allowed
        self._only_listed = only_listed
        self._resolve = resolver

    def check(self, url: str) -> None:
        """Raise `AddressNotAllowed` for an address that is refused by its spelling alone; nothing is looked up."""
        self._may_be_looked_up(parse_url(url))

    @contextmanager
    def opened(self, url: str) -> Iterator["PinnedConnection"]:
        """Resolve and check an address once. Raises `AddressNotAllowed`, `UpstreamUnavailable`."""
        place = parse_url(url)
        peer = PinnedConnection(place, self._addresses(place))
        try:
            yield peer
        finally:
            peer.close()

    def looked_up(self, url: str) -> tuple[ParsedUrl, list[str]]:
        """Resolve and check an address for who connects by other means. Raises `AddressNotAllowed`, `UpstreamUnavailable`."""
        place = parse_url(url)
        return place, self._addresses(place)

    def lists(self, place: ParsedUrl) -> bool:
        """Tell whether the operator names this very host or lists its address."""
        return self._allowed.holds(place.literal) if place.literal else self._allowed.names_it(place.host)

    def _may_be_looked_up(self, place: ParsedUrl) -> None:
        if place.literal is not None:
            self._check_addresses(place, [place.literal])
            return
        by_name = self._allowed.names_it(place.host)
        if not by_name and (place.host == "localhost" or place.host.endswith(".localhost")):
            raise _not_public()
        if not by_name and self._only_listed and not self._allowed.ranges:
            raise _not_listed()

    def _addresses(self, place: ParsedUrl) -> list[str]:
        self._may_be_looked_up(place)
        if place.literal is not None:
            return [str(place.literal)]
        try:
            told = list(dict.fromkeys(self._resolve(place.host, place.port)))[:MAX_ADDRESSES]
        except (OSError, UnicodeError) as error:
            raise UpstreamUnavailable(f"The host {place.host} has no address.", slug="host-unknown") from error
        if not told:
            raise UpstreamUnavailable(f"The host {place.host} has no address.", slug="host-unknown")
        try:
            addresses = [ipaddress.ip_address(one) for one in told]  # a zone id stays in the address, and is not public
        except ValueError as error:
            raise _not_public() from error
        self._check_addresses(place, addresses)
        return [str(one) for one in addresses]

    def _check_addresses(self, place: ParsedUrl, addresses: Iterable[Address]) -> None:
        by_name = place.literal is None and self._allowed.names_it(place.host)
        for address in addresses:
            if self._allowed.holds(address):
                continue
            if by_name:
                # Behind link-local addresses stand the machines' own credentials: a name is not enough.
                if address.is_link_local or address.is_multicast or address.is_unspecified:
                    raise _not_public()
                continue
            if self._only_listed:
                raise _not_listed()
            if not is_public(address):
                raise _not_public()
            if place.port < LEAST_FREE_PORT and place.port not in WEB_PORTS.values():
                raise AddressNotAllowed(
                    f"Port {place.port} is not asked: of those below {LEAST_FREE_PORT} only 80 and 443 are.",
                    slug="address-port",
                )


def _not_public() -> AddressNotAllowed:
    return AddressNotAllowed(
        "The address does not lie in the public internet.",
        slug="address-not-public",
        remedy="The operator can list the host or its range in SLOWPATH_EGRESS_ALLOWLIST.",
    )


def _not_listed() -> AddressNotAllowed:
    return AddressNotAllowed(
        "Only addresses that the operator lists are asked here, and this one is not listed.",
        slug="address-not-listed",
        remedy="The operator can list the host or its range in SLOWPATH_EGRESS_ALLOWLIST.",
    )


def _reason(error: BaseException) -> str:
    """Say in words what TLS or the operating system said; else which kind of error it was."""
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
def _trusted() -> ssl.SSLContext:
    """Trust the usual authorities and those of this system."""
    context = ssl.create_default_context(cafile=certifi.where())
    context.load_default_certs()
    return context


class PinnedConnection:
    """One place, at the addresses that were checked."""

    def __init__(self, place: ParsedUrl, addresses: Sequence[str]) -> None:
        """Connect there when first asked."""
        self._place = place
        self._network = _PinnedNetworkBackend(place.host, addresses)
        host = f"[{place.host}]" if ":" in place.host else place.host
        port = "" if place.port == WEB_PORTS[place.scheme] else f":{place.port}"
        self._base = f"{place.scheme}://{host}{port}{place.path}"
        self._pool = httpcore.ConnectionPool(
            ssl_context=_trusted(),
            max_connections=1,
            http1=True,
            http2=False,
            network_backend=self._network,
        )

    def close(self) -> None:
        """Let go of the connection."""
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
        """Ask for a path below the address. Raises `AddressNotAllowed` on a redirect, `TooLarge`, `UpstreamUnavailable`."""
        asked = path + (f"?{urlencode(query)}" if query else "")
        return self._exchange("GET", asked, None, headers or {}, max_bytes=max_bytes, seconds=seconds)

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
            ) as answer:
                return self._read(answer, max_bytes)
        except (httpcore.TimeoutException, TimeoutError) as error:
            raise UpstreamUnavailable(
                f"{self._place.host} did not answer within {seconds:g} seconds.",
                slug="answered-too-late",
                limit=seconds,
            ) from error
        except (httpcore.NetworkError, httpcore.ProtocolError, OSError) as error:
            raise UpstreamUnavailable(f"{self._place.host} did not answer: {_reason(error)}.") from error

    def _read(self, answer: httpcore.Response, max_bytes: int) -> HttpResponse:
        told = {name.lower(): value for name, value in answer.headers}
        if 300 <= answer.status < 400:
            raise AddressNotAllowed(
                f"{self._place.host} redirects to another address, which is not followed.",
                slug="address-redirects",
                remedy="Give the address to which it redirects.",
            )
        if told.get(b"content-encoding", b"identity") != b"identity":
            raise UpstreamUnavailable(
                f"{self._place.host} packs its answer although it was told not to.", slug="answer-packed"
            )
        parts, size = [], 0
        for part in answer.iter_stream():
            size += len(part)
            if size > max_bytes:
                raise TooLarge("The answer is too large.", slug="answer-too-large", limit=max_bytes, unit="bytes")
            parts.append(part)
        return HttpResponse(answer.status, b"".join(parts), told.get(b"link", b"").decode("ascii", "replace"))


class _PinnedNetworkBackend(httpcore.NetworkBackend):
    """Connects to checked addresses only, and lets every wait end at one time."""

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
        """Connect to the first address that answers; the name is not looked up again."""
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
        """Return how many seconds are left. Raises `TimeoutError` when none are."""
        left = self.until - time.monotonic()
        if left <= 0:
            raise httpcore.ReadTimeout("the time is over")
        return left


class _TimedStream(httpcore.NetworkStream):
    """A connection whose every wait ends with the request's time."""

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
    """Return the way out as the operator set it. Raises `ValueError` for a list that can not be read."""
    return AllowlistedEgressClient(parse_allowlist(settings.egress_allowlist), only_listed=settings.outside == "listed")
