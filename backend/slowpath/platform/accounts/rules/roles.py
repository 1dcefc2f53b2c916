"""Roles of users, scopes of tokens, and the permissions they give."""

from dataclasses import dataclass
from enum import StrEnum
from uuid import UUID

from slowpath.core.ids import TeamId, UserId


class Role(StrEnum):
    """Roles of a member; each includes those before it."""

    VIEWER = "viewer"
    MEMBER = "member"
    ADMIN = "admin"
    OWNER = "owner"

    @property
    def rank(self) -> int:
        """Return the position in the order of roles, from 0."""
        return list(Role).index(self)

    def reaches(self, needed: "Role") -> bool:
        """Return whether this role includes another."""
        return self.rank >= needed.rank


class TokenScope(StrEnum):
    """Scopes of a token. `write` includes the others but `audit` and `scim`; `upload` includes waiting for its own uploads.

    `upload` sends build metadata, files and telemetry, and sees only the state of what it sent.
    `deploy` records deployments, and sees nothing.
    `runner` takes probes to deploy, reports on them, and uploads their measurements.
    `audit` reads the audit log and nothing else. Service accounts cannot have it: they are members at most.
    `scim` provisions the members of the team for an identity provider, and nothing else. Only owners create such tokens.
    """

    READ = "read"
    UPLOAD = "upload"
    WRITE = "write"
    RUNNER = "runner"
    DEPLOY = "deploy"
    AUDIT = "audit"
    SCIM = "scim"


class Permission(StrEnum):
    """The permission that an endpoint requires. Every endpoint declares one; a test reads the declarations."""

    ANYONE = "anyone"
    """No sign-in required; the endpoint checks its caller."""
    SIGNED_IN = "signed-in"
    """A signed-in user, with any team or none."""
    READ = "read"
    WAIT = "wait"
    """Read the state of an upload: artifacts and jobs."""
    UPLOAD = "upload"
    """Upload files, and finish or abort one's own uploads."""
    SEND = "send"
    """Register builds, and send telemetry."""
    DEPLOY = "deploy"
    """Record deployments."""
    RUN = "run"
    """Take probes of bisects and report on them."""
    WRITE = "write"
    AUDIT = "audit"
    """Read the audit log entry by entry, as a SIEM does."""
    SCIM = "scim"
    """Provision members. For tokens only: no role has it."""
    MANAGE = "manage"
    OWN = "own"


ROLE_FOR: dict[Permission, Role] = {
    Permission.READ: Role.VIEWER,
    Permission.WAIT: Role.VIEWER,
    Permission.UPLOAD: Role.MEMBER,
    Permission.SEND: Role.MEMBER,
    Permission.DEPLOY: Role.MEMBER,
    Permission.RUN: Role.MEMBER,
    Permission.WRITE: Role.MEMBER,
    Permission.AUDIT: Role.ADMIN,
    Permission.MANAGE: Role.ADMIN,
    Permission.OWN: Role.OWNER,
}
"""The lowest role with a permission. Permissions that are not listed are for tokens only, or need no team."""
SCOPES_FOR: dict[Permission, frozenset[TokenScope]] = {
    Permission.READ: frozenset({TokenScope.READ, TokenScope.WRITE}),
    Permission.WAIT: frozenset(TokenScope) - {TokenScope.DEPLOY, TokenScope.AUDIT, TokenScope.SCIM},
    Permission.UPLOAD: frozenset({TokenScope.UPLOAD, TokenScope.RUNNER, TokenScope.WRITE}),
    Permission.SEND: frozenset({TokenScope.UPLOAD, TokenScope.WRITE}),
    Permission.DEPLOY: frozenset({TokenScope.DEPLOY, TokenScope.WRITE}),
    Permission.RUN: frozenset({TokenScope.RUNNER, TokenScope.WRITE}),
    Permission.WRITE: frozenset({TokenScope.WRITE}),
    Permission.AUDIT: frozenset({TokenScope.AUDIT}),
    Permission.SCIM: frozenset({TokenScope.SCIM}),
}
"""Any one of these scopes is enough. Permissions that are not listed are for users only."""


@dataclass(frozen=True)
class Caller:
    """The authenticated caller, team and permission: a user (`user_id`) or a token (`token_id`)."""

    team_id: TeamId
    user_id: UserId | None
    token_id: UUID | None
    role: Role
    scopes: frozenset[TokenScope]
    account_id: UUID | None = None
    """The service account that owns the token."""
    is_multi_factor: bool = False
    """Whether the session of the user had a second factor."""
    session_id: UUID | None = None
    """The session of the user."""

    @property
    def program_id(self) -> UUID | None:
        """The identity of a program: its service account, whichever token it uses, or else the token."""
        return self.account_id or self.token_id

    @property
    def sees_only_own(self) -> bool:
        """Whether the caller may access only what it sent: a token that can neither read nor write."""
        return self.token_id is not None and not self.scopes & {TokenScope.READ, TokenScope.WRITE}

    def owns(self, program_id: UUID | None) -> bool:
        """Return whether the caller may access what this program sent."""
        return not self.sees_only_own or program_id == self.program_id


@dataclass(frozen=True)
class TeamMembership:
    """A team, as shown to one of its members."""

    id: TeamId
    slug: str
    name: str
    role: Role
    requires_second_factor: bool = False


@dataclass(frozen=True)
class SignedInUser:
    """A signed-in user with the current session, and their teams in the order of joining."""

    user_id: UserId
    session_id: UUID
    email: str
    name: str
    teams: tuple[TeamMembership, ...]
    is_multi_factor: bool


SCOPES_OF: dict[Role, frozenset[TokenScope]] = {
    Role.VIEWER: frozenset({TokenScope.READ}),
    Role.MEMBER: frozenset(TokenScope) - {TokenScope.AUDIT, TokenScope.SCIM},
}


def restrict_scopes(scopes: frozenset[TokenScope], role: Role) -> frozenset[TokenScope]:
    """Return the scopes of a token that the role of its service account allows."""
    allowed = scopes & SCOPES_OF[role]
    reads = TokenScope.WRITE in scopes and TokenScope.READ in SCOPES_OF[role]  # writing includes reading
    return allowed | {TokenScope.READ} if reads else allowed


def nearest_role(scopes: frozenset[TokenScope]) -> Role:
    """Return the role that is closest to a token's scopes."""
    return Role.MEMBER if scopes - {TokenScope.READ} else Role.VIEWER


def can_grant(granting: Role, granted: Role) -> bool:
    """Return whether a user with one role may grant another role."""
    return granting.reaches(Role.ADMIN) and granting.reaches(granted)


def can_change_role(changing: Role, current: Role, role: Role) -> bool:
    """Return whether a role may be changed: no member can act above their own role, before or after the change."""
    return can_grant(changing, current) and can_grant(changing, role)


def can_remove_member(removing: Role, removed: Role, *, oneself: bool) -> bool:
    """Return whether a member may be removed. Every member may leave."""
    return oneself or can_grant(removing, removed)


def would_leave_no_owner(owners: int, current: Role, role: Role | None) -> bool:
    """Return whether a change would leave the team without an owner; `role` is None for leaving."""
    return current is Role.OWNER and role is not Role.OWNER and owners <= 1
