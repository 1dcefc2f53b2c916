"""The wire shapes of people and their sessions."""

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
    """A new person; with the secret of an invitation they join its team, otherwise they get one of their own."""

    email: Email
    name: Name
    password: NewPassword
    team: Name | None = None
    """How the new team is called."""
    invitation: Secret | None = None


class SignInIn(StrictRequest):
    """E-mail and password."""

    email: Annotated[str, StringConstraints(min_length=1, max_length=254)]
    password: AnyPassword


class PasswordResetIn(StrictRequest):
    """Who forgot their password."""

    email: Annotated[str, StringConstraints(min_length=1, max_length=254, pattern=r"^[^\x00]*$")]


class PasswordResetConfirmationIn(StrictRequest):
    """Another password, by the secret of the link that was mailed."""

    secret: Annotated[str, StringConstraints(min_length=1, max_length=100)]
    password: NewPassword


class UserUpdate(StrictRequest):
    """What a person may change about themselves."""

    name: Name


class PasswordUpdate(StrictRequest):
    """The password there is, and the one that shall be. Who has none yet and has just signed in sets a first one."""

    current_password: AnyPassword | None = None
    new_password: NewPassword


class UserOut(BaseModel):
    """A person."""

    id: UUID
    email: str
    name: str


class UserTeamOut(BaseModel):
    """A team as one of its people sees it."""

    id: UUID
    slug: str
    name: str
    role: Role


class CurrentSessionOut(BaseModel):
    """Who is signed in, and their teams in the order of joining."""

    user: UserOut
    teams: list[UserTeamOut]


class SignOutOut(BaseModel):
    """You are signed out here."""

    provider_sign_out_url: str | None = Field(
        description="where the browser is to go, so that the sign-in service signs it out, too; it sends it back here"
    )


class EmailPreferencesOut(BaseModel):
    """What you are told by e-mail, too."""

    email_on_mention: bool


class EmailPreferencesUpdate(StrictRequest):
    """What you want to be told by e-mail."""

    email_on_mention: StrictBool


class BrowserSessionOut(BaseModel):
    """A browser that is signed in."""

    id: UUID
    browser: str
    address: str
    created_at: AwareDatetime
    last_seen_at: AwareDatetime
    expires_at: AwareDatetime
    is_current: bool
    """Whether it is the one that asks."""


class AccountDeletionIn(BaseModel):
    """That an account is to be deleted, said so that it can not be by mistake."""

    email: Annotated[str, Field(min_length=3, max_length=320)]
    current_password: Annotated[str, Field(max_length=MAX_PASSWORD_LENGTH)] | None = None
    """Of whoever has one."""


def session_out(user_id: UUID, email: str, name: str, teams: tuple[TeamMembership, ...]) -> CurrentSessionOut:
    """Tell who is signed in."""
    told = [UserTeamOut(id=team.id, slug=team.slug, name=team.name, role=team.role) for team in teams]
    return CurrentSessionOut(user=UserOut(id=user_id, email=email, name=name), teams=told)


def browser_out(row: UserSession, person: SignedInUser) -> BrowserSessionOut:
    """Tell of a session, to whom it belongs."""
    return BrowserSessionOut(
        id=row.id,
        browser=row.browser,
        address=row.address,
        created_at=row.created_at,
        last_seen_at=row.last_seen_at,
        expires_at=row.expires_at,
        is_current=row.id == person.session_id,
    )
