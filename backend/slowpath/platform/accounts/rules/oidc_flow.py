"""Signing in by an issuer: what is remembered meanwhile, where one comes back to, which team a domain joins."""

from dataclasses import dataclass
from datetime import datetime

from slowpath.core.ids import UserId
from slowpath.platform.accounts.rules.roles import Role

FLOW_SECONDS = 600
"""How long somebody may take at the issuer."""
FRESH_SECONDS = 900
"""How long ago somebody may have signed in who gives themselves a first password."""
LEFT_PATH = "/sign-in"
"""Where the issuer sends a browser that it signed out."""


@dataclass(frozen=True)
class OidcFlow:
    """A sign-in that was begun by one browser, which alone can end it."""

    state: str
    nonce: str
    verifier: str
    next_path: str
    link: UserId | None
    """To whom the account at the issuer shall be linked; nobody, when somebody signs in."""
    invitation: str | None
    until: datetime


def safe_return_path(path: str | None) -> str:
    """Return a path of our own pages, or the first page for everything that a browser might take for another site."""
    if path is None or not path.startswith("/") or path.startswith("//"):
        return "/"
    return path if path.isprintable() and "\\" not in path else "/"


@dataclass(frozen=True)
class DomainTeamRule:
    """The team that people of a domain join when they first sign in, and as what."""

    slug: str
    role: Role


def parse_domain_teams(text: str) -> dict[str, DomainTeamRule]:
    """Read `example.com=team-x7f2q:member, ...`. Raises `ValueError` naming the entry that can not be read."""
    found: dict[str, DomainTeamRule] = {}
    for entry in filter(None, (part.strip() for part in text.split(","))):
        domain, _, rest = entry.partition("=")
        slug, _, role = rest.partition(":")
        if not domain.strip() or not slug.strip() or role.strip() not in {"", "viewer", "member", "admin"}:
            raise ValueError(f"SLOWPATH_OIDC_DOMAINS: {entry!r} is not domain=team:role with viewer, member or admin")
        found[domain.strip().casefold()] = DomainTeamRule(slug.strip(), Role(role.strip() or "member"))
    return found
