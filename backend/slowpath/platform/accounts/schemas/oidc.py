"""The wire shapes of signing in by the operator's issuer."""

from typing import Annotated
from uuid import UUID

from pydantic import AwareDatetime, BaseModel, StringConstraints

from slowpath.platform.accounts.schemas.account_field_types import Secret, StrictRequest
from slowpath.platform.accounts.schemas.users import CurrentSessionOut


class OidcFlowIn(StrictRequest):
    """Where to go after signing in, and the invitation that is followed."""

    next: Annotated[str, StringConstraints(max_length=2000)] | None = None
    invitation: Secret | None = None


class OidcCallbackIn(StrictRequest):
    """What the issuer sent the browser back with."""

    state: Annotated[str, StringConstraints(min_length=1, max_length=200)]
    code: Annotated[str, StringConstraints(max_length=4000)] | None = None
    iss: Annotated[str, StringConstraints(max_length=2000)] | None = None
    error: Annotated[str, StringConstraints(max_length=200)] | None = None


class OidcProviderOut(BaseModel):
    """The issuer people sign in with."""

    name: str


class SignInMethodsOut(BaseModel):
    """How people sign in here."""

    are_passwords_enabled: bool
    sign_up: bool
    """Whether people sign up without an invitation."""
    is_mail_configured: bool
    """Whether somebody who forgot their password is mailed a link to choose another."""
    oidc: OidcProviderOut | None


class OidcRedirectOut(BaseModel):
    """Where to send the browser."""

    url: str


class OidcCallbackOut(BaseModel):
    """Who is signed in now, and where they wanted to go."""

    session: CurrentSessionOut
    next: str
    linked: bool
    """Whether an account at the issuer was linked to who was signed in before."""


class LinkedIdentityOut(BaseModel):
    """An account at an issuer that a person has linked."""

    id: UUID
    name: str
    email: str | None
    created_at: AwareDatetime
    last_used_at: AwareDatetime


class LinkedIdentitiesOut(BaseModel):
    """How a person signs in."""

    has_password: bool
    linked: list[LinkedIdentityOut]
