"""HTTP to addresses that people give, which may point at what they must not reach.

A host is resolved once. If one of its addresses is not to be asked, none is; connections go to the checked addresses and
nowhere else, whatever the name says later. The name stays in the Host header and in TLS. Nothing is redirected, no proxy is
taken from the environment, answers end at a size and at a time.
"""

import ipaddress
import re
import socket
import ssl
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from typing import Any, Final
from urllib.parse import urlencode, urlsplit

import certifi
import httpcore

from slowpath.core.errors import AddressRefused, DidNotAnswer, TooLarge
from slowpath.core.ports import Answer
from slowpath.core.settings import Settings

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
Network = ipaddress.IPv4Network | ipaddress.IPv6Network
Resolve = Callable[[str, int], Sequence[str]]

MAX_URL: Final = 2_000
MAX_ADDRESSES: Final = 16
CONNECT_SECONDS: Final = 5.0
LEAST_FREE_PORT: Final = 1024
WEB_PORTS: Final = {"http": 80, "https": 443}
SPELLED: Final = re.compile(r"[\x21-\x7e]+")
LABEL: Final = r"[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?"
NAME: Final = re.compile(rf"{LABEL}(\.{LABEL})*")
NUMERIC: Final = re.compile(r"([0-9]+|0x[0-9a-f]*)")
BRACKETED: Final = re.compile(r"\[[^\[\]]*\](:[0-9]+)?")
PATH: Final = re.compile(r"(/[A-Za-z0-9._~!$&'()*+,;=:@-]*)*")

# What IANA's registries of special addresses set apart, and what carries an IPv4 address inside an IPv6 one.
NOT_PUBLIC_4: Final = tuple(
    ipaddress.IPv4Network(range_)
    for range_ in (
        "0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24",
        "192.0.2.0/24", "192.31.196.0/24", "192.52.193.0/24", "192.88.99.0/24", "192.168.0.0/16", "192.175.48.0/24",
        "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4",
    )
)  # fmt: skip
PUBLIC_6: Final = ipaddress.IPv6Network("2000::/3")
"""Everything that is routed; loopback, mapped, NAT64, unique local, link-local and multicast addresses lie outside."""
NOT_PUBLIC_6: Final = tuple(
    ipaddress.IPv6Network(range_)
    for range_ in ("2001::/23", "2001:db8::/32", "2002::/16", "2620:4f:8000::/48", "3fff::/20")
)


@dataclass(frozen=True)
class Listed:
    """What the operator allows: names, endings of names (`.corp.example`), ranges."""

    names: frozenset[str]
    endings: tuple[str, ...]
    ranges: tuple[Network, ...]

    def names_it(self, host: str) -> bool:
        """Tell whether a host is listed by its name."""
        return host in self.names or any(host.endswith(ending) for ending in self.endings)

    def holds(self, address: Address) -> bool:
        """Tell whether an address lies in a listed range."""
        return any(address in range_ for range_ in self.ranges)


@dataclass(frozen=True)
class Place:
    """A URL taken apart; its host is a name or an address in its one usual spelling."""

    scheme: str
    host: str
    port: int
    path: str
    literal: Address | None


def listed(text: str) -> Listed:
    """Read the operator's list. Raises `ValueError` naming the entry that is neither a name nor a range."""
    names, endings, ranges = set[str](), [], []
    for entry in filter(None, (part.strip().lower() for part in text.split(","))):
        ending = entry.removeprefix("*")
        if NAME.fullmatch(entry) and not _looks_numeric(entry):
            names.add(entry)
        elif entry.startswith("*.") and NAME.fullmatch(ending[1:]):
            endings.append(ending)
        else:
            try:
                ranges.append(ipaddress.ip_network(entry))
            except ValueError as error:
                raise ValueError(f"SLOWPATH_ALLOWED_HOSTS: {entry!r} is neither a host name nor a range") from error
    return Listed(frozenset(names), tuple(endings), tuple(ranges))


def is_public(address: Address) -> bool:
    """Tell whether an address is one of the public internet's."""
    if isinstance(address, ipaddress.IPv4Address):
        return not any(address in range_ for range_ in NOT_PUBLIC_4)
    return address in PUBLIC_6 and not any(address in range_ for range_ in NOT_PUBLIC_6)


def place_of(url: str) -> Place:
    """Take a URL apart. Raises `AddressRefused` for every spelling that two readers might read in two ways."""
    if len(url) > MAX_URL:
        raise AddressRefused("The address is too long.", limit=MAX_URL, actual=len(url), unit="characters")
    if not SPELLED.fullmatch(url) or "\\" in url:
        raise _spelled("it holds spaces, control characters, backslashes or letters beyond ASCII")
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as error:
        raise _spelled("it is no URL") from error
    if parts.scheme not in WEB_PORTS:
        raise AddressRefused("Only http and https are asked.", slug="address-scheme")
    if "@" in parts.netloc:
        raise AddressRefused("The address holds a name or password; give them as credentials.", slug="address-userinfo")
    if "?" in url or "#" in url:
        raise _spelled("it ends in a query or a fragment")
    if not PATH.fullmatch(parts.path) or any(part in {".", ".."} for part in parts.path.split("/")):
        raise _spelled("its path is not plain")
    if port == 0 or parts.netloc.endswith(":"):
        raise AddressRefused("The address names no port that can be asked.", slug="address-port")
    host, literal = _host(parts.netloc, parts.hostname or "")
    return Place(parts.scheme, host, port or WEB_PORTS[parts.scheme], parts.path.rstrip("/"), literal)


def _host(netloc: str, host: str) -> tuple[str, Address | None]:
    if netloc.startswith("["):
        if "%" in host:
            raise _spelled("it names a zone of a network card")
        if not BRACKETED.fullmatch(netloc):
            raise _spelled("something stands beside the brackets")
        try:
            return host, ipaddress.IPv6Address(host)
        except ValueError as error:
            raise _spelled("what stands in brackets is no IPv6 address") from error
    if host.endswith("."):
        raise _spelled("its host ends with a dot")
    if len(host) > 253 or not NAME.fullmatch(host):
        raise _spelled("its host is no host name")
    if not _looks_numeric(host):
        return host, None
    try:
        return host, ipaddress.IPv4Address(host)
    except ValueError as error:
        raise _spelled("its host is a number, but no IPv4 address as it is usually written") from error


def _looks_numeric(host: str) -> bool:
    """Tell whether some reader takes a host for an IPv4 address: 2130706433, 0x7f.1, 0177.0.0.1, 127.1."""
    return NUMERIC.fullmatch(host.rsplit(".", 1)[-1]) is not None


def _spelled(why: str) -> AddressRefused:
    return AddressRefused(
        f"The address can not be used: {why}.",
        slug="address-spelling",
        remedy="Write it as http://host:port or https://host/path.",
    )


def resolve(host: str, port: int) -> Sequence[str]:
    """Ask the system for the addresses of a host. Raises `OSError`."""
    return [str(found[4][0]) for found in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)]


class CheckedOutside:
    """Asks public addresses and those that the operator lists, or only the listed ones."""

    def __init__(self, allowed: Listed, *, only_listed: bool, resolver: Resolve = resolve) -> None:
        """Ask by these rules."""
        self._allowed = allowed
        self._only_listed = only_listed
        self._resolve = resolver

    def check(self, url: str) -> None:
        """Raise `AddressRefused` for an address that is refused by its spelling alone; nothing is looked up."""
        self._may_be_looked_up(place_of(url))

    @contextmanager
    def opened(self, url: str) -> Iterator["CheckedPeer"]:
        """Resolve and check an address once. Raises `AddressRefused`, `DidNotAnswer`."""
        place = place_of(url)
        peer = CheckedPeer(place, self._addresses(place))
        try:
            yield peer
        finally:
            peer.close()

    def _may_be_looked_up(self, place: Place) -> None:
        if place.literal is not None:
            self._check_addresses(place, [place.literal])
            return
        by_name = self._allowed.names_it(place.host)
        if not by_name and (place.host == "localhost" or place.host.endswith(".localhost")):
            raise _not_public()
        if not by_name and self._only_listed and not self._allowed.ranges:
            raise _not_listed()

    def _addresses(self, place: Place) -> list[str]:
        self._may_be_looked_up(place)
        if place.literal is not None:
            return [str(place.literal)]
        try:
            told = list(dict.fromkeys(self._resolve(place.host, place.port)))[:MAX_ADDRESSES]
        except (OSError, UnicodeError) as error:
            raise DidNotAnswer(f"The host {place.host} has no address.", slug="host-unknown") from error
        if not told:
            raise DidNotAnswer(f"The host {place.host} has no address.", slug="host-unknown")
        try:
            addresses = [ipaddress.ip_address(one) for one in told]  # a zone id stays in the address, and is not public
        except ValueError as error:
            raise _not_public() from error
        self._check_addresses(place, addresses)
        return [str(one) for one in addresses]

    def _check_addresses(self, place: Place, addresses: Iterable[Address]) -> None:
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
                raise AddressRefused(
                    f"Port {place.port} is not asked: of those below {LEAST_FREE_PORT} only 80 and 443 are.",
                    slug="address-port",
                )


def _not_public() -> AddressRefused:
    return AddressRefused(
        "The address does not lie in the public internet.",
        slug="address-not-public",
        remedy="The operator can list the host or its range in SLOWPATH_ALLOWED_HOSTS.",
    )


def _not_listed() -> AddressRefused:
    return AddressRefused(
        "Only addresses that the operator lists are asked here, and this one is not listed.",
        slug="address-not-listed",
        remedy="The operator can list the host or its range in SLOWPATH_ALLOWED_HOSTS.",
    )


@cache
def _trusted() -> ssl.SSLContext:
    """Trust the usual authorities and those of this system."""
    context = ssl.create_default_context(cafile=certifi.where())
    context.load_default_certs()
    return context


class CheckedPeer:
    """One place, at the addresses that were checked."""

    def __init__(self, place: Place, addresses: Sequence[str]) -> None:
        """Connect there when first asked."""
        self._place = place
        self._network = _CheckedNetwork(place.host, addresses)
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
    ) -> Answer:
        """Ask for a path below the address. Raises `AddressRefused` on a redirect, `TooLarge`, `DidNotAnswer`."""
        url = f"{self._base}{path}" + (f"?{urlencode(query)}" if query else "")
        sent = {
            "Accept": "application/json",
            "Accept-Encoding": "identity",
            "User-Agent": "slowpath",
            **(headers or {}),
        }
        self._network.until = time.monotonic() + seconds
        try:
            with self._pool.stream("GET", url, headers=list(sent.items())) as answer:
                return self._read(answer, max_bytes)
        except (httpcore.TimeoutException, TimeoutError) as error:
            raise DidNotAnswer(
                f"{self._place.host} did not answer within {seconds:g} seconds.",
                slug="answered-too-late",
                limit=seconds,
            ) from error
        except (httpcore.NetworkError, httpcore.ProtocolError, OSError) as error:
            raise DidNotAnswer(f"{self._place.host} did not answer: {type(error).__name__}.") from error

    def _read(self, answer: httpcore.Response, max_bytes: int) -> Answer:
        told = {name.lower(): value for name, value in answer.headers}
        if 300 <= answer.status < 400:
            raise AddressRefused(
                f"{self._place.host} redirects to another address, which is not followed.",
                slug="address-redirects",
                remedy="Give the address to which it redirects.",
            )
        if told.get(b"content-encoding", b"identity") != b"identity":
            raise DidNotAnswer(
                f"{self._place.host} packs its answer although it was told not to.", slug="answer-packed"
            )
        parts, size = [], 0
        for part in answer.iter_stream():
            size += len(part)
            if size > max_bytes:
                raise TooLarge("The answer is too large.", slug="answer-too-large", limit=max_bytes, unit="bytes")
            parts.append(part)
        return Answer(answer.status, b"".join(parts))


class _CheckedNetwork(httpcore.NetworkBackend):
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

    def __init__(self, stream: httpcore.NetworkStream, network: _CheckedNetwork) -> None:
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


def create_outside(settings: Settings) -> CheckedOutside:
    """Return the way out as the operator set it. Raises `ValueError` for a list that can not be read."""
    return CheckedOutside(listed(settings.allowed_hosts), only_listed=settings.outside == "listed")
