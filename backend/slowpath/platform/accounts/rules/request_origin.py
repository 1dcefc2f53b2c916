"""The origin of a request, and the name of the session cookie."""

from dataclasses import dataclass
from ipaddress import ip_address
from urllib.parse import urlsplit


def rate_limit_key(address: str) -> str:
    """Return the key to count an address by: itself, or for IPv6 its /64 network, which one customer holds."""
    try:
        parsed = ip_address(address)
    except ValueError:
        return address
    return str(parsed) if parsed.version == 4 else parsed.exploded[:19]


@dataclass(frozen=True)
class SessionCookie:
    """Name and attributes of a session cookie."""

    name: str
    secure: bool


SAFE_COOKIE = SessionCookie("__Host-slowpath", secure=True)
LOOPBACK_COOKIE = SessionCookie("slowpath", secure=False)


def is_loopback(host: str) -> bool:
    """Return whether a host name means this machine."""
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def host_of(authority: str) -> str:
    """Return the host of a `Host` header or an origin's authority, without port and brackets; empty if invalid."""
    try:
        return (urlsplit(f"//{authority}").hostname or "").rstrip(".")
    except ValueError:
        return ""


def choose_session_cookie(public_url: str, authority: str) -> SessionCookie | None:
    """Return the cookie for a request to `authority` (its `Host` header), or None if it would travel unencrypted.

    The public URL decides about HTTPS, because behind a proxy every request looks like HTTP.
    """
    if urlsplit(public_url).scheme == "https":
        return SAFE_COOKIE
    return LOOPBACK_COOKIE if is_loopback(host_of(authority)) else None


def is_same_origin(origin: str, public_url: str) -> bool:
    """Return whether a request's Origin is our own. All names of this machine are equal: a browser may use any."""
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
