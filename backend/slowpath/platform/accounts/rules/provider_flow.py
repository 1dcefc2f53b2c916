"""Rules of flows through an identity provider: stored state, return path, team of an email domain."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal
from uuid import UUID

from slowpath.core.ids import UserId
from slowpath.platform.accounts.rules.roles import Role

FLOW_SECONDS = 600
"""How long a user may take at the identity provider."""
FRESH_SECONDS = 900
"""How recent a sign-in must be for a sensitive change of the account."""
CLOCK_SECONDS = 60
"""Allowed difference between the clocks of the identity provider and this server."""
LEFT_PATH = "/sign-in"
"""The page to which the identity provider returns the browser."""


SignInProtocol = Literal["oidc", "saml"]


@dataclass(frozen=True)
class FlowGoal:
    """What a flow is started for; without `link` and `confirms`, a sign-in."""

    next_path: str | None = None
    invitation: str | None = None
    link: UserId | None = None
    """The user to link the identity to."""
    confirms: UUID | None = None
    """The session to confirm, for which the user must sign in anew."""


@dataclass(frozen=True)
class ProviderFlow:
    """A sign-in that one browser started, which only that browser can finish."""

    state: str
    """The RelayState of SAML."""
    nonce: str
    """The ID of the request of SAML."""
    verifier: str
    """The PKCE verifier of OpenID Connect."""
    next_path: str
    link: UserId | None
    """The user to link the identity to; None for a sign-in."""
    invitation: str | None
    until: datetime
    confirms: UUID | None = None
    """The session to confirm by a new sign-in; None for other flows."""


def is_new_sign_in(authenticated_at: datetime | None, flow: ProviderFlow, now: datetime) -> bool:
    """Return whether the identity provider states that the user signed in there after the flow started."""
    if authenticated_at is None:
        return False
    started, tolerated = flow.until - timedelta(seconds=FLOW_SECONDS), timedelta(seconds=CLOCK_SECONDS)
    return started - tolerated <= authenticated_at <= now + tolerated


def safe_return_path(path: str | None) -> str:
    """Return a path of our pages, or the first page for anything that a browser could take for another site."""
    if path is None or not path.startswith("/") or path.startswith("//"):
        return "/"
    return path if path.isprintable() and "\\" not in path else "/"


@dataclass(frozen=True)
class DomainTeamRule:
    """The team and role that users of an email domain get at their first sign-in."""

    slug: str
    role: Role


def parse_domain_teams(text: str) -> dict[str, DomainTeamRule]:
    """Parse `example.com=team-x7f2q:member, ...`. Raises `ValueError` with the invalid entry."""
    found: dict[str, DomainTeamRule] = {}
    for entry in filter(None, (part.strip() for part in text.split(","))):
        domain, _, rest = entry.partition("=")
        slug, _, role = rest.partition(":")
        if not domain.strip() or not slug.strip() or role.strip() not in {"", "viewer", "member", "admin"}:
            raise ValueError(
                f"SLOWPATH_SIGN_IN_DOMAINS: {entry!r} is not domain=team:role with viewer, member or admin"
            )
        found[domain.strip().casefold()] = DomainTeamRule(slug.strip(), Role(role.strip() or "member"))
    return found
