"""Rules for URLs given by users: syntax, public IP addresses, and the operator's allowlist.

Nothing is resolved here. Ambiguous URLs are rejected: parsers could interpret them differently.
"""

import ipaddress
import re
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlsplit

from slowpath.core.errors import AddressNotAllowed

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
Network = ipaddress.IPv4Network | ipaddress.IPv6Network

MAX_URL_CHARACTERS: Final = 2_000
WEB_PORTS: Final = {"http": 80, "https": 443}
SPELLED: Final = re.compile(r"[\x21-\x7e]+")
LABEL: Final = r"[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?"
NAME: Final = re.compile(rf"{LABEL}(\.{LABEL})*")
NUMERIC: Final = re.compile(r"([0-9]+|0x[0-9a-f]*)")
BRACKETED: Final = re.compile(r"\[[^\[\]]*\](:[0-9]+)?")
PATH: Final = re.compile(r"(/[A-Za-z0-9._~!$&'()*+,;=:@-]*)*")

# Special-purpose addresses of IANA's registries, and IPv6 addresses that embed IPv4 addresses.
NOT_PUBLIC_4: Final = tuple(
    ipaddress.IPv4Network(range_)
    for range_ in (
        "0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24",
        "192.0.2.0/24", "192.31.196.0/24", "192.52.193.0/24", "192.88.99.0/24", "192.168.0.0/16", "192.175.48.0/24",
        "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4",
    )
)  # fmt: skip
PUBLIC_6: Final = ipaddress.IPv6Network("2000::/3")
"""Globally routed addresses; excludes loopback, mapped, NAT64, unique local, link-local and multicast addresses."""
NOT_PUBLIC_6: Final = tuple(
    ipaddress.IPv6Network(range_)
    for range_ in ("2001::/23", "2001:db8::/32", "2002::/16", "2620:4f:8000::/48", "3fff::/20")
)


@dataclass(frozen=True)
class EgressAllowlist:
    """The operator's allowlist: names, name suffixes (`.corp.example`), ranges."""

    names: frozenset[str]
    endings: tuple[str, ...]
    ranges: tuple[Network, ...]

    def names_it(self, host: str) -> bool:
        """Return whether the list has the host's name."""
        return host in self.names or any(host.endswith(ending) for ending in self.endings)

    def holds(self, address: Address) -> bool:
        """Return whether an IP address is in a listed range."""
        return any(address in range_ for range_ in self.ranges)


@dataclass(frozen=True)
class ParsedUrl:
    """The parts of a URL; the host is a name, or an IP address in canonical form."""

    scheme: str
    host: str
    port: int
    path: str
    literal: Address | None


def parse_allowlist(text: str) -> EgressAllowlist:
    """Parse the operator's allowlist. Raises `ValueError` for an entry that is neither a name nor a range."""
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
                raise ValueError(f"SLOWPATH_EGRESS_ALLOWLIST: {entry!r} is neither a host name nor a range") from error
    return EgressAllowlist(frozenset(names), tuple(endings), tuple(ranges))


def is_public(address: Address) -> bool:
    """Return whether an IP address is public."""
    if isinstance(address, ipaddress.IPv4Address):
        return not any(address in range_ for range_ in NOT_PUBLIC_4)
    return address in PUBLIC_6 and not any(address in range_ for range_ in NOT_PUBLIC_6)


def parse_url(url: str) -> ParsedUrl:
    """Parse a URL. Raises `AddressNotAllowed` if it is invalid or ambiguous."""
    if len(url) > MAX_URL_CHARACTERS:
        raise AddressNotAllowed(
            "The address is too long.", limit=MAX_URL_CHARACTERS, actual=len(url), unit="characters"
        )
    if not SPELLED.fullmatch(url) or "\\" in url:
        raise _invalid("it contains spaces, control characters, backslashes or non-ASCII characters")
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as error:
        raise _invalid("it is not a URL") from error
    if parts.scheme not in WEB_PORTS:
        raise AddressNotAllowed("Only http and https are allowed.", slug="address-scheme")
    if "@" in parts.netloc:
        raise AddressNotAllowed(
            "The address contains a user name or password. Enter them as credentials.", slug="address-userinfo"
        )
    if "?" in url or "#" in url:
        raise _invalid("it has a query or a fragment")
    if not PATH.fullmatch(parts.path) or any(part in {".", ".."} for part in parts.path.split("/")):
        raise _invalid("its path has dot segments or unsupported characters")
    if port == 0 or parts.netloc.endswith(":"):
        raise AddressNotAllowed("The port of the address is invalid.", slug="address-port")
    host, literal = _host(parts.netloc, parts.hostname or "")
    return ParsedUrl(parts.scheme, host, port or WEB_PORTS[parts.scheme], parts.path.rstrip("/"), literal)


def _host(netloc: str, host: str) -> tuple[str, Address | None]:
    if netloc.startswith("["):
        if "%" in host:
            raise _invalid("it has an IPv6 zone ID")
        if not BRACKETED.fullmatch(netloc):
            raise _invalid("it has text around the brackets")
        try:
            return host, ipaddress.IPv6Address(host)
        except ValueError as error:
            raise _invalid("the text in brackets is not an IPv6 address") from error
    if host.endswith("."):
        raise _invalid("its host ends with a dot")
    if len(host) > 253 or not NAME.fullmatch(host):
        raise _invalid("its host is not a valid host name")
    if not _looks_numeric(host):
        return host, None
    try:
        return host, ipaddress.IPv4Address(host)
    except ValueError as error:
        raise _invalid("its host is numeric, but not an IPv4 address in dotted decimal form") from error


def _looks_numeric(host: str) -> bool:
    """Return whether some parsers accept a host as an IPv4 address: 2130706433, 0x7f.1, 0177.0.0.1, 127.1."""
    return NUMERIC.fullmatch(host.rsplit(".", 1)[-1]) is not None


def _invalid(reason: str) -> AddressNotAllowed:
    return AddressNotAllowed(
        f"The address is invalid: {reason}.",
        slug="address-spelling",
        remedy="Use http://host:port or https://host/path.",
    )
