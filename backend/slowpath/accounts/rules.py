"""Who may do what, what a secret looks like, and under which name a session's cookie travels.

Pure: time, random bytes and the addresses of a request come in as arguments.
"""

import hashlib
import zlib
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from ipaddress import ip_address
from urllib.parse import urlsplit
from uuid import UUID

from slowpath.core.ids import TeamId, UserId

SECRET_BYTES = 24
"""192 bits: nobody guesses them, so one round of SHA-256 is enough at rest."""
SESSION_DAYS = 30
TOUCH_SECONDS = 60
"""That a session or token was used is written at most this often, so that reading does not write every time."""
INVITATION_DAYS = 7
MAX_INVITATION_DAYS = 30
MIN_PASSWORD_LENGTH = 10
MAX_PASSWORD_LENGTH = 200
"""Hashing costs the same for any length; the limit only keeps requests small."""
TOKEN_PREFIX = "slp_"  # noqa: S105 - the part of a token that is no secret
TOKEN_SHOWN_LETTERS = 8
MAX_TOKENS = 200
MAX_TEAMS = 50
MAX_OPEN_INVITATIONS = 200


GRACE_HOURS = 12
"""So long a deleted team can be reopened by its owners; then it is erased, well within a day."""


@dataclass(frozen=True)
class AuditWanted:
    """Which entries of the log; None means any. Texts are parts of names, an action may be its beginning: `artifact`."""

    actor: str | None = None
    actor_id: UUID | None = None
    action: str | None = None
    subject_id: UUID | None = None
    since: datetime | None = None
    until: datetime | None = None


class Role(StrEnum):
    """What a person may do in a team; each includes those before it."""

    VIEWER = "viewer"
    MEMBER = "member"
    ADMIN = "admin"
    OWNER = "owner"

    @property
    def rank(self) -> int:
        """Return the place in the order of roles, from 0."""
        return list(Role).index(self)

    def reaches(self, needed: "Role") -> bool:
        """Tell whether this role includes another."""
        return self.rank >= needed.rank


class TokenScope(StrEnum):
    """What a token may do. `write` includes the others; `upload` includes waiting for what it uploaded.

    `runner` takes what is to be deployed, tells of it, and uploads what was measured.
    """

    READ = "read"
    UPLOAD = "upload"
    WRITE = "write"
    RUNNER = "runner"


class Right(StrEnum):
    """What an endpoint asks of its caller. Declared on every endpoint; a test reads the declarations."""

    ANYONE = "anyone"
    """Nobody needs to be signed in; the endpoint looks for itself."""
    SIGNED_IN = "signed-in"
    """A person, whatever the team."""
    READ = "read"
    WAIT = "wait"
    """Read what tells how an upload fares: artifacts and jobs."""
    UPLOAD = "upload"
    RUN = "run"
    """Take deploys of bisects and tell of them."""
    WRITE = "write"
    MANAGE = "manage"
    OWN = "own"


ROLE_FOR: dict[Right, Role] = {
    Right.READ: Role.VIEWER,
    Right.WAIT: Role.VIEWER,
    Right.UPLOAD: Role.MEMBER,
    Right.RUN: Role.MEMBER,
    Right.WRITE: Role.MEMBER,
    Right.MANAGE: Role.ADMIN,
    Right.OWN: Role.OWNER,
}
SCOPES_FOR: dict[Right, frozenset[TokenScope]] = {
    Right.READ: frozenset({TokenScope.READ, TokenScope.WRITE}),
    Right.WAIT: frozenset(TokenScope),
    Right.UPLOAD: frozenset({TokenScope.UPLOAD, TokenScope.RUNNER, TokenScope.WRITE}),
    Right.RUN: frozenset({TokenScope.RUNNER, TokenScope.WRITE}),
    Right.WRITE: frozenset({TokenScope.WRITE}),
}
"""Any one of them is enough. Rights that are not here are for people only."""


@dataclass(frozen=True)
class Caller:
    """Who asks, for which team, and with what right: a person (`user_id`) or a token (`token_id`)."""

    team_id: TeamId
    user_id: UserId | None
    token_id: UUID | None
    role: Role
    scopes: frozenset[TokenScope]
    account_id: UUID | None = None
    """The service account whose token it is."""


@dataclass(frozen=True)
class TeamRole:
    """A team as one of its people sees it."""

    id: TeamId
    slug: str
    name: str
    role: Role


@dataclass(frozen=True)
class Person:
    """Somebody signed in, with the session by which they are, and their teams in the order of joining."""

    user_id: UserId
    session_id: UUID
    email: str
    name: str
    teams: tuple[TeamRole, ...]


@dataclass(frozen=True)
class Rate:
    """How often something may be tried."""

    times: int
    seconds: int


SIGN_IN_BY_ADDRESS = Rate(60, 60)
SIGN_IN_BY_ADDRESS_AND_ACCOUNT = Rate(10, 300)
SIGN_IN_BY_ACCOUNT = Rate(100, 900)
"""Ten times what one address may try: who wants to lock somebody out needs many addresses, who guesses still fails."""
SIGN_UP_BY_ADDRESS = Rate(100, 3600)


SERVICE_ROLES = frozenset({Role.VIEWER, Role.MEMBER})
"""Managing a team is for people: there is no token for it, so a service account needs no role for it."""
SCOPES_OF: dict[Role, frozenset[TokenScope]] = {
    Role.VIEWER: frozenset({TokenScope.READ}),
    Role.MEMBER: frozenset(TokenScope),
}
MAX_SERVICE_ACCOUNTS = 100
RATE_SECONDS = 60
MAX_RATE = 1_000_000


def scopes_within(scopes: frozenset[TokenScope], role: Role) -> frozenset[TokenScope]:
    """Return what is left of a token's scopes under the role of its service account."""
    kept = scopes & SCOPES_OF[role]
    reads = TokenScope.WRITE in scopes and TokenScope.READ in SCOPES_OF[role]  # writing includes reading
    return kept | {TokenScope.READ} if reads else kept


def role_of_scopes(scopes: frozenset[TokenScope]) -> Role:
    """Return the role that a token of these scopes comes nearest to."""
    return Role.MEMBER if scopes - {TokenScope.READ} else Role.VIEWER


# -- signing in by an issuer ---------------------------------------------------------------------

FLOW_SECONDS = 600
"""How long somebody may take at the issuer."""
FRESH_SECONDS = 900
"""How long ago somebody may have signed in who gives themselves a first password."""
RETURN_PATH = "/sign-in/return"
"""Where the issuer sends a browser back to; the page there hands on what it was given."""
LEFT_PATH = "/sign-in"
"""Where the issuer sends a browser that it signed out."""


@dataclass(frozen=True)
class Flow:
    """A sign-in that was begun by one browser, which alone can end it."""

    state: str
    nonce: str
    verifier: str
    next_path: str
    link: UserId | None
    """To whom the account at the issuer shall be linked; nobody, when somebody signs in."""
    invitation: str | None
    until: datetime


def own_path(path: str | None) -> str:
    """Return a path of our own pages, or the first page for everything that a browser might take for another site."""
    if path is None or not path.startswith("/") or path.startswith("//"):
        return "/"
    return path if path.isprintable() and "\\" not in path else "/"


@dataclass(frozen=True)
class DomainTeam:
    """The team that people of a domain join when they first sign in, and as what."""

    slug: str
    role: Role


def domain_teams(text: str) -> dict[str, DomainTeam]:
    """Read `example.com=team-x7f2q:member, ...`. Raises `ValueError` naming the entry that can not be read."""
    found: dict[str, DomainTeam] = {}
    for entry in filter(None, (part.strip() for part in text.split(","))):
        domain, _, rest = entry.partition("=")
        slug, _, role = rest.partition(":")
        if not domain.strip() or not slug.strip() or role.strip() not in {"", "viewer", "member", "admin"}:
            raise ValueError(f"SLOWPATH_OIDC_DOMAINS: {entry!r} is not domain=team:role with viewer, member or admin")
        found[domain.strip().casefold()] = DomainTeam(slug.strip(), Role(role.strip() or "member"))
    return found


def names_one_mailbox(email: str) -> bool:
    """Tell whether an e-mail can stand for a person: folding the case of letters beyond ASCII makes two of them one."""
    return email.isascii()


# -- members ---------------------------------------------------------------------------------------


def may_grant(granting: Role, granted: Role) -> bool:
    """Tell whether a person of one role may invite or raise somebody to another."""
    return granting.reaches(Role.ADMIN) and granting.reaches(granted)


def may_change(changing: Role, current: Role, wanted: Role) -> bool:
    """Tell whether a role may be changed: nobody reaches above themselves, neither before nor after."""
    return may_grant(changing, current) and may_grant(changing, wanted)


def may_remove(removing: Role, removed: Role, *, oneself: bool) -> bool:
    """Tell whether a member may be removed. Everyone may leave."""
    return oneself or may_grant(removing, removed)


def leaves_no_owner(owners: int, current: Role, wanted: Role | None) -> bool:
    """Tell whether a change would leave the team without an owner; `wanted` is None for leaving."""
    return current is Role.OWNER and wanted is not Role.OWNER and owners <= 1


# -- secrets ---------------------------------------------------------------------------------------

LETTERS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
SECRET_LETTERS = 33
"""62^33 > 2^192."""
CHECK_LETTERS = 6
"""62^6 > 2^32."""


def _in_letters(number: int, length: int) -> str:
    letters = []
    for _ in range(length):
        number, rest = divmod(number, len(LETTERS))
        letters.append(LETTERS[rest])
    return "".join(reversed(letters))


def secret_from(random_bytes: bytes) -> str:
    """Return 24 random bytes as 33 letters and digits, which a double click selects whole."""
    if len(random_bytes) != SECRET_BYTES:
        raise ValueError(f"a secret is made of {SECRET_BYTES} bytes, not {len(random_bytes)}")
    return _in_letters(int.from_bytes(random_bytes), SECRET_LETTERS)


def token_from(random_bytes: bytes) -> str:
    """Return a token: prefix, secret, checksum. Prefix and checksum let scanners of leaked secrets find it."""
    secret = secret_from(random_bytes)
    return TOKEN_PREFIX + secret + _check_letters(secret)


def _check_letters(secret: str) -> str:
    return _in_letters(zlib.crc32(secret.encode()), CHECK_LETTERS)


def looks_like_secret(text: str) -> bool:
    """Tell whether it could be a session's or an invitation's secret, without asking the database."""
    return len(text) == SECRET_LETTERS and all(letter in LETTERS for letter in text)


def looks_like_token(text: str) -> bool:
    """Tell whether it could be a token: prefix, length and checksum are right."""
    secret, check = text[len(TOKEN_PREFIX) : -CHECK_LETTERS], text[-CHECK_LETTERS:]
    return text.startswith(TOKEN_PREFIX) and looks_like_secret(secret) and check == _check_letters(secret)


def secret_hash(secret: str) -> bytes:
    """Return what is stored of a secret: its SHA-256, 32 bytes."""
    return hashlib.sha256(secret.encode()).digest()


def email_key(email: str) -> str:
    """Return the form by which an e-mail is found, so that case does not make two people of one."""
    return email.strip().casefold()


def address_key(address: str) -> str:
    """Return by what an address is counted: itself, or for IPv6 its network of 64 bits, which one household holds."""
    try:
        parsed = ip_address(address)
    except ValueError:
        return address
    return str(parsed) if parsed.version == 4 else parsed.exploded[:19]


def session_ends(now: datetime) -> datetime:
    """Return when a session ends that was used now."""
    return now + timedelta(days=SESSION_DAYS)


def slug_from(name: str, random_bytes: bytes) -> str:
    """Return a team's slug: its name in plain letters, and five random ones."""
    plain = "".join(letter if letter.isascii() and letter.isalnum() else "-" for letter in name.casefold())
    words = "-".join(word for word in plain.split("-") if word)[:40].strip("-") or "team"
    return f"{words}-{_in_letters(int.from_bytes(random_bytes), 5).casefold()}"


# -- the address people open -----------------------------------------------------------------------


@dataclass(frozen=True)
class Cookie:
    """Under which name, and how, a session's secret travels."""

    name: str
    secure: bool


SAFE_COOKIE = Cookie("__Host-slowpath", secure=True)
LOOPBACK_COOKIE = Cookie("slowpath", secure=False)


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


def cookie_for(public_url: str, authority: str) -> Cookie | None:
    """Return the cookie for a request to `authority` (its `Host` header), or None where it would travel in the open.

    https is decided by the public address, for behind a proxy every request looks like http.
    """
    if urlsplit(public_url).scheme == "https":
        return SAFE_COOKIE
    return LOOPBACK_COOKIE if is_loopback(host_of(authority)) else None


def same_origin(origin: str, public_url: str) -> bool:
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
