"""Wire shapes of users and their sessions."""

from typing import Annotated
from uuid import UUID

from pydantic import AwareDatetime, BaseModel, Field, StrictBool, StringConstraints

from slowpath.platform.accounts.rules.account_limits import MAX_PASSWORD_LENGTH
from slowpath.platform.accounts.rules.roles import Role, SignedInUser, TeamMembership
from slowpath.platform.accounts.schemas.account_field_types import (
    AnyPassword,
    Email,
    Name,
    NewPassword,
    Secret,
    StrictRequest,
)
from slowpath.platform.accounts.tables import UserSession


class SignUpIn(StrictRequest):
    """A new user: with the secret of an invitation they join its team, otherwise they get a new team."""

    email: Email
    name: Name
    password: NewPassword
    team: Name | None = None
    """Name of the new team."""
    invitation: Secret | None = None


class SignInIn(StrictRequest):
    """Email and password."""

    email: Annotated[str, StringConstraints(min_length=1, max_length=254)]
    password: AnyPassword


class PasswordResetIn(StrictRequest):
    """Email of the account whose password is reset."""

    email: Annotated[str, StringConstraints(min_length=1, max_length=254, pattern=r"^[^\x00]*$")]


class PasswordResetConfirmationIn(StrictRequest):
    """A new password, with the secret of the emailed link."""

    secret: Annotated[str, StringConstraints(min_length=1, max_length=100)]
    password: NewPassword


class UserUpdate(StrictRequest):
    """Changes to the user's own account; omitted fields are unchanged."""

    name: Name | None = None
    time_zone: Annotated[str, StringConstraints(max_length=64, pattern=r"^[A-Za-z0-9+_/-]+$")] | None = None
    """IANA name of a time zone, such as Europe/Berlin; null is the browser's."""


class PasswordUpdate(StrictRequest):
    """The current and the new password. A user without a password omits the current one."""

    current_password: AnyPassword | None = None
    new_password: NewPassword


class UserOut(BaseModel):
    """A user."""

    id: UUID
    email: str
    name: str
    time_zone: str | None
    """IANA name of the time zone that times are shown in; null is the browser's."""


class UserTeamOut(BaseModel):
    """A team, as shown to one of its members."""

    id: UUID
    slug: str
    name: str
    role: Role
    requires_second_factor: bool


class CurrentSessionOut(BaseModel):
    """The signed-in user, and their teams in the order of joining."""

    user: UserOut
    teams: list[UserTeamOut]
    is_multi_factor: bool
    """Whether the sign-in had a second factor, or was at the identity provider."""


class SignOutOut(BaseModel):
    """The result of signing out."""

    provider_sign_out_url: str | None = Field(
        description="where to send the browser to sign out at the identity provider, which sends it back"
    )


class EmailPreferencesOut(BaseModel):
    """Which emails you receive."""

    email_on_mention: bool


class EmailPreferencesUpdate(StrictRequest):
    """Which emails you want to receive."""

    email_on_mention: StrictBool


CodeHostLogin = Annotated[str, StringConstraints(max_length=255, pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$")]


class CodeHostLogins(StrictRequest):
    """Your logins at GitHub, GitLab and other code hosts. CODEOWNERS and commits that name one name you."""

    logins: Annotated[list[CodeHostLogin], Field(max_length=10)]


class BrowserSessionOut(BaseModel):
    """A session: a signed-in browser."""

    id: UUID
    browser: str
    address: str
    created_at: AwareDatetime
    last_seen_at: AwareDatetime
    expires_at: AwareDatetime
    is_current: bool
    """Whether it is the session of this request."""


class AccountDeletionIn(BaseModel):
    """Confirmation that an account is to be deleted."""

    email: Annotated[str, Field(min_length=3, max_length=320)]
    current_password: Annotated[str, Field(max_length=MAX_PASSWORD_LENGTH)] | None = None
    """Required if the account has one."""


def session_out(
    user_id: UUID,
    email: str,
    name: str,
    teams: tuple[TeamMembership, ...],
    time_zone: str | None,
    *,
    is_multi_factor: bool,
) -> CurrentSessionOut:
    """Return the signed-in user and their teams."""
    return CurrentSessionOut(
        user=UserOut(id=user_id, email=email, name=name, time_zone=time_zone),
        teams=[user_team_out(team) for team in teams],
        is_multi_factor=is_multi_factor,
    )


def user_team_out(team: TeamMembership) -> UserTeamOut:
    """Return the wire shape of a team for one of its members."""
    return UserTeamOut(
        id=team.id,
        slug=team.slug,
        name=team.name,
        role=team.role,
        requires_second_factor=team.requires_second_factor,
    )


def browser_out(row: UserSession, person: SignedInUser) -> BrowserSessionOut:
    """Return the wire shape of a session."""
    return BrowserSessionOut(
        id=row.id,
        browser=row.browser,
        address=row.address,
        created_at=row.created_at,
        last_seen_at=row.last_seen_at,
        expires_at=row.expires_at,
        is_current=row.id == person.session_id,
    )
