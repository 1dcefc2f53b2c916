"""Wire shapes of sign-in with an identity provider."""

from typing import Annotated
from uuid import UUID

from pydantic import AwareDatetime, BaseModel, StringConstraints

from slowpath.platform.accounts.schemas.account_field_types import Secret, StrictRequest
from slowpath.platform.accounts.schemas.users import CurrentSessionOut

MAX_RESPONSE = 128 * 1024
"""Characters of a response: one with all groups of a user has about 40,000."""
MAX_STATE = 200
BASE64 = r"^[A-Za-z0-9+/=\r\n]+$"


class ProviderFlowIn(StrictRequest):
    """The page to open after sign-in, and the invitation to accept."""

    next: Annotated[str, StringConstraints(max_length=2000)] | None = None
    invitation: Secret | None = None


class OidcCallbackIn(StrictRequest):
    """The parameters that the identity provider sent to the browser."""

    state: Annotated[str, StringConstraints(min_length=1, max_length=200)]
    code: Annotated[str, StringConstraints(max_length=4000)] | None = None
    iss: Annotated[str, StringConstraints(max_length=2000)] | None = None
    error: Annotated[str, StringConstraints(max_length=200)] | None = None


class SamlCallbackIn(StrictRequest):
    """The fields of the form that the identity provider sent with the browser."""

    state: Annotated[str, StringConstraints(max_length=MAX_STATE)]
    """RelayState; empty if the identity provider sent none."""
    response: Annotated[str, StringConstraints(min_length=1, max_length=MAX_RESPONSE, pattern=BASE64)]
    """SAMLResponse, in base64."""


class IdentityProviderOut(BaseModel):
    """An identity provider."""

    name: str


class SignInMethodsOut(BaseModel):
    """The available sign-in methods."""

    are_passwords_enabled: bool
    sign_up: bool
    """Whether users can sign up without an invitation."""
    is_mail_configured: bool
    """Whether users can request a password reset by email."""
    oidc: IdentityProviderOut | None
    saml: IdentityProviderOut | None


class ProviderRedirectOut(BaseModel):
    """The address to send the browser to."""

    url: str


class ProviderSignInOut(BaseModel):
    """The signed-in user, and the page to open."""

    session: CurrentSessionOut
    next: str
    linked: bool
    """Whether the identity was linked to the signed-in user."""


class LinkedIdentityOut(BaseModel):
    """A linked identity of a user."""

    id: UUID
    name: str
    email: str | None
    created_at: AwareDatetime
    last_used_at: AwareDatetime


class LinkedIdentitiesOut(BaseModel):
    """The sign-in methods of a user."""

    has_password: bool
    linked: list[LinkedIdentityOut]
