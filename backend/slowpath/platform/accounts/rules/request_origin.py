"""From where a browser asks, and under which name a session's cookie travels."""

from dataclasses import dataclass
from ipaddress import ip_address
from urllib.parse import urlsplit


def rate_limit_key(address: str) -> str:
    """Return by what an address is counted: itself, or for IPv6 its network of 64 bits, which one household holds."""
    try:
        parsed = ip_address(address)
    except ValueError:
        return address
    return str(parsed) if parsed.version == 4 else parsed.exploded[:19]


@dataclass(frozen=True)
class SessionCookie:
    """Under which name, and how, a session's secret travels."""

    name: str
    secure: bool


SAFE_COOKIE = SessionCookie("__Host-slowpath", secure=True)
LOOPBACK_COOKIE = SessionCookie("slowpath", secure=False)


def is_loopback(host: str) -> bool:
    """Tell whether a host name means this machine."""
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def host_of(authority: str) -> str:
    """Return the host of a `Host` header or an origin's authority, without port and brackets; empty if it is none."""
    try:
        return (urlsplit(f"//{authority}").hostname or "").rstrip(".")
    except ValueError:
        return ""


def choose_session_cookie(public_url: str, authority: str) -> SessionCookie | None:
    """Return the cookie for a request to `authority` (its `Host` header), or None where it would travel in the open.

    https is decided by the public address, for behind a proxy every request looks like http.
    """
    if urlsplit(public_url).scheme == "https":
        return SAFE_COOKIE
    return LOOPBACK_COOKIE if is_loopback(host_of(authority)) else None


def is_same_origin(origin: str, public_url: str) -> bool:
    """Tell whether a request's Origin is our own. The names of this machine are one: a browser may use any."""
    try:
        theirs, ours = urlsplit(origin), urlsplit(public_url)
        if theirs.scheme != ours.scheme or _port(theirs.scheme, theirs.port) != _port(ours.scheme, ours.port):
            return False
    except ValueError:
        return False
    their_host, our_host = theirs.hostname or "", ours.hostname or ""
    return their_host == our_host or (is_loopback(their_host) and is_loopback(our_host))


def _port(scheme: str, port: int | None) -> int:
    return port if port is not None else {"https": 443}.get(scheme, 80)
