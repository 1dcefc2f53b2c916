"""Who may do what: roles of people, scopes of tokens, and the rights they give."""

from dataclasses import dataclass
from enum import StrEnum
from uuid import UUID

from slowpath.core.ids import TeamId, UserId


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

    `upload` tells builds and sends files and telemetry; it sees how what it sent itself fares, and nothing else.
    `deploy` announces deployments, and sees nothing.
    `runner` takes what is to be deployed, tells of it, and uploads what was measured of it.
    """

    READ = "read"
    UPLOAD = "upload"
    WRITE = "write"
    RUNNER = "runner"
    DEPLOY = "deploy"


class Permission(StrEnum):
    """What an endpoint asks of its caller. Declared on every endpoint; a test reads the declarations."""

    ANYONE = "anyone"
    """Nobody needs to be signed in; the endpoint looks for itself."""
    SIGNED_IN = "signed-in"
    """A person, whatever the team."""
    READ = "read"
    WAIT = "wait"
    """Read what tells how an upload fares: artifacts and jobs."""
    UPLOAD = "upload"
    """Send files, and finish or abandon one's own."""
    SEND = "send"
    """Tell builds, and send telemetry."""
    DEPLOY = "deploy"
    """Announce deployments."""
    RUN = "run"
    """Take deploys of bisects and tell of them."""
    WRITE = "write"
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
    Permission.MANAGE: Role.ADMIN,
    Permission.OWN: Role.OWNER,
}
SCOPES_FOR: dict[Permission, frozenset[TokenScope]] = {
    Permission.READ: frozenset({TokenScope.READ, TokenScope.WRITE}),
    Permission.WAIT: frozenset(TokenScope) - {TokenScope.DEPLOY},
    Permission.UPLOAD: frozenset({TokenScope.UPLOAD, TokenScope.RUNNER, TokenScope.WRITE}),
    Permission.SEND: frozenset({TokenScope.UPLOAD, TokenScope.WRITE}),
    Permission.DEPLOY: frozenset({TokenScope.DEPLOY, TokenScope.WRITE}),
    Permission.RUN: frozenset({TokenScope.RUNNER, TokenScope.WRITE}),
    Permission.WRITE: frozenset({TokenScope.WRITE}),
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

    @property
    def program_id(self) -> UUID | None:
        """The program that asks: a service account, whichever token it uses now, or a token by itself."""
        return self.account_id or self.token_id

    @property
    def sees_only_own(self) -> bool:
        """Whether it may see and touch only what it sent itself: a token that neither reads nor writes."""
        return self.token_id is not None and not self.scopes & {TokenScope.READ, TokenScope.WRITE}

    def owns(self, program_id: UUID | None) -> bool:
        """Tell whether what this program sent may be seen and touched by the caller."""
        return not self.sees_only_own or program_id == self.program_id


@dataclass(frozen=True)
class TeamMembership:
    """A team as one of its people sees it."""

    id: TeamId
    slug: str
    name: str
    role: Role


@dataclass(frozen=True)
class SignedInUser:
    """Somebody signed in, with the session by which they are, and their teams in the order of joining."""

    user_id: UserId
    session_id: UUID
    email: str
    name: str
    teams: tuple[TeamMembership, ...]


SCOPES_OF: dict[Role, frozenset[TokenScope]] = {
    Role.VIEWER: frozenset({TokenScope.READ}),
    Role.MEMBER: frozenset(TokenScope),
}


def restrict_scopes(scopes: frozenset[TokenScope], role: Role) -> frozenset[TokenScope]:
    """Return what is left of a token's scopes under the role of its service account."""
    kept = scopes & SCOPES_OF[role]
    reads = TokenScope.WRITE in scopes and TokenScope.READ in SCOPES_OF[role]  # writing includes reading
    return kept | {TokenScope.READ} if reads else kept


def nearest_role(scopes: frozenset[TokenScope]) -> Role:
    """Return the role that a token of these scopes comes nearest to."""
    return Role.MEMBER if scopes - {TokenScope.READ} else Role.VIEWER


def can_grant(granting: Role, granted: Role) -> bool:
    """Tell whether a person of one role may invite or raise somebody to another."""
    return granting.reaches(Role.ADMIN) and granting.reaches(granted)


def can_change_role(changing: Role, current: Role, wanted: Role) -> bool:
    """Tell whether a role may be changed: nobody reaches above themselves, neither before nor after."""
    return can_grant(changing, current) and can_grant(changing, wanted)


def can_remove_member(removing: Role, removed: Role, *, oneself: bool) -> bool:
    """Tell whether a member may be removed. Everyone may leave."""
    return oneself or can_grant(removing, removed)


def would_leave_no_owner(owners: int, current: Role, wanted: Role | None) -> bool:
    """Tell whether a change would leave the team without an owner; `wanted` is None for leaving."""
    return current is Role.OWNER and wanted is not Role.OWNER and owners <= 1
