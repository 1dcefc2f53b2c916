"""Addresses that people give: how they may be spelled, which of them are public, which the operator lists.

Nothing is looked up here. Every spelling that two readers might read in two ways is refused.
"""

import ipaddress
import re
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlsplit

from slowpath.core.errors import AddressNotAllowed

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
Network = ipaddress.IPv4Network | ipaddress.IPv6Network

MAX_URL: Final = 2_000
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
class EgressAllowlist:
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
class ParsedUrl:
    """A URL taken apart; its host is a name or an address in its one usual spelling."""

    scheme: str
    host: str
    port: int
    path: str
    literal: Address | None


def parse_allowlist(text: str) -> EgressAllowlist:
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
                raise ValueError(f"SLOWPATH_EGRESS_ALLOWLIST: {entry!r} is neither a host name nor a range") from error
    return EgressAllowlist(frozenset(names), tuple(endings), tuple(ranges))


def is_public(address: Address) -> bool:
    """Tell whether an address is one of the public internet's."""
    if isinstance(address, ipaddress.IPv4Address):
        return not any(address in range_ for range_ in NOT_PUBLIC_4)
    return address in PUBLIC_6 and not any(address in range_ for range_ in NOT_PUBLIC_6)


def parse_url(url: str) -> ParsedUrl:
    """Take a URL apart. Raises `AddressNotAllowed` for every spelling that two readers might read in two ways."""
    if len(url) > MAX_URL:
        raise AddressNotAllowed("The address is too long.", limit=MAX_URL, actual=len(url), unit="characters")
    if not SPELLED.fullmatch(url) or "\\" in url:
        raise _spelled("it holds spaces, control characters, backslashes or letters beyond ASCII")
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as error:
        raise _spelled("it is no URL") from error
    if parts.scheme not in WEB_PORTS:
        raise AddressNotAllowed("Only http and https are asked.", slug="address-scheme")
    if "@" in parts.netloc:
        raise AddressNotAllowed(
            "The address holds a name or password; give them as credentials.", slug="address-userinfo"
        )
    if "?" in url or "#" in url:
        raise _spelled("it ends in a query or a fragment")
    if not PATH.fullmatch(parts.path) or any(part in {".", ".."} for part in parts.path.split("/")):
        raise _spelled("its path is not plain")
    if port == 0 or parts.netloc.endswith(":"):
        raise AddressNotAllowed("The address names no port that can be asked.", slug="address-port")
    host, literal = _host(parts.netloc, parts.hostname or "")
    return ParsedUrl(parts.scheme, host, port or WEB_PORTS[parts.scheme], parts.path.rstrip("/"), literal)


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


def _spelled(why: str) -> AddressNotAllowed:
    return AddressNotAllowed(
        f"The address can not be used: {why}.",
        slug="address-spelling",
        remedy="Write it as http://host:port or https://host/path.",
    )
