"""The wire shapes of people and teams. A secret stands in exactly one answer: that to its making."""

import unicodedata
from datetime import datetime
from enum import StrEnum
from typing import Annotated, Any
from uuid import UUID

from pydantic import AfterValidator, AwareDatetime, BaseModel, ConfigDict, EmailStr, Field, StringConstraints

from slowpath.accounts.rules import (
    INVITATION_DAYS,
    MAX_INVITATION_DAYS,
    MAX_PASSWORD_LENGTH,
    MAX_RATE,
    MIN_PASSWORD_LENGTH,
    SECRET_LETTERS,
    Person,
    Role,
    TeamRole,
    TokenScope,
)
from slowpath.accounts.tables import (
    ApiToken,
    AuditEvent,
    Invitation,
    Membership,
    ServiceAccount,
    Team,
    User,
    UserSession,
)

MAX_TOKEN_DAYS = 3650
INVISIBLE = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
"""Unicode categories that no name needs: controls, direction marks, halves of pairs."""


def _visible(text: str) -> str:
    if any(unicodedata.category(letter) in INVISIBLE for letter in text):
        raise ValueError("holds characters that can not be seen")
    return text


Name = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=100), AfterValidator(_visible)]
Email = Annotated[EmailStr, StringConstraints(max_length=254)]
NewPassword = Annotated[str, StringConstraints(min_length=MIN_PASSWORD_LENGTH, max_length=MAX_PASSWORD_LENGTH)]
AnyPassword = Annotated[str, StringConstraints(min_length=1, max_length=MAX_PASSWORD_LENGTH)]
Secret = Annotated[str, StringConstraints(min_length=SECRET_LETTERS, max_length=SECRET_LETTERS)]


Rate = Annotated[int, Field(ge=1, le=MAX_RATE)] | None


class ServiceRole(StrEnum):
    """What a service account may be. Managing a team is for people."""

    VIEWER = "viewer"
    MEMBER = "member"


class Sent(BaseModel):
    """Base of what is sent to us: a misspelt member is an error, not a silence."""

    model_config = ConfigDict(extra="forbid")


# -- sent to us ------------------------------------------------------------------------------------


class SignUpIn(Sent):
    """A new person; with the secret of an invitation they join its team, otherwise they get one of their own."""

    email: Email
    name: Name
    password: NewPassword
    team: Name | None = None
    """How the new team is called."""
    invitation: Secret | None = None


class SignInIn(Sent):
    """E-mail and password."""

    email: Annotated[str, StringConstraints(min_length=1, max_length=254)]
    password: AnyPassword


class ResetIn(Sent):
    """Who forgot their password."""

    email: Annotated[str, StringConstraints(min_length=1, max_length=254, pattern=r"^[^\x00]*$")]


class NewPasswordIn(Sent):
    """Another password, by the secret of the link that was mailed."""

    secret: Annotated[str, StringConstraints(min_length=1, max_length=100)]
    password: NewPassword


class UserChange(Sent):
    """What a person may change about themselves."""

    name: Name


class PasswordChange(Sent):
    """The password there is, and the one that shall be. Who has none yet and has just signed in sets a first one."""

    current_password: AnyPassword | None = None
    new_password: NewPassword


class TeamIn(Sent):
    """A new team, or another name for one."""

    name: Name


class MemberChange(Sent):
    """Another role for a member."""

    role: Role


class InvitationIn(Sent):
    """Whom to invite, as what, and for how long the link is good."""

    email: Email | None = None
    role: Role = Role.MEMBER
    expires_in_days: Annotated[int, Field(ge=1, le=MAX_INVITATION_DAYS)] = INVITATION_DAYS


class InvitationRenewal(Sent):
    """For how long the new link is good."""

    expires_in_days: Annotated[int, Field(ge=1, le=MAX_INVITATION_DAYS)] = INVITATION_DAYS


class TokenIn(Sent):
    """What a token may do and for how long; null means for ever."""

    name: Name
    scopes: Annotated[list[TokenScope], Field(min_length=1, max_length=len(TokenScope))]
    expires_in_days: Annotated[int, Field(ge=1, le=MAX_TOKEN_DAYS)] | None = 90
    service_account_id: UUID | None = None
    """Whose it shall be; null for a token of the team."""
    requests_per_minute: Rate = None
    """Null for the rate that the operator set for all."""
    uploads_per_minute: Rate = None


class TokenChange(Sent):
    """Another name for a token, and its rates."""

    name: Name
    requests_per_minute: Rate = None
    uploads_per_minute: Rate = None


class ServiceAccountIn(Sent):
    """A member that is no person."""

    name: Name
    role: ServiceRole = ServiceRole.MEMBER


class ServiceAccountChange(Sent):
    """What to change of a service account; what is absent or null stays."""

    name: Name | None = None
    role: ServiceRole | None = None
    disabled: bool | None = None


class FlowIn(Sent):
    """Where to go after signing in, and the invitation that is followed."""

    next: Annotated[str, StringConstraints(max_length=2000)] | None = None
    invitation: Secret | None = None


class ReturnIn(Sent):
    """What the issuer sent the browser back with."""

    state: Annotated[str, StringConstraints(min_length=1, max_length=200)]
    code: Annotated[str, StringConstraints(max_length=4000)] | None = None
    iss: Annotated[str, StringConstraints(max_length=2000)] | None = None
    error: Annotated[str, StringConstraints(max_length=200)] | None = None


# -- told by us ------------------------------------------------------------------------------------


class UserOut(BaseModel):
    """A person."""

    id: UUID
    email: str
    name: str


class TeamOfUser(BaseModel):
    """A team as one of its people sees it."""

    id: UUID
    slug: str
    name: str
    role: Role


class SessionOut(BaseModel):
    """Who is signed in, and their teams in the order of joining."""

    user: UserOut
    teams: list[TeamOfUser]


class OidcWay(BaseModel):
    """The issuer people sign in with."""

    name: str


class SignInWays(BaseModel):
    """How people sign in here."""

    passwords: bool
    sign_up: bool
    """Whether people sign up without an invitation."""
    mail: bool
    """Whether somebody who forgot their password is mailed a link to choose another."""
    oidc: OidcWay | None


class FlowOut(BaseModel):
    """Where to send the browser."""

    url: str


class ReturnOut(BaseModel):
    """Who is signed in now, and where they wanted to go."""

    session: SessionOut
    next: str
    linked: bool
    """Whether an account at the issuer was linked to who was signed in before."""


class SignInOut(BaseModel):
    """An account at an issuer that a person has linked."""

    id: UUID
    name: str
    email: str | None
    created_at: AwareDatetime
    last_used_at: AwareDatetime


class OwnSignIns(BaseModel):
    """How a person signs in."""

    has_password: bool
    linked: list[SignInOut]


class BrowserOut(BaseModel):
    """A browser that is signed in."""

    id: UUID
    browser: str
    address: str
    created_at: AwareDatetime
    last_seen_at: AwareDatetime
    expires_at: AwareDatetime
    current: bool
    """Whether it is the one that asks."""


class TeamOut(BaseModel):
    """A team."""

    id: UUID
    slug: str
    name: str
    created_at: AwareDatetime


class MemberOut(BaseModel):
    """A person in a team, since when, as what."""

    user_id: UUID
    name: str
    email: str
    role: Role
    created_at: AwareDatetime


class InvitationOut(BaseModel):
    """An open invitation. `secret` is told once, in the answer to its making."""

    id: UUID
    email: str | None
    role: Role
    created_at: AwareDatetime
    expires_at: AwareDatetime
    created_by: str | None
    mailed_at: AwareDatetime | None
    mail_problem: dict[str, Any] | None
    """Why the mail was not taken."""
    secret: str | None = None


class InvitingTeam(BaseModel):
    """The team a link invites to."""

    name: str
    slug: str


class InvitationPreview(BaseModel):
    """What whoever holds a link is told before they accept."""

    team: InvitingTeam
    role: Role
    email: str | None
    expires_at: AwareDatetime


class ServiceAccountOut(BaseModel):
    """A member that is no person: programs act as it, by tokens of its own."""

    id: UUID
    name: str
    role: ServiceRole
    disabled_at: AwareDatetime | None
    created_at: AwareDatetime
    created_by: str | None
    tokens: int
    """How many living ones it has."""
    last_used_at: AwareDatetime | None


class AccountOfToken(BaseModel):
    """The service account of a token."""

    id: UUID
    name: str
    disabled: bool


class TokenOut(BaseModel):
    """A token of the team. `secret` is told once, in the answer to its making."""

    id: UUID
    name: str
    prefix: str
    scopes: list[TokenScope]
    created_at: AwareDatetime
    expires_at: AwareDatetime | None
    last_used_at: AwareDatetime | None
    created_by: str | None
    service_account: AccountOfToken | None
    requests_per_minute: int | None
    """Null where the rate holds that the operator set for all."""
    uploads_per_minute: int | None
    secret: str | None = None


class AccountEnd(BaseModel):
    """That an account is to be deleted, said so that it can not be by mistake."""

    email: Annotated[str, Field(min_length=3, max_length=320)]
    current_password: Annotated[str, Field(max_length=MAX_PASSWORD_LENGTH)] | None = None
    """Of whoever has one."""


class ClosedTeamOut(BaseModel):
    """A deleted team that can be reopened until it is erased."""

    id: UUID
    slug: str
    name: str
    deleted_at: AwareDatetime
    erased_at: AwareDatetime


class AuditEventOut(BaseModel):
    """Who changed what, when."""

    id: UUID
    at: AwareDatetime
    actor: str
    actor_kind: str
    action: str
    subject: str
    """The kind of thing, and how it was called if it had a name."""
    subject_id: UUID | None
    details: dict[str, Any]


# -- from rows -------------------------------------------------------------------------------------


def session_out(user_id: UUID, email: str, name: str, teams: tuple[TeamRole, ...]) -> SessionOut:
    """Tell who is signed in."""
    told = [TeamOfUser(id=team.id, slug=team.slug, name=team.name, role=team.role) for team in teams]
    return SessionOut(user=UserOut(id=user_id, email=email, name=name), teams=told)


def browser_out(row: UserSession, person: Person) -> BrowserOut:
    """Tell of a session, to whom it belongs."""
    return BrowserOut(
        id=row.id,
        browser=row.browser,
        address=row.address,
        created_at=row.created_at,
        last_seen_at=row.last_seen_at,
        expires_at=row.expires_at,
        current=row.id == person.session_id,
    )


def team_out(row: Team) -> TeamOut:
    """Tell of a team."""
    return TeamOut(id=row.id, slug=row.slug, name=row.name, created_at=row.created_at)


def member_out(membership: Membership, user: User) -> MemberOut:
    """Tell of a member."""
    return MemberOut(
        user_id=user.id,
        name=user.name,
        email=user.email,
        role=Role(membership.role),
        created_at=membership.created_at,
    )


def invitation_out(row: Invitation, created_by: str | None, secret: str | None = None) -> InvitationOut:
    """Tell of an invitation."""
    return InvitationOut(
        id=row.id,
        email=row.email,
        role=Role(row.role),
        created_at=row.created_at,
        expires_at=row.expires_at,
        created_by=created_by,
        mailed_at=row.mailed_at,
        mail_problem=row.mail_problem,
        secret=secret,
    )


def service_account_out(
    row: ServiceAccount, created_by: str | None, tokens: int, last_used_at: datetime | None
) -> ServiceAccountOut:
    """Tell of a service account."""
    return ServiceAccountOut(
        id=row.id,
        name=row.name,
        role=ServiceRole(row.role),
        disabled_at=row.disabled_at,
        created_at=row.created_at,
        created_by=created_by,
        tokens=tokens,
        last_used_at=last_used_at,
    )


def token_out(
    row: ApiToken, created_by: str | None, account: ServiceAccount | None, secret: str | None = None
) -> TokenOut:
    """Tell of a token."""
    known = account and AccountOfToken(id=account.id, name=account.name, disabled=account.disabled_at is not None)
    return TokenOut(
        id=row.id,
        name=row.name,
        prefix=row.prefix,
        scopes=[TokenScope(scope) for scope in row.scopes],
        created_at=row.created_at,
        expires_at=row.expires_at,
        last_used_at=row.last_used_at,
        created_by=created_by,
        service_account=known,
        requests_per_minute=row.requests_per_minute,
        uploads_per_minute=row.uploads_per_minute,
        secret=secret,
    )


def audit_event_out(row: AuditEvent) -> AuditEventOut:
    """Tell of a change."""
    name = row.facts.get("name")
    return AuditEventOut(
        id=row.id,
        at=row.created_at,
        actor=row.actor_name,
        actor_kind=row.actor_kind,
        action=row.action,
        subject=f"{row.subject_kind} {name}" if isinstance(name, str) else row.subject_kind,
        subject_id=row.subject_id,
        details=row.facts,
    )


def moment_of(row: Membership | Invitation | ApiToken | ServiceAccount | AuditEvent) -> tuple[datetime, UUID]:
    """Return by what a list is ordered."""
    return row.created_at, row.id
